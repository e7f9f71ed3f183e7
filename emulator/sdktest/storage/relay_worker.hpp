/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_RELAY_WORKER_HPP_
#define STORAGE_RELAY_WORKER_HPP_

/* The data path of the relay on one core: what the host's producer sends goes to the target, what the target sends goes to
 * the host's consumer. A buffer is that of the receive and of the send in turn. */

#include "context.hpp"
#include "io_message.hpp"
#include "worker.hpp"

namespace storage {

struct relay_plan {
	uint32_t num_messages; /* in each direction */
	bool is_older;	       /* stop messages end the data path */
	uint32_t batch;
};

class relay_worker : public worker {
public:
	relay_worker(uint32_t cpu, const relay_plan &plan) : worker{cpu}, m_plan{plan}
	{
	}
	~relay_worker() override;

	/* On the worker's thread. */
	void configure(doca_dev *dev, doca_comch_connection *connection);
	void prepare(uint32_t consumer_id);

	rdma_context &control_context()
	{
		return *m_control;
	}

	rdma_context &data_context()
	{
		return *m_data;
	}

	/* On the main thread, when the worker's has ended. */
	void destroy_fast_path() noexcept;
	void destroy() noexcept;

	/* How many responses have gone to the host. */
	uint64_t num_operations() const noexcept
	{
		return m_num_operations;
	}

protected:
	void data_path() override;

	bool are_contexts_ready() const override
	{
		return m_fast_path->is_ready() && m_control->is_ready() && m_data->is_ready();
	}

private:
	struct to_target {
		doca_comch_consumer_task_post_recv *receive;
		doca_rdma_task_send *send;
		doca_buf *buf;
	};

	struct to_host {
		doca_rdma_task_receive *receive;
		doca_comch_producer_task_send *send;
		doca_buf *buf;
	};

	static void on_request(doca_comch_consumer_task_post_recv *task, union doca_data task_data, union doca_data ctx_data);
	static void on_request_failed(doca_comch_consumer_task_post_recv *task, union doca_data task_data,
				      union doca_data ctx_data);
	static void on_forwarded(doca_rdma_task_send *task, union doca_data task_data, union doca_data ctx_data);
	static void on_forward_failed(doca_rdma_task_send *task, union doca_data task_data, union doca_data ctx_data);
	static void on_response(doca_rdma_task_receive *task, union doca_data task_data, union doca_data ctx_data);
	static void on_response_failed(doca_rdma_task_receive *task, union doca_data task_data, union doca_data ctx_data);
	static void on_answered(doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data);
	static void on_answer_failed(doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data);
	void post(doca_task *task, const char *what);
	void fail(doca_error_t result, const char *what);

	relay_plan m_plan;
	memory m_messages;
	handle<doca_mmap> m_mmap;
	handle<doca_buf_inventory> m_inventory;
	std::vector<handle<doca_buf>> m_bufs;
	std::unique_ptr<fast_path> m_fast_path;
	std::unique_ptr<rdma_context> m_control;
	std::unique_ptr<rdma_context> m_data;
	submitter m_to_target;
	submitter m_to_host;
	std::vector<to_target> m_requests;
	std::vector<to_host> m_responses;
	uint64_t m_num_operations{0};
	bool m_is_stopped{false};
	bool m_is_draining{false};
	doca_error_t m_result{DOCA_SUCCESS};
	const char *m_failed{""};
};

} /* namespace storage */

#endif /* STORAGE_RELAY_WORKER_HPP_ */
