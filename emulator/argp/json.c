/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments from a JSON file: an object with the sections doca_general_flags, doca_program_flags and, for DPDK
 * programs, doca_dpdk_flags. The keys are long names.
 */

#include "argp.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

/* Runs the parameter's callback with one value of its type. */
static doca_error_t run_value(const struct doca_argp_param *param, struct json_object *value)
{
	bool flag;
	int64_t number;
	int narrow;
	char *text;
	doca_error_t result;

	switch (param->type) {
	case DOCA_ARGP_TYPE_BOOLEAN:
		if (!json_object_is_type(value, json_type_boolean))
			break;
		flag = json_object_get_boolean(value);
		return emu_argp_call(param, &flag);
	case DOCA_ARGP_TYPE_INT:
		if (!json_object_is_type(value, json_type_int))
			break;
		number = json_object_get_int64(value);
		if (number < INT_MIN || number > INT_MAX)
			return emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE, "Key %s is out of range",
						 param->long_name);
		narrow = (int)number;
		return emu_argp_call(param, &narrow);
	case DOCA_ARGP_TYPE_STRING:
		if (!json_object_is_type(value, json_type_string))
			break;
		text = strdup(json_object_get_string(value)); /* callbacks may write to the string */
		if (text == NULL)
			return DOCA_ERROR_NO_MEMORY;
		result = emu_argp_call(param, text);
		free(text);
		return result;
	default:
		return emu_argp_call(param, value);
	}
	return emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE, "Key %s has a value of the wrong type",
				 param->long_name);
}

static doca_error_t run_key(struct doca_argp_param *param, struct json_object *value)
{
	doca_error_t result = DOCA_SUCCESS;

	param->given++;
	if (!param->multiplicity || !json_object_is_type(value, json_type_array))
		return run_value(param, value);
	for (size_t i = 0; i < json_object_array_length(value) && result == DOCA_SUCCESS; i++)
		result = run_value(param, json_object_array_get_idx(value, i));
	return result;
}

static doca_error_t unknown_key(const char *section, const char *key)
{
	return emu_argp_bad_args(DOCA_ERROR_NOT_SUPPORTED, "Unknown key in %s: %s", section, key);
}

/* ---- doca_dpdk_flags ---- */

static doca_error_t add_dpdk_arg(const char *text, size_t len)
{
	char **argv = realloc(emu_argp.dpdk_argv, ((size_t)emu_argp.dpdk_argc + 2) * sizeof(*argv));

	if (argv == NULL)
		return DOCA_ERROR_NO_MEMORY;
	emu_argp.dpdk_argv = argv;
	argv[emu_argp.dpdk_argc] = strndup(text, len);
	if (argv[emu_argp.dpdk_argc] == NULL)
		return DOCA_ERROR_NO_MEMORY;
	argv[++emu_argp.dpdk_argc] = NULL;
	return DOCA_SUCCESS;
}

static doca_error_t add_dpdk_pair(const char *flag, const char *value)
{
	doca_error_t result = add_dpdk_arg(flag, strlen(flag));

	return result == DOCA_SUCCESS ? add_dpdk_arg(value, strlen(value)) : result;
}

static doca_error_t add_dpdk_words(const char *text)
{
	doca_error_t result = DOCA_SUCCESS;

	for (;;) {
		size_t len;

		text += strspn(text, " \t");
		len = strcspn(text, " \t");
		if (len == 0 || result != DOCA_SUCCESS)
			return result;
		result = add_dpdk_arg(text, len);
		text += len;
	}
}

/* {"device": "pf" | "vf" | "sf", "id": PCI address or number of the scalable function, "hws": bool} */
static doca_error_t add_dpdk_device(struct json_object *device)
{
	struct json_object *kind = NULL, *id = NULL, *hws = NULL;
	char arg[128];

	json_object_object_get_ex(device, "device", &kind);
	json_object_object_get_ex(device, "id", &id);
	if (!json_object_is_type(kind, json_type_string) || !json_object_is_type(id, json_type_string))
		return emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE,
					 "A DPDK device needs the strings device and id");
	snprintf(arg, sizeof(arg), "%s%s%s",
		 strcmp(json_object_get_string(kind), "sf") == 0 ? "auxiliary:mlx5_core.sf." : "",
		 json_object_get_string(id),
		 json_object_object_get_ex(device, "hws", &hws) && json_object_get_boolean(hws) ?
			 ",dv_flow_en=2" :
			 "");
	return add_dpdk_pair("-a", arg);
}

static doca_error_t add_dpdk_devices(struct json_object *devices)
{
	doca_error_t result = DOCA_SUCCESS;

	if (!json_object_is_type(devices, json_type_array))
		return emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE, "Key devices must hold a list");
	for (size_t i = 0; i < json_object_array_length(devices) && result == DOCA_SUCCESS; i++)
		result = add_dpdk_device(json_object_array_get_idx(devices, i));
	return result;
}

static doca_error_t run_dpdk_section(const char *name, struct json_object *section)
{
	const char *program = emu_argp.program_name != NULL ? emu_argp.program_name : "";
	doca_error_t result;

	emu_argp_clear_dpdk();
	result = add_dpdk_arg(program, strlen(program));

	json_object_object_foreach(section, key, value)
	{
		struct doca_argp_param *param = emu_argp_find_long(&emu_argp.program.params, key);

		if (result != DOCA_SUCCESS)
			break;
		if (param != NULL && param->type == DOCA_ARGP_TYPE_JSON_OBJ)
			result = run_key(param, value);
		else if (strcmp(key, "devices") == 0)
			result = add_dpdk_devices(value);
		else if (strcmp(key, "core-mask") != 0 && strcmp(key, "flags") != 0)
			result = unknown_key(name, key);
		else if (!json_object_is_type(value, json_type_string))
			result = emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE, "Key %s must hold a string", key);
		else if (strcmp(key, "core-mask") == 0)
			result = add_dpdk_pair("-c", json_object_get_string(value));
		else
			result = add_dpdk_words(json_object_get_string(value));
	}
	return result;
}

/* ---- The other sections ---- */

static doca_error_t run_general_section(const char *name, struct json_object *section)
{
	doca_error_t result = DOCA_SUCCESS;

	json_object_object_foreach(section, key, value)
	{
		struct doca_argp_param *param = emu_argp_find_long(&emu_argp.general, key);

		if (result != DOCA_SUCCESS)
			break;
		result = param != NULL && !param->cli_only ? run_key(param, value) : unknown_key(name, key);
	}
	return result;
}

static struct doca_argp_param *find_key(const struct doca_argp_cmd *level, const char *key)
{
	struct doca_argp_param *param = emu_argp_find_long(&level->params, key);

	for (level = level->parent; param == NULL && level != NULL; level = level->parent) {
		param = emu_argp_find_long(&level->params, key);
		if (param != NULL && !param->inherited)
			param = NULL;
	}
	return param != NULL && !param->cli_only ? param : NULL;
}

static doca_error_t run_program_section(const char *name, struct json_object *section)
{
	const struct doca_argp_cmd *level = emu_argp.current;
	doca_error_t result = DOCA_SUCCESS;

	json_object_object_foreach(section, key, value)
	{
		struct doca_argp_param *param = find_key(level, key);

		if (result != DOCA_SUCCESS)
			break;
		if (param == NULL)
			result = unknown_key(name, key);
		else if (param->singular && json_object_object_length(section) > 1)
			result = emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE,
						   "Key %s cannot be used together with others", key);
		else
			result = run_key(param, value);
	}
	return result;
}

static doca_error_t run_file(struct json_object *file)
{
	static const struct {
		const char *name;
		doca_error_t (*run)(const char *name, struct json_object *section);
	} sections[] = {
		{"doca_general_flags", run_general_section},
		{"doca_dpdk_flags", run_dpdk_section},
		{"doca_program_flags", run_program_section},
	};
	const size_t num_sections = sizeof(sections) / sizeof(sections[0]);
	doca_error_t result = DOCA_SUCCESS;

	json_object_object_foreach(file, key, value)
	{
		size_t i = 0;

		while (i < num_sections && strcmp(key, sections[i].name) != 0)
			i++;
		if (i == num_sections || (sections[i].run == run_dpdk_section && !emu_argp.is_dpdk))
			return emu_argp_bad_args(DOCA_ERROR_NOT_SUPPORTED, "Unknown section in the JSON file: %s",
						 key);
		if (!json_object_is_type(value, json_type_object))
			return emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE, "Section %s must hold an object", key);
	}
	for (size_t i = 0; i < num_sections && result == DOCA_SUCCESS; i++) {
		struct json_object *section;

		if (json_object_object_get_ex(file, sections[i].name, &section))
			result = sections[i].run(sections[i].name, section);
	}
	return result;
}

doca_error_t emu_argp_parse_json(const char *path)
{
	struct json_object *file = json_object_from_file(path);
	doca_error_t result;

	if (!json_object_is_type(file, json_type_object)) {
		const char *reason = file == NULL ? json_util_get_last_err() : NULL;

		if (reason == NULL)
			reason = "it does not hold an object";
		result = emu_argp_bad_args(DOCA_ERROR_IO_FAILED, "The JSON file %s cannot be used: %.*s", path,
					   (int)strcspn(reason, "\n"), reason);
	} else {
		result = run_file(file);
	}
	json_object_put(file);
	return result;
}
