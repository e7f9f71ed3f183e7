/* SPDX-License-Identifier: Apache-2.0 */
#include "relay_worker.hpp"

#include <doca_log.h>

DOCA_LOG_REGISTER(STORAGE::RELAY);

namespace storage {

relay_worker::~relay_worker()
{
	join();
	destroy_fast_path();
	destroy();
}

void relay_worker::configure(doca_dev *dev, doca_comch_connection *connection)
{
	const uint32_t num = m_plan.num_messages;
	const size_t size = 2 * size_t{num} * io_message_size;
	const uint32_t rdma_permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
					  DOCA_ACCESS_FLAG_RDMA_WRITE;
	const fast_path_callbacks callbacks{on_request, on_request_failed, on_answered, on_answer_failed};

	m_messages = make_memory(size);
	m_mmap = make_mmap(dev, m_messages.get(), size,
			   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
				   DOCA_ACCESS_FLAG_RDMA_WRITE,
			   false);
	m_inventory = make_inventory(2 * size_t{num});
	m_fast_path = std::make_unique<fast_path>(connection, pe(), m_mmap.get(), num, num, callbacks, this);
	m_control = std::make_unique<rdma_context>(dev, pe(), rdma_permissions, this);
	m_control->set_receives(on_response, on_response_failed, num);
	m_control->set_sends(on_forwarded, on_forward_failed, num);
	m_control->start();
	m_data = std::make_unique<rdma_context>(dev, pe(), rdma_permissions, this); /* the target alone uses it */
	m_data->start();
	m_to_target = submitter{m_control->ctx(), m_plan.batch};
	m_to_host = submitter{m_fast_path->producer_ctx(), m_plan.batch};
}

void relay_worker::prepare(uint32_t consumer_id)
{
	const uint32_t num = m_plan.num_messages;

	for (uint32_t i = 0; i < 2 * num; i++)
		m_bufs.push_back(buf_by_addr(m_inventory.get(), m_mmap.get(), m_messages.get() + i * io_message_size,
					     io_message_size));
	m_requests.resize(num);
	m_responses.resize(num);
	for (uint32_t i = 0; i < num; i++) {
		to_target &request = m_requests[i];
		to_host &response = m_responses[i];

		request.buf = m_bufs[i].get();
		request.send = m_control->make_send(request.buf, &request);
		request.receive = m_fast_path->make_receive(request.buf, &request);
		response.buf = m_bufs[num + i].get();
		response.send = m_fast_path->make_send(response.buf, consumer_id, &response);
		response.receive = m_control->make_receive(response.buf, &response);
		check(doca_task_submit(doca_rdma_task_receive_as_task(response.receive)), "doca_task_submit of a receive");
	}
	for (to_target &request : m_requests)
		check(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(request.receive)),
		      "doca_task_submit of a receive");
}

void relay_worker::destroy_fast_path() noexcept
{
	m_is_draining = true;
	m_fast_path.reset();
}

void relay_worker::destroy() noexcept
{
	m_control.reset();
	m_data.reset();
	m_bufs.clear();
	m_inventory.reset();
	m_mmap.reset();
}

void relay_worker::data_path()
{
	while (!m_is_stopped && !is_asked_to_end()) {
		if (!progress()) {
			m_to_target.flush();
			m_to_host.flush();
		}
		if (m_result != DOCA_SUCCESS)
			throw failure{m_result, m_failed};
	}
}

void relay_worker::fail(doca_error_t result, const char *what)
{
	if (result != DOCA_SUCCESS && !m_is_draining && m_result == DOCA_SUCCESS) {
		m_result = result;
		m_failed = what;
	}
}

void relay_worker::post(doca_task *task, const char *what)
{
	if (!m_is_draining)
		fail(doca_task_submit(task), what);
}

/* ---- From the host to the target ---- */

void relay_worker::on_request(doca_comch_consumer_task_post_recv *task, union doca_data task_data, union doca_data ctx_data)
{
	auto *self = static_cast<relay_worker *>(ctx_data.ptr);
	auto &request = *static_cast<to_target *>(task_data.ptr);

	if (self->m_is_draining)
		return;
	if (self->m_plan.is_older) /* its tasks do not belong together */
		doca_rdma_task_send_set_src_buf(request.send, doca_comch_consumer_task_post_recv_get_buf(task));
	self->fail(self->submit(self->m_to_target, doca_rdma_task_send_as_task(request.send)), "Submitting a request");
}

void relay_worker::on_forwarded(doca_rdma_task_send *, union doca_data task_data, union doca_data ctx_data)
{
	auto *self = static_cast<relay_worker *>(ctx_data.ptr);
	auto &request = *static_cast<to_target *>(task_data.ptr);
	void *data = nullptr;

	if (self->m_plan.is_older) {
		(void)doca_buf_get_data(request.buf, &data);
		if (io_message{data}.type() == io_type::stop)
			self->m_is_stopped = true;
	}
	(void)doca_buf_reset_data_len(request.buf);
	self->post(doca_comch_consumer_task_post_recv_as_task(request.receive), "Submitting a receive for the host");
}

void relay_worker::on_request_failed(doca_comch_consumer_task_post_recv *task, union doca_data, union doca_data ctx_data)
{
	static_cast<relay_worker *>(ctx_data.ptr)
		->fail(doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task)), "Receiving from the host");
}

void relay_worker::on_forward_failed(doca_rdma_task_send *task, union doca_data, union doca_data ctx_data)
{
	static_cast<relay_worker *>(ctx_data.ptr)
		->fail(doca_task_get_status(doca_rdma_task_send_as_task(task)), "Sending to the target");
}

/* ---- From the target to the host ---- */

void relay_worker::on_response(doca_rdma_task_receive *task, union doca_data task_data, union doca_data ctx_data)
{
	auto *self = static_cast<relay_worker *>(ctx_data.ptr);
	auto &response = *static_cast<to_host *>(task_data.ptr);
	void *data = nullptr;

	if (self->m_is_draining)
		return;
	(void)doca_buf_get_data(response.buf, &data);
	self->m_num_operations++;
	if (self->m_plan.is_older)
		doca_comch_producer_task_send_set_buf(response.send, doca_rdma_task_receive_get_dst_buf(task));
	else
		io_message{data}.answer(DOCA_SUCCESS);
	self->fail(self->submit(self->m_to_host, doca_comch_producer_task_send_as_task(response.send)),
		   "Submitting a response");
}

void relay_worker::on_answered(doca_comch_producer_task_send *, union doca_data task_data, union doca_data ctx_data)
{
	auto *self = static_cast<relay_worker *>(ctx_data.ptr);
	auto &response = *static_cast<to_host *>(task_data.ptr);

	(void)doca_buf_reset_data_len(response.buf);
	self->post(doca_rdma_task_receive_as_task(response.receive), "Submitting a receive for the target");
}

void relay_worker::on_response_failed(doca_rdma_task_receive *task, union doca_data, union doca_data ctx_data)
{
	static_cast<relay_worker *>(ctx_data.ptr)
		->fail(doca_task_get_status(doca_rdma_task_receive_as_task(task)), "Receiving from the target");
}

void relay_worker::on_answer_failed(doca_comch_producer_task_send *task, union doca_data, union doca_data ctx_data)
{
	static_cast<relay_worker *>(ctx_data.ptr)
		->fail(doca_task_get_status(doca_comch_producer_task_send_as_task(task)), "Sending to the host");
}

} /* namespace storage */
