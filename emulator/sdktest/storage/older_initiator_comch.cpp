/* SPDX-License-Identifier: Apache-2.0 */
/* The initiator of the older variant, which needs no storage size: the storage is as large as its buffers. */

#include <algorithm>

#include "args.hpp"
#include "comch_channel.hpp"
#include "content.hpp"
#include "initiator_worker.hpp"
#include "older_message.hpp"

namespace storage::older {
namespace {

constexpr char name[] = "doca_storage_zero_copy_initiator_comch";

struct configuration {
	std::string device;
	std::string operation;
	uint32_t num_operations{1000000};
	std::vector<uint32_t> cpus;
	uint32_t buffer_count{64};
	uint32_t buffer_size{4096};
	bool validates{false};
	std::string channel{"storage_zero_copy_comch"};
	std::chrono::seconds control_timeout{10};
	uint32_t batch_size{0};
};

configuration parse(int argc, char **argv)
{
	using c = configuration;
	configuration config;

	arguments{name, &config}
		.add<&c::device>("d", "device", "Device: PCI address, RDMA device or interface", need::mandatory)
		.add<&c::operation>(nullptr, "operation", "read | write", need::mandatory)
		.add<&c::num_operations>(nullptr, "run-limit-operation-count", "Operations of each thread")
		.add<&c::cpus>(nullptr, "cpu", "A core to use, once for each", need::mandatory)
		.add<&c::buffer_count>(nullptr, "per-cpu-buffer-count", "Buffers of each core")
		.add<&c::buffer_size>(nullptr, "buffer-size", "Bytes of each buffer, a multiple of 64")
		.add<&c::validates>(nullptr, "validate-writes", "Read and compare what was written")
		.add<&c::channel>(nullptr, "command-channel-name", "Name of the Comch server")
		.add<&c::control_timeout>(nullptr, "control-timeout", "Seconds for each step of the control path")
		.add<&c::batch_size>(nullptr, "batch-size", "Tasks for each flush; 0: half as many as there are buffers")
		.parse(argc, argv);
	if (config.batch_size == 0)
		config.batch_size = std::max(1U, config.buffer_count / 2);
	configuration_printer{"configuration"}
		.field("device", config.device)
		.field("operation", config.operation)
		.field("run_limit_operation_count", config.num_operations)
		.field("cpu", config.cpus)
		.field("per_cpu_buffer_count", config.buffer_count)
		.field("buffer_size", config.buffer_size)
		.field("validate_writes", config.validates)
		.field("command_channel_name", config.channel)
		.field("control_timeout", config.control_timeout.count())
		.field("batch_size", config.batch_size);
	if (config.operation != "read" && config.operation != "write")
		throw failure{DOCA_ERROR_INVALID_VALUE, "The operation is read or write, not " + config.operation};
	if (config.buffer_size == 0 || config.buffer_size % io_message_size != 0)
		throw failure{DOCA_ERROR_INVALID_VALUE, "The buffer size is no multiple of 64"};
	if (config.num_operations == 0 || config.buffer_count == 0 || config.batch_size > config.buffer_count)
		throw failure{DOCA_ERROR_INVALID_VALUE, "A count of 0, or batches of more than all buffers"};
	return config;
}

class initiator {
public:
	explicit initiator(const configuration &config)
		: m_config{config}, m_dev{open_device(config.device)},
		  m_num_buffers{config.buffer_count * static_cast<uint32_t>(config.cpus.size())},
		  m_size{size_t{m_num_buffers} * config.buffer_size}
	{
	}

	/* Returns the exit status. */
	int run()
	{
		m_channel = std::make_unique<comch_channel>(message_length, m_dev.get(), m_config.channel);
		m_control.emplace(*m_channel);
		wait_until("the DPU's server", m_config.control_timeout, step(), [this] { return m_channel->is_connected(); });
		configure();
		request(message_type::start_data_path_connections, {});
		prepare();
		request(message_type::start_storage, {});
		const auto begin = std::chrono::steady_clock::now();
		run_workers();
		m_stats.duration = std::chrono::steady_clock::now() - begin;
		collect();
		for (const auto &worker : m_workers)
			worker->destroy();
		request(message_type::destroy_objects, {});
		wait_until("the peer's consumers to expire", m_config.control_timeout, step(),
			   [this] { return m_channel->remote_consumers().empty(); });
		m_workers.clear();
		m_channel->stop();
		if (m_error.has_value())
			throw *m_error;
		if (m_is_data_wrong)
			std::cerr << "Test failed!!" << std::endl;
		return m_is_data_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
	}

private:
	std::function<bool()> step()
	{
		return [this] {
			const bool is_busy = m_channel->progress();

			m_channel->check_peer();
			return is_busy;
		};
	}

	void request(message_type type, bytes payload)
	{
		m_control->request(type, m_next_correlation_id++, std::move(payload), m_config.control_timeout,
				   [this] { return m_channel->progress(); });
	}

	void configure()
	{
		m_buffers = make_memory(m_size);
		m_buffers_mmap = make_mmap(m_dev.get(), m_buffers.get(), m_size,
					   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE |
						   DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE,
					   false);
		m_content = make_pattern(m_size);
		request(message_type::configure_data_path,
			configure_data_path{m_num_buffers, m_config.buffer_size, m_config.batch_size,
					    export_pci(m_buffers_mmap.get(), m_dev.get())}
				.encode());
	}

	void prepare()
	{
		const auto num_workers = static_cast<uint32_t>(m_config.cpus.size());
		const strategy writing = m_config.validates ? strategy::read_write_validity : strategy::write_throughput;

		for (uint32_t i = 0; i < num_workers; i++) {
			initiator_plan plan{};

			plan.strategy = m_config.operation == "read" ? strategy::read_throughput : writing;
			plan.num_transactions = std::min(m_config.buffer_count, m_config.num_operations);
			plan.num_operations = m_config.num_operations;
			plan.io_size = m_config.buffer_size;
			plan.storage_share = share_of(m_num_buffers, i, num_workers);
			plan.local_share = plan.storage_share;
			plan.local = m_buffers.get();
			plan.expected = m_content.data();
			plan.is_older = true;
			plan.batch = m_config.batch_size;
			m_workers.push_back(std::make_unique<initiator_worker>(m_config.cpus[i], plan));
			initiator_worker &worker = *m_workers.back();
			worker.command(
				"a worker's contexts", [&] { worker.configure(m_dev.get(), m_channel->connection()); }, step());
			wait_until("a worker's contexts to run", m_config.control_timeout, step(),
				   [&] { return worker.is_ready(step()); });
		}
		wait_until("the peer's consumers", m_config.control_timeout, step(),
			   [&] { return m_channel->remote_consumers().size() == num_workers; });
		for (uint32_t i = 0; i < num_workers; i++) {
			initiator_worker &worker = *m_workers[i];
			const uint32_t id = m_channel->remote_consumers()[i];

			worker.command(
				"a worker's tasks", [&] { worker.prepare(id); }, step());
		}
	}

	void run_workers()
	{
		for (const auto &worker : m_workers)
			worker->begin();
		wait_until("the workers", without_limit, step(), [this] {
			return std::all_of(m_workers.begin(), m_workers.end(),
					   [](const auto &worker) { return worker->has_ended(); });
		});
		for (const auto &worker : m_workers)
			worker->join();
	}

	void collect()
	{
		for (const auto &worker : m_workers) {
			m_stats.latency.add(worker->latency());
			m_stats.num_hits += worker->num_hits();
			m_stats.num_misses += worker->num_misses();
			m_is_data_wrong = m_is_data_wrong || worker->is_data_wrong();
			if (worker->io_error().has_value() && !m_error.has_value())
				m_error = worker->io_error();
		}
		m_stats.num_bytes = m_stats.latency.count() * m_config.buffer_size;
		m_stats.print();
	}

	configuration m_config;
	handle<doca_dev> m_dev;
	uint32_t m_num_buffers;
	size_t m_size;
	std::unique_ptr<comch_channel> m_channel;
	std::optional<control> m_control;
	memory m_buffers;
	handle<doca_mmap> m_buffers_mmap;
	bytes m_content;
	std::vector<std::unique_ptr<initiator_worker>> m_workers;
	uint32_t m_next_correlation_id{0};
	stats m_stats;
	std::optional<failure> m_error;
	bool m_is_data_wrong{false};
};

int program(int argc, char **argv)
{
	return initiator{parse(argc, argv)}.run();
}

} /* namespace */
} /* namespace storage::older */

int main(int argc, char **argv)
{
	return storage::run_main(storage::older::name, argc, argv, storage::older::program);
}
