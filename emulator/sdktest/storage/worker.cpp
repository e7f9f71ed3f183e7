/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.hpp"

#include <pthread.h>
#include <sched.h>
#include <utility>

namespace storage {

worker::worker(uint32_t cpu)
{
	std::promise<void> ready;
	std::future<void> result = ready.get_future();

	m_thread = std::thread{[this, cpu, &ready] {
		try {
			cpu_set_t cpus;

			CPU_ZERO(&cpus);
			CPU_SET(cpu, &cpus);
			if (cpu >= CPU_SETSIZE || pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus) != 0)
				throw failure{DOCA_ERROR_INVALID_VALUE, "There is no CPU " + std::to_string(cpu)};
			m_pe = make_pe();
			ready.set_value();
		} catch (...) {
			ready.set_exception(std::current_exception());
			return;
		}
		run();
	}};
	try {
		result.get();
	} catch (...) {
		m_thread.join();
		throw;
	}
}

worker::~worker()
{
	join();
}

void worker::post(std::function<void()> function)
{
	const std::lock_guard<std::mutex> lock{m_mutex};

	if (m_function)
		throw failure{DOCA_ERROR_IN_USE, "A worker has a command already"};
	m_function = std::move(function);
	m_posted.notify_one();
}

void worker::run()
{
	std::unique_lock<std::mutex> lock{m_mutex};

	while (!m_is_closed) {
		const std::function<void()> function = std::exchange(m_function, nullptr);

		lock.unlock();
		if (function)
			function();
		else
			(void)doca_pe_progress(m_pe.get()); /* contexts that start */
		lock.lock();
		if (!m_function && !m_is_closed)
			m_posted.wait_for(lock, std::chrono::microseconds{100});
	}
}

void worker::begin()
{
	auto task = std::make_shared<std::packaged_task<void()>>([this] { data_path(); });

	m_data_path = task->get_future();
	post([task] { (*task)(); });
}

bool worker::has_ended()
{
	if (!m_data_path.valid())
		return true;
	if (m_data_path.wait_for(std::chrono::seconds{0}) != std::future_status::ready)
		return false;
	m_data_path.get();
	return true;
}

void worker::join()
{
	if (!m_thread.joinable())
		return;
	m_is_asked_to_end.store(true, std::memory_order_relaxed);
	{
		const std::lock_guard<std::mutex> lock{m_mutex};

		m_is_closed = true;
		m_posted.notify_one();
	}
	m_thread.join();
}

double worker::hit_rate() const noexcept
{
	const uint64_t num = m_num_hits + m_num_misses;

	return num == 0 ? 0 : 100.0 * static_cast<double>(m_num_hits) / static_cast<double>(num);
}

} /* namespace storage */
