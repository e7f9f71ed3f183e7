/* SPDX-License-Identifier: Apache-2.0 */
/* doca_argp.h: commands, the words that select a part of a program ("tool list --all"). */

#include "argp.h"

#include <stdlib.h>
#include <string.h>

#include "core/emu_fault.h"

struct doca_argp_cmd *emu_argp_find_cmd(const struct doca_argp_cmd *parent, const char *name)
{
	for (struct doca_argp_cmd *c = parent->cmds; c != NULL; c = c->next)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

void emu_argp_clear_cmd(struct doca_argp_cmd *cmd)
{
	emu_argp_free_params(&cmd->params);
	while (cmd->cmds != NULL) {
		struct doca_argp_cmd *child = cmd->cmds;

		cmd->cmds = child->next;
		emu_argp_clear_cmd(child);
		free(child);
	}
	free(cmd->name);
	free(cmd->description);
	cmd->name = NULL;
	cmd->description = NULL;
}

static void free_cmd(struct doca_argp_cmd *cmd)
{
	emu_argp_clear_cmd(cmd);
	free(cmd);
}

static doca_error_t check_cmd(const struct doca_argp_cmd *parent, const struct doca_argp_cmd *cmd)
{
	if (cmd->name == NULL || cmd->description == NULL || cmd->callback == NULL)
		return emu_argp_failure(DOCA_ERROR_INITIALIZATION,
					"Command %s needs a name, a description and a callback",
					cmd->name != NULL ? cmd->name : "(no name)");
	if (!emu_argp_valid_name(cmd->name))
		return emu_argp_failure(DOCA_ERROR_INVALID_VALUE, "%s is not a valid name for a command",
					cmd->name);
	if (emu_argp_find_cmd(parent, cmd->name) != NULL)
		return emu_argp_failure(DOCA_ERROR_INVALID_VALUE, "The command %s exists already", cmd->name);
	return DOCA_SUCCESS;
}

/* Takes over cmd whatever the result is, as with parameters. */
static doca_error_t add_cmd(struct doca_argp_cmd *parent, struct doca_argp_cmd *cmd)
{
	struct doca_argp_cmd **end = &parent->cmds;
	doca_error_t result;

	for (const struct doca_argp_cmd *c = parent; c != NULL; c = c->parent)
		if (c == cmd)
			return DOCA_ERROR_INVALID_VALUE;
	if (cmd->registered)
		return DOCA_ERROR_INVALID_VALUE;
	result = check_cmd(parent, cmd);
	if (result != DOCA_SUCCESS) {
		free_cmd(cmd);
		return result;
	}
	while (*end != NULL)
		end = &(*end)->next;
	*end = cmd;
	cmd->parent = parent;
	cmd->registered = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd)
{
	return doca_argp_cmd_register_cmd(&emu_argp.program, input_cmd);
}

doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd)
{
	if (!emu_argp.ready || cmd == NULL || input_cmd == NULL) {
		if (input_cmd != NULL && !input_cmd->registered)
			free_cmd(input_cmd);
		return emu_argp.ready ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_BAD_STATE;
	}
	return add_cmd(cmd, input_cmd);
}

doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd, struct doca_argp_param *input_param)
{
	if (!emu_argp.ready || cmd == NULL || input_param == NULL) {
		if (input_param != NULL && !input_param->registered)
			emu_argp_free_param(input_param);
		return emu_argp.ready ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_BAD_STATE;
	}
	return emu_argp_add_param(&cmd->params, input_param);
}

doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd)
{
	struct doca_argp_cmd *c;

	if (!emu_argp.ready)
		return DOCA_ERROR_BAD_STATE;
	if (cmd == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	EMU_CALL("doca_argp_cmd_create");
	c = calloc(1, sizeof(*c));
	if (c == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*cmd = c;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd)
{
	if (cmd == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (cmd->registered)
		return DOCA_ERROR_BAD_STATE;
	free_cmd(cmd);
	return DOCA_SUCCESS;
}

void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name)
{
	cmd->name = emu_argp_copy(cmd->name, name);
}

void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description)
{
	cmd->description = emu_argp_copy(cmd->description, description);
}

void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback)
{
	cmd->callback = callback;
}

void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd)
{
	cmd->hidden = true;
}
