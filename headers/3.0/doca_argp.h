/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_argp.h
 * @brief Parser of command lines and of JSON configuration files.
 *
 * A program calls doca_argp_init(), registers its parameters, calls doca_argp_start() and, also
 * after a failure, doca_argp_destroy(). Every program understands -h/--help, -v/--version,
 * -l/--log-level, --sdk-log-level and -j/--json. Short names may have more than one letter (-pf).
 * The value of a parameter is the word that follows it; --name=value is not understood.
 *
 * A JSON file (--json FILE, as the only argument) is an object with the sections
 * "doca_general_flags", "doca_program_flags" and, for DPDK programs, "doca_dpdk_flags"; its keys
 * are long names, and its values are typed. A parameter with multiplicity takes an array.
 */
#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include <stdarg.h>
#include <stdbool.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A parameter (flag) of a program or of one of its commands. */
struct doca_argp_param;

/**
 * @brief A command of a program: a word on the command line that has parameters, and perhaps
 * commands, of its own.
 */
struct doca_argp_cmd;

/** @brief Type of the value of a parameter, and of what its callback receives. */
enum doca_argp_type {
	DOCA_ARGP_TYPE_UNKNOWN = 0, /**< No type set yet. */
	DOCA_ARGP_TYPE_STRING = 1, /**< Text: value is the char * itself. */
	DOCA_ARGP_TYPE_INT = 2,
	/**< Integer, decimal or 0x hexadecimal, may be negative: value points to an int. */
	DOCA_ARGP_TYPE_BOOLEAN = 3,
	/**< Flag without a value on the command line: value points to a bool. */
	DOCA_ARGP_TYPE_JSON_OBJ = 4,
	/**< JSON object; only for DPDK programs, and only from a JSON file. */
};

/**
 * @brief Called for each occurrence of a parameter, while the command line or the JSON file is
 * parsed and in the order in which they appear there.
 *
 * @param [in] value The value: a NUL-terminated string, or a pointer to an int or a bool, as the
 * type of the parameter says. Valid only during the call.
 * @param [in,out] config The program_config that was given to doca_argp_init().
 * @return DOCA_SUCCESS to go on; any other code ends the parsing and is what doca_argp_start()
 * returns.
 */
typedef doca_error_t (*doca_argp_param_cb_t)(void *value, void *config);

/**
 * @brief Called when a command was given.
 *
 * @param [in,out] config The program_config that was given to doca_argp_init().
 * @return DOCA_SUCCESS to go on; any other code ends the parsing and is what doca_argp_start()
 * returns.
 * @since 3.0
 */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *config);

/**
 * @brief Called by doca_argp_start() with the DPDK flags of a DPDK program, to initialise DPDK.
 *
 * @param [in] argc Number of words.
 * @param [in] argv The words: name of the program, then the DPDK flags.
 * @return DOCA_SUCCESS to go on; any other code ends the parsing and is what doca_argp_start()
 * returns.
 */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/**
 * @brief Called once after all parameters have been parsed, to check that they fit together.
 *
 * @param [in,out] config The program_config that was given to doca_argp_init().
 * @return DOCA_SUCCESS to accept; any other code is what doca_argp_start() returns.
 */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *config);

/**
 * @brief Called with each message that the parser would log.
 *
 * @param [in] level Severity of the message.
 * @param [in] format Format as for printf().
 * @param [in] args Arguments of the format.
 * @return DOCA_SUCCESS if the message was taken.
 * @since 3.0
 */
typedef doca_error_t (*doca_argp_logger_cb_t)(
		enum doca_log_level level,
		const char *format,
		va_list args);

/**
 * @brief Prints how the program is used: a usage line, the flags that every program has ("DOCA
 * Flags") and its own ("Program Flags") with their descriptions.
 */
DOCA_EXPERIMENTAL
void doca_argp_usage(void);

/**
 * @brief Initialises the parser; to be called before any other function of this header.
 *
 * @param [in] program_name Name of the program for the usage text, NUL-terminated. NULL: it is
 * taken from the first word of the command line.
 * @param [in] program_config Passed to every callback as config; may be NULL. It stays the
 * caller's.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has been initialised before (DOCA 2.5 answered DOCA_SUCCESS).
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_INVALID_VALUE: an argument is malformed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_init(const char *program_name, void *program_config);

/**
 * @brief Adds a parameter to the program.
 *
 * The parser takes ownership of the parameter whatever the outcome: it must not be used or
 * destroyed afterwards, not even after a failure.
 *
 * @param [in] input_param The parameter, with at least a name, a description, a callback and a
 * type set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised.
 * - DOCA_ERROR_INITIALIZATION: a mandatory property of the parameter (a name, description,
 *   callback, type) is missing.
 * - DOCA_ERROR_INVALID_VALUE: input_param is NULL, or another parameter has the same short or long
 *   name.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/**
 * @brief Adds a command to the program.
 *
 * The parser takes ownership of the command whatever the outcome: it must not be used or destroyed
 * afterwards.
 *
 * @param [in] input_cmd The command, with its name, description and callback set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised.
 * - DOCA_ERROR_INITIALIZATION: a mandatory property of the command is missing.
 * - DOCA_ERROR_INVALID_VALUE: input_cmd is NULL, or another command has the same name.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);

/**
 * @brief Sets the callback that -v/--version runs.
 *
 * @param [in] callback Called with the value of the flag and the config of the program.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised.
 * - DOCA_ERROR_INVALID_VALUE: callback is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/**
 * @brief Sets a callback that runs once after all parameters have been parsed, to check that they
 * fit together.
 *
 * @param [in] callback The callback; what it returns is what doca_argp_start() returns.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised.
 * - DOCA_ERROR_INVALID_VALUE: callback is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);

/**
 * @brief Sets a callback that takes the messages that the parser would log.
 *
 * @param [in] callback The callback.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised.
 * - DOCA_ERROR_ALREADY_EXIST: a logger callback has been registered before.
 * - DOCA_ERROR_INVALID_VALUE: callback is NULL.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);

/**
 * @brief Takes the logger callback away, so that the parser logs its messages itself again.
 *
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_logger_callback(void);

/**
 * @brief Parses the command line, or the JSON file it names, and runs the callbacks of the
 * parameters.
 *
 * A wrong command line is reported by a log message, a line on stderr and the usage text.
 *
 * @note -h/--help and -v/--version print their text and end the process with status 0.
 * @param [in] argc Number of words, as main() received it.
 * @param [in] argv The words, as main() received them.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised.
 * - DOCA_ERROR_INITIALIZATION: the flags that every program has could not be set up.
 * - DOCA_ERROR_IO_FAILED: the JSON file cannot be read or is not valid JSON.
 * - DOCA_ERROR_INVALID_VALUE: a value is missing or malformed, a mandatory parameter is missing, a
 *   parameter without multiplicity was given twice, the log level is not a value of enum
 *   doca_log_level, or --json stands next to other flags.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_NOT_SUPPORTED: unknown flag, stray word, or unknown key in the JSON file.
 * - any other code: what a callback returned.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_start(int argc, char **argv);

/**
 * @brief Releases the parser with all parameters and commands that were registered.
 *
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised (DOCA 2.5 answered DOCA_SUCCESS).
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_destroy(void);

/**
 * @brief Declares the program a DPDK program: its command line is "[DPDK flags] -- [DOCA flags]
 * [program flags]".
 *
 * @param [in] callback Called by doca_argp_start() with the DPDK flags.
 */
DOCA_EXPERIMENTAL
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/**
 * @brief Creates a parameter; the caller sets its properties and hands it over with
 * doca_argp_register_param() or doca_argp_cmd_register_param().
 *
 * @param [out] param The new parameter; the caller's until it is registered.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: param is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/**
 * @brief Sets the short name of a parameter, which follows one dash; it may have several letters.
 *
 * A parameter needs a short name or a long name or both.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @param [in] name The name without its dash, NUL-terminated; keep it valid until
 * doca_argp_destroy().
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);

/**
 * @brief Sets the long name of a parameter, which follows two dashes and is the key in a JSON
 * file.
 *
 * A parameter needs a short name or a long name or both; without a long name it cannot come from a
 * JSON file.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @param [in] name The name without its dashes, NUL-terminated; keep it valid until
 * doca_argp_destroy().
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);

/**
 * @brief Sets the text that stands for the value of a parameter in the usage text, such as
 * "<path>". Optional.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @param [in] arguments The text, NUL-terminated; keep it valid until doca_argp_destroy().
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);

/**
 * @brief Sets the description of a parameter in the usage text. Mandatory.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @param [in] description The text, NUL-terminated; keep it valid until doca_argp_destroy().
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_description(struct doca_argp_param *param, const char *description);

/**
 * @brief Sets the callback that receives the value of a parameter. Mandatory.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @param [in] callback The callback.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback);

/**
 * @brief Sets the type of the value of a parameter. Mandatory.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @param [in] type The type; not DOCA_ARGP_TYPE_UNKNOWN.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);

/**
 * @brief Makes a parameter mandatory: doca_argp_start() fails when it is not given.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/**
 * @brief Restricts a parameter to the command line: a JSON file cannot set it.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/**
 * @brief Lets a parameter be given more than once; its callback then runs once for each value.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/**
 * @brief Makes a parameter one that must be given alone, not together with others.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_singular(struct doca_argp_param *param);

/**
 * @brief Makes a parameter valid in the commands below the one that it is registered with, too.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_inherited(struct doca_argp_param *param);

/**
 * @brief Leaves a parameter out of the usage text.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_hidden(struct doca_argp_param *param);

/**
 * @brief Destroys a parameter that was created but not registered.
 *
 * @param [in] param The parameter.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised, or the parameter is registered.
 * - DOCA_ERROR_INVALID_VALUE: param is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/**
 * @brief Creates a command; the caller sets its properties and hands it over with
 * doca_argp_register_cmd() or doca_argp_cmd_register_cmd().
 *
 * @param [out] cmd The new command; the caller's until it is registered.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: cmd is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);

/**
 * @brief Sets the name of a command: the word on the command line that selects it.
 *
 * @param [in] cmd The command. It must not be NULL or registered.
 * @param [in] name The name, NUL-terminated; keep it valid until doca_argp_destroy().
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);

/**
 * @brief Sets the description of a command in the usage text.
 *
 * @param [in] cmd The command. It must not be NULL or registered.
 * @param [in] description The text, NUL-terminated; keep it valid until doca_argp_destroy().
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);

/**
 * @brief Sets the callback that runs when a command was given.
 *
 * @param [in] cmd The command. It must not be NULL or registered.
 * @param [in] callback The callback.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);

/**
 * @brief Leaves a command out of the usage text.
 *
 * @param [in] cmd The command. It must not be NULL or registered.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);

/**
 * @brief Adds a parameter to a command.
 *
 * The command takes ownership of the parameter whatever the outcome: it must not be used or
 * destroyed afterwards.
 *
 * @param [in] cmd The command.
 * @param [in] input_param The parameter, with at least a name, a description, a callback and a
 * type set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised.
 * - DOCA_ERROR_INITIALIZATION: a mandatory property of the parameter is missing.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the command has a parameter with the same
 *   short or long name.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_param(
		struct doca_argp_cmd *cmd,
		struct doca_argp_param *input_param);

/**
 * @brief Adds a command below another command.
 *
 * The upper command takes ownership of the lower one whatever the outcome: it must not be used or
 * destroyed afterwards.
 *
 * @param [in] cmd The upper command.
 * @param [in] input_cmd The command to add, with its name, description and callback set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised.
 * - DOCA_ERROR_INITIALIZATION: a mandatory property of the command is missing.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or cmd has a command of the same name.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd);

/**
 * @brief Destroys a command that was created but not registered, with the parameters and commands
 * that were added to it.
 *
 * @param [in] cmd The command.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser has not been initialised, or the command is registered.
 * - DOCA_ERROR_INVALID_VALUE: cmd is NULL.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/**
 * @brief Returns the level that -l/--log-level set for the messages of the program.
 *
 * @param [out] log_level The level, a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: log_level is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_log_level(int *log_level);

/**
 * @brief Returns the level that --sdk-log-level set for the messages of the SDK.
 *
 * @param [out] log_level The level, a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: log_level is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_sdk_log_level(int *log_level);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ARGP_H_ */
