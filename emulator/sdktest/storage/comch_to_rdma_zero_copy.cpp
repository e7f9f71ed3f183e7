/* SPDX-License-Identifier: Apache-2.0 */
/* doca_storage_comch_to_rdma_zero_copy: the DPU's part, between the host's Comch and the target's RDMA. */

#include <algorithm>

#include <doca_log.h>

#include "args.hpp"
#include "comch_channel.hpp"
#include "message.hpp"
#include "relay_worker.hpp"
#include "tcp_channel.hpp"

DOCA_LOG_REGISTER(STORAGE::ZERO_COPY);

namespace storage {
namespace {

constexpr char name[] = "doca_storage_comch_to_rdma_zero_copy";

struct configuration {
	std::string device;
	std::string representor;
	std::vector<uint32_t> cpus;
	std::string server;
	std::string channel{"doca_storage_comch"};
	std::chrono::seconds control_timeout{5};
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
		.add<&c::control_timeout>(nullptr, "control-timeout", "Seconds for each step of the control path")
		.parse(argc, argv);
	configuration_printer{"configuration"}
		.field("device", config.device)
		.field("representor", config.representor)
		.field("cpu", config.cpus)
		.field("storage_server", config.server)
		.field("command_channel_name", config.channel)
		.field("control_timeout", config.control_timeout.count());
	return config;
}

class relay {
public:
	explicit relay(const configuration &config)
		: m_config{config}, m_dev{open_device(config.device)},
		  m_rep{open_representor(m_dev.get(), config.representor)},
		  m_host_channel{message_length, m_dev.get(), m_rep.get(), config.channel}, m_target_channel{message_length}
	{
	}

	void run()
	{
		m_target_channel.connect(m_config.server);
		wait_until("the target", without_limit, step(), [this] { return m_target_channel.is_connected(); });
		wait_until("the host", without_limit, step(), [this] { return m_host_channel.is_connected(); });
		while (!m_is_over)
			serve(m_host.wait_request("a request of the host", without_limit, step()));
		m_host_channel.stop();
	}

private:
	std::function<bool()> step()
	{
		return [this] {
			bool is_busy = m_host_channel.progress();

			is_busy = m_target_channel.progress() || is_busy;
			m_host_channel.check_peer();
			m_target_channel.check_peer();
			for (const auto &worker : m_workers)
				(void)worker->has_ended(); /* throws what it has thrown */
			return is_busy;
		};
	}

	bytes forward(const message &request, bytes payload)
	{
		return m_target.request(request.type, request.correlation_id, std::move(payload), m_config.control_timeout, [this] {
			const bool is_busy = m_host_channel.progress();

			return m_target_channel.progress() || is_busy;
		});
	}

	void serve(const message &request)
	{
		DOCA_LOG_INFO("%s", name_of(request.type));
		try {
			m_host.respond(request, answer(request));
		} catch (const failure &e) {
			m_host.refuse(request, e.code(), e.what());
			m_workers.clear(); /* the channel does not stop before them */
			m_host_channel.stop();
			throw;
		}
	}

	bytes answer(const message &request)
	{
		switch (request.type) {
		case message_type::query_storage_request:
			return forward(request, request.payload);
		case message_type::init_storage_request:
			init(request);
			break;
		case message_type::start_storage_request:
			start(request);
			break;
		case message_type::stop_storage_request:
			stop(request);
			break;
		case message_type::shutdown_request:
			shutdown(request);
			break;
		default:
			throw failure{DOCA_ERROR_NOT_SUPPORTED, name_of(request.type)};
		}
		return {};
	}

	void init(const message &request)
	{
		init_storage init = init_storage::decode(request.payload);

		if (init.num_cores > m_config.cpus.size() || init.num_cores == 0)
			throw failure{DOCA_ERROR_INVALID_VALUE, "The host wants " + std::to_string(init.num_cores) + " cores"};
		init.num_transactions *= 2;
		m_host_mmap = import_mmap(m_dev.get(), init.mmap, false);
		init.mmap = export_rdma(m_host_mmap.get(), m_dev.get());
		(void)forward(request, init.encode());
		for (uint32_t i = 0; i < init.num_cores; i++) {
			m_workers.push_back(std::make_unique<relay_worker>(m_config.cpus[i],
									   relay_plan{init.num_transactions, false, 0}));
			relay_worker &worker = *m_workers.back();

			worker.command(
				"a worker's contexts", [&] { worker.configure(m_dev.get(), m_host_channel.connection()); }, step());
			connect(request, i, rdma_role::data, worker, worker.data_context());
			connect(request, i, rdma_role::control, worker, worker.control_context());
		}
	}

	void connect(const message &request, uint32_t index, rdma_role role, relay_worker &worker, rdma_context &context)
	{
		rdma_details details{index, role, {}};

		worker.command(
			"an RDMA export", [&] { details.details = context.export_details(); }, step());
		details = rdma_details::decode(m_target.request(message_type::create_rdma_connection_request,
								request.correlation_id, details.encode(),
								m_config.control_timeout, step()));
		worker.command(
			"an RDMA connection", [&] { context.connect(details.details); }, step());
	}

	void start(const message &request)
	{
		(void)forward(request, {});
		wait_until("the contexts and the host's consumers", m_config.control_timeout, step(), [this] {
			return m_host_channel.remote_consumers().size() == m_workers.size() &&
			       std::all_of(m_workers.begin(), m_workers.end(),
					   [this](const auto &worker) { return worker->is_ready(step()); });
		});
		for (size_t i = 0; i < m_workers.size(); i++) {
			const uint32_t id = m_host_channel.remote_consumers()[i];

			m_workers[i]->command(
				"a worker's tasks", [&] { m_workers[i]->prepare(id); }, step());
		}
		for (const auto &worker : m_workers)
			worker->begin();
	}

	void stop(const message &request)
	{
		(void)forward(request, {});
		for (const auto &worker : m_workers)
			worker->join();
		for (const auto &worker : m_workers)
			worker->destroy_fast_path();
	}

	void shutdown(const message &request)
	{
		if (!m_host_channel.remote_consumers().empty())
			throw failure{DOCA_ERROR_BAD_STATE, "The host has consumers yet"};
		(void)forward(request, {});
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
	comch_channel m_host_channel;
	tcp_channel m_target_channel;
	control m_host{m_host_channel};
	control m_target{m_target_channel};
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
} /* namespace storage */

int main(int argc, char **argv)
{
	return storage::run_main(storage::name, argc, argv, storage::program);
}
