/* SPDX-License-Identifier: Apache-2.0 */
/* The target of the older variant: its storage is as large as the initiator's buffers. */

#include <algorithm>

#include <doca_log.h>

#include "args.hpp"
#include "older_message.hpp"
#include "target_worker.hpp"
#include "tcp_channel.hpp"

DOCA_LOG_REGISTER(STORAGE::TARGET_RDMA);

namespace storage::older {
namespace {

constexpr char name[] = "doca_storage_zero_copy_target_rdma";
constexpr std::chrono::seconds ready_limit{5};

struct configuration {
	std::string device;
	uint32_t port{0};
	std::vector<uint32_t> cpus;
};

configuration parse(int argc, char **argv)
{
	using c = configuration;
	configuration config;

	arguments{name, &config}
		.add<&c::device>("d", "device", "Device: PCI address, RDMA device or interface", need::mandatory)
		.add<&c::port>(nullptr, "listen-port", "TCP port", need::mandatory)
		.add<&c::cpus>(nullptr, "cpu", "A core to use, once for each", need::mandatory)
		.parse(argc, argv);
	configuration_printer{"configuration"}
		.field("device", config.device)
		.field("listen_port", config.port)
		.field("cpu", config.cpus);
	if (config.port > UINT16_MAX)
		throw failure{DOCA_ERROR_INVALID_VALUE, "The port is " + std::to_string(config.port)};
	return config;
}

class target {
public:
	explicit target(const configuration &config)
		: m_config{config}, m_dev{open_device(config.device)}, m_channel{message_length}
	{
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
			switch (request.type) {
			case message_type::configure_data_path:
				configure(configure_data_path::decode(request.payload));
				break;
			case message_type::create_rdma_connection_request:
				m_control.respond(request, connect(rdma_details::decode(request.payload)));
				return;
			case message_type::start_data_path_connections:
				wait_ready();
				break;
			case message_type::start_storage:
				start();
				break;
			case message_type::destroy_objects:
				destroy();
				break;
			default:
				throw failure{DOCA_ERROR_NOT_SUPPORTED, name_of(request.type)};
			}
			m_control.respond(request, DOCA_SUCCESS, {});
		} catch (const failure &e) {
			m_control.respond(request, e.code(), e.what());
			throw;
		}
	}

	void configure(const configure_data_path &config)
	{
		m_host_mmap = import_mmap(m_dev.get(), config.mmap, true);
		const size_t size = range_of(m_host_mmap.get()).len;
		m_memory = make_memory(size);
		m_mmap = make_mmap(m_dev.get(), m_memory.get(), size,
				   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE,
				   true);
		m_plan = target_plan{config.buffer_count, true, config.batch_size, m_mmap.get(), m_host_mmap.get()};
	}

	/* The request has no index: each role's connections come in the order of the cores. */
	rdma_details connect(rdma_details details)
	{
		if (m_host_mmap == nullptr || (details.role != rdma_role::data && details.role != rdma_role::control))
			throw failure{DOCA_ERROR_BAD_STATE, "There is no data path, or no such role"};
		const uint32_t index = m_num_connected[static_cast<uint32_t>(details.role)]++;
		if (index >= m_config.cpus.size())
			throw failure{DOCA_ERROR_INVALID_VALUE, "More cores are wanted than there are"};
		if (index == m_workers.size()) {
			m_workers.push_back(std::make_unique<target_worker>(m_config.cpus[index], m_plan));
			m_workers[index]->command(
				"a worker's contexts", [&] { m_workers[index]->configure(m_dev.get()); }, step());
		}
		target_worker &worker = *m_workers[index];
		rdma_context &context = details.role == rdma_role::data ? worker.data_context() : worker.control_context();
		worker.command(
			"an RDMA connection",
			[&] {
				bytes own = context.export_details();

				context.connect(details.details);
				details.details = std::move(own);
			},
			step());
		return details;
	}

	void wait_ready()
	{
		wait_until("the RDMA contexts", ready_limit, step(), [this] {
			return std::all_of(m_workers.begin(), m_workers.end(),
					   [this](const auto &worker) { return worker->is_ready(step()); });
		});
	}

	void start()
	{
		wait_ready();
		for (const auto &worker : m_workers)
			worker->command(
				"a worker's tasks", [&] { worker->prepare(); }, step());
		for (const auto &worker : m_workers)
			worker->begin();
	}

	/* The data paths have ended with a stop message. */
	void destroy()
	{
		wait_until("the workers", ready_limit, step(), [this] {
			return std::all_of(m_workers.begin(), m_workers.end(),
					   [](const auto &worker) { return worker->has_ended(); });
		});
		for (const auto &worker : m_workers)
			worker->join();
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
	tcp_channel m_channel;
	control m_control{m_channel};
	memory m_memory;
	handle<doca_mmap> m_mmap;
	handle<doca_mmap> m_host_mmap;
	target_plan m_plan{};
	uint32_t m_num_connected[2]{};
	std::vector<std::unique_ptr<target_worker>> m_workers;
	bool m_is_over{false};
};

int program(int argc, char **argv)
{
	target{parse(argc, argv)}.run();
	return EXIT_SUCCESS;
}

} /* namespace */
} /* namespace storage::older */

int main(int argc, char **argv)
{
	return storage::run_main(storage::older::name, argc, argv, storage::older::program);
}
