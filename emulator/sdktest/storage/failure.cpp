/* SPDX-License-Identifier: Apache-2.0 */
#include "failure.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <doca_log.h>
#include <doca_version.h>

DOCA_LOG_REGISTER(STORAGE::FAILURE);

namespace storage {

namespace {

volatile std::sig_atomic_t interrupted;

void on_interrupt(int)
{
	interrupted = 1;
}

void start_log()
{
	doca_log_backend *sdk_log = nullptr;

	check(doca_log_backend_create_standard(), "doca_log_backend_create_standard");
	check(doca_log_backend_create_with_file_sdk(stdout, &sdk_log), "doca_log_backend_create_with_file_sdk");
	check(doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING), "doca_log_backend_set_sdk_level");
}

} /* namespace */

void try_to(doca_error_t result, const char *call) noexcept
{
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("%s: %s", call, doca_error_get_name(result));
}

void catch_interrupts()
{
	std::signal(SIGINT, on_interrupt);
	std::signal(SIGPIPE, SIG_IGN);
}

bool is_interrupted() noexcept
{
	return interrupted != 0;
}

int run_main(const char *name, int argc, char **argv, int (*program)(int argc, char **argv))
{
	std::cout << name << ": v" << doca_version() << std::endl;
	try {
		start_log();
		catch_interrupts();
		return program(argc, argv);
	} catch (const std::exception &e) {
		std::cout << std::flush;
		std::cerr << "EXCEPTION: " << e.what() << std::endl;
		return EXIT_FAILURE;
	}
}

} /* namespace storage */
