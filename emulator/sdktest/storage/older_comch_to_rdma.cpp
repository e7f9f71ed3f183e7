/* SPDX-License-Identifier: Apache-2.0 */
/* The DPU's part of the older variant. */

#include <algorithm>

#include <doca_log.h>

#include "args.hpp"
#include "comch_channel.hpp"
#include "older_message.hpp"
#include "relay_worker.hpp"
#include "tcp_channel.hpp"

DOCA_LOG_REGISTER(STORAGE::ZERO_COPY);

namespace storage::older {
namespace {

constexpr char name[] = "doca_storage_zero_copy_comch_to_rdma";
constexpr std::chrono::seconds control_timeout{10};

struct configuration {
	std::string device;
	std::string representor;
	std::vector<uint32_t> cpus;
	std::string server;
	std::string channel{"storage_zero_copy_comch"};
};

configuration parse(int argc, char **argv)
{
	using c = configuration;
	configuration config;

	arguments{name, &config}
		.add<&c::device>("d", "device", "Device: PCI address, RDMA device or interface", need::mandatory)
		.add<&c::representor>("r", "representor", "Representor of the host's function", need::mandatory)
		.add<&c::cpus>(nullptr, "cpu", "A core to use, once for each", need::mandatory)
		.add<&c::server>(nullptr, "storage-server", "The target, address:port", need::mandatory)
		.add<&c::channel>(nullptr, "command-channel-name", "Name of the Comch server")
		.parse(argc, argv);
	configuration_printer{"configuration"}
		.field("device", config.device)
		.field("representor", config.representor)
		.field("cpu", config.cpus)
		.field("storage_server", config.server)
		.field("command_channel_name", config.channel);
	return config;
}

class relay {
public:
	explicit relay(const configuration &config)
		: m_config{config}, m_dev{open_device(config.device)},
		  m_rep{open_representor(m_dev.get(), config.representor)}, m_target_channel{message_length}
	{
	}

	void run()
	{
		m_target_channel.connect(m_config.server);
		wait_until("the target", without_limit, step(), [this] { return m_target_channel.is_connected(); });
		m_host_channel =
			std::make_unique<comch_channel>(message_length, m_dev.get(), m_rep.get(), m_config.channel);
		m_host.emplace(*m_host_channel);
		wait_until("the host", without_limit, step(), [this] { return m_host_channel->is_connected(); });
		while (!m_is_over)
			serve(m_host->wait_request("a request of the host", without_limit, step()));
		m_host_channel->stop();
	}

private:
	bool progress()
	{
		const bool is_busy = m_host_channel != nullptr && m_host_channel->progress();

		return m_target_channel.progress() || is_busy;
	}

	std::function<bool()> step()
	{
		return [this] {
			const bool is_busy = progress();

			if (m_host_channel != nullptr)
				m_host_channel->check_peer();
			m_target_channel.check_peer();
			for (const auto &worker : m_workers)
				(void)worker->has_ended(); /* throws what it has thrown */
			return is_busy;
		};
	}

	bytes forward(message_type type, uint32_t correlation_id, bytes payload)
	{
		return m_target.request(type, correlation_id, std::move(payload), control_timeout, [this] { return progress(); });
	}

	void serve(const message &request)
	{
		DOCA_LOG_INFO("%s", name_of(request.type));
		try {
			switch (request.type) {
			case message_type::configure_data_path:
				configure(request);
				break;
			case message_type::start_data_path_connections:
				connect(request);
				break;
			case message_type::start_storage:
				start(request);
				break;
			case message_type::destroy_objects:
				destroy(request);
				break;
			default:
				throw failure{DOCA_ERROR_NOT_SUPPORTED, name_of(request.type)};
			}
			m_host->respond(request, DOCA_SUCCESS, {});
		} catch (const failure &e) {
			m_host->respond(request, e.code(), e.what());
			m_workers.clear(); /* the channel does not stop before them */
			m_host_channel->stop();
			throw;
		}
	}

	void configure(const message &request)
	{
		configure_data_path config = configure_data_path::decode(request.payload);

		m_plan = relay_plan{2 * config.buffer_count, true, config.batch_size};
		m_host_mmap = import_mmap(m_dev.get(), config.mmap, false);
		config.mmap = export_rdma(m_host_mmap.get(), m_dev.get());
		(void)forward(request.type, request.correlation_id, config.encode());
	}

	void connect(const message &request)
	{
		if (m_host_mmap == nullptr)
			throw failure{DOCA_ERROR_BAD_STATE, "The data path is not configured"};
		for (const uint32_t cpu : m_config.cpus) {
			m_workers.push_back(std::make_unique<relay_worker>(cpu, m_plan));
			relay_worker &worker = *m_workers.back();

			worker.command(
				"a worker's contexts", [&] { worker.configure(m_dev.get(), m_host_channel->connection()); },
				step());
			connect(request, rdma_role::data, worker, worker.data_context());
			connect(request, rdma_role::control, worker, worker.control_context());
		}
		(void)forward(request.type, request.correlation_id, request.payload);
	}

	void connect(const message &request, rdma_role role, relay_worker &worker, rdma_context &context)
	{
		rdma_details details{role, {}};

		worker.command(
			"an RDMA export", [&] { details.details = context.export_details(); }, step());
		details = rdma_details::decode(
			forward(message_type::create_rdma_connection_request, request.correlation_id, details.encode()));
		worker.command(
			"an RDMA connection", [&] { context.connect(details.details); }, step());
	}

	void start(const message &request)
	{
		wait_until("the contexts and the host's consumers", control_timeout, step(), [this] {
			return m_host_channel->remote_consumers().size() == m_workers.size() &&
			       std::all_of(m_workers.begin(), m_workers.end(),
					   [this](const auto &worker) { return worker->is_ready(step()); });
		});
		(void)forward(request.type, request.correlation_id, request.payload);
		for (size_t i = 0; i < m_workers.size(); i++) {
			const uint32_t id = m_host_channel->remote_consumers()[i];

			m_workers[i]->command(
				"a worker's tasks", [&] { m_workers[i]->prepare(id); }, step());
		}
		for (const auto &worker : m_workers)
			worker->begin();
	}

	/* The data paths have ended with a stop message. */
	void destroy(const message &request)
	{
		wait_until("the workers", control_timeout, step(), [this] {
			return std::all_of(m_workers.begin(), m_workers.end(),
					   [](const auto &worker) { return worker->has_ended(); });
		});
		for (const auto &worker : m_workers) {
			worker->join();
			worker->destroy_fast_path();
		}
		(void)forward(request.type, request.correlation_id, request.payload);
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
	handle<doca_dev_rep> m_rep;
	std::unique_ptr<comch_channel> m_host_channel;
	tcp_channel m_target_channel;
	std::optional<control> m_host;
	control m_target{m_target_channel};
	relay_plan m_plan{};
	handle<doca_mmap> m_host_mmap;
	std::vector<std::unique_ptr<relay_worker>> m_workers;
	bool m_is_over{false};
};

int program(int argc, char **argv)
{
	relay{parse(argc, argv)}.run();
	return EXIT_SUCCESS;
}

} /* namespace */
} /* namespace storage::older */

int main(int argc, char **argv)
{
	return storage::run_main(storage::older::name, argc, argv, storage::older::program);
}
