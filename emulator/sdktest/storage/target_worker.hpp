/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_TARGET_WORKER_HPP_
#define STORAGE_TARGET_WORKER_HPP_

/* The data path of the target on one core. */

#include "context.hpp"
#include "io_message.hpp"
#include "worker.hpp"

namespace storage {

struct target_plan {
	uint32_t num_messages;
	bool is_older; /* stop messages end the data path; buffers are aimed as 3.0 can */
	uint32_t batch;
	doca_mmap *storage;
	doca_mmap *host;
};

class target_worker : public worker {
public:
	target_worker(uint32_t cpu, const target_plan &plan) : worker{cpu}, m_plan{plan}
	{
	}
	~target_worker() override;

	/* On the worker's thread. */
	void configure(doca_dev *dev);
	void prepare();

	rdma_context &control_context()
	{
		return *m_control;
	}

	rdma_context &data_context()
	{
		return *m_data;
	}

	/* On the main thread, when the worker's has ended. */
	void destroy() noexcept;

	uint64_t num_operations() const noexcept
	{
		return m_num_operations;
	}

protected:
	void data_path() override;

	bool are_contexts_ready() const override
	{
		return m_control->is_ready() && m_data->is_ready();
	}

private:
	struct operation {
		doca_rdma_task_receive *receive;
		doca_rdma_task_send *send;
		doca_rdma_task_read *read;
		doca_rdma_task_write *write;
		doca_buf *message;
		doca_buf *storage;
		doca_buf *host;
	};

	static void on_request(doca_rdma_task_receive *task, union doca_data task_data, union doca_data ctx_data);
	static void on_request_failed(doca_rdma_task_receive *task, union doca_data task_data, union doca_data ctx_data);
	static void on_read(doca_rdma_task_read *task, union doca_data task_data, union doca_data ctx_data);
	static void on_written(doca_rdma_task_write *task, union doca_data task_data, union doca_data ctx_data);
	static void on_read_failed(doca_rdma_task_read *task, union doca_data task_data, union doca_data ctx_data);
	static void on_write_failed(doca_rdma_task_write *task, union doca_data task_data, union doca_data ctx_data);
	static void on_sent(doca_rdma_task_send *task, union doca_data task_data, union doca_data ctx_data);
	static void on_send_failed(doca_rdma_task_send *task, union doca_data task_data, union doca_data ctx_data);
	void perform(operation &operation);
	doca_task *aim_read(operation &operation, uint8_t *storage, uint8_t *host, size_t size);
	doca_task *aim_write(operation &operation, uint8_t *storage, uint8_t *host, size_t size);
	void answer(operation &operation, doca_error_t result);
	void fail(doca_error_t result, const char *what);

	target_plan m_plan;
	memory_range m_storage{};
	memory_range m_host{};
	memory m_messages;
	handle<doca_mmap> m_mmap;
	handle<doca_buf_inventory> m_inventory;
	std::vector<handle<doca_buf>> m_bufs;
	std::unique_ptr<rdma_context> m_control;
	std::unique_ptr<rdma_context> m_data;
	submitter m_send;
	submitter m_transfer;
	std::vector<operation> m_operations;
	uint64_t m_num_operations{0};
	bool m_is_stopped{false};
	bool m_is_draining{false};
	doca_error_t m_result{DOCA_SUCCESS};
	const char *m_failed{""};
};

} /* namespace storage */

#endif /* STORAGE_TARGET_WORKER_HPP_ */
