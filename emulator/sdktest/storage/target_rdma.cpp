/* SPDX-License-Identifier: Apache-2.0 */
/* doca_storage_target_rdma: has the storage, and serves one session. */

#include <algorithm>

#include <doca_log.h>

#include "args.hpp"
#include "content.hpp"
#include "message.hpp"
#include "target_worker.hpp"
#include "tcp_channel.hpp"

DOCA_LOG_REGISTER(STORAGE::TARGET_RDMA);

namespace storage {
namespace {

constexpr char name[] = "doca_storage_target_rdma";
constexpr std::chrono::seconds ready_limit{5};

struct configuration {
	std::string device;
	std::vector<uint32_t> cpus;
	uint32_t port{0};
	std::string content_path;
	uint32_t block_count{128};
	uint32_t block_size{4096};
};

configuration parse(int argc, char **argv)
{
	using c = configuration;
	configuration config;

	arguments{name, &config}
		.add<&c::device>("d", "device", "Device: PCI address, RDMA device or interface", need::mandatory)
		.add<&c::cpus>(nullptr, "cpu", "A core to use, once for each", need::mandatory)
		.add<&c::port>(nullptr, "listen-port", "TCP port", need::mandatory)
		.add<&c::content_path>(nullptr, "binary-content", "File with the content of the storage")
		.add<&c::block_count>(nullptr, "block-count", "Blocks of the storage")
		.add<&c::block_size>(nullptr, "block-size", "Bytes of each block")
		.parse(argc, argv);
	configuration_printer{"configuration"}
		.field("device", config.device)
		.field("cpu", config.cpus)
		.field("listen_port", config.port)
		.field("binary_content", config.content_path)
		.field("block_count", config.block_count)
		.field("block_size", config.block_size);
	if (config.port > UINT16_MAX)
		throw failure{DOCA_ERROR_INVALID_VALUE, "The port is " + std::to_string(config.port)};
	return config;
}

class target {
public:
	explicit target(const configuration &config)
		: m_config{config}, m_dev{open_device(config.device)},
		  m_content{load_content(config.content_path, config.block_size, config.block_count)}, m_channel{message_length}
	{
		m_size = m_content.data.size();
		m_memory = make_memory(m_size);
		std::copy(m_content.data.begin(), m_content.data.end(), m_memory.get());
		m_content.data = {};
		m_mmap = make_mmap(m_dev.get(), m_memory.get(), m_size,
				   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE,
				   true);
	}

	void run()
	{
		m_channel.listen(static_cast<uint16_t>(m_config.port));
		wait_until("a client", without_limit, step(), [this] { return m_channel.is_connected(); });
		while (!m_is_over)
			serve(m_control.wait_request("a request", without_limit, step()));
	}

private:
	std::function<bool()> step()
	{
		return [this] {
			const bool is_busy = m_channel.progress();

			m_channel.check_peer();
			for (const auto &worker : m_workers)
				(void)worker->has_ended(); /* throws what it has thrown */
			return is_busy;
		};
	}

	void serve(const message &request)
	{
		DOCA_LOG_INFO("%s", name_of(request.type));
		try {
			m_control.respond(request, answer(request));
		} catch (const failure &e) {
			m_control.refuse(request, e.code(), e.what());
			throw;
		}
	}

	bytes answer(const message &request)
	{
		switch (request.type) {
		case message_type::query_storage_request:
			return storage_size{m_size, m_content.block_size}.encode();
		case message_type::init_storage_request:
			init(init_storage::decode(request.payload));
			break;
		case message_type::create_rdma_connection_request:
			return connect(rdma_details::decode(request.payload));
		case message_type::start_storage_request:
			start();
			break;
		case message_type::stop_storage_request:
			for (const auto &worker : m_workers)
				worker->join();
			break;
		case message_type::shutdown_request:
			shutdown();
			break;
		default:
			throw failure{DOCA_ERROR_NOT_SUPPORTED, name_of(request.type)};
		}
		return {};
	}

	void init(const init_storage &init)
	{
		if (init.num_cores > m_config.cpus.size() || init.num_cores == 0)
			throw failure{DOCA_ERROR_INVALID_VALUE, std::to_string(init.num_cores) + " cores are wanted"};
		m_host_mmap = import_mmap(m_dev.get(), init.mmap, true);
		for (uint32_t i = 0; i < init.num_cores; i++) {
			m_workers.push_back(std::make_unique<target_worker>(
				m_config.cpus[i],
				target_plan{init.num_transactions, false, 0, m_mmap.get(), m_host_mmap.get()}));
			target_worker &worker = *m_workers.back();

			worker.command(
				"a worker's contexts", [&] { worker.configure(m_dev.get()); }, step());
		}
	}

	bytes connect(rdma_details details)
	{
		if (details.index >= m_workers.size() ||
		    (details.role != rdma_role::data && details.role != rdma_role::control))
			throw failure{DOCA_ERROR_INVALID_VALUE, "There is no RDMA context of that index and role"};
		target_worker &worker = *m_workers[details.index];
		rdma_context &context = details.role == rdma_role::data ? worker.data_context() : worker.control_context();
		worker.command(
			"an RDMA connection",
			[&] {
				bytes own = context.export_details();

				context.connect(details.details);
				details.details = std::move(own);
			},
			step());
		return details.encode();
	}

	void start()
	{
		wait_until("the RDMA contexts", ready_limit, step(), [this] {
			return std::all_of(m_workers.begin(), m_workers.end(),
					   [this](const auto &worker) { return worker->is_ready(step()); });
		});
		for (const auto &worker : m_workers)
			worker->command(
				"a worker's tasks", [&] { worker->prepare(); }, step());
		for (const auto &worker : m_workers)
			worker->begin();
	}

	void shutdown()
	{
		for (size_t i = 0; i < m_workers.size(); i++)
			std::cout << "Core: " << m_config.cpus[i] << "\n\tOperation count: " << m_workers[i]->num_operations()
				  << "\n\tPE hit rate: " << m_workers[i]->hit_rate() << "% (" << m_workers[i]->num_hits() << ":"
				  << m_workers[i]->num_misses() << ")" << std::endl;
		m_workers.clear();
		m_host_mmap.reset();
		m_is_over = true;
	}

	configuration m_config;
	handle<doca_dev> m_dev;
	content m_content;
	tcp_channel m_channel;
	control m_control{m_channel};
	size_t m_size{0};
	memory m_memory;
	handle<doca_mmap> m_mmap;
	handle<doca_mmap> m_host_mmap;
	std::vector<std::unique_ptr<target_worker>> m_workers;
	bool m_is_over{false};
};

int program(int argc, char **argv)
{
	target{parse(argc, argv)}.run();
	return EXIT_SUCCESS;
}

} /* namespace */
} /* namespace storage */

int main(int argc, char **argv)
{
	return storage::run_main(storage::name, argc, argv, storage::program);
}
