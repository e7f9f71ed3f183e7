/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line. The words are read from left to right, and each callback runs at its place: what is wrong stops the
 * parser there, after the callbacks of the words before it. That all mandatory parameters are given is checked at the end.
 */

#include "argp.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum word_kind {
	WORD_END,
	WORD_FLAG,
	WORD_NO_VALUE, /* a flag whose value is missing */
	WORD_COMMAND,
	WORD_UNKNOWN,
};

struct word {
	enum word_kind kind;
	const char *text;
	struct doca_argp_param *param;
	char *value;
};

struct words {
	char **next;
	char **end;
	const struct doca_argp_cmd *level; /* the command selected by the words so far */
	unsigned num_flags;
	const struct doca_argp_param *alone; /* a flag so far that must be given alone, or NULL */
};

static struct doca_argp_param *find(const struct emu_argp_params *params, const char *word)
{
	if (word[0] != '-')
		return NULL;
	return word[1] == '-' ? emu_argp_find_long(params, word + 2) : emu_argp_find_short(params, word + 1);
}

/* A flag at one level of the tree is a general flag, one of the level itself, or one that higher levels pass
 * down. */
static struct doca_argp_param *find_flag(const struct doca_argp_cmd *level, const char *word)
{
	struct doca_argp_param *param = find(&emu_argp.general, word);

	if (param == NULL)
		param = find(&level->params, word);
	while (param == NULL && level->parent != NULL) {
		level = level->parent;
		param = find(&level->params, word);
		if (param != NULL && !param->inherited)
			param = NULL;
	}
	/* Objects can be given in JSON only. */
	return param != NULL && param->type != DOCA_ARGP_TYPE_JSON_OBJ ? param : NULL;
}

static struct word next_word(struct words *words)
{
	struct word word = {.kind = WORD_END};
	const struct doca_argp_cmd *cmd;

	if (words->next == words->end)
		return word;
	word.text = *words->next++;

	cmd = emu_argp_find_cmd(words->level, word.text);
	if (cmd != NULL) {
		words->level = cmd;
		word.kind = WORD_COMMAND;
		return word;
	}
	word.param = find_flag(words->level, word.text);
	if (word.param == NULL) {
		word.kind = WORD_UNKNOWN;
	} else if (word.param->type == DOCA_ARGP_TYPE_BOOLEAN) {
		word.kind = WORD_FLAG;
	} else if (words->next == words->end) {
		word.kind = WORD_NO_VALUE;
	} else {
		word.kind = WORD_FLAG;
		word.value = *words->next++;
	}
	return word;
}

static void forget_given(struct doca_argp_cmd *cmd)
{
	for (struct doca_argp_param *p = cmd->params.head; p != NULL; p = p->next)
		p->given = 0;
	for (struct doca_argp_cmd *c = cmd->cmds; c != NULL; c = c->next)
		forget_given(c);
}

doca_error_t emu_argp_call(const struct doca_argp_param *param, void *value)
{
	doca_error_t result = param->callback(value, emu_argp.config);

	if (result != DOCA_SUCCESS && !param->general) /* the general flags report their errors themselves */
		return emu_argp_failure(result, "The callback of parameter %s failed: %s",
					emu_argp_param_name(param), doca_error_get_descr(result));
	return result;
}

static doca_error_t run_flag(const struct doca_argp_param *param, char *text)
{
	bool given = true;
	char *end;
	long number;
	int value;

	if (param->type == DOCA_ARGP_TYPE_BOOLEAN)
		return emu_argp_call(param, &given);
	if (param->type == DOCA_ARGP_TYPE_STRING)
		return emu_argp_call(param, text);

	errno = 0;
	number = strtol(text, &end, 0);
	if (end == text || *end != '\0')
		return emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE, "Parameter %s needs a number, not \"%s\"",
					 emu_argp_param_name(param), text);
	if (errno == ERANGE || number < INT_MIN || number > INT_MAX)
		return emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE, "Parameter %s: %s is out of range",
					 emu_argp_param_name(param), text);
	value = (int)number;
	return emu_argp_call(param, &value);
}

static doca_error_t unknown_word(const struct words *words, const char *text)
{
	if (text[0] == '-')
		return emu_argp_bad_args(DOCA_ERROR_NOT_SUPPORTED, "Unknown flag: %s", text);
	if (words->level->cmds != NULL)
		return emu_argp_bad_args(DOCA_ERROR_NOT_SUPPORTED, "Unknown command: %s", text);
	return emu_argp_bad_args(DOCA_ERROR_NOT_SUPPORTED, "Unexpected word: %s", text);
}

static doca_error_t run_cmd(const struct doca_argp_cmd *cmd)
{
	doca_error_t result = cmd->callback(emu_argp.config);

	if (result != DOCA_SUCCESS)
		return emu_argp_failure(result, "The callback of command %s failed: %s", cmd->name,
					doca_error_get_descr(result));
	return result;
}

/* Counts a flag, and checks that it may stand beside those before it. */
static doca_error_t admit(struct words *words, struct doca_argp_param *param)
{
	bool is_json = emu_argp_is_json(param);

	if (++param->given > 1 && !param->multiplicity)
		return emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE, "Parameter %s is given more than once",
					 emu_argp_param_name(param));
	words->num_flags++;
	if (words->alone == NULL && (param->singular || is_json))
		words->alone = param;
	/* Nothing of a JSON file is used if a word follows it. */
	if (words->alone != NULL &&
	    (words->num_flags > words->alone->given || (is_json && words->next != words->end)))
		return emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE,
					 "Parameter %s cannot be used together with others",
					 emu_argp_param_name(words->alone));
	return DOCA_SUCCESS;
}

/* Runs the callbacks. Leaves words at the end, with the selected command. */
static doca_error_t run(struct words *words)
{
	doca_error_t result = DOCA_SUCCESS;
	struct word word;

	emu_argp.current = words->level;
	while (result == DOCA_SUCCESS && (word = next_word(words)).kind != WORD_END) {
		emu_argp.current = words->level;
		switch (word.kind) {
		case WORD_FLAG:
			result = admit(words, word.param);
			if (result == DOCA_SUCCESS)
				result = run_flag(word.param, word.value);
			break;
		case WORD_NO_VALUE:
			result = emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE, "Parameter %s needs a value",
						   emu_argp_param_name(word.param));
			break;
		case WORD_COMMAND:
			result = run_cmd(words->level);
			break;
		default:
			result = unknown_word(words, word.text);
			break;
		}
	}
	return result;
}

static bool singular_given(const struct doca_argp_cmd *level)
{
	for (; level != NULL; level = level->parent)
		for (const struct doca_argp_param *p = level->params.head; p != NULL; p = p->next)
			if (p->singular && p->given > 0)
				return true;
	return false;
}

/* With a parameter that is used alone, the mandatory ones may be missing. */
static doca_error_t check_mandatory(const struct doca_argp_cmd *level)
{
	if (singular_given(level))
		return DOCA_SUCCESS;
	for (; level != NULL; level = level->parent)
		for (const struct doca_argp_param *p = level->params.head; p != NULL; p = p->next)
			if (p->mandatory && p->given == 0)
				return emu_argp_bad_args(DOCA_ERROR_INVALID_VALUE,
							 "Mandatory parameter %s is missing",
							 emu_argp_param_name(p));
	return DOCA_SUCCESS;
}

/* Splits "prog [DPDK Flags] -- [DOCA Flags] [Program Flags]": the first dpdk_argc words belong to DPDK, those of
 * the program begin at own. */
static void split_dpdk(int argc, char **argv, int *dpdk_argc, int *own)
{
	const struct doca_argp_param *param;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0) {
			*dpdk_argc = i;
			*own = i + 1;
			return;
		}
	/* Without the separator all words belong to DPDK, except flags that are used alone: -h, -v, --json. */
	*dpdk_argc = *own = argc;
	param = argc > 1 ? find(&emu_argp.general, argv[1]) : NULL;
	if (param != NULL && param->cli_only && argc == (param->type == DOCA_ARGP_TYPE_BOOLEAN ? 2 : 3))
		*dpdk_argc = *own = 1;
}

static doca_error_t run_dpdk(int argc, char **argv)
{
	doca_error_t result;

	if (emu_argp.dpdk_cb == NULL)
		return DOCA_SUCCESS;
	result = emu_argp.dpdk_argc > 0 ? emu_argp.dpdk_cb(emu_argp.dpdk_argc, emu_argp.dpdk_argv) :
					  emu_argp.dpdk_cb(argc, argv);
	if (result != DOCA_SUCCESS)
		return emu_argp_failure(result, "The DPDK callback failed: %s", doca_error_get_descr(result));
	return result;
}

static doca_error_t validate(void)
{
	doca_error_t result;

	if (emu_argp.validation_cb == NULL)
		return DOCA_SUCCESS;
	result = emu_argp.validation_cb(emu_argp.config);
	if (result != DOCA_SUCCESS)
		return emu_argp_failure(result, "The validation callback failed: %s",
					doca_error_get_descr(result));
	return result;
}

doca_error_t emu_argp_parse(int argc, char **argv)
{
	struct words words = {.level = &emu_argp.program};
	int dpdk_argc = 0, own = 1;
	doca_error_t result;

	if (emu_argp.is_dpdk)
		split_dpdk(argc, argv, &dpdk_argc, &own);
	if (own < argc) {
		words.next = argv + own;
		words.end = argv + argc;
	}

	forget_given(&emu_argp.program);
	for (struct doca_argp_param *p = emu_argp.general.head; p != NULL; p = p->next)
		p->given = 0;
	result = run(&words);
	if (result == DOCA_SUCCESS)
		result = check_mandatory(words.level);
	if (result == DOCA_SUCCESS)
		result = run_dpdk(dpdk_argc, argv);
	if (result == DOCA_SUCCESS)
		result = validate();
	return result;
}
