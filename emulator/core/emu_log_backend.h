/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_LOG_BACKEND_H_
#define EMU_LOG_BACKEND_H_

/* The backends of the log, and the lines they get. doca_log.c has DOCA's functions for them. */

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <doca_error.h>
#include <doca_log.h>

#include "emulator.h"

enum emu_log_world { EMU_LOG_PROGRAM, EMU_LOG_SDK, EMU_LOG_WORLDS };

struct doca_log_backend {
	struct doca_log_backend *next;
	enum emu_log_world world;
	uint32_t lower_limit; /* the most verbose level shown */
	uint32_t upper_limit; /* the most severe level shown */
	bool lower_strict;
	bool upper_strict;
	bool busy; /* its write function is running */
	/* Takes one line, which ends with a newline and a NUL that len does not count. */
	bool (*write)(struct doca_log_backend *backend, uint32_t level, const char *line, size_t len);
	FILE *file;
	int fd;
	char *buf;
	size_t capacity;
	log_flush_callback flush;
	char *ident;
};

/* Guards the backends, the limits and the sources, and keeps lines whole. Recursive, because a flush
 * handler may log. */
extern EMU_LOCAL pthread_mutex_t emu_log_lock;

/* All backends. Changed and read under the lock. */
extern EMU_LOCAL struct doca_log_backend *emu_log_backends;

/* Appends backend. The caller holds the lock. */
EMU_LOCAL void emu_log_add(struct doca_log_backend *backend);

/* Call this, with the lock held, after any change to the lower limit of a backend. */
EMU_LOCAL void emu_log_limits_changed(void);

/* Sends a message to all backends of its world that show its level. INVALID_VALUE: the format cannot be printed.
 * IO_FAILED: a backend could not write the line. */
EMU_LOCAL doca_error_t emu_log_message(enum emu_log_world world, uint32_t level, const char *file, int lineno,
				       const char *func, const char *format, va_list args)
	__attribute__((format(printf, 6, 0)));

#endif /* EMU_LOG_BACKEND_H_ */
