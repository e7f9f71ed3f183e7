/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_FAILURE_HPP_
#define STORAGE_FAILURE_HPP_

/* Errors as exceptions, and waits that end. */

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include <doca_error.h>

namespace storage {

class failure : public std::runtime_error {
public:
	failure(doca_error_t code, const std::string &what)
		: std::runtime_error{what + ": " + doca_error_get_descr(code)}, m_code{code}
	{
	}

	doca_error_t code() const noexcept
	{
		return m_code;
	}

private:
	doca_error_t m_code;
};

/* Throws unless the call has succeeded. */
inline void check(doca_error_t result, const char *call)
{
	if (result != DOCA_SUCCESS)
		throw failure{result, call};
}

/* For cleaning up: logs what fails. */
void try_to(doca_error_t result, const char *call) noexcept;

/* From then on Ctrl-C makes every wait throw. */
void catch_interrupts();
bool is_interrupted() noexcept;

constexpr std::chrono::milliseconds without_limit{0};

/* Calls step until done. A step that did nothing is followed by a short sleep. */
template <typename Step, typename Done>
void wait_until(const std::string &what, std::chrono::milliseconds limit, Step step, Done done)
{
	const auto begin = std::chrono::steady_clock::now();

	while (!done()) {
		if (is_interrupted())
			throw failure{DOCA_ERROR_SHUTDOWN, "Interrupted while waiting for " + what};
		if (limit != without_limit && std::chrono::steady_clock::now() - begin > limit)
			throw failure{DOCA_ERROR_TIME_OUT, "Waiting for " + what};
		if (!step())
			std::this_thread::sleep_for(std::chrono::microseconds{100});
	}
}

/* The frame of main: prints the first line, runs the program, prints what it throws. Returns the exit status. */
int run_main(const char *name, int argc, char **argv, int (*program)(int argc, char **argv));

} /* namespace storage */

#endif /* STORAGE_FAILURE_HPP_ */
