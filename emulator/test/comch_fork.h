/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_COMCH_FORK_H_
#define EMULATOR_TEST_COMCH_FORK_H_

/* Tests with several processes. */

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "comch_fixture.h"

/* Runs body in a child, whose failed checks are reported like those of this process. */
static inline pid_t in_child(void (*body)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		memset(driven, 0, sizeof(driven)); /* the parent's */
		test_failures = 0;
		body();
		_exit(test_failures != 0);
	}
	CHECK(pid > 0);
	return pid;
}

static inline void expect_end(pid_t pid, int signal)
{
	int status = 0;

	CHECK(waitpid(pid, &status, 0) == pid);
	if (signal == 0)
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	else
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signal);
}

#endif /* EMULATOR_TEST_COMCH_FORK_H_ */
