/* SPDX-License-Identifier: Apache-2.0 */

/* Every function of DOCA is called with zeros and NULL pointers: it returns. The list comes from the Makefile. */

#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* Declared like this, because the compiler must not know their types here. */
#define CALL(name) uint64_t call_##name(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) __asm__(#name);
#include "null_test_calls.h"
#undef CALL

#define CALL(name) {#name, call_##name},
static const struct {
	const char *name;
	uint64_t (*call)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
} calls[] = {
#include "null_test_calls.h"
};
#undef CALL

static void every_function(void)
{
	size_t num = sizeof(calls) / sizeof(calls[0]);

	CHECK(num > 250);
	for (size_t i = 0; i < num; i++) {
		int status = 0;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (pid == 0) {
			calls[i].call(0, 0, 0, 0, 0, 0);
			_exit(0);
		}
		CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			fprintf(stderr, "%s crashes\n", calls[i].name);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

/* What those return that have no error to return. */
static void data_path(void)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(calls[i].name, "doca_pe_progress") == 0)
			CHECK((uint8_t)calls[i].call(0, 0, 0, 0, 0, 0) == 0);
		if (strcmp(calls[i].name, "doca_task_submit") == 0 || strcmp(calls[i].name, "doca_buf_get_data") == 0)
			CHECK((uint32_t)calls[i].call(0, 0, 0, 0, 0, 0) == DOCA_ERROR_INVALID_VALUE);
	}
}

TEST_MAIN(every_function, data_path)
