/* SPDX-License-Identifier: Apache-2.0 */
/* doca_argp.h: the argument parser's life cycle. There is one parser per process, for one thread. */

#include "argp.h"

#include <stdlib.h>
#include <string.h>

#include "core/emu_fault.h"

struct emu_argp emu_argp;

void emu_argp_clear_dpdk(void)
{
	for (int i = 0; i < emu_argp.dpdk_argc; i++)
		free(emu_argp.dpdk_argv[i]);
	free(emu_argp.dpdk_argv);
	emu_argp.dpdk_argv = NULL;
	emu_argp.dpdk_argc = 0;
}

static void clear(void)
{
	emu_argp_free_params(&emu_argp.general);
	emu_argp_clear_cmd(&emu_argp.program);
	emu_argp_clear_dpdk();
	free(emu_argp.program_name);
	memset(&emu_argp, 0, sizeof(emu_argp));
}

doca_error_t doca_argp_init(const char *program_name, void *program_config)
{
	doca_error_t result;

	EMU_CALL("doca_argp_init");
	if (emu_argp.ready)
		return emu_argp_failure(DOCA_ERROR_BAD_STATE, "The argument parser is initialized already");
	if (program_name != NULL) {
		emu_argp.program_name = strdup(program_name);
		if (emu_argp.program_name == NULL)
			return DOCA_ERROR_NO_MEMORY;
	}
	emu_argp.config = program_config;
	result = emu_argp_add_general();
	if (result != DOCA_SUCCESS) {
		clear();
		return result;
	}
	emu_argp.ready = true;
	return DOCA_SUCCESS;
}

static doca_error_t not_ready(void)
{
	return emu_argp_failure(DOCA_ERROR_BAD_STATE, "The argument parser is not initialized");
}

doca_error_t doca_argp_destroy(void)
{
	EMU_CALL("doca_argp_destroy");
	if (!emu_argp.ready)
		return not_ready();
	clear();
	return DOCA_SUCCESS;
}

static void set_program_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	emu_argp.program_name = emu_argp_copy(NULL, slash != NULL ? slash + 1 : path);
}

doca_error_t doca_argp_start(int argc, char **argv)
{
	doca_error_t result;

	EMU_CALL("doca_argp_start");
	if (!emu_argp.ready)
		return not_ready();
	if (argc < 0 || (argc > 0 && argv == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_argp.program_name == NULL && argc > 0 && argv[0] != NULL)
		set_program_name(argv[0]);

	result = emu_argp_parse(argc, argv);
	emu_argp.current = NULL;
	return result;
}

doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback)
{
	EMU_CALL("doca_argp_register_version_callback");
	if (!emu_argp.ready)
		return DOCA_ERROR_BAD_STATE;
	if (callback == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_argp.version_cb = callback;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback)
{
	EMU_CALL("doca_argp_register_validation_callback");
	if (!emu_argp.ready)
		return DOCA_ERROR_BAD_STATE;
	if (callback == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_argp.validation_cb = callback;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback)
{
	EMU_CALL("doca_argp_register_logger_callback");
	if (!emu_argp.ready)
		return DOCA_ERROR_BAD_STATE;
	if (callback == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_argp.logger_cb != NULL)
		return DOCA_ERROR_ALREADY_EXIST;
	emu_argp.logger_cb = callback;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_logger_callback(void)
{
	EMU_CALL("doca_argp_disable_logger_callback");
	if (!emu_argp.ready || emu_argp.logger_cb == NULL)
		return DOCA_ERROR_BAD_STATE;
	emu_argp.logger_cb = NULL;
	return DOCA_SUCCESS;
}

void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback)
{
	emu_argp.is_dpdk = true;
	emu_argp.dpdk_cb = callback;
}

doca_error_t doca_argp_get_log_level(int *log_level)
{
	EMU_CALL("doca_argp_get_log_level");
	if (log_level == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*log_level = emu_argp.log_level != 0 ? emu_argp.log_level : (int)doca_log_level_get_global_lower_limit();
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_get_sdk_log_level(int *log_level)
{
	EMU_CALL("doca_argp_get_sdk_log_level");
	if (log_level == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*log_level = emu_argp.sdk_log_level != 0 ? emu_argp.sdk_log_level :
						   (int)doca_log_level_get_global_sdk_limit();
	return DOCA_SUCCESS;
}
