/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_LOG_H_
#define EMU_DPA_LOG_H_

/*
 * The log and the trace of device code.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <doca_error.h>

#include "core/emulator.h"

#define EMU_DPA_MAX_TRACES 1024

struct emu_dpa_sink {
	char *path; /* NULL: the standard output */
	FILE *file;
};

struct emu_dpa_log {
	pthread_mutex_t lock;
	uint32_t level; /* doca_dpa_dev_log_level_t */
	struct emu_dpa_sink log;
	struct emu_dpa_sink trace;
	uint64_t (*traces)[5]; /* not written yet; NULL: none so far */
	uint32_t num_traces;
};

EMU_API void emu_dpa_log_init(struct emu_dpa_log *log);
EMU_API void emu_dpa_log_fini(struct emu_dpa_log *log);

/* OPERATING_SYSTEM: the file cannot be opened; NO_MEMORY. The sink is unchanged then. */
EMU_API doca_error_t emu_dpa_log_open(struct emu_dpa_sink *sink, const char *path);

EMU_LOCAL void emu_dpa_log_write(struct emu_dpa_log *log, uint32_t level, const char *text);
/* False: no memory. */
EMU_LOCAL bool emu_dpa_log_trace(struct emu_dpa_log *log, const uint64_t args[5]);
EMU_API void emu_dpa_log_flush_trace(struct emu_dpa_log *log);

#endif /* EMU_DPA_LOG_H_ */
