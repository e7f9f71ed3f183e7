/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_ARGP_H_
#define EMU_ARGP_H_

/*
 * What the files of the argument parser share. Parameters are in lists: the general flags of every DOCA program,
 * the program's own, and those of each command. The program itself is the root of the tree of commands.
 */

#include "core/emulator.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <doca_argp.h>

struct doca_argp_param {
	struct doca_argp_param *next;
	char *short_name;
	char *long_name;
	char *arguments;
	char *description;
	doca_argp_param_cb_t callback;
	enum doca_argp_type type;
	bool mandatory;
	bool cli_only;
	bool multiplicity;
	bool singular;
	bool inherited;
	bool hidden;
	bool registered;
	bool general;   /* one of the flags that every DOCA program has */
	unsigned given; /* how often the arguments being parsed name it */
};

struct emu_argp_params {
	struct doca_argp_param *head;
};

struct doca_argp_cmd {
	struct doca_argp_cmd *next;
	struct doca_argp_cmd *parent; /* NULL: the program, or not registered */
	struct doca_argp_cmd *cmds;
	struct emu_argp_params params;
	char *name;
	char *description;
	doca_argp_cmd_cb_t callback;
	bool hidden;
	bool registered;
};

struct emu_argp {
	bool ready;
	char *program_name; /* NULL: not known yet */
	void *config;
	struct emu_argp_params general;
	struct doca_argp_cmd program;
	const struct doca_argp_cmd *current; /* the command whose arguments are being parsed; NULL: the program */

	doca_argp_param_cb_t version_cb;
	doca_argp_validation_cb_t validation_cb;
	doca_argp_logger_cb_t logger_cb;
	doca_argp_dpdk_cb_t dpdk_cb;
	bool is_dpdk;

	int log_level;     /* 0: not given */
	int sdk_log_level; /* 0: not given */

	/* Arguments for DPDK from a JSON file. They live as long as the parser, because DPDK may keep pointers
	 * to them. */
	char **dpdk_argv;
	int dpdk_argc;
};

extern EMU_LOCAL struct emu_argp emu_argp;

/* doca_argp.c */
EMU_LOCAL void emu_argp_clear_dpdk(void);

/* params.c */
EMU_LOCAL doca_error_t emu_argp_add_param(struct emu_argp_params *params, struct doca_argp_param *param);
EMU_LOCAL struct doca_argp_param *emu_argp_find_long(const struct emu_argp_params *params, const char *name);
EMU_LOCAL struct doca_argp_param *emu_argp_find_short(const struct emu_argp_params *params, const char *name);
EMU_LOCAL void emu_argp_free_param(struct doca_argp_param *param);
EMU_LOCAL void emu_argp_free_params(struct emu_argp_params *params);
EMU_LOCAL char *emu_argp_copy(char *old, const char *text);
/* Returns the name of a parameter for messages: "-p/--pci-addr". Valid until the next call. */
EMU_LOCAL const char *emu_argp_param_name(const struct doca_argp_param *param);
EMU_LOCAL bool emu_argp_valid_name(const char *name);

/* cmds.c */
EMU_LOCAL struct doca_argp_cmd *emu_argp_find_cmd(const struct doca_argp_cmd *parent, const char *name);
/* Frees what cmd owns, but not cmd itself. */
EMU_LOCAL void emu_argp_clear_cmd(struct doca_argp_cmd *cmd);

/* general.c */
EMU_LOCAL doca_error_t emu_argp_add_general(void);
EMU_LOCAL bool emu_argp_is_json(const struct doca_argp_param *param);

/* parse.c */
EMU_LOCAL doca_error_t emu_argp_parse(int argc, char **argv);
/* Runs the callback of a parameter. */
EMU_LOCAL doca_error_t emu_argp_call(const struct doca_argp_param *param, void *value);

/* json.c */
EMU_LOCAL doca_error_t emu_argp_parse_json(const char *path);

/* usage.c */
EMU_LOCAL void emu_argp_print_usage(FILE *file);
EMU_LOCAL doca_error_t emu_argp_report(bool bad_args, const char *file, int line, const char *func,
				       doca_error_t result, const char *format, ...)
	__attribute__((format(printf, 6, 7)));
/* Reports an error in the arguments, in the log and on stderr, and prints the usage text. Returns result. */
#define emu_argp_bad_args(result, ...)                                                                     \
	emu_argp_report(true, __FILE__, __LINE__, __func__, (result), __VA_ARGS__)
/* Reports any other error in the log. Returns result. */
#define emu_argp_failure(result, ...)                                                                      \
	emu_argp_report(false, __FILE__, __LINE__, __func__, (result), __VA_ARGS__)

#endif /* EMU_ARGP_H_ */
