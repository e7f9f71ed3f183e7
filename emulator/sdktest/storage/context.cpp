/* SPDX-License-Identifier: Apache-2.0 */
#include "context.hpp"

#include <doca_log.h>

DOCA_LOG_REGISTER(STORAGE::CONTEXT);

namespace storage {

namespace {

constexpr std::chrono::seconds stop_limit{5};

void free_tasks(task_list &tasks)
{
	for (doca_task *task : tasks)
		doca_task_free(task);
	tasks.clear();
}

template <typename Done>
void drive(doca_pe *pe, const char *what, Done done)
{
	const auto begin = std::chrono::steady_clock::now();

	while (!done()) {
		if (doca_pe_progress(pe) == 0)
			std::this_thread::sleep_for(std::chrono::microseconds{10});
		if (std::chrono::steady_clock::now() - begin > stop_limit)
			throw failure{DOCA_ERROR_TIME_OUT, what};
	}
}

size_t num_inflight(doca_ctx *ctx)
{
	size_t num = 0;

	check(doca_ctx_get_num_inflight_tasks(ctx, &num), "doca_ctx_get_num_inflight_tasks");
	return num;
}

doca_ctx_states state_of(doca_ctx *ctx)
{
	doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	check(doca_ctx_get_state(ctx, &state), "doca_ctx_get_state");
	return state;
}

void stop_quietly(doca_ctx *ctx, doca_pe *pe, task_list &tasks) noexcept
{
	try {
		stop_context(ctx, pe, tasks);
	} catch (const failure &e) {
		DOCA_LOG_ERR("Stopping a context: %s", e.what());
	}
}

void connect_context(doca_ctx *ctx, doca_pe *pe, void *user_data)
{
	const union doca_data data = {.ptr = user_data};

	check(doca_pe_connect_ctx(pe, ctx), "doca_pe_connect_ctx");
	check(doca_ctx_set_user_data(ctx, data), "doca_ctx_set_user_data");
}

void start(doca_ctx *ctx, doca_error_t expected, const char *what)
{
	const doca_error_t result = doca_ctx_start(ctx);

	if (result != expected)
		throw failure{result, what};
}

} /* namespace */

void stop_context(doca_ctx *ctx, doca_pe *pe, task_list &tasks)
{
	if (num_inflight(ctx) == 0)
		free_tasks(tasks);
	const doca_error_t result = doca_ctx_stop(ctx);
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS && result != DOCA_ERROR_AGAIN &&
	    result != DOCA_ERROR_IN_USE)
		throw failure{result, "doca_ctx_stop"};
	drive(pe, "Waiting for tasks in flight", [&] { return num_inflight(ctx) == 0; });
	free_tasks(tasks);
	drive(pe, "Waiting for a context to be idle", [&] { return state_of(ctx) == DOCA_CTX_STATE_IDLE; });
}

bool is_running(doca_ctx *ctx)
{
	return state_of(ctx) == DOCA_CTX_STATE_RUNNING;
}

/* ---- Comch ---- */

fast_path::fast_path(doca_comch_connection *connection, doca_pe *pe, doca_mmap *mmap, uint32_t num_receives,
		     uint32_t num_sends, const fast_path_callbacks &callbacks, void *user_data)
	: m_pe{pe}
{
	try {
		check(doca_comch_consumer_create(connection, mmap, &m_consumer), "doca_comch_consumer_create");
		check(doca_comch_consumer_task_post_recv_set_conf(m_consumer, callbacks.received, callbacks.receive_failed,
								  num_receives),
		      "doca_comch_consumer_task_post_recv_set_conf");
		connect_context(consumer_ctx(), pe, user_data);
		start(consumer_ctx(), DOCA_ERROR_IN_PROGRESS, "doca_ctx_start of a consumer");

		check(doca_comch_producer_create(connection, &m_producer), "doca_comch_producer_create");
		check(doca_comch_producer_task_send_set_conf(m_producer, callbacks.sent, callbacks.send_failed, num_sends),
		      "doca_comch_producer_task_send_set_conf");
		connect_context(producer_ctx(), pe, user_data);
		start(producer_ctx(), DOCA_SUCCESS, "doca_ctx_start of a producer");
	} catch (...) {
		destroy();
		throw;
	}
}

fast_path::~fast_path()
{
	destroy();
}

void fast_path::destroy() noexcept
{
	if (m_producer != nullptr) {
		stop_quietly(producer_ctx(), m_pe, m_sends);
		try_to(doca_comch_producer_destroy(m_producer), "doca_comch_producer_destroy");
	}
	if (m_consumer != nullptr) {
		stop_quietly(consumer_ctx(), m_pe, m_receives);
		try_to(doca_comch_consumer_destroy(m_consumer), "doca_comch_consumer_destroy");
	}
}

doca_comch_consumer_task_post_recv *fast_path::make_receive(doca_buf *buf, void *user_data)
{
	doca_comch_consumer_task_post_recv *task = nullptr;
	const union doca_data data = {.ptr = user_data};

	check(doca_comch_consumer_task_post_recv_alloc_init(m_consumer, buf, &task),
	      "doca_comch_consumer_task_post_recv_alloc_init");
	m_receives.push_back(doca_comch_consumer_task_post_recv_as_task(task));
	doca_task_set_user_data(m_receives.back(), data);
	return task;
}

doca_comch_producer_task_send *fast_path::make_send(const doca_buf *buf, uint32_t consumer_id, void *user_data)
{
	doca_comch_producer_task_send *task = nullptr;
	const union doca_data data = {.ptr = user_data};

	check(doca_comch_producer_task_send_alloc_init(m_producer, buf, nullptr, 0, consumer_id, &task),
	      "doca_comch_producer_task_send_alloc_init");
	m_sends.push_back(doca_comch_producer_task_send_as_task(task));
	doca_task_set_user_data(m_sends.back(), data);
	return task;
}

/* ---- RDMA ---- */

rdma_context::rdma_context(doca_dev *dev, doca_pe *pe, uint32_t permissions, void *user_data) : m_pe{pe}
{
	try {
		check(doca_rdma_create(dev, &m_rdma), "doca_rdma_create");
		check(doca_rdma_set_permissions(m_rdma, permissions), "doca_rdma_set_permissions");
		check(doca_rdma_set_grh_enabled(m_rdma, 1), "doca_rdma_set_grh_enabled");
		check(doca_rdma_set_max_num_connections(m_rdma, 1), "doca_rdma_set_max_num_connections");
		check(doca_rdma_set_transport_type(m_rdma, DOCA_RDMA_TRANSPORT_TYPE_RC), "doca_rdma_set_transport_type");
		connect_context(ctx(), pe, user_data);
	} catch (...) {
		destroy();
		throw;
	}
}

rdma_context::~rdma_context()
{
	destroy();
}

void rdma_context::destroy() noexcept
{
	if (m_rdma == nullptr)
		return;
	stop_quietly(ctx(), m_pe, m_tasks);
	try_to(doca_rdma_destroy(m_rdma), "doca_rdma_destroy");
}

void rdma_context::set_receives(doca_rdma_task_receive_completion_cb_t done, doca_rdma_task_receive_completion_cb_t failed,
				uint32_t num)
{
	check(doca_rdma_task_receive_set_conf(m_rdma, done, failed, num), "doca_rdma_task_receive_set_conf");
	check(doca_rdma_task_receive_set_dst_buf_list_len(m_rdma, 1), "doca_rdma_task_receive_set_dst_buf_list_len");
}

void rdma_context::set_sends(doca_rdma_task_send_completion_cb_t done, doca_rdma_task_send_completion_cb_t failed, uint32_t num)
{
	check(doca_rdma_task_send_set_conf(m_rdma, done, failed, num), "doca_rdma_task_send_set_conf");
	check(doca_rdma_set_send_queue_size(m_rdma, num), "doca_rdma_set_send_queue_size");
}

void rdma_context::set_reads(doca_rdma_task_read_completion_cb_t done, doca_rdma_task_read_completion_cb_t failed, uint32_t num)
{
	check(doca_rdma_task_read_set_conf(m_rdma, done, failed, num), "doca_rdma_task_read_set_conf");
	check(doca_rdma_set_send_queue_size(m_rdma, 2 * num), "doca_rdma_set_send_queue_size");
}

void rdma_context::set_writes(doca_rdma_task_write_completion_cb_t done, doca_rdma_task_write_completion_cb_t failed,
			      uint32_t num)
{
	check(doca_rdma_task_write_set_conf(m_rdma, done, failed, num), "doca_rdma_task_write_set_conf");
}

void rdma_context::start()
{
	storage::start(ctx(), DOCA_SUCCESS, "doca_ctx_start of RDMA");
}

bytes rdma_context::export_details()
{
	const void *details = nullptr;
	size_t len = 0;

	check(doca_rdma_export(m_rdma, &details, &len, &m_connection), "doca_rdma_export");
	return bytes(static_cast<const uint8_t *>(details), static_cast<const uint8_t *>(details) + len);
}

void rdma_context::connect(const bytes &details)
{
	check(doca_rdma_connect(m_rdma, details.data(), details.size(), m_connection), "doca_rdma_connect");
	m_is_connected = true;
}

doca_rdma_task_receive *rdma_context::make_receive(doca_buf *buf, void *user_data)
{
	doca_rdma_task_receive *task = nullptr;

	check(doca_rdma_task_receive_allocate_init(m_rdma, buf, {.ptr = user_data}, &task),
	      "doca_rdma_task_receive_allocate_init");
	m_tasks.push_back(doca_rdma_task_receive_as_task(task));
	return task;
}

doca_rdma_task_send *rdma_context::make_send(const doca_buf *buf, void *user_data)
{
	doca_rdma_task_send *task = nullptr;

	check(doca_rdma_task_send_allocate_init(m_rdma, m_connection, buf, {.ptr = user_data}, &task),
	      "doca_rdma_task_send_allocate_init");
	m_tasks.push_back(doca_rdma_task_send_as_task(task));
	return task;
}

doca_rdma_task_read *rdma_context::make_read(const doca_buf *remote, doca_buf *local, void *user_data)
{
	doca_rdma_task_read *task = nullptr;

	check(doca_rdma_task_read_allocate_init(m_rdma, m_connection, remote, local, {.ptr = user_data}, &task),
	      "doca_rdma_task_read_allocate_init");
	m_tasks.push_back(doca_rdma_task_read_as_task(task));
	return task;
}

doca_rdma_task_write *rdma_context::make_write(const doca_buf *local, doca_buf *remote, void *user_data)
{
	doca_rdma_task_write *task = nullptr;

	check(doca_rdma_task_write_allocate_init(m_rdma, m_connection, local, remote, {.ptr = user_data}, &task),
	      "doca_rdma_task_write_allocate_init");
	m_tasks.push_back(doca_rdma_task_write_as_task(task));
	return task;
}

} /* namespace storage */
