/* SPDX-License-Identifier: Apache-2.0 */
/* The usage text and the messages of the argument parser. */

#include "argp.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "core/emu_log.h"

/* Descriptions begin in this column, counted from 0. */
#define DESCRIPTION_COLUMN 36

static void print_entry(FILE *file, const char *name, const char *description)
{
	if (strlen(name) < DESCRIPTION_COLUMN - 2)
		fprintf(file, "  %-*s%s\n", DESCRIPTION_COLUMN - 2, name, description);
	else
		fprintf(file, "  %s %s\n", name, description);
}

static void print_param(FILE *file, const struct doca_argp_param *param)
{
	char name[512];

	snprintf(name, sizeof(name), "%s%s%s%s%s%s%s", param->short_name != NULL ? "-" : "",
		 param->short_name != NULL ? param->short_name : "",
		 param->short_name != NULL && param->long_name != NULL ? ", " : "",
		 param->long_name != NULL ? "--" : "", param->long_name != NULL ? param->long_name : "",
		 param->arguments != NULL ? " " : "", param->arguments != NULL ? param->arguments : "");
	print_entry(file, name, param->description);
}

/* Prints the visible parameters under a heading: all of params, or only those that commands inherit. */
static bool print_params(FILE *file, const struct emu_argp_params *params, const char *heading, bool inherited)
{
	bool any = false;

	for (const struct doca_argp_param *p = params->head; p != NULL; p = p->next) {
		if (p->hidden || (inherited && !p->inherited))
			continue;
		if (!any && heading != NULL)
			fprintf(file, "\n%s\n", heading);
		any = true;
		print_param(file, p);
	}
	return any;
}

static bool print_cmds(FILE *file, const struct doca_argp_cmd *parent, bool dry)
{
	bool any = false;

	for (const struct doca_argp_cmd *c = parent->cmds; c != NULL; c = c->next) {
		if (c->hidden)
			continue;
		if (!any && !dry)
			fprintf(file, "\nCommands:\n");
		any = true;
		if (!dry)
			print_entry(file, c->name, c->description);
	}
	return any;
}

static void print_path(FILE *file, const struct doca_argp_cmd *cmd)
{
	if (cmd->parent != NULL) {
		print_path(file, cmd->parent);
		fprintf(file, " %s", cmd->name);
	} else {
		fputs(emu_argp.program_name != NULL ? emu_argp.program_name : program_invocation_short_name,
		      file);
	}
}

void emu_argp_print_usage(FILE *file)
{
	const struct doca_argp_cmd *cmd = emu_argp.current != NULL ? emu_argp.current : &emu_argp.program;
	bool any;

	fputs("\nUsage: ", file);
	print_path(file, cmd);
	fprintf(file, "%s [DOCA Flags] [Program Flags]%s\n", emu_argp.is_dpdk ? " [DPDK Flags] --" : "",
		print_cmds(file, cmd, true) ? " <command>" : "");

	print_params(file, &emu_argp.general, "DOCA Flags:", false);
	any = print_params(file, &cmd->params, "Program Flags:", false);
	for (const struct doca_argp_cmd *c = cmd->parent; c != NULL; c = c->parent)
		any |= print_params(file, &c->params, any ? NULL : "Program Flags:", true);
	print_cmds(file, cmd, false);
	fputc('\n', file);
	fflush(file);
}

void doca_argp_usage(void)
{
	emu_argp_print_usage(stdout);
}

doca_error_t emu_argp_report(bool bad_args, const char *file, int line, const char *func, doca_error_t result,
			     const char *format, ...)
{
	va_list args, copy;

	va_start(args, format);
	va_copy(copy, args);
	if (emu_argp.logger_cb != NULL) {
		/* The program's logger replaces the log and stderr. */
		(void)emu_argp.logger_cb(DOCA_LOG_LEVEL_ERROR, format, args);
	} else {
		emu_log_va(DOCA_LOG_LEVEL_ERROR, file, line, func, format, args);
		if (bad_args) {
			vfprintf(stderr, format, copy);
			fputc('\n', stderr);
		}
	}
	va_end(copy);
	va_end(args);
	if (bad_args)
		emu_argp_print_usage(stderr);
	return result;
}
