/* SPDX-License-Identifier: Apache-2.0 */
/* doca_argp.h: parameters. */

#include "argp.h"

#include <stdlib.h>
#include <string.h>

#include "core/emu_fault.h"

char *emu_argp_copy(char *old, const char *text)
{
	free(old);
	return text != NULL ? strdup(text) : NULL;
}

bool emu_argp_valid_name(const char *name)
{
	return name[0] != '\0' && name[0] != '-';
}

const char *emu_argp_param_name(const struct doca_argp_param *param)
{
	static char name[256];

	snprintf(name, sizeof(name), "%s%s%s%s%s", param->short_name != NULL ? "-" : "",
		 param->short_name != NULL ? param->short_name : "",
		 param->short_name != NULL && param->long_name != NULL ? "/" : "",
		 param->long_name != NULL ? "--" : "", param->long_name != NULL ? param->long_name : "");
	return name;
}

struct doca_argp_param *emu_argp_find_long(const struct emu_argp_params *params, const char *name)
{
	for (struct doca_argp_param *p = params->head; p != NULL; p = p->next)
		if (p->long_name != NULL && strcmp(p->long_name, name) == 0)
			return p;
	return NULL;
}

struct doca_argp_param *emu_argp_find_short(const struct emu_argp_params *params, const char *name)
{
	for (struct doca_argp_param *p = params->head; p != NULL; p = p->next)
		if (p->short_name != NULL && strcmp(p->short_name, name) == 0)
			return p;
	return NULL;
}

void emu_argp_free_param(struct doca_argp_param *param)
{
	free(param->short_name);
	free(param->long_name);
	free(param->arguments);
	free(param->description);
	free(param);
}

void emu_argp_free_params(struct emu_argp_params *params)
{
	while (params->head != NULL) {
		struct doca_argp_param *param = params->head;

		params->head = param->next;
		emu_argp_free_param(param);
	}
}

static bool is_taken(const struct emu_argp_params *params, const struct doca_argp_param *param)
{
	return (param->long_name != NULL && emu_argp_find_long(params, param->long_name) != NULL) ||
	       (param->short_name != NULL && emu_argp_find_short(params, param->short_name) != NULL);
}

static doca_error_t check_param(const struct emu_argp_params *params, const struct doca_argp_param *param)
{
	if (param->short_name == NULL && param->long_name == NULL)
		return emu_argp_failure(DOCA_ERROR_INVALID_VALUE, "A parameter needs a short or a long name");
	if (param->description == NULL)
		return emu_argp_failure(DOCA_ERROR_INVALID_VALUE, "Parameter %s needs a description",
					emu_argp_param_name(param));
	if (param->callback == NULL || param->type == DOCA_ARGP_TYPE_UNKNOWN)
		return emu_argp_failure(DOCA_ERROR_INITIALIZATION, "Parameter %s needs a callback and a type",
					emu_argp_param_name(param));
	if (param->type > DOCA_ARGP_TYPE_JSON_OBJ)
		return emu_argp_failure(DOCA_ERROR_INVALID_VALUE, "Parameter %s has the unknown type %d",
					emu_argp_param_name(param), (int)param->type);
	if ((param->short_name != NULL && !emu_argp_valid_name(param->short_name)) ||
	    (param->long_name != NULL && !emu_argp_valid_name(param->long_name)))
		return emu_argp_failure(DOCA_ERROR_INVALID_VALUE, "%s is not a valid name for a parameter",
					emu_argp_param_name(param));
	if (is_taken(params, param) || is_taken(&emu_argp.general, param))
		return emu_argp_failure(DOCA_ERROR_INVALID_VALUE, "A name of parameter %s is already taken",
					emu_argp_param_name(param));
	return DOCA_SUCCESS;
}

/* Takes over param whatever the result is, as programs expect. */
doca_error_t emu_argp_add_param(struct emu_argp_params *params, struct doca_argp_param *param)
{
	struct doca_argp_param **end = &params->head;
	doca_error_t result;

	if (param->registered)
		return DOCA_ERROR_INVALID_VALUE;
	result = check_param(params, param);
	if (result != DOCA_SUCCESS) {
		emu_argp_free_param(param);
		return result;
	}
	while (*end != NULL)
		end = &(*end)->next;
	*end = param;
	param->registered = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_param(struct doca_argp_param *input_param)
{
	if (input_param == NULL)
		return emu_argp.ready ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_BAD_STATE;
	if (!emu_argp.ready) {
		emu_argp_free_param(input_param);
		return DOCA_ERROR_BAD_STATE;
	}
	return emu_argp_add_param(&emu_argp.program.params, input_param);
}

doca_error_t doca_argp_param_create(struct doca_argp_param **param)
{
	struct doca_argp_param *p;

	if (!emu_argp.ready)
		return DOCA_ERROR_BAD_STATE;
	if (param == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	EMU_CALL("doca_argp_param_create");
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*param = p;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_param_destroy(struct doca_argp_param *param)
{
	if (param == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (param->registered)
		return DOCA_ERROR_BAD_STATE;
	emu_argp_free_param(param);
	return DOCA_SUCCESS;
}

/* An empty name is as good as none. */
static char *copy_name(char *old, const char *name)
{
	return emu_argp_copy(old, name != NULL && name[0] != '\0' ? name : NULL);
}

void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name)
{
	param->short_name = copy_name(param->short_name, name);
}

void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name)
{
	param->long_name = copy_name(param->long_name, name);
}

void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments)
{
	param->arguments = emu_argp_copy(param->arguments, arguments);
}

void doca_argp_param_set_description(struct doca_argp_param *param, const char *description)
{
	param->description = emu_argp_copy(param->description, description);
}

void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback)
{
	param->callback = callback;
}

void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
{
	param->type = type;
}

void doca_argp_param_set_mandatory(struct doca_argp_param *param)
{
	param->mandatory = true;
}

void doca_argp_param_set_cli_only(struct doca_argp_param *param)
{
	param->cli_only = true;
}

void doca_argp_param_set_multiplicity(struct doca_argp_param *param)
{
	param->multiplicity = true;
}

void doca_argp_param_set_singular(struct doca_argp_param *param)
{
	param->singular = true;
}

void doca_argp_param_set_inherited(struct doca_argp_param *param)
{
	param->inherited = true;
}

void doca_argp_param_set_hidden(struct doca_argp_param *param)
{
	param->hidden = true;
}
