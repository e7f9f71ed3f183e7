/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_INITIATOR_WORKER_HPP_
#define STORAGE_INITIATOR_WORKER_HPP_

/* The data path of an initiator on one core. */

#include <optional>

#include "context.hpp"
#include "io_message.hpp"
#include "stats.hpp"
#include "worker.hpp"

namespace storage {

enum class strategy {
	read_throughput,
	write_throughput,
	read_write_validity,
	read_only_validity,
};

strategy strategy_of(const std::string &name);

/* A worker's share, in IOs of io_size bytes. */
struct share {
	uint64_t first;
	uint64_t num;
};

/* Shares of num IOs: those that remain go one each to the first workers. */
share share_of(uint64_t num, uint32_t worker, uint32_t num_workers) noexcept;

struct initiator_plan {
	storage::strategy strategy;
	uint32_t num_transactions;
	uint64_t num_operations;
	uint32_t io_size;
	share storage_share;
	share local_share;
	uint8_t *local;		 /* the region that the target reads and writes */
	const uint8_t *expected; /* the content of the storage, for validity tests */
	bool is_older;		 /* the data path ends with a stop message */
	uint32_t batch;
};

class initiator_worker : public worker {
public:
	initiator_worker(uint32_t cpu, const initiator_plan &plan);
	~initiator_worker() override;

	/* On the worker's thread. */
	void configure(doca_dev *dev, doca_comch_connection *connection);
	void prepare(uint32_t consumer_id);

	/* On the main thread, when the worker's has ended. */
	void destroy() noexcept;

	const latencies &latency() const noexcept
	{
		return m_latency;
	}

	/* The first error of an IO. */
	const std::optional<failure> &io_error() const noexcept
	{
		return m_io_error;
	}

	/* Whether a block has been other than expected. */
	bool is_data_wrong() const noexcept
	{
		return m_is_data_wrong;
	}

protected:
	void data_path() override;

	bool are_contexts_ready() const override
	{
		return m_fast_path->is_ready();
	}

private:
	using clock = std::chrono::steady_clock;

	struct transaction {
		initiator_worker *owner;
		doca_task *task;
		uint8_t *message;
		uint8_t *block;
		uint64_t storage_io;
		uint64_t local_io;
		io_type type;
		uint32_t num_pending; /* of two: the request's completion and the response */
		clock::time_point start;
	};

	static void on_sent(doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data);
	static void on_send_failed(doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data);
	static void on_received(doca_comch_consumer_task_post_recv *task, union doca_data task_data,
				union doca_data ctx_data);
	static void on_receive_failed(doca_comch_consumer_task_post_recv *task, union doca_data task_data,
				      union doca_data ctx_data);
	void fail(doca_error_t result, const char *what);
	bool is_validity() const noexcept;
	io_type first_type() const noexcept;
	void aim(transaction &transaction, uint64_t storage_io, uint64_t local_io);
	void start(transaction &transaction, io_type type);
	void one_done(transaction &transaction);
	void complete(transaction &transaction);
	void send_stop();

	initiator_plan m_plan;
	memory m_messages;
	handle<doca_mmap> m_mmap;
	handle<doca_buf_inventory> m_inventory;
	std::vector<handle<doca_buf>> m_bufs;
	std::unique_ptr<fast_path> m_fast_path;
	submitter m_submit;
	std::vector<transaction> m_transactions;
	uint64_t m_num_started{0};
	uint32_t m_num_active{0};
	bool m_is_stop_sent{false};
	bool m_is_data_wrong{false};
	bool m_is_draining{false};
	std::optional<failure> m_io_error;
	latencies m_latency;
};

} /* namespace storage */

#endif /* STORAGE_INITIATOR_WORKER_HPP_ */
