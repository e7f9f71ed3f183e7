/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_argp.h
 * @brief The parser of command lines and JSON configuration files.
 *
 * A program calls doca_argp_init(), registers its parameters and calls doca_argp_start(). It calls
 * doca_argp_destroy() at the end, also after a failure. Every program accepts -h/--help,
 * -v/--version, -l/--log-level, --sdk-log-level and -j/--json. A short name can have several
 * letters (-pf). The value of a parameter is the next word of the command line: the parser does
 * not accept --name=value.
 *
 * --json FILE, as the only argument, names a JSON file. The file holds an object with the sections
 * "doca_general_flags", "doca_program_flags" and, for DPDK programs, "doca_dpdk_flags". Its keys
 * are the long names of parameters, and its values have the types of the parameters. A parameter
 * with multiplicity takes an array.
 */
#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include <stdarg.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_log.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A parameter (flag) of a program or of one of its commands. */
struct doca_argp_param;

/**
 * @brief A command of a program: a word on the command line that has its own parameters, and can
 * have its own commands.
 */
struct doca_argp_cmd;

/**
 * @brief Type of the value of a parameter. It decides what the callback of the parameter receives.
 */
enum doca_argp_type {
	DOCA_ARGP_TYPE_UNKNOWN = 0, /**< The type is not set. */
	DOCA_ARGP_TYPE_STRING = 1, /**< Text. The callback receives the char * itself. */
	DOCA_ARGP_TYPE_INT = 2,
	/**< Integer, decimal or 0x hexadecimal, possibly negative. The callback receives a pointer
	 *   to an int. */
	DOCA_ARGP_TYPE_BOOLEAN = 3,
	/**< Flag without a value on the command line. The callback receives a pointer to a bool.
	 *   */
	DOCA_ARGP_TYPE_JSON_OBJ = 4,
	/**< JSON object. Only for DPDK programs, and only from a JSON file. */
};

/**
 * @brief Called for each occurrence of a parameter, in the order of the command line or the JSON
 * file.
 *
 * @param [in] value The value: a NUL-terminated string, or a pointer to an int or bool, depending
 * on the type of the parameter. It is valid only during the call.
 * @param [in,out] config The program_config of doca_argp_init().
 * @return DOCA_SUCCESS to continue. Any other code stops the parser, and doca_argp_start() returns
 * it.
 */
typedef doca_error_t (*doca_argp_param_cb_t)(void *value, void *config);

/**
 * @brief Called when the command line selects a command.
 *
 * @param [in,out] config The program_config of doca_argp_init().
 * @return DOCA_SUCCESS to continue. Any other code stops the parser, and doca_argp_start() returns
 * it.
 * @since 3.0
 */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *config);

/**
 * @brief Called by doca_argp_start() with the DPDK flags of a DPDK program, to initialise DPDK.
 *
 * @param [in] argc Number of words.
 * @param [in] argv The words: the name of the program, then the DPDK flags.
 * @return DOCA_SUCCESS to continue. Any other code stops the parser, and doca_argp_start() returns
 * it.
 */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/**
 * @brief Called once after the parser has handled all parameters, to check their combination.
 *
 * @param [in,out] config The program_config of doca_argp_init().
 * @return DOCA_SUCCESS to accept the parameters. doca_argp_start() returns any other code.
 */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *config);

/**
 * @brief Called for each message of the parser, in place of the log.
 *
 * @param [in] level Severity of the message.
 * @param [in] format Format as for printf().
 * @param [in] args Arguments of the format.
 * @return DOCA_SUCCESS if the callback handled the message.
 * @since 3.0
 */
typedef doca_error_t (*doca_argp_logger_cb_t)(
		enum doca_log_level level,
		const char *format,
		va_list args);

/**
 * @brief Prints the usage text: a usage line, the flags of every program ("DOCA Flags") and the
 * flags of this program ("Program Flags"), with their descriptions.
 */
DOCA_EXPERIMENTAL
void doca_argp_usage(void);

/**
 * @brief Initialises the parser. Call it before any other function of this header.
 *
 * @param [in] program_name Name of the program for the usage text, NUL-terminated. If it is NULL,
 * the parser takes the first word of the command line.
 * @param [in] program_config Argument for every callback. It may be NULL. The caller keeps
 * ownership.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is already initialised. DOCA 2.5 returned DOCA_SUCCESS.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_INVALID_VALUE: an argument is malformed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_init(const char *program_name, void *program_config);

/**
 * @brief Adds a parameter to the program.
 *
 * The parser takes ownership of the parameter, even if the call fails. The caller must not use or
 * destroy it afterwards.
 *
 * @param [in] input_param The parameter, with a short or long name, a description, a callback and
 * a type.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * - DOCA_ERROR_INITIALIZATION: a mandatory property of the parameter is missing. DOCA 2.10 returns
 *   DOCA_ERROR_INVALID_VALUE for a missing name or description.
 * - DOCA_ERROR_INVALID_VALUE: input_param is NULL, a name begins with "-", or another parameter or
 *   a DOCA flag has the same short or long name.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/**
 * @brief Adds a command to the program.
 *
 * The parser takes ownership of the command, even if the call fails. The caller must not use or
 * destroy it afterwards.
 *
 * @param [in] input_cmd The command, with a name, a description and a callback.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * - DOCA_ERROR_INITIALIZATION: a mandatory property of the command is missing.
 * - DOCA_ERROR_INVALID_VALUE: input_cmd is NULL, or another command has the same name.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);

/**
 * @brief Sets the callback of -v/--version.
 *
 * @param [in] callback The callback. It receives the value of the flag and the program_config of
 * doca_argp_init().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * - DOCA_ERROR_INVALID_VALUE: callback is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/**
 * @brief Sets a callback that checks the combination of the parameters after the parser has
 * handled all of them.
 *
 * @param [in] callback The callback. doca_argp_start() returns its result.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * - DOCA_ERROR_INVALID_VALUE: callback is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);

/**
 * @brief Sets a callback that receives the messages of the parser, in place of the log.
 *
 * @param [in] callback The callback.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * - DOCA_ERROR_ALREADY_EXIST: a logger callback is already registered.
 * - DOCA_ERROR_INVALID_VALUE: callback is NULL.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);

/**
 * @brief Removes the logger callback. The parser then logs its messages again.
 *
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_logger_callback(void);

/**
 * @brief Parses the command line, or the JSON file that it names, and runs the callbacks of the
 * parameters.
 *
 * The parser works from left to right, and runs each callback when it reaches the parameter. For
 * an invalid command line it logs a message, and prints a line on stderr and the usage text. The
 * callbacks of the parameters before the invalid word have run by then.
 *
 * @note -h/--help and -v/--version print their text and exit the process with status 0.
 * @param [in] argc Number of words, as passed to main().
 * @param [in] argv The words, as passed to main().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * - DOCA_ERROR_INITIALIZATION: the parser cannot set up the flags of every program.
 * - DOCA_ERROR_IO_FAILED: the JSON file is not readable or not valid JSON.
 * - DOCA_ERROR_INVALID_VALUE: a value is missing or malformed, a mandatory parameter is missing, a
 *   parameter without multiplicity occurs twice, the log level is not a value of enum
 *   doca_log_level, or --json is not the only argument.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the command line has an unknown flag or a stray word, or the JSON
 *   file has an unknown key.
 * - any other code: the result of a callback.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_start(int argc, char **argv);

/**
 * @brief Destroys the parser with all registered parameters and commands.
 *
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised. DOCA 2.5 returned DOCA_SUCCESS.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_destroy(void);

/**
 * @brief Makes the program a DPDK program, with the command line "[DPDK flags] -- [DOCA flags]
 * [program flags]".
 *
 * @param [in] callback The callback. doca_argp_start() calls it with the DPDK flags.
 */
DOCA_EXPERIMENTAL
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/**
 * @brief Creates a parameter.
 *
 * The caller sets the properties of the parameter, and then registers it with
 * doca_argp_register_param() or doca_argp_cmd_register_param().
 *
 * @param [out] param The new parameter. The caller owns it until it is registered.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: param is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/**
 * @brief Sets the short name of a parameter, which follows one dash. It can have several letters.
 *
 * A parameter needs a short name, a long name or both.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @param [in] name The name without its dash, NUL-terminated. Keep it valid until
 * doca_argp_destroy().
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);

/**
 * @brief Sets the long name of a parameter, which follows two dashes and is the key in a JSON
 * file.
 *
 * A parameter needs a short name, a long name or both. A JSON file can set only parameters with a
 * long name.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @param [in] name The name without its dashes, NUL-terminated. Keep it valid until
 * doca_argp_destroy().
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);

/**
 * @brief Sets the placeholder for the value of a parameter in the usage text, such as "<path>".
 * Optional.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @param [in] arguments The text, NUL-terminated. Keep it valid until doca_argp_destroy().
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);

/**
 * @brief Sets the description of a parameter in the usage text. Mandatory.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @param [in] description The text, NUL-terminated. Keep it valid until doca_argp_destroy().
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
 * @param [in] type The type. It must not be DOCA_ARGP_TYPE_UNKNOWN.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);

/**
 * @brief Makes a parameter mandatory: doca_argp_start() fails if it is missing.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/**
 * @brief Restricts a parameter to the command line. A JSON file cannot set it.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/**
 * @brief Allows a parameter to occur more than once. Its callback runs once for each value.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/**
 * @brief Makes a parameter singular: it must not occur together with other parameters.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_singular(struct doca_argp_param *param);

/**
 * @brief Makes a parameter inherited: it is also valid in the subcommands of its command.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_inherited(struct doca_argp_param *param);

/**
 * @brief Hides a parameter from the usage text.
 *
 * @param [in] param The parameter. It must not be NULL or registered.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_hidden(struct doca_argp_param *param);

/**
 * @brief Destroys a parameter that is not registered.
 *
 * @param [in] param The parameter.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised, or the parameter is registered.
 * - DOCA_ERROR_INVALID_VALUE: param is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/**
 * @brief Creates a command.
 *
 * The caller sets the properties of the command, and then registers it with
 * doca_argp_register_cmd() or doca_argp_cmd_register_cmd().
 *
 * @param [out] cmd The new command. The caller owns it until it is registered.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: cmd is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);

/**
 * @brief Sets the name of a command: the word on the command line that selects it.
 *
 * @param [in] cmd The command. It must not be NULL or registered.
 * @param [in] name The name, NUL-terminated. Keep it valid until doca_argp_destroy().
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);

/**
 * @brief Sets the description of a command in the usage text.
 *
 * @param [in] cmd The command. It must not be NULL or registered.
 * @param [in] description The text, NUL-terminated. Keep it valid until doca_argp_destroy().
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);

/**
 * @brief Sets the callback that runs when the command line selects a command.
 *
 * @param [in] cmd The command. It must not be NULL or registered.
 * @param [in] callback The callback.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);

/**
 * @brief Hides a command from the usage text.
 *
 * @param [in] cmd The command. It must not be NULL or registered.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);

/**
 * @brief Adds a parameter to a command.
 *
 * The command takes ownership of the parameter, even if the call fails. The caller must not use or
 * destroy it afterwards.
 *
 * @param [in] cmd The command.
 * @param [in] input_param The parameter, with a short or long name, a description, a callback and
 * a type.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * - DOCA_ERROR_INITIALIZATION: a mandatory property of the parameter is missing.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the command already has a parameter with the
 *   same short or long name.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_param(
		struct doca_argp_cmd *cmd,
		struct doca_argp_param *input_param);

/**
 * @brief Adds a subcommand to a command.
 *
 * The command takes ownership of the subcommand, even if the call fails. The caller must not use
 * or destroy it afterwards.
 *
 * @param [in] cmd The command.
 * @param [in] input_cmd The subcommand, with a name, a description and a callback.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised.
 * - DOCA_ERROR_INITIALIZATION: a mandatory property of the command is missing.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or cmd already has a subcommand of the same
 *   name.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd);

/**
 * @brief Destroys a command that is not registered, together with its parameters and subcommands.
 *
 * @param [in] cmd The command.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_BAD_STATE: the parser is not initialised, or the command is registered.
 * - DOCA_ERROR_INVALID_VALUE: cmd is NULL.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/**
 * @brief Returns the log level of the program, as set by -l/--log-level.
 *
 * @param [out] log_level The level: a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: log_level is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_log_level(int *log_level);

/**
 * @brief Returns the log level of the SDK, as set by --sdk-log-level.
 *
 * @param [out] log_level The level: a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: log_level is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_sdk_log_level(int *log_level);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ARGP_H_ */
