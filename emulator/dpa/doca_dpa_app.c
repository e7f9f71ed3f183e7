/* SPDX-License-Identifier: Apache-2.0 */
/* The application of a context, its log and its trace. */
#include "core/emulator.h"

#include <string.h>

#include <doca_dpa.h>

#include "core/emu_fault.h"
#include "core/emu_log.h"
#include "dpacore/emu_dpa.h"

/* Copies a string with its end. Out: the length without it, or the size that is needed. */
static bool copy_string(const char *text, char *to, uint32_t *len)
{
	size_t need = strlen(text);

	if (need >= *len) {
		*len = (uint32_t)need + 1;
		return false;
	}
	memcpy(to, text, need + 1);
	*len = (uint32_t)need;
	return true;
}

/* The application. */

doca_error_t doca_dpa_set_app(struct doca_dpa *dpa, struct doca_dpa_app *app)
{
	EMU_CALL("doca_dpa_set_app");
	if (dpa == NULL || app == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_dpa_is_started(dpa) || dpa->base != dpa)
		return DOCA_ERROR_BAD_STATE;
	dpa->app = app;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_app(struct doca_dpa *dpa, struct doca_dpa_app **app)
{
	EMU_CALL("doca_dpa_get_app");
	if (dpa == NULL || app == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*app = dpa->base->app;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_app_get_name(struct doca_dpa_app *app, char *app_name, uint32_t *app_name_len)
{
	EMU_CALL("doca_dpa_app_get_name");
	if (app == NULL || app_name == NULL || app_name_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return copy_string(app->name, app_name, app_name_len) ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

/* Log and trace, which are the base's. */

static doca_error_t may_configure(const struct doca_dpa *dpa)
{
	if (dpa->base != dpa)
		return DOCA_ERROR_NOT_PERMITTED;
	return emu_dpa_is_started(dpa) ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
}

doca_error_t doca_dpa_set_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t log_level)
{
	EMU_CALL("doca_dpa_set_log_level");
	doca_error_t result;

	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	switch (log_level) {
	case DOCA_DPA_DEV_LOG_LEVEL_DISABLE:
	case DOCA_DPA_DEV_LOG_LEVEL_ERROR:
	case DOCA_DPA_DEV_LOG_LEVEL_WARNING:
	case DOCA_DPA_DEV_LOG_LEVEL_INFO:
	case DOCA_DPA_DEV_LOG_LEVEL_DEBUG:
		break;
	default:
		return DOCA_ERROR_INVALID_VALUE;
	}
	result = may_configure(dpa);
	if (result == DOCA_SUCCESS)
		dpa->log.level = log_level;
	return result;
}

doca_error_t doca_dpa_get_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t *log_level)
{
	EMU_CALL("doca_dpa_get_log_level");
	if (dpa == NULL || log_level == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*log_level = (doca_dpa_dev_log_level_t)dpa->base->log.level;
	return DOCA_SUCCESS;
}

static doca_error_t set_path(struct doca_dpa *dpa, struct emu_dpa_sink *sink, const char *path)
{
	doca_error_t result = may_configure(dpa);

	if (result == DOCA_SUCCESS)
		result = emu_dpa_log_open(sink, path);
	if (result == DOCA_ERROR_OPERATING_SYSTEM)
		EMU_LOG_ERR("DPA: %s cannot be opened for writing", path);
	return result;
}

/* Empty: the standard output. */
static doca_error_t get_path(const struct emu_dpa_sink *sink, char *path, uint32_t *len)
{
	return copy_string(sink->path == NULL ? "" : sink->path, path, len) ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_dpa_log_file_set_path(struct doca_dpa *dpa, const char *file_path)
{
	EMU_CALL("doca_dpa_log_file_set_path");
	if (dpa == NULL || file_path == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return set_path(dpa, &dpa->log.log, file_path);
}

doca_error_t doca_dpa_log_file_get_path(struct doca_dpa *dpa, char *file_path, uint32_t *file_path_len)
{
	EMU_CALL("doca_dpa_log_file_get_path");
	if (dpa == NULL || file_path == NULL || file_path_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return get_path(&dpa->base->log.log, file_path, file_path_len);
}

doca_error_t doca_dpa_trace_file_set_path(struct doca_dpa *dpa, const char *file_path)
{
	EMU_CALL("doca_dpa_trace_file_set_path");
	if (dpa == NULL || file_path == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return set_path(dpa, &dpa->log.trace, file_path);
}

doca_error_t doca_dpa_trace_file_get_path(struct doca_dpa *dpa, char *file_path, uint32_t *file_path_len)
{
	EMU_CALL("doca_dpa_trace_file_get_path");
	if (dpa == NULL || file_path == NULL || file_path_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return get_path(&dpa->base->log.trace, file_path, file_path_len);
}
