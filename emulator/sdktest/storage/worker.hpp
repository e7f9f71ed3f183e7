/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_WORKER_HPP_
#define STORAGE_WORKER_HPP_

/* A worker is a thread on a core of its own, with a progress engine. The main thread gives it commands; its data path
 * drives the engine without a break. When the thread has ended the main thread drives the engine. */

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>

#include "device.hpp"

namespace storage {

constexpr std::chrono::seconds command_limit{3};

class worker {
public:
	explicit worker(uint32_t cpu);
	worker(const worker &) = delete;
	worker &operator=(const worker &) = delete;
	virtual ~worker();

	/* Runs a function on the thread, while step is called here. Throws what the function throws. */
	template <typename Step>
	void command(const char *what, std::function<void()> function, Step step)
	{
		auto task = std::make_shared<std::packaged_task<void()>>(std::move(function));
		std::future<void> result = task->get_future();

		post([task] { (*task)(); });
		try {
			wait_until(what, command_limit, step,
				   [&] { return result.wait_for(std::chrono::seconds{0}) == std::future_status::ready; });
		} catch (...) {
			result.wait(); /* the function may refer to what the caller has */
			throw;
		}
		result.get();
	}

	/* Whether the contexts run. The thread says it, for they are its own. */
	template <typename Step>
	bool is_ready(Step step)
	{
		bool are_ready = false;

		command(
			"a worker's state", [&] { are_ready = are_contexts_ready(); }, step);
		return are_ready;
	}

	/* Runs data_path on the thread. */
	void begin();
	/* Throws what data_path has thrown. */
	bool has_ended();
	/* Makes data_path end, and with it the thread. */
	void join();

	uint64_t num_hits() const noexcept
	{
		return m_num_hits;
	}

	uint64_t num_misses() const noexcept
	{
		return m_num_misses;
	}

	double hit_rate() const noexcept;

protected:
	/* Returns when is_asked_to_end, or before. */
	virtual void data_path() = 0;
	virtual bool are_contexts_ready() const = 0;

	doca_pe *pe() const noexcept
	{
		return m_pe.get();
	}

	bool is_asked_to_end() const noexcept
	{
		return m_is_asked_to_end.load(std::memory_order_relaxed);
	}

	/* One step of the data path. */
	bool progress() noexcept
	{
		const bool is_hit = doca_pe_progress(m_pe.get()) != 0;

		(is_hit ? m_num_hits : m_num_misses)++;
		return is_hit;
	}

	/* A task that cannot be submitted for the moment is submitted when it can. */
	template <typename Submit>
	doca_error_t submit(Submit &&submit, doca_task *task)
	{
		doca_error_t result;

		do {
			result = submit(task);
		} while (result == DOCA_ERROR_AGAIN && !is_asked_to_end());
		return result;
	}

private:
	void post(std::function<void()> function);
	void run();

	handle<doca_pe> m_pe;
	std::mutex m_mutex;
	std::condition_variable m_posted;
	std::function<void()> m_function;
	bool m_is_closed{false};
	std::atomic<bool> m_is_asked_to_end{false};
	std::future<void> m_data_path;
	uint64_t m_num_hits{0};
	uint64_t m_num_misses{0};
	std::thread m_thread;
};

} /* namespace storage */

#endif /* STORAGE_WORKER_HPP_ */
