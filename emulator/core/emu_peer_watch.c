/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu_peer_watch.h"

/* The system's account of a thread's time in its program may be wrong by one or two ticks. */
#define CERTAIN_TICKS 10

#define NEVER (ULLONG_MAX - CERTAIN_TICKS)

struct thread {
	pid_t tid;
	unsigned long long user_time; /* at the beginning */
};

struct emu_peer_watch {
	pid_t pid;
	size_t num, room;
	struct thread threads[]; /* those that may still be in a call */
};

static DIR *open_threads(pid_t pid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return pid > 0 ? opendir(path) : NULL;
}

bool emu_peer_can_watch(pid_t pid)
{
	DIR *threads = open_threads(pid);

	if (threads == NULL)
		return false;
	closedir(threads);
	return true;
}

enum state {
	GONE,
	OUTSIDE, /* stopped, or asleep: such a thread is not copying */
	UNKNOWN, /* it runs, or waits for memory */
	UNREADABLE,
};

/* The kernel's flag of a thread that is ending. It is set before the thread closes its descriptors. */
#define PF_EXITING 4

static enum state look_at(pid_t pid, pid_t tid, unsigned long long *user_time, unsigned int *flags)
{
	char path[64], text[512], state;
	const char *fields;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ESRCH ? GONE : UNREADABLE;
	len = read(fd, text, sizeof(text) - 1);
	if (len < 0 && errno == ESRCH)
		len = 0;
	close(fd);
	if (len <= 0)
		return len == 0 ? GONE : UNREADABLE;
	text[len] = '\0';
	fields = strrchr(text, ')'); /* the name before may contain anything */
	if (fields == NULL ||
	    sscanf(fields, ") %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %llu", &state, flags, user_time) != 3)
		return UNREADABLE;
	if (state == 'Z' || state == 'X')
		return GONE;
	return strchr("TtS", state) != NULL ? OUTSIDE : UNKNOWN;
}

bool emu_peer_is_ending(pid_t pid)
{
	unsigned long long user_time;
	unsigned int flags = PF_EXITING;

	return pid <= 0 || look_at(pid, pid, &user_time, &flags) == GONE || (flags & PF_EXITING) != 0;
}

struct emu_peer_watch *emu_peer_watch_new(pid_t pid)
{
	struct emu_peer_watch *watch = calloc(1, sizeof(*watch));
	DIR *threads = watch == NULL ? NULL : open_threads(pid);
	const struct dirent *entry;

	if (watch != NULL && threads == NULL && pid > 0 && errno == ENOENT)
		return watch; /* the process has ended */
	if (threads == NULL)
		goto failed;
	watch->pid = pid;
	while ((entry = readdir(threads)) != NULL) {
		pid_t tid = (pid_t)atoi(entry->d_name);
		unsigned long long user_time = NEVER;
		unsigned int flags;

		if (tid <= 0 || tid == gettid() || look_at(pid, tid, &user_time, &flags) < UNKNOWN)
			continue;
		if (watch->num == watch->room) {
			size_t room = watch->room * 2 + 8;
			struct emu_peer_watch *larger = realloc(watch, sizeof(*watch) + room * sizeof(struct thread));

			if (larger == NULL)
				goto failed;
			watch = larger;
			watch->room = room;
		}
		watch->threads[watch->num++] = (struct thread){.tid = tid, .user_time = user_time};
	}
	closedir(threads);
	return watch;
failed:
	if (threads != NULL)
		closedir(threads);
	free(watch);
	return NULL;
}

bool emu_peer_watch_is_done(struct emu_peer_watch *watch)
{
	for (size_t i = 0; i < watch->num;) {
		struct thread *thread = &watch->threads[i];
		unsigned long long user_time = 0;
		unsigned int flags;
		enum state state = look_at(watch->pid, thread->tid, &user_time, &flags);

		/* A thread that has spent time in its program since then has left the kernel since then. */
		if (state < UNKNOWN || (state == UNKNOWN && user_time >= thread->user_time + CERTAIN_TICKS))
			*thread = watch->threads[--watch->num];
		else
			i++;
	}
	return watch->num == 0;
}

void emu_peer_watch_free(struct emu_peer_watch *watch)
{
	free(watch);
}
