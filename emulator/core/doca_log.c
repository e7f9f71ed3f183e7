/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doca_log.h: the log.
 *
 * Messages are of two worlds, the program's (doca_log) and the SDK's (emu_log), and each backend belongs to one of
 * them. Backends live until the process ends, because DOCA has no call that destroys one.
 */

#include "emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "emu_fault.h"
#include "emu_log_backend.h"

static uint32_t global_lower[EMU_LOG_WORLDS] = {DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_INFO};
static uint32_t global_upper = DOCA_LOG_LEVEL_CRIT;

static char **sources; /* NULL: the identifier is free */
static size_t num_sources;

static bool is_level(uint32_t level)
{
	return level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0;
}

doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
		      const char *format, ...)
{
	doca_error_t result;
	va_list args;

	/* The line does not name its source, so a message of an unregistered source is not lost. */
	(void)source;
	if (!is_level(level) || level == DOCA_LOG_LEVEL_DISABLE || format == NULL)
		return DOCA_ERROR_INVALID_VALUE;

	va_start(args, format);
	result = emu_log_message(EMU_LOG_PROGRAM, level, fname, line, func, format, args);
	va_end(args);
	return result;
}

/* ---- Sources ---- */

doca_error_t doca_log_register_source(const char *source_name, int *source)
{
	doca_error_t result = DOCA_ERROR_NO_MEMORY;
	char *name;
	size_t id = 0;

	if (source_name == NULL || source == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	EMU_CALL("doca_log_register_source");

	name = strdup(source_name);
	if (name == NULL)
		return result;

	pthread_mutex_lock(&emu_log_lock);
	while (id < num_sources && sources[id] != NULL)
		id++;
	if (id == num_sources) {
		char **grown = realloc(sources, (num_sources + 1) * sizeof(*sources));

		if (grown == NULL)
			goto unlock;
		sources = grown;
		num_sources++;
	}
	sources[id] = name;
	name = NULL;
	*source = (int)id;
	result = DOCA_SUCCESS;
unlock:
	pthread_mutex_unlock(&emu_log_lock);
	free(name);
	return result;
}

doca_error_t doca_log_unregister_source(int source)
{
	doca_error_t result = DOCA_ERROR_INVALID_VALUE;

	EMU_CALL("doca_log_unregister_source");
	pthread_mutex_lock(&emu_log_lock);
	if (source >= 0 && (size_t)source < num_sources && sources[source] != NULL) {
		free(sources[source]);
		sources[source] = NULL;
		result = DOCA_SUCCESS;
	}
	while (num_sources > 0 && sources[num_sources - 1] == NULL)
		num_sources--;
	if (num_sources == 0) {
		free(sources);
		sources = NULL;
	}
	pthread_mutex_unlock(&emu_log_lock);
	return result;
}

/* ---- Backends ---- */

static bool write_file(struct doca_log_backend *backend, uint32_t level, const char *line, size_t len)
{
	(void)level;
	return fwrite(line, 1, len, backend->file) == len && fflush(backend->file) == 0;
}

static bool write_fd(struct doca_log_backend *backend, uint32_t level, const char *line, size_t len)
{
	(void)level;
	while (len > 0) {
		ssize_t n = write(backend->fd, line, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		line += n;
		len -= (size_t)n;
	}
	return true;
}

static bool write_buf(struct doca_log_backend *backend, uint32_t level, const char *line, size_t len)
{
	(void)level;
	if (len >= backend->capacity)
		len = backend->capacity - 1;
	memcpy(backend->buf, line, len);
	backend->buf[len] = '\0';
	backend->flush(backend->buf);
	return true;
}

static bool write_syslog(struct doca_log_backend *backend, uint32_t level, const char *line, size_t len)
{
	int priority = level <= DOCA_LOG_LEVEL_CRIT    ? LOG_CRIT :
		       level <= DOCA_LOG_LEVEL_ERROR   ? LOG_ERR :
		       level <= DOCA_LOG_LEVEL_WARNING ? LOG_WARNING :
		       level <= DOCA_LOG_LEVEL_INFO    ? LOG_INFO :
							 LOG_DEBUG;

	/* The process has only one identity: every backend sets its own before it writes. */
	openlog(backend->ident, LOG_PID, LOG_USER);
	syslog(priority, "%.*s", (int)len - 1, line);
	return true;
}

static doca_error_t add_backend(enum emu_log_world world, const struct doca_log_backend *model,
				struct doca_log_backend **backend)
{
	struct doca_log_backend *b = malloc(sizeof(*b));

	if (b == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*b = *model;
	b->world = world;

	pthread_mutex_lock(&emu_log_lock);
	b->lower_limit = global_lower[world];
	b->upper_limit = world == EMU_LOG_PROGRAM ? global_upper : DOCA_LOG_LEVEL_CRIT;
	emu_log_add(b);
	pthread_mutex_unlock(&emu_log_lock);

	if (backend != NULL)
		*backend = b;
	return DOCA_SUCCESS;
}

static doca_error_t create_with_file(enum emu_log_world world, FILE *fptr, struct doca_log_backend **backend)
{
	if (fptr == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return add_backend(world, &(struct doca_log_backend){.write = write_file, .file = fptr}, backend);
}

static doca_error_t create_with_fd(enum emu_log_world world, int fd, struct doca_log_backend **backend)
{
	if (fcntl(fd, F_GETFD) < 0 || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return add_backend(world, &(struct doca_log_backend){.write = write_fd, .fd = fd}, backend);
}

static doca_error_t create_with_buf(enum emu_log_world world, char *buf, size_t capacity,
				    log_flush_callback handler, struct doca_log_backend **backend)
{
	const struct doca_log_backend model = {
		.write = write_buf, .buf = buf, .capacity = capacity, .flush = handler};

	if (buf == NULL || capacity == 0 || handler == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return add_backend(world, &model, backend);
}

static doca_error_t create_with_syslog(enum emu_log_world world, const char *name,
				       struct doca_log_backend **backend)
{
	struct doca_log_backend model = {.write = write_syslog};
	doca_error_t result;

	if (name == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	model.ident = strdup(name);
	if (model.ident == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = add_backend(world, &model, backend);
	if (result != DOCA_SUCCESS)
		free(model.ident);
	return result;
}

doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend)
{
	EMU_CALL("doca_log_backend_create_with_file");
	return create_with_file(EMU_LOG_PROGRAM, fptr, backend);
}

doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend)
{
	EMU_CALL("doca_log_backend_create_with_file_sdk");
	return create_with_file(EMU_LOG_SDK, fptr, backend);
}

doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend)
{
	EMU_CALL("doca_log_backend_create_with_fd");
	return create_with_fd(EMU_LOG_PROGRAM, fd, backend);
}

doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend)
{
	EMU_CALL("doca_log_backend_create_with_fd_sdk");
	return create_with_fd(EMU_LOG_SDK, fd, backend);
}

doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity, log_flush_callback handler,
					      struct doca_log_backend **backend)
{
	EMU_CALL("doca_log_backend_create_with_buf");
	return create_with_buf(EMU_LOG_PROGRAM, buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity, log_flush_callback handler,
						  struct doca_log_backend **backend)
{
	EMU_CALL("doca_log_backend_create_with_buf_sdk");
	return create_with_buf(EMU_LOG_SDK, buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_syslog(const char *name, struct doca_log_backend **backend)
{
	EMU_CALL("doca_log_backend_create_with_syslog");
	return create_with_syslog(EMU_LOG_PROGRAM, name, backend);
}

doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name, struct doca_log_backend **backend)
{
	EMU_CALL("doca_log_backend_create_with_syslog_sdk");
	return create_with_syslog(EMU_LOG_SDK, name, backend);
}

/* The headers describe two streams, by severity. The real library writes every line to one stream, and a second
 * call adds a second backend. */
doca_error_t doca_log_backend_create_standard(void)
{
	EMU_CALL("doca_log_backend_create_standard");
	return add_backend(EMU_LOG_PROGRAM, &(struct doca_log_backend){.write = write_file, .file = stderr},
			   NULL);
}

/* ---- Limits ---- */

static doca_error_t set_backend_limit(struct doca_log_backend *backend, enum emu_log_world world,
				      uint32_t level, bool upper)
{
	doca_error_t result = DOCA_SUCCESS;

	if (backend == NULL || backend->world != world || !is_level(level))
		return DOCA_ERROR_INVALID_VALUE;

	pthread_mutex_lock(&emu_log_lock);
	if (upper ? backend->upper_strict : backend->lower_strict)
		result = DOCA_ERROR_NOT_PERMITTED;
	else if (upper)
		backend->upper_limit = level;
	else
		backend->lower_limit = level;
	emu_log_limits_changed();
	pthread_mutex_unlock(&emu_log_lock);
	return result;
}

static doca_error_t set_global_limit(enum emu_log_world world, uint32_t level, bool upper)
{
	if (!is_level(level))
		return DOCA_ERROR_INVALID_VALUE;

	pthread_mutex_lock(&emu_log_lock);
	*(upper ? &global_upper : &global_lower[world]) = level;
	for (struct doca_log_backend *b = emu_log_backends; b != NULL; b = b->next) {
		if (b->world != world)
			continue;
		if (upper && !b->upper_strict)
			b->upper_limit = level;
		else if (!upper && !b->lower_strict)
			b->lower_limit = level;
	}
	emu_log_limits_changed();
	pthread_mutex_unlock(&emu_log_lock);
	return DOCA_SUCCESS;
}

static uint32_t get_global_limit(const uint32_t *limit)
{
	uint32_t level;

	pthread_mutex_lock(&emu_log_lock);
	level = *limit;
	pthread_mutex_unlock(&emu_log_lock);
	return level;
}

doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend, uint32_t level)
{
	EMU_CALL("doca_log_backend_set_level_lower_limit");
	return set_backend_limit(backend, EMU_LOG_PROGRAM, level, false);
}

doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend, uint32_t upper_limit)
{
	EMU_CALL("doca_log_backend_set_level_upper_limit");
	return set_backend_limit(backend, EMU_LOG_PROGRAM, upper_limit, true);
}

doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level)
{
	EMU_CALL("doca_log_backend_set_sdk_level");
	return set_backend_limit(backend, EMU_LOG_SDK, level, false);
}

doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend)
{
	EMU_CALL("doca_log_backend_set_level_lower_limit_strict");
	if (backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&emu_log_lock);
	backend->lower_strict = true;
	pthread_mutex_unlock(&emu_log_lock);
	return DOCA_SUCCESS;
}

doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend)
{
	EMU_CALL("doca_log_backend_set_level_upper_limit_strict");
	if (backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&emu_log_lock);
	backend->upper_strict = true;
	pthread_mutex_unlock(&emu_log_lock);
	return DOCA_SUCCESS;
}

doca_error_t doca_log_level_set_global_lower_limit(uint32_t level)
{
	EMU_CALL("doca_log_level_set_global_lower_limit");
	return set_global_limit(EMU_LOG_PROGRAM, level, false);
}

doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit)
{
	EMU_CALL("doca_log_level_set_global_upper_limit");
	return set_global_limit(EMU_LOG_PROGRAM, upper_limit, true);
}

doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level)
{
	EMU_CALL("doca_log_level_set_global_sdk_limit");
	return set_global_limit(EMU_LOG_SDK, level, false);
}

uint32_t doca_log_level_get_global_lower_limit(void)
{
	return get_global_limit(&global_lower[EMU_LOG_PROGRAM]);
}

uint32_t doca_log_level_get_global_upper_limit(void)
{
	return get_global_limit(&global_upper);
}

uint32_t doca_log_level_get_global_sdk_limit(void)
{
	return get_global_limit(&global_lower[EMU_LOG_SDK]);
}
