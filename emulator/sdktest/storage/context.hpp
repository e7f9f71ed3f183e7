/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_CONTEXT_HPP_
#define STORAGE_CONTEXT_HPP_

/* The contexts of a worker: one consumer and one producer, or an RDMA context with one connection. */

#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_rdma.h>

#include "device.hpp"

namespace storage {

using task_list = std::vector<doca_task *>;

/* Stops a context with its own engine alone, and frees its tasks, which no longer are in flight then. */
void stop_context(doca_ctx *ctx, doca_pe *pe, task_list &tasks);

bool is_running(doca_ctx *ctx);

struct fast_path_callbacks {
	doca_comch_consumer_task_post_recv_completion_cb_t received;
	doca_comch_consumer_task_post_recv_completion_cb_t receive_failed;
	doca_comch_producer_task_send_completion_cb_t sent;
	doca_comch_producer_task_send_completion_cb_t send_failed;
};

class fast_path {
public:
	fast_path(doca_comch_connection *connection, doca_pe *pe, doca_mmap *mmap, uint32_t num_receives, uint32_t num_sends,
		  const fast_path_callbacks &callbacks, void *user_data);
	fast_path(const fast_path &) = delete;
	fast_path &operator=(const fast_path &) = delete;
	~fast_path();

	bool is_ready() const
	{
		return is_running(consumer_ctx()) && is_running(producer_ctx());
	}

	doca_comch_consumer_task_post_recv *make_receive(doca_buf *buf, void *user_data);
	doca_comch_producer_task_send *make_send(const doca_buf *buf, uint32_t consumer_id, void *user_data);

	doca_ctx *consumer_ctx() const
	{
		return doca_comch_consumer_as_ctx(m_consumer);
	}

	doca_ctx *producer_ctx() const
	{
		return doca_comch_producer_as_ctx(m_producer);
	}

private:
	void destroy() noexcept;

	doca_pe *m_pe;
	doca_comch_consumer *m_consumer{nullptr};
	doca_comch_producer *m_producer{nullptr};
	task_list m_receives;
	task_list m_sends;
};

class rdma_context {
public:
	rdma_context(doca_dev *dev, doca_pe *pe, uint32_t permissions, void *user_data);
	rdma_context(const rdma_context &) = delete;
	rdma_context &operator=(const rdma_context &) = delete;
	~rdma_context();

	void set_receives(doca_rdma_task_receive_completion_cb_t done, doca_rdma_task_receive_completion_cb_t failed,
			  uint32_t num);
	void set_sends(doca_rdma_task_send_completion_cb_t done, doca_rdma_task_send_completion_cb_t failed, uint32_t num);
	void set_reads(doca_rdma_task_read_completion_cb_t done, doca_rdma_task_read_completion_cb_t failed, uint32_t num);
	void set_writes(doca_rdma_task_write_completion_cb_t done, doca_rdma_task_write_completion_cb_t failed, uint32_t num);
	void start();

	/* The details for the peer, who connects to them; then its details are connected to. */
	bytes export_details();
	void connect(const bytes &details);

	bool is_ready() const
	{
		return m_is_connected && is_running(ctx());
	}

	doca_rdma_task_receive *make_receive(doca_buf *buf, void *user_data);
	doca_rdma_task_send *make_send(const doca_buf *buf, void *user_data);
	doca_rdma_task_read *make_read(const doca_buf *remote, doca_buf *local, void *user_data);
	doca_rdma_task_write *make_write(const doca_buf *local, doca_buf *remote, void *user_data);

	doca_ctx *ctx() const
	{
		return doca_rdma_as_ctx(m_rdma);
	}

private:
	void destroy() noexcept;

	doca_pe *m_pe;
	doca_rdma *m_rdma{nullptr};
	doca_rdma_connection *m_connection{nullptr};
	bool m_is_connected{false};
	task_list m_tasks;
};

/* How tasks of a context are submitted. A batch above 1: each batch is flushed with its last task, as the older programs
 * do; what waits for the rest of its batch is flushed when there is nothing else to do. */
class submitter {
public:
	submitter() = default;
	submitter(doca_ctx *ctx, uint32_t batch) : m_ctx{ctx}, m_batch{batch}
	{
	}

	doca_error_t operator()(doca_task *task)
	{
		if (m_batch <= 1)
			return doca_task_submit(task);
		const bool is_last = m_num_waiting + 1 >= m_batch;
		const doca_error_t result =
			doca_task_submit_ex(task, is_last ? DOCA_TASK_SUBMIT_FLAG_FLUSH : DOCA_TASK_SUBMIT_FLAG_NONE);
		if (result == DOCA_SUCCESS)
			m_num_waiting = is_last ? 0 : m_num_waiting + 1;
		return result;
	}

	void flush()
	{
		if (m_num_waiting != 0)
			doca_ctx_flush_tasks(m_ctx);
		m_num_waiting = 0;
	}

private:
	doca_ctx *m_ctx{nullptr};
	uint32_t m_batch{0};
	uint32_t m_num_waiting{0};
};

} /* namespace storage */

#endif /* STORAGE_CONTEXT_HPP_ */
