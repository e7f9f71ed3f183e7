/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of every DOCA program: help, version, log levels, JSON file. */

#include "argp.h"

#include <stdlib.h>

#include <doca_log.h>
#include <doca_version.h>

#define LEVELS "10=DISABLE, 20=CRITICAL, 30=ERROR, 40=WARNING, 50=INFO, 60=DEBUG, 70=TRACE"

static doca_error_t print_help(void *value, void *config)
{
	(void)config;
	if (!*(bool *)value)
		return DOCA_SUCCESS;
	emu_argp_print_usage(stdout);
	exit(EXIT_SUCCESS);
}

static doca_error_t print_version(void *value, void *config)
{
	if (!*(bool *)value)
		return DOCA_SUCCESS;
	if (emu_argp.version_cb != NULL) {
		doca_error_t result = emu_argp.version_cb(value, config);

		if (result != DOCA_SUCCESS)
			return emu_argp_failure(result, "The version callback failed: %s",
						doca_error_get_descr(result));
	} else {
		printf("DOCA Version: %s\n", doca_version());
	}
	exit(EXIT_SUCCESS);
}

static doca_error_t set_log_level(void *value, void *config)
{
	int level = *(int *)value;

	(void)config;
	if (level < 0 || doca_log_level_set_global_lower_limit((uint32_t)level) != DOCA_SUCCESS)
		return emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE, "%d is not a log level (" LEVELS ")", level);
	emu_argp.log_level = level;
	return DOCA_SUCCESS;
}

static doca_error_t set_sdk_log_level(void *value, void *config)
{
	int level = *(int *)value;

	(void)config;
	if (level < 0 || doca_log_level_set_global_sdk_limit((uint32_t)level) != DOCA_SUCCESS)
		return emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE, "%d is not a log level (" LEVELS ")", level);
	emu_argp.sdk_log_level = level;
	return DOCA_SUCCESS;
}

static doca_error_t read_json(void *value, void *config)
{
	(void)config;
	return emu_argp_parse_json(value);
}

static const struct {
	const char *short_name, *long_name, *arguments, *description;
	doca_argp_param_cb_t callback;
	enum doca_argp_type type;
	bool cli_only;
} flags[] = {
	{"h", "help", NULL, "Print this help and exit", print_help, DOCA_ARGP_TYPE_BOOLEAN, true},
	{"v", "version", NULL, "Print the version and exit", print_version, DOCA_ARGP_TYPE_BOOLEAN, true},
	{"l", "log-level", NULL, "Log level of the program <" LEVELS ">", set_log_level, DOCA_ARGP_TYPE_INT,
	 false},
	{NULL, "sdk-log-level", NULL, "Log level of the SDK <" LEVELS ">", set_sdk_log_level,
	 DOCA_ARGP_TYPE_INT, false},
	{"j", "json", "<path>", "Take all flags from a JSON file", read_json, DOCA_ARGP_TYPE_STRING, true},
};

doca_error_t emu_argp_add_general(void)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct doca_argp_param *param = calloc(1, sizeof(*param));
		doca_error_t result;

		if (param == NULL)
			return DOCA_ERROR_NO_MEMORY;
		param->short_name = emu_argp_copy(NULL, flags[i].short_name);
		param->long_name = emu_argp_copy(NULL, flags[i].long_name);
		param->arguments = emu_argp_copy(NULL, flags[i].arguments);
		param->description = emu_argp_copy(NULL, flags[i].description);
		param->callback = flags[i].callback;
		param->type = flags[i].type;
		param->cli_only = flags[i].cli_only;
		param->general = true;
		result = emu_argp_add_param(&emu_argp.general, param);
		if (result != DOCA_SUCCESS) /* the table is valid, so a copy was not made */
			return DOCA_ERROR_NO_MEMORY;
	}
	return DOCA_SUCCESS;
}

bool emu_argp_is_json(const struct doca_argp_param *param)
{
	return param->callback == read_json;
}
