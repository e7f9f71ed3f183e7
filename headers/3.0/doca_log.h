/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_log.h
 * @brief Log messages of programs and of the DOCA libraries.
 *
 * There are two kinds of messages, each with backends and limits of its own: those of the program
 * (doca_log() and the macros below) and those of the SDK's libraries (the backends and limits with
 * sdk in their names). Nothing is printed before a backend has been created. Backends cannot be
 * destroyed; they last as long as the process.
 */
#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A place that log messages go to. */
struct doca_log_backend;

/**
 * @brief Severity of a log message. The higher the number, the more verbose the level.
 *
 * A backend shows a message whose level lies between its upper limit (the most severe level shown,
 * DOCA_LOG_LEVEL_CRIT by default) and its lower limit (the most verbose one, DOCA_LOG_LEVEL_INFO
 * by default).
 */
enum doca_log_level {
	DOCA_LOG_LEVEL_DISABLE = 10, /**< As a limit: no message at all. */
	DOCA_LOG_LEVEL_CRIT = 20, /**< The program cannot go on. */
	DOCA_LOG_LEVEL_ERROR = 30, /**< An operation failed. */
	DOCA_LOG_LEVEL_WARNING = 40, /**< Something looks wrong, but work goes on. */
	DOCA_LOG_LEVEL_INFO = 50, /**< Normal course of events. */
	DOCA_LOG_LEVEL_DEBUG = 60, /**< Details for a developer. */
	DOCA_LOG_LEVEL_TRACE = 70, /**< Every step; compiled out by default. */
};

/**
 * @brief Called by a buffer backend after each message.
 *
 * @param [in] buffer The buffer that the backend was created with: it holds the message, from its
 * first byte on, NUL-terminated. The next message overwrites it.
 */
typedef void (*log_flush_callback)(char *buffer);

/**
 * @brief Sets the most verbose level of program messages that a backend shows.
 *
 * A new backend starts with the global lower limit; a later
 * doca_log_level_set_global_lower_limit() sets it again, unless the limit has been made strict.
 *
 * @param [in] backend The backend.
 * @param [in] level The limit, a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL or level is not a value of enum doca_log_level.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit(
		struct doca_log_backend *backend,
		uint32_t level);

/**
 * @brief Sets the most severe level of program messages that a backend shows.
 *
 * A new backend starts with the global upper limit; a later
 * doca_log_level_set_global_upper_limit() sets it again, unless the limit has been made strict.
 *
 * @param [in] backend The backend.
 * @param [in] upper_limit The limit, a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL or upper_limit is not a value of enum
 *   doca_log_level.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit(
		struct doca_log_backend *backend,
		uint32_t upper_limit);

/**
 * @brief Freezes the lower limit of a backend at its current value: changes of the global limit
 * pass it by.
 *
 * @param [in] backend The backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);

/**
 * @brief Freezes the upper limit of a backend at its current value: changes of the global limit
 * pass it by.
 *
 * @param [in] backend The backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/**
 * @brief Sets the most verbose level of program messages for all backends, existing and new.
 *
 * Backends whose lower limit is strict keep theirs. The default is DOCA_LOG_LEVEL_INFO.
 *
 * @param [in] level The limit, a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: level is not a value of enum doca_log_level.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/**
 * @brief Sets the most severe level of program messages for all backends, existing and new.
 *
 * Backends whose upper limit is strict keep theirs. The default is DOCA_LOG_LEVEL_CRIT.
 *
 * @param [in] upper_limit The limit, a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: upper_limit is not a value of enum doca_log_level.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);

/**
 * @brief Returns the most verbose level of program messages that new backends show.
 *
 * @return A value of enum doca_log_level.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_lower_limit(void);

/**
 * @brief Returns the most severe level of program messages that new backends show.
 *
 * @return A value of enum doca_log_level.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_upper_limit(void);

/**
 * @brief Registers a source of log messages: the name that is printed with them.
 *
 * DOCA_LOG_REGISTER() does this for a file before main() runs.
 *
 * @param [in] source_name Name of the source, NUL-terminated.
 * @param [out] source Identifier of the source, for doca_log().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: source_name or source is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_register_source(const char *source_name, int *source);

/**
 * @brief Forgets a source of log messages; its identifier must not be used any more.
 *
 * @param [in] source Identifier from doca_log_register_source().
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_unregister_source(int source);

/**
 * @brief Creates a backend that writes the program's messages to a stdio stream.
 *
 * @param [in] fptr The stream. It stays the caller's and must stay open for as long as messages
 * are logged.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: fptr or backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend);

/**
 * @brief Creates a backend that writes the program's messages to a file descriptor.
 *
 * @param [in] fd The file descriptor, open for writing. It stays the caller's and must stay open
 * for as long as messages are logged.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);

/**
 * @brief Creates a backend that hands the program's messages to a callback, one at a time, in a
 * buffer of the caller's.
 *
 * Each message is written from the start of the buffer on, then the callback runs.
 *
 * @param [in] buf The buffer. It stays the caller's and must stay valid for as long as messages
 * are logged.
 * @param [in] capacity Size of the buffer in bytes; no message takes more.
 * @param [in] handler Called after each message, on the thread that logs.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf, handler or backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf(
		char *buf,
		size_t capacity,
		log_flush_callback handler,
		struct doca_log_backend **backend);

/**
 * @brief Creates a backend that sends the program's messages to the system log.
 *
 * @param [in] name The name that the messages carry in the system log, NUL-terminated; keep it
 * valid for as long as messages are logged.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: name or backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog(
		const char *name,
		struct doca_log_backend **backend);

/**
 * @brief Sets the most verbose level of the SDK's messages that a backend shows.
 *
 * A new SDK backend starts with the global SDK limit; a later
 * doca_log_level_set_global_sdk_limit() sets it again.
 *
 * @param [in] backend A backend that was created by one of the functions that end in _sdk.
 * @param [in] level The limit, a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL or level is not a value of enum doca_log_level.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level);

/**
 * @brief Creates a backend that writes the SDK's messages to a stdio stream.
 *
 * @param [in] fptr The stream. It stays the caller's and must stay open for as long as DOCA is
 * used.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: fptr or backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend);

/**
 * @brief Creates a backend that writes the SDK's messages to a file descriptor.
 *
 * @param [in] fd The file descriptor, open for writing. It stays the caller's and must stay open
 * for as long as DOCA is used.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);

/**
 * @brief Creates a backend that hands the SDK's messages to a callback, one at a time, in a buffer
 * of the caller's.
 *
 * Each message is written from the start of the buffer on, then the callback runs.
 *
 * @param [in] buf The buffer. It stays the caller's and must stay valid for as long as DOCA is
 * used.
 * @param [in] capacity Size of the buffer in bytes; no message takes more.
 * @param [in] handler Called after each message, on the thread that logs.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf, handler or backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf_sdk(
		char *buf,
		size_t capacity,
		log_flush_callback handler,
		struct doca_log_backend **backend);

/**
 * @brief Creates a backend that sends the SDK's messages to the system log.
 *
 * @param [in] name The name that the messages carry in the system log, NUL-terminated; keep it
 * valid for as long as DOCA is used.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: name or backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog_sdk(
		const char *name,
		struct doca_log_backend **backend);

/**
 * @brief Sets the most verbose level of the SDK's messages for all SDK backends, existing and new.
 *
 * The default is DOCA_LOG_LEVEL_INFO.
 *
 * @param [in] level The limit, a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: level is not a value of enum doca_log_level.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/**
 * @brief Returns the most verbose level of the SDK's messages that new SDK backends show.
 *
 * @return A value of enum doca_log_level.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_sdk_limit(void);

/**
 * @brief Creates the standard backend for the program's messages, which writes to the standard
 * streams and follows the global limits.
 *
 * Messages of DOCA_LOG_LEVEL_WARNING and more severe ones are meant for stderr, the others for
 * stdout. The limits of this backend cannot be set one by one.
 *
 * @note Every call adds a backend: call it twice and each message appears twice. DOCA 2.5 was seen
 * to write all levels to one stream.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_standard(void);

/**
 * @brief Logs one message of the program to all its backends.
 *
 * May be called from any thread. Programs use the DOCA_LOG macros, which fill in the place.
 *
 * @param [in] level Severity, a value of enum doca_log_level.
 * @param [in] source Identifier of the source, from doca_log_register_source().
 * @param [in] fname Name of the source file, NUL-terminated.
 * @param [in] line Line in the source file.
 * @param [in] func Name of the function, NUL-terminated.
 * @param [in] format Format as for printf(), followed by its arguments; no newline at the end is
 * needed.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: level is not a value of enum doca_log_level, or a string is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log(
		uint32_t level,
		int source,
		const char *fname,
		int line,
		const char *func,
		const char *format,
		...)
		__attribute__((format(printf, 6, 7)));

/**
 * @brief Registers the source of the log messages of this file, before main() runs; it is
 * unregistered at exit. To be used once, at file scope, in each file that uses the macros below.
 *
 * @param [in] SOURCE The name of the source, not in quotes.
 */
#define DOCA_LOG_REGISTER(SOURCE) \
	static int log_source = -1; \
	static void __attribute__((constructor(101))) doca_log_source_register_(void) \
	{ \
		(void)doca_log_register_source(#SOURCE, &log_source); \
	} \
	static void __attribute__((destructor(101))) doca_log_source_unregister_(void) \
	{ \
		(void)doca_log_unregister_source(log_source); \
	} \
	typedef int doca_log_source_registered_ /* takes the semicolon */

/**
 * @brief Logs a message of the given level; the arguments are always evaluated, even where the
 * message is filtered out.
 *
 * @param [in] level Severity, a value of enum doca_log_level.
 * @param [in] ... Format as for printf() and its arguments.
 */
#define DOCA_LOG(level, ...) \
	((void)doca_log((level), log_source, __FILE__, __LINE__, __func__, __VA_ARGS__))

/**
 * @brief Logs a message of level DOCA_LOG_LEVEL_CRIT: format as for printf() and its arguments.
 */
#define DOCA_LOG_CRIT(...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)

/**
 * @brief Logs a message of level DOCA_LOG_LEVEL_ERROR: format as for printf() and its arguments.
 */
#define DOCA_LOG_ERR(...) DOCA_LOG(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)

/**
 * @brief Logs a message of level DOCA_LOG_LEVEL_WARNING: format as for printf() and its arguments.
 */
#define DOCA_LOG_WARN(...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)

/**
 * @brief Logs a message of level DOCA_LOG_LEVEL_INFO: format as for printf() and its arguments.
 */
#define DOCA_LOG_INFO(...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)

/**
 * @brief Logs a message of level DOCA_LOG_LEVEL_DEBUG: format as for printf() and its arguments.
 */
#define DOCA_LOG_DBG(...) DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)

/**
 * @brief Logs a message of level DOCA_LOG_LEVEL_TRACE: format as for printf() and its arguments.
 *
 * Without DOCA_LOGGING_ALLOW_TRACE it does nothing and does not evaluate its arguments, but the
 * compiler still checks them.
 */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(...) DOCA_LOG(DOCA_LOG_LEVEL_TRACE, __VA_ARGS__)
#else
#define DOCA_LOG_TRC(...) \
	do { \
		if (0) \
			DOCA_LOG(DOCA_LOG_LEVEL_TRACE, __VA_ARGS__); \
	} while (0)
#endif

#ifdef __cplusplus
}
#endif

#endif /* DOCA_LOG_H_ */
