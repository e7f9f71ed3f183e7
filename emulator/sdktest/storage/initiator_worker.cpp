/* SPDX-License-Identifier: Apache-2.0 */
#include "initiator_worker.hpp"

#include <algorithm>
#include <cstring>

#include <doca_log.h>

DOCA_LOG_REGISTER(STORAGE::INITIATOR);

namespace storage {

strategy strategy_of(const std::string &name)
{
	if (name == "read_throughput_test")
		return strategy::read_throughput;
	if (name == "write_throughput_test")
		return strategy::write_throughput;
	if (name == "read_write_data_validity_test")
		return strategy::read_write_validity;
	if (name == "read_only_data_validity_test")
		return strategy::read_only_validity;
	throw failure{DOCA_ERROR_INVALID_VALUE, "There is no execution strategy " + name};
}

share share_of(uint64_t num, uint32_t worker, uint32_t num_workers) noexcept
{
	const uint64_t each = num / num_workers, rest = num % num_workers;

	return share{worker * each + std::min<uint64_t>(worker, rest), each + (worker < rest ? 1 : 0)};
}

initiator_worker::initiator_worker(uint32_t cpu, const initiator_plan &plan) : worker{cpu}, m_plan{plan}
{
}

initiator_worker::~initiator_worker()
{
	join();
	destroy();
}

void initiator_worker::configure(doca_dev *dev, doca_comch_connection *connection)
{
	const uint32_t num = m_plan.num_transactions;
	const size_t size = 3 * size_t{num} * io_message_size; /* the requests, and twice as many responses */
	const fast_path_callbacks callbacks{on_received, on_receive_failed, on_sent, on_send_failed};

	m_messages = make_memory(size);
	m_mmap = make_mmap(dev, m_messages.get(), size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE,
			   false);
	m_inventory = make_inventory(3 * size_t{num});
	m_fast_path = std::make_unique<fast_path>(connection, pe(), m_mmap.get(), 2 * num, num, callbacks, this);
	m_submit = submitter{m_fast_path->producer_ctx(), m_plan.batch};
}

void initiator_worker::prepare(uint32_t consumer_id)
{
	const uint32_t num = m_plan.num_transactions;

	for (uint32_t i = 0; i < 3 * num; i++)
		m_bufs.push_back(buf_by_addr(m_inventory.get(), m_mmap.get(), m_messages.get() + i * io_message_size,
					     io_message_size));
	m_transactions.resize(num);
	for (uint32_t i = 0; i < num; i++) {
		transaction &transaction = m_transactions[i];
		io_message message{m_messages.get() + i * io_message_size};

		transaction.owner = this;
		transaction.message = m_messages.get() + i * io_message_size;
		check(doca_buf_set_data(m_bufs[i].get(), transaction.message, io_message_size), "doca_buf_set_data");
		transaction.task = doca_comch_producer_task_send_as_task(
			m_fast_path->make_send(m_bufs[i].get(), consumer_id, &transaction));
		message.set_user_data(i);
		message.set_correlation_id(i);
		message.set_size(m_plan.io_size);
		aim(transaction, i, i);
	}
	for (uint32_t i = num; i < 3 * num; i++)
		check(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(
			      m_fast_path->make_receive(m_bufs[i].get(), nullptr))),
		      "doca_task_submit of a receive");
}

void initiator_worker::destroy() noexcept
{
	m_is_draining = true;
	m_fast_path.reset();
	m_bufs.clear();
	m_inventory.reset();
	m_mmap.reset();
}

void initiator_worker::data_path()
{
	for (transaction &transaction : m_transactions) {
		if (m_num_started < m_plan.num_operations) {
			m_num_active++;
			start(transaction, first_type());
		}
	}
	m_submit.flush();
	while (m_num_active != 0 && !is_asked_to_end())
		if (!progress())
			m_submit.flush();
	if (m_plan.is_older && !is_asked_to_end())
		send_stop();
}

/* Tells the relay's and the target's worker that there is no more. There is no response. */
void initiator_worker::send_stop()
{
	transaction &transaction = m_transactions.front();

	io_message{transaction.message}.set_type(io_type::stop);
	m_is_stop_sent = true;
	transaction.num_pending = 2;
	const doca_error_t result = submit([](doca_task *task) { return doca_task_submit(task); }, transaction.task);
	if (result != DOCA_SUCCESS)
		throw failure{result, "Sending the stop message"};
	while (transaction.num_pending == 2 && !is_asked_to_end())
		(void)progress();
}

bool initiator_worker::is_validity() const noexcept
{
	return m_plan.strategy == strategy::read_write_validity || m_plan.strategy == strategy::read_only_validity;
}

io_type initiator_worker::first_type() const noexcept
{
	return m_plan.strategy == strategy::read_throughput || m_plan.strategy == strategy::read_only_validity ?
		       io_type::read :
		       io_type::write;
}

/* Each transaction has every num_transactions-th IO of the share, so no two meet. */
void initiator_worker::aim(transaction &transaction, uint64_t storage_io, uint64_t local_io)
{
	const auto index = static_cast<uint64_t>(&transaction - m_transactions.data());

	transaction.storage_io = storage_io < m_plan.storage_share.num ? storage_io : index;
	transaction.local_io = local_io < m_plan.local_share.num ? local_io : index;
	const uint64_t local_offset = (m_plan.local_share.first + transaction.local_io) * m_plan.io_size;
	transaction.block = m_plan.local + local_offset;
	io_message{transaction.message}.set_offsets(local_offset, (m_plan.storage_share.first + transaction.storage_io) *
									  m_plan.io_size);
}

void initiator_worker::start(transaction &transaction, io_type type)
{
	io_message message{transaction.message};

	if (is_validity() && type == io_type::read)
		std::memset(transaction.block, 0, m_plan.io_size);
	else if (is_validity())
		std::memcpy(transaction.block,
			    m_plan.expected + (m_plan.storage_share.first + transaction.storage_io) * m_plan.io_size,
			    m_plan.io_size);
	message.set_type(type);
	message.set_result(DOCA_SUCCESS);
	transaction.type = type;
	transaction.num_pending = 2;
	transaction.start = clock::now();
	m_num_started++;
	const doca_error_t result = submit(m_submit, transaction.task);
	if (result != DOCA_SUCCESS) {
		fail(result, "Submitting a request");
		m_num_active--;
	}
}

void initiator_worker::one_done(transaction &transaction)
{
	if (--transaction.num_pending == 0 && !m_is_stop_sent)
		complete(transaction);
}

void initiator_worker::complete(transaction &transaction)
{
	const uint64_t offset = (m_plan.storage_share.first + transaction.storage_io) * m_plan.io_size;

	m_latency.add(clock::now() - transaction.start);
	if (is_validity() && transaction.type == io_type::read &&
	    std::memcmp(transaction.block, m_plan.expected + offset, m_plan.io_size) != 0) {
		if (!m_is_data_wrong)
			DOCA_LOG_ERR("The data at %llu are not as expected", static_cast<unsigned long long>(offset));
		m_is_data_wrong = true;
	}
	if (m_num_started >= m_plan.num_operations || m_io_error.has_value()) {
		m_num_active--;
		return;
	}
	if (m_plan.strategy == strategy::read_write_validity && transaction.type == io_type::write) {
		start(transaction, io_type::read);
		return;
	}
	aim(transaction, transaction.storage_io + m_plan.num_transactions, transaction.local_io + m_plan.num_transactions);
	start(transaction, first_type());
}

void initiator_worker::fail(doca_error_t result, const char *what)
{
	if (!m_io_error.has_value())
		m_io_error.emplace(result, what);
}

/* ---- Callbacks ---- */

void initiator_worker::on_sent(doca_comch_producer_task_send *, union doca_data task_data, union doca_data)
{
	auto &transaction = *static_cast<initiator_worker::transaction *>(task_data.ptr);

	transaction.owner->one_done(transaction);
}

void initiator_worker::on_send_failed(doca_comch_producer_task_send *task, union doca_data, union doca_data ctx_data)
{
	auto *self = static_cast<initiator_worker *>(ctx_data.ptr);

	if (self->m_is_draining)
		return;
	self->fail(doca_task_get_status(doca_comch_producer_task_send_as_task(task)), "Sending a request");
	self->m_num_active--;
}

void initiator_worker::on_received(doca_comch_consumer_task_post_recv *task, union doca_data, union doca_data ctx_data)
{
	auto *self = static_cast<initiator_worker *>(ctx_data.ptr);
	doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	void *data = nullptr;
	size_t len = 0;

	(void)doca_buf_get_data(buf, &data);
	(void)doca_buf_get_data_len(buf, &len);
	const io_message message{data};
	const uint64_t index = message.user_data();
	if (self->m_is_stop_sent) /* a target may answer the stop message, or not */
		return;
	if (len != io_message_size || message.type() != io_type::result || index >= self->m_transactions.size()) {
		self->fail(DOCA_ERROR_UNEXPECTED, "The response to a request is none");
		self->m_num_active = 0;
		return;
	}
	if (message.result() != DOCA_SUCCESS)
		self->fail(message.result(), "The response to a request");
	(void)doca_buf_reset_data_len(buf);
	const doca_error_t result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
	if (result != DOCA_SUCCESS && !self->m_is_draining)
		self->fail(result, "Submitting a receive");
	self->one_done(self->m_transactions[index]);
}

void initiator_worker::on_receive_failed(doca_comch_consumer_task_post_recv *task, union doca_data, union doca_data ctx_data)
{
	auto *self = static_cast<initiator_worker *>(ctx_data.ptr);

	if (self->m_is_draining)
		return;
	self->fail(doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task)), "Receiving a response");
	self->m_num_active = 0;
}

} /* namespace storage */
