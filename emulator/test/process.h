/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_PROCESS_H_
#define EMULATOR_TEST_PROCESS_H_

/* Tests with several processes, in a runtime directory of each program's own. */

#include <dirent.h>
#include <fts.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

static char test_dir[] = "/tmp/doca-test-XXXXXX";
static char test_servers[40]; /* the directory of servers, within it */
static pid_t test_owner; /* the process that has made it */
static int test_fds, test_threads;

static inline int count_files(const char *path)
{
	DIR *dir = opendir(path);
	int num = 0;

	while (dir != NULL && readdir(dir) != NULL)
		num++;
	closedir(dir);
	return num;
}

static inline int count_fds(void)
{
	return count_files("/proc/thread-self/fd");
}

static inline int count_threads(void)
{
	return count_files("/proc/self/task");
}

__attribute__((constructor)) static void make_test_dir(void)
{
	if (mkdtemp(test_dir) == NULL)
		exit(1);
	test_owner = getpid();
	setenv("TMPDIR", test_dir, 1); /* what the emulator writes about crashes on a DPA goes there */
	snprintf(test_servers, sizeof(test_servers), "%s/servers", test_dir);
	setenv("DOCA_EMU_RUNTIME_DIR", test_servers, 1);
	setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "600000", 1); /* tests that depend on it set another one */
	test_fds = count_fds();
	test_threads = count_threads();
#ifdef __SANITIZE_THREAD__
	test_threads++; /* ThreadSanitizer's own thread, which begins with the first thread */
#endif
}

__attribute__((destructor)) static void remove_test_dir(void)
{
	char *paths[] = {test_dir, NULL};
	FTS *tree = getpid() == test_owner ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
	FTSENT *entry;

	while (tree != NULL && (entry = fts_read(tree)) != NULL) {
		if (entry->fts_info != FTS_D)
			(void)remove(entry->fts_accpath);
	}
	if (tree != NULL)
		fts_close(tree);
}

static inline void remove_crash_files(void)
{
	DIR *dir = opendir(test_dir);
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, "doca_dpa_fatal.", 15) == 0)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	closedir(dir);
}

static inline bool there_are_servers(void)
{
	return access(test_servers, F_OK) == 0;
}

static inline uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Nothing takes this long, however slow the machine is. */
#define LONG_MS 60000

static inline void left_nothing(void)
{
	uint64_t deadline = now_ms() + LONG_MS;

	CHECK(count_fds() == test_fds);
	while (count_threads() > test_threads && now_ms() < deadline) /* a thread that was joined may still be listed */
		usleep(1000);
	CHECK(count_threads() <= test_threads);
	CHECK(!there_are_servers());
	remove_crash_files();
	CHECK(rmdir(test_dir) == 0);
}

/* Children begin when their main thread has ended. The system does not find such a process by its number, and it has
 * nothing in /proc/self. */
static bool test_ends_main_thread;

static inline void *run_without_main_thread(void *body)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (access("/proc/self/ns/net", F_OK) == 0)
		usleep(1000);
	((void (*)(void))body)();
	_exit(test_failures != 0);
}

/* Runs body in a child, whose failed checks are reported like those of this process. */
static inline pid_t start_child(void (*body)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		test_failures = 0;
		if (test_ends_main_thread) {
			pthread_t thread;

			CHECK(pthread_create(&thread, NULL, run_without_main_thread, (void *)body) == 0);
			pthread_exit(NULL);
		}
		body();
		_exit(test_failures != 0);
	}
	CHECK(pid > 0);
	return pid;
}

/* Stops a child, and returns when all its threads have stopped. */
static inline void stop_child(pid_t pid)
{
	int status = 0;

	CHECK(kill(pid, SIGSTOP) == 0);
	CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
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

#endif /* EMULATOR_TEST_PROCESS_H_ */
