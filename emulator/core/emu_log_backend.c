/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of the log, and which backends get them. */

#include "emulator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "emu_log_backend.h"

pthread_mutex_t emu_log_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
struct doca_log_backend *emu_log_backends;

static struct doca_log_backend **backends_end = &emu_log_backends;

/* The most verbose level that any backend of a world shows. A message that no backend shows costs one load. */
static uint32_t loudest[EMU_LOG_WORLDS];

void emu_log_limits_changed(void)
{
	uint32_t level[EMU_LOG_WORLDS] = {0};

	for (const struct doca_log_backend *b = emu_log_backends; b != NULL; b = b->next)
		if (b->lower_limit > level[b->world])
			level[b->world] = b->lower_limit;
	for (int world = 0; world < EMU_LOG_WORLDS; world++)
		__atomic_store_n(&loudest[world], level[world], __ATOMIC_RELAXED);
}

void emu_log_add(struct doca_log_backend *backend)
{
	*backends_end = backend;
	backends_end = &backend->next;
	emu_log_limits_changed();
}

static const char *level_tag(uint32_t level)
{
	static const char *const tags[] = {"CRT", "ERR", "WRN", "INF", "DBG", "TRC"};

	return tags[(level - DOCA_LOG_LEVEL_CRIT) / 10];
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Formats a line into line or, if size is too small, into memory that the caller frees. */
static char *format_line(char *line, size_t size, size_t *len, uint32_t level, const char *file, int lineno,
			 const char *func, const char *format, va_list args)
{
	int of_caller = errno; /* for %m */
	struct timespec now;
	struct tm tm;
	va_list again;
	int head, text;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	va_copy(again, args);

	head = snprintf(line, size, "[%02d:%02d:%02d:%06ld][%ld][DOCA][%s][%s:%d][%s] ", tm.tm_hour,
			tm.tm_min, tm.tm_sec, now.tv_nsec / 1000, (long)getpid(), level_tag(level),
			file != NULL ? base_name(file) : "?", lineno, func != NULL ? func : "?");
	errno = of_caller;
	text = head < 0 || (size_t)head >= size ? -1 : vsnprintf(line + head, size - (size_t)head, format, args);
	if (text >= 0 && (size_t)head + (size_t)text + 2 > size) {
		char *big = malloc((size_t)head + (size_t)text + 2);

		if (big != NULL) {
			memcpy(big, line, (size_t)head);
			errno = of_caller;
			vsnprintf(big + head, (size_t)text + 1, format, again);
			line = big;
		} else {
			text = (int)size - head - 2; /* cut the line */
		}
	}
	va_end(again);
	if (text < 0)
		return NULL;

	*len = (size_t)head + (size_t)text;
	line[(*len)++] = '\n';
	line[*len] = '\0';
	return line;
}

doca_error_t emu_log_message(enum emu_log_world world, uint32_t level, const char *file, int lineno,
			     const char *func, const char *format, va_list args)
{
	doca_error_t result = DOCA_SUCCESS;
	int saved_errno = errno;
	char stack[1024];
	char *line = NULL;
	size_t len = 0;

	if (level > __atomic_load_n(&loudest[world], __ATOMIC_RELAXED))
		return DOCA_SUCCESS;

	pthread_mutex_lock(&emu_log_lock);
	for (struct doca_log_backend *b = emu_log_backends; b != NULL; b = b->next) {
		if (b->world != world || level > b->lower_limit || level < b->upper_limit)
			continue;
		if (b->busy) /* its flush handler is logging: do not call it again */
			continue;
		if (line == NULL)
			line = format_line(stack, sizeof(stack), &len, level, file, lineno, func, format, args);
		if (line == NULL) {
			result = DOCA_ERROR_INVALID_VALUE;
			break;
		}
		b->busy = true;
		if (!b->write(b, level, line, len))
			result = DOCA_ERROR_IO_FAILED;
		b->busy = false;
	}
	pthread_mutex_unlock(&emu_log_lock);

	if (line != stack)
		free(line);
	errno = saved_errno;
	return result;
}
