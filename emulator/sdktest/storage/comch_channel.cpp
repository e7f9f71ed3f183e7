/* SPDX-License-Identifier: Apache-2.0 */
#include "comch_channel.hpp"

#include <algorithm>

#include <doca_log.h>

DOCA_LOG_REGISTER(STORAGE::COMCH);

namespace storage {

namespace {
constexpr uint32_t num_send_tasks = 8;
constexpr std::chrono::seconds stop_limit{5};
} /* namespace */

comch_channel::comch_channel(length_of length, doca_dev *dev, const std::string &name) : channel{length}, m_pe{make_pe()}
{
	check(doca_comch_client_create(dev, name.c_str(), &m_client), "doca_comch_client_create");
	try {
		m_ctx = doca_comch_client_as_ctx(m_client);
		check(doca_comch_client_task_send_set_conf(m_client, on_sent, on_send_failed, num_send_tasks),
		      "doca_comch_client_task_send_set_conf");
		check(doca_comch_client_event_msg_recv_register(m_client, on_message),
		      "doca_comch_client_event_msg_recv_register");
		check(doca_comch_client_event_consumer_register(m_client, on_consumer_new, on_consumer_expired),
		      "doca_comch_client_event_consumer_register");
		check(doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(dev), &m_max_len),
		      "doca_comch_cap_get_max_msg_size");
		check(doca_comch_client_set_max_msg_size(m_client, m_max_len), "doca_comch_client_set_max_msg_size");
		start(DOCA_ERROR_IN_PROGRESS);
	} catch (...) {
		destroy();
		throw;
	}
}

comch_channel::comch_channel(length_of length, doca_dev *dev, doca_dev_rep *rep, const std::string &name)
	: channel{length}, m_pe{make_pe()}
{
	check(doca_comch_server_create(dev, rep, name.c_str(), &m_server), "doca_comch_server_create");
	try {
		m_ctx = doca_comch_server_as_ctx(m_server);
		check(doca_comch_server_task_send_set_conf(m_server, on_sent, on_send_failed, num_send_tasks),
		      "doca_comch_server_task_send_set_conf");
		check(doca_comch_server_event_msg_recv_register(m_server, on_message),
		      "doca_comch_server_event_msg_recv_register");
		check(doca_comch_server_event_connection_status_changed_register(m_server, on_connected, on_disconnected),
		      "doca_comch_server_event_connection_status_changed_register");
		check(doca_comch_server_event_consumer_register(m_server, on_consumer_new, on_consumer_expired),
		      "doca_comch_server_event_consumer_register");
		check(doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(dev), &m_max_len),
		      "doca_comch_cap_get_max_msg_size");
		check(doca_comch_server_set_max_msg_size(m_server, m_max_len), "doca_comch_server_set_max_msg_size");
		start(DOCA_SUCCESS);
	} catch (...) {
		destroy();
		throw;
	}
}

comch_channel::~comch_channel()
{
	try {
		stop();
	} catch (const failure &e) {
		DOCA_LOG_ERR("Stopping Comch: %s", e.what());
	}
	destroy();
}

void comch_channel::start(doca_error_t expected)
{
	const union doca_data self = {.ptr = this};

	check(doca_ctx_set_user_data(m_ctx, self), "doca_ctx_set_user_data");
	check(doca_ctx_set_state_changed_cb(m_ctx, on_state), "doca_ctx_set_state_changed_cb");
	check(doca_pe_connect_ctx(m_pe.get(), m_ctx), "doca_pe_connect_ctx");
	const doca_error_t result = doca_ctx_start(m_ctx);
	if (result != expected)
		throw failure{result, "doca_ctx_start of Comch"};
}

void comch_channel::destroy() noexcept
{
	if (m_client != nullptr)
		try_to(doca_comch_client_destroy(m_client), "doca_comch_client_destroy");
	if (m_server != nullptr)
		try_to(doca_comch_server_destroy(m_server), "doca_comch_server_destroy");
	m_client = nullptr;
	m_server = nullptr;
}

void comch_channel::stop()
{
	size_t num_inflight = 0;
	const auto step = [this] { return doca_pe_progress(m_pe.get()) != 0; };

	if (m_state == DOCA_CTX_STATE_RUNNING && m_connection != nullptr) {
		wait_until("the last control message to be sent", stop_limit, step, [&] {
			return doca_ctx_get_num_inflight_tasks(m_ctx, &num_inflight) != DOCA_SUCCESS || num_inflight == 0 ||
			       m_connection == nullptr;
		});
	}
	if (m_state != DOCA_CTX_STATE_IDLE) {
		const doca_error_t result = doca_ctx_stop(m_ctx);

		if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS && result != DOCA_ERROR_AGAIN &&
		    result != DOCA_ERROR_IN_USE)
			throw failure{result, "doca_ctx_stop of Comch"};
	}
	const auto begin = std::chrono::steady_clock::now();
	while (m_state != DOCA_CTX_STATE_IDLE) { /* also after an interrupt */
		if (!step())
			std::this_thread::sleep_for(std::chrono::microseconds{100});
		if (std::chrono::steady_clock::now() - begin > stop_limit)
			throw failure{DOCA_ERROR_TIME_OUT, "Waiting for Comch to stop"};
	}
}

bool comch_channel::progress()
{
	return doca_pe_progress(m_pe.get()) != 0;
}

void comch_channel::send(const bytes &message)
{
	doca_comch_task_send *task = nullptr;
	doca_error_t result;

	if (m_connection == nullptr)
		throw failure{DOCA_ERROR_NOT_CONNECTED, "Sending a control message"};
	if (message.size() > m_max_len)
		throw failure{DOCA_ERROR_TOO_BIG, "Sending a control message of " + std::to_string(message.size()) + " bytes"};
	if (m_client != nullptr)
		result = doca_comch_client_task_send_alloc_init(m_client, m_connection, message.data(),
								static_cast<uint32_t>(message.size()), &task);
	else
		result = doca_comch_server_task_send_alloc_init(m_server, m_connection, message.data(),
								static_cast<uint32_t>(message.size()), &task);
	check(result, "doca_comch_task_send_alloc_init");
	result = doca_task_submit(doca_comch_task_send_as_task(task));
	if (result != DOCA_SUCCESS) {
		doca_task_free(doca_comch_task_send_as_task(task));
		throw failure{result, "Sending a control message"};
	}
}

/* ---- Callbacks ---- */

comch_channel *comch_channel::of(doca_comch_connection *connection)
{
	union doca_data user_data = doca_comch_connection_get_user_data(connection);

	if (user_data.ptr == nullptr) { /* before its first event has set it */
		doca_comch_client *client = doca_comch_client_get_client_ctx(connection);
		doca_comch_server *server = doca_comch_server_get_server_ctx(connection);

		try_to(doca_ctx_get_user_data(client != nullptr ? doca_comch_client_as_ctx(client) :
								  doca_comch_server_as_ctx(server),
					      &user_data),
		       "doca_ctx_get_user_data");
		try_to(doca_comch_connection_set_user_data(connection, user_data), "doca_comch_connection_set_user_data");
	}
	return static_cast<comch_channel *>(user_data.ptr);
}

void comch_channel::on_state(const union doca_data user_data, doca_ctx *, doca_ctx_states, doca_ctx_states next)
{
	auto *self = static_cast<comch_channel *>(user_data.ptr);

	self->m_state = next;
	if (self->m_client == nullptr)
		return;
	if (next == DOCA_CTX_STATE_RUNNING) {
		try_to(doca_comch_client_get_connection(self->m_client, &self->m_connection),
		       "doca_comch_client_get_connection");
	} else if (next == DOCA_CTX_STATE_STOPPING || next == DOCA_CTX_STATE_IDLE) {
		self->m_connection = nullptr;
		self->lost();
	}
}

void comch_channel::on_connected(doca_comch_event_connection_status_changed *, doca_comch_connection *connection,
				 uint8_t is_successful)
{
	comch_channel *self = of(connection);

	if (is_successful == 0)
		return;
	if (self->m_connection != nullptr) { /* there is a client already */
		try_to(doca_comch_server_disconnect(self->m_server, connection), "doca_comch_server_disconnect");
		return;
	}
	DOCA_LOG_INFO("A client has connected");
	self->m_connection = connection;
}

void comch_channel::on_disconnected(doca_comch_event_connection_status_changed *, doca_comch_connection *connection, uint8_t)
{
	comch_channel *self = of(connection);

	if (self->m_connection != connection)
		return;
	DOCA_LOG_INFO("The client has disconnected");
	self->m_connection = nullptr;
	self->lost();
}

void comch_channel::on_message(doca_comch_event_msg_recv *, uint8_t *message, uint32_t len, doca_comch_connection *connection)
{
	comch_channel *self = of(connection);

	if (self->m_connection == nullptr || self->m_connection == connection)
		self->arrived(message, len);
}

void comch_channel::on_sent(doca_comch_task_send *task, union doca_data, union doca_data)
{
	doca_task_free(doca_comch_task_send_as_task(task));
}

void comch_channel::on_send_failed(doca_comch_task_send *task, union doca_data, union doca_data ctx_data)
{
	auto *self = static_cast<comch_channel *>(ctx_data.ptr);

	DOCA_LOG_ERR("A control message was not sent: %s",
		     doca_error_get_name(doca_task_get_status(doca_comch_task_send_as_task(task))));
	doca_task_free(doca_comch_task_send_as_task(task));
	self->lost();
}

void comch_channel::on_consumer_new(doca_comch_event_consumer *, doca_comch_connection *connection, uint32_t id)
{
	comch_channel *self = of(connection);
	auto &ids = self->m_remote_consumers;

	ids.insert(std::upper_bound(ids.begin(), ids.end(), id), id);
}

void comch_channel::on_consumer_expired(doca_comch_event_consumer *, doca_comch_connection *connection, uint32_t id)
{
	comch_channel *self = of(connection);
	auto &ids = self->m_remote_consumers;

	ids.erase(std::remove(ids.begin(), ids.end(), id), ids.end());
}

} /* namespace storage */
