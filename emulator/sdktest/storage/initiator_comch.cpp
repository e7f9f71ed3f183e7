/* SPDX-License-Identifier: Apache-2.0 */
/* doca_storage_initiator_comch: reads and writes the blocks of a storage from the host. */

#include <algorithm>

#include "args.hpp"
#include "comch_channel.hpp"
#include "content.hpp"
#include "initiator_worker.hpp"
#include "message.hpp"

namespace storage {
namespace {

constexpr char name[] = "doca_storage_initiator_comch";

struct configuration {
	std::string device;
	std::vector<uint32_t> cpus;
	std::string strategy;
	std::string content_path;
	uint32_t num_operations{1000000};
	uint32_t num_transactions{64};
	std::string channel{"doca_storage_comch"};
	std::chrono::seconds control_timeout{5};
	uint64_t region_size{0};
	uint32_t blocks_per_io{1};
};

configuration parse(int argc, char **argv)
{
	using c = configuration;
	configuration config;

	arguments{name, &config}
		.add<&c::device>("d", "device", "Device: PCI address, RDMA device or interface", need::mandatory)
		.add<&c::cpus>(nullptr, "cpu", "A core to use, once for each", need::mandatory)
		.add<&c::strategy>(nullptr, "execution-strategy",
				   "read_throughput_test | write_throughput_test | read_write_data_validity_test | "
				   "read_only_data_validity_test",
				   need::mandatory)
		.add<&c::content_path>(nullptr, "storage-plain-content", "File with the content of the storage")
		.add<&c::num_operations>(nullptr, "run-limit-operation-count", "Operations of each thread")
		.add<&c::num_transactions>(nullptr, "transaction-count", "Transactions of each thread at a time")
		.add<&c::channel>(nullptr, "command-channel-name", "Name of the Comch server")
		.add<&c::control_timeout>(nullptr, "control-timeout", "Seconds for each step of the control path")
		.add<&c::region_size>(nullptr, "local-io-region-size", "Bytes of memory for IO; 0: as the storage has")
		.add<&c::blocks_per_io>(nullptr, "blocks-per-io", "Blocks of each operation")
		.parse(argc, argv);
	configuration_printer{"configuration"}
		.field("device", config.device)
		.field("cpu", config.cpus)
		.field("execution_strategy", config.strategy)
		.field("storage_plain_content", config.content_path)
		.field("run_limit_operation_count", config.num_operations)
		.field("transaction_count", config.num_transactions)
		.field("command_channel_name", config.channel)
		.field("control_timeout", config.control_timeout.count())
		.field("local_io_region_size", config.region_size)
		.field("blocks_per_io", config.blocks_per_io);
	if (config.num_operations == 0 || config.num_transactions == 0 || config.blocks_per_io == 0)
		throw failure{DOCA_ERROR_INVALID_VALUE, "A count of 0"};
	return config;
}

class initiator {
public:
	explicit initiator(const configuration &config) : m_config{config}, m_dev{open_device(config.device)}
	{
	}

	/* Returns the exit status. */
	int run()
	{
		const strategy strategy = strategy_of(m_config.strategy);

		connect();
		query();
		load(strategy);
		init();
		prepare(strategy);
		request(message_type::start_storage_request, {});
		const auto begin = std::chrono::steady_clock::now();
		run_workers();
		m_stats.duration = std::chrono::steady_clock::now() - begin;
		request(message_type::stop_storage_request, {});
		collect();
		for (const auto &worker : m_workers)
			worker->destroy();
		request(message_type::shutdown_request, {});
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

	bytes request(message_type type, bytes payload)
	{
		return m_control->request(type, m_next_correlation_id++, std::move(payload), m_config.control_timeout,
					  [this] { return m_channel->progress(); });
	}

	void connect()
	{
		m_channel = std::make_unique<comch_channel>(message_length, m_dev.get(), m_config.channel);
		m_control.emplace(*m_channel);
		wait_until("the DPU's server", m_config.control_timeout, step(), [this] { return m_channel->is_connected(); });
	}

	void query()
	{
		m_storage = storage_size::decode(request(message_type::query_storage_request, {}));
		std::cout << "Storage: " << m_storage.total_size << " bytes in blocks of " << m_storage.block_size << std::endl;
		if (m_storage.block_size == 0 || m_storage.total_size < m_storage.block_size)
			throw failure{DOCA_ERROR_INVALID_VALUE, "The storage has no blocks"};
	}

	void load(strategy strategy)
	{
		if (strategy == strategy::read_only_validity && m_config.content_path.empty())
			throw failure{DOCA_ERROR_INVALID_VALUE, "The strategy needs --storage-plain-content"};
		if (strategy != strategy::read_only_validity && strategy != strategy::read_write_validity)
			return;
		m_content = m_config.content_path.empty() ? make_pattern(m_storage.total_size) :
							    read_file(m_config.content_path);
		if (m_content.size() != m_storage.total_size)
			throw failure{DOCA_ERROR_INVALID_VALUE, "The content has another size than the storage"};
	}

	void init()
	{
		m_region_size = m_config.region_size != 0 ? m_config.region_size : m_storage.total_size;
		m_region = make_memory(m_region_size);
		m_region_mmap = make_mmap(m_dev.get(), m_region.get(), m_region_size,
					  DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE |
						  DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE,
					  false);
		request(message_type::init_storage_request,
			init_storage{m_config.num_transactions, static_cast<uint32_t>(m_config.cpus.size()),
				     export_pci(m_region_mmap.get(), m_dev.get())}
				.encode());
	}

	void prepare(strategy strategy)
	{
		const auto num_workers = static_cast<uint32_t>(m_config.cpus.size());
		const uint64_t io_size = uint64_t{m_storage.block_size} * m_config.blocks_per_io;

		for (uint32_t i = 0; i < num_workers; i++) {
			initiator_plan plan{};

			plan.strategy = strategy;
			plan.num_operations = m_config.num_operations;
			plan.io_size = static_cast<uint32_t>(io_size);
			plan.storage_share = share_of(m_storage.total_size / io_size, i, num_workers);
			plan.local_share = share_of(m_region_size / io_size, i, num_workers);
			plan.local = m_region.get();
			plan.expected = m_content.data();
			plan.num_transactions = static_cast<uint32_t>(
				std::min({uint64_t{m_config.num_transactions}, plan.num_operations, plan.storage_share.num,
					  plan.local_share.num}));
			if (plan.num_transactions == 0)
				throw failure{DOCA_ERROR_INVALID_VALUE, "The region or the storage has no block for each core"};
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
		m_stats.num_bytes = m_stats.latency.count() * m_storage.block_size * m_config.blocks_per_io;
		m_stats.print();
	}

	configuration m_config;
	handle<doca_dev> m_dev;
	std::unique_ptr<comch_channel> m_channel;
	std::optional<control> m_control;
	storage_size m_storage{};
	bytes m_content;
	uint64_t m_region_size{0};
	memory m_region;
	handle<doca_mmap> m_region_mmap;
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
} /* namespace storage */

int main(int argc, char **argv)
{
	return storage::run_main(storage::name, argc, argv, storage::program);
}
