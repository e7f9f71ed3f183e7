/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <doca_dpa.h>

#include "emu_dpa_log.h"

void emu_dpa_log_init(struct emu_dpa_log *log)
{
	*log = (struct emu_dpa_log){.level = DOCA_DPA_DEV_LOG_LEVEL_INFO};
	pthread_mutex_init(&log->lock, NULL);
}

static void close_sink(struct emu_dpa_sink *sink)
{
	if (sink->file != NULL)
		fclose(sink->file);
	free(sink->path);
	*sink = (struct emu_dpa_sink){.path = NULL};
}

void emu_dpa_log_fini(struct emu_dpa_log *log)
{
	emu_dpa_log_flush_trace(log);
	close_sink(&log->log);
	close_sink(&log->trace);
	free(log->traces);
	pthread_mutex_destroy(&log->lock);
}

doca_error_t emu_dpa_log_open(struct emu_dpa_sink *sink, const char *path)
{
	struct emu_dpa_sink made = {.path = strdup(path)};

	if (made.path == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made.file = fopen(path, "we");
	if (made.file == NULL) {
		free(made.path);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	close_sink(sink);
	*sink = made;
	return DOCA_SUCCESS;
}

static FILE *file_of(const struct emu_dpa_sink *sink)
{
	return sink->file == NULL ? stdout : sink->file;
}

static const char *name_of(uint32_t level)
{
	switch (level) {
	case DOCA_DPA_DEV_LOG_LEVEL_ERROR:
		return "ERR";
	case DOCA_DPA_DEV_LOG_LEVEL_WARNING:
		return "WRN";
	case DOCA_DPA_DEV_LOG_LEVEL_INFO:
		return "INF";
	default:
		return "DBG";
	}
}

void emu_dpa_log_write(struct emu_dpa_log *log, uint32_t level, const char *text)
{
	size_t len = strlen(text);
	FILE *file = file_of(&log->log);

	pthread_mutex_lock(&log->lock);
	fprintf(file, "[DOCA][DPA DEVICE][%s] %s%s", name_of(level), text, len > 0 && text[len - 1] == '\n' ? "" : "\n");
	fflush(file);
	pthread_mutex_unlock(&log->lock);
}

/* Under the lock. */
static void write_traces(struct emu_dpa_log *log)
{
	FILE *file = file_of(&log->trace);

	for (uint32_t i = 0; i < log->num_traces; i++) {
		const uint64_t *args = log->traces[i];

		fprintf(file, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", args[0], args[1], args[2],
			args[3], args[4]);
	}
	if (log->num_traces > 0)
		fflush(file);
	log->num_traces = 0;
}

bool emu_dpa_log_trace(struct emu_dpa_log *log, const uint64_t args[5])
{
	bool has_room;

	pthread_mutex_lock(&log->lock);
	if (log->traces == NULL)
		log->traces = calloc(EMU_DPA_MAX_TRACES, sizeof(*log->traces));
	has_room = log->traces != NULL;
	if (has_room) {
		memcpy(log->traces[log->num_traces++], args, sizeof(*log->traces));
		if (log->num_traces == EMU_DPA_MAX_TRACES)
			write_traces(log);
	}
	pthread_mutex_unlock(&log->lock);
	return has_room;
}

void emu_dpa_log_flush_trace(struct emu_dpa_log *log)
{
	pthread_mutex_lock(&log->lock);
	write_traces(log);
	pthread_mutex_unlock(&log->lock);
}
