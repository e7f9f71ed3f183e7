/* SPDX-License-Identifier: Apache-2.0 */
#include "target_worker.hpp"

#include <doca_log.h>

DOCA_LOG_REGISTER(STORAGE::TARGET);

namespace storage {

target_worker::~target_worker()
{
	join();
	destroy();
}

void target_worker::configure(doca_dev *dev)
{
	const uint32_t num = m_plan.num_messages;
	const size_t size = size_t{num} * io_message_size;
	const uint32_t permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
				     DOCA_ACCESS_FLAG_RDMA_WRITE;

	m_storage = range_of(m_plan.storage);
	m_host = range_of(m_plan.host);
	m_messages = make_memory(size);
	m_mmap = make_mmap(dev, m_messages.get(), size, permissions, false);
	m_inventory = make_inventory(3 * size_t{num});
	m_control = std::make_unique<rdma_context>(dev, pe(), permissions, this);
	m_control->set_receives(on_request, on_request_failed, num);
	m_control->set_sends(on_sent, on_send_failed, num);
	m_control->start();
	m_data = std::make_unique<rdma_context>(dev, pe(), permissions, this);
	m_data->set_reads(on_read, on_read_failed, num);
	m_data->set_writes(on_written, on_write_failed, num);
	m_data->start();
	m_send = submitter{m_control->ctx(), m_plan.batch};
	m_transfer = submitter{m_data->ctx(), m_plan.batch};
}

void target_worker::prepare()
{
	m_operations.resize(m_plan.num_messages);
	for (operation &operation : m_operations) {
		uint8_t *message = m_messages.get() + (&operation - m_operations.data()) * io_message_size;

		m_bufs.push_back(buf_by_addr(m_inventory.get(), m_mmap.get(), message, io_message_size));
		operation.message = m_bufs.back().get();
		m_bufs.push_back(buf_by_addr(m_inventory.get(), m_plan.storage, m_storage.addr, m_storage.len));
		operation.storage = m_bufs.back().get();
		m_bufs.push_back(buf_by_addr(m_inventory.get(), m_plan.host, m_host.addr, m_host.len));
		operation.host = m_bufs.back().get();
		operation.receive = m_control->make_receive(operation.message, &operation);
		operation.send = m_control->make_send(operation.message, &operation);
		operation.read = m_data->make_read(operation.host, operation.storage, &operation);
		operation.write = m_data->make_write(operation.storage, operation.host, &operation);
		check(doca_task_submit(doca_rdma_task_receive_as_task(operation.receive)), "doca_task_submit of a receive");
	}
}

void target_worker::destroy() noexcept
{
	m_is_draining = true;
	m_control.reset();
	m_data.reset();
	m_bufs.clear();
	m_inventory.reset();
	m_mmap.reset();
}

void target_worker::data_path()
{
	while (!m_is_stopped && !is_asked_to_end()) {
		if (!progress()) {
			m_transfer.flush();
			m_send.flush();
		}
		if (m_result != DOCA_SUCCESS)
			throw failure{m_result, m_failed};
	}
}

/* A write request is a read of host memory, with the storage as destination. */
doca_task *target_worker::aim_read(operation &operation, uint8_t *storage, uint8_t *host, size_t size)
{
	if (m_plan.is_older) {
		(void)doca_buf_set_data(operation.host, host, size);
		(void)doca_buf_set_data(operation.storage, storage, 0);
		doca_rdma_task_read_set_src_buf(operation.read, operation.host);
		doca_rdma_task_read_set_dst_buf(operation.read, operation.storage);
	} else {
		(void)doca_buf_inventory_buf_reuse_by_data(operation.host, host, size);
		(void)doca_buf_inventory_buf_reuse_by_addr(operation.storage, storage, size);
	}
	return doca_rdma_task_read_as_task(operation.read);
}

/* A read request is a write to host memory, with the storage as source. */
doca_task *target_worker::aim_write(operation &operation, uint8_t *storage, uint8_t *host, size_t size)
{
	if (m_plan.is_older) {
		(void)doca_buf_set_data(operation.storage, storage, size);
		(void)doca_buf_set_data(operation.host, host, 0);
		doca_rdma_task_write_set_src_buf(operation.write, operation.storage);
		doca_rdma_task_write_set_dst_buf(operation.write, operation.host);
	} else {
		(void)doca_buf_inventory_buf_reuse_by_data(operation.storage, storage, size);
		(void)doca_buf_inventory_buf_reuse_by_addr(operation.host, host, size);
	}
	return doca_rdma_task_write_as_task(operation.write);
}

void target_worker::perform(operation &operation)
{
	void *data = nullptr;
	doca_task *task = nullptr;

	(void)doca_buf_get_data(operation.message, &data);
	const io_message message{data};
	uint8_t *storage = m_storage.addr + message.storage_offset(), *host = m_host.addr + message.requester_offset();
	switch (message.type()) {
	case io_type::read:
		task = aim_write(operation, storage, host, message.size());
		break;
	case io_type::write:
		task = aim_read(operation, storage, host, message.size());
		break;
	case io_type::stop:
		if (m_plan.is_older) {
			m_is_stopped = true;
			return;
		}
		[[fallthrough]];
	default:
		answer(operation, DOCA_ERROR_INVALID_VALUE);
		return;
	}
	if (submit(m_transfer, task) != DOCA_SUCCESS)
		answer(operation, DOCA_ERROR_IO_FAILED);
}

void target_worker::answer(operation &operation, doca_error_t result)
{
	void *data = nullptr;

	if (m_is_draining)
		return;
	(void)doca_buf_get_data(operation.message, &data);
	io_message{data}.answer(result);
	m_num_operations++;
	fail(submit(m_send, doca_rdma_task_send_as_task(operation.send)), "Submitting a response");
}

void target_worker::fail(doca_error_t result, const char *what)
{
	if (result != DOCA_SUCCESS && !m_is_draining && m_result == DOCA_SUCCESS) {
		m_result = result;
		m_failed = what;
	}
}

/* ---- Callbacks ---- */

void target_worker::on_request(doca_rdma_task_receive *task, union doca_data task_data, union doca_data ctx_data)
{
	auto *self = static_cast<target_worker *>(ctx_data.ptr);

	if (self->m_is_draining)
		return;
	if (doca_rdma_task_receive_get_result_len(task) != io_message_size ||
	    doca_rdma_task_receive_get_result_opcode(task) != DOCA_RDMA_OPCODE_RECV_SEND)
		self->fail(DOCA_ERROR_UNEXPECTED, "A request that is none");
	else
		self->perform(*static_cast<operation *>(task_data.ptr));
}

void target_worker::on_request_failed(doca_rdma_task_receive *task, union doca_data, union doca_data ctx_data)
{
	static_cast<target_worker *>(ctx_data.ptr)
		->fail(doca_task_get_status(doca_rdma_task_receive_as_task(task)), "Receiving a request");
}

void target_worker::on_read(doca_rdma_task_read *, union doca_data task_data, union doca_data ctx_data)
{
	static_cast<target_worker *>(ctx_data.ptr)->answer(*static_cast<operation *>(task_data.ptr), DOCA_SUCCESS);
}

void target_worker::on_written(doca_rdma_task_write *, union doca_data task_data, union doca_data ctx_data)
{
	static_cast<target_worker *>(ctx_data.ptr)->answer(*static_cast<operation *>(task_data.ptr), DOCA_SUCCESS);
}

void target_worker::on_read_failed(doca_rdma_task_read *, union doca_data task_data, union doca_data ctx_data)
{
	static_cast<target_worker *>(ctx_data.ptr)->answer(*static_cast<operation *>(task_data.ptr), DOCA_ERROR_IO_FAILED);
}

void target_worker::on_write_failed(doca_rdma_task_write *, union doca_data task_data, union doca_data ctx_data)
{
	static_cast<target_worker *>(ctx_data.ptr)->answer(*static_cast<operation *>(task_data.ptr), DOCA_ERROR_IO_FAILED);
}

void target_worker::on_sent(doca_rdma_task_send *, union doca_data task_data, union doca_data ctx_data)
{
	auto *self = static_cast<target_worker *>(ctx_data.ptr);
	auto &operation = *static_cast<target_worker::operation *>(task_data.ptr);

	(void)doca_buf_reset_data_len(operation.message);
	if (!self->m_is_draining)
		self->fail(doca_task_submit(doca_rdma_task_receive_as_task(operation.receive)), "Submitting a receive");
}

void target_worker::on_send_failed(doca_rdma_task_send *task, union doca_data, union doca_data ctx_data)
{
	static_cast<target_worker *>(ctx_data.ptr)
		->fail(doca_task_get_status(doca_rdma_task_send_as_task(task)), "Sending a response");
}

} /* namespace storage */
