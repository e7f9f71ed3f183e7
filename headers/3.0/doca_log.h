/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_log.h
 * @brief Log messages of programs and of the DOCA libraries.
 *
 * There are two kinds of messages, each with its own backends and limits. The program logs with
 * doca_log() and the macros below. The DOCA libraries log to the backends with sdk in their names.
 * Nothing is printed until a backend exists. A backend cannot be destroyed: it exists until the
 * process ends.
 */
#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <stddef.h>
#include <stdio.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A destination of log messages. */
struct doca_log_backend;

/**
 * @brief Severity of a log message. A higher number is a more verbose level.
 *
 * A backend shows the messages between its upper and its lower limit. The upper limit is the most
 * severe level that it shows, by default DOCA_LOG_LEVEL_CRIT. The lower limit is the most verbose
 * level that it shows, by default DOCA_LOG_LEVEL_INFO.
 */
enum doca_log_level {
	DOCA_LOG_LEVEL_DISABLE = 10, /**< As a limit: no messages. */
	DOCA_LOG_LEVEL_CRIT = 20, /**< The program cannot continue. */
	DOCA_LOG_LEVEL_ERROR = 30, /**< An operation failed. */
	DOCA_LOG_LEVEL_WARNING = 40, /**< Something looks wrong, but the program continues. */
	DOCA_LOG_LEVEL_INFO = 50, /**< Normal events. */
	DOCA_LOG_LEVEL_DEBUG = 60, /**< Details for developers. */
	DOCA_LOG_LEVEL_TRACE = 70, /**< Every step. Compiled out by default. */
};

/**
 * @brief Called by a buffer backend after each message.
 *
 * @param [in] buffer The buffer of the backend. It starts with the message, NUL-terminated. The
 * next message overwrites it.
 */
typedef void (*log_flush_callback)(char *buffer);

/**
 * @brief Sets the most verbose level of program messages that a backend shows.
 *
 * A new backend has the global lower limit. A later doca_log_level_set_global_lower_limit()
 * overrides the limit, unless it is strict.
 *
 * @param [in] backend The backend.
 * @param [in] level The limit: a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL, or level is not a value of enum doca_log_level.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit(
		struct doca_log_backend *backend,
		uint32_t level);

/**
 * @brief Sets the most severe level of program messages that a backend shows.
 *
 * A new backend has the global upper limit. A later doca_log_level_set_global_upper_limit()
 * overrides the limit, unless it is strict.
 *
 * @param [in] backend The backend.
 * @param [in] upper_limit The limit: a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL, or upper_limit is not a value of enum
 *   doca_log_level.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit(
		struct doca_log_backend *backend,
		uint32_t upper_limit);

/**
 * @brief Makes the current lower limit of a backend strict: the global limit no longer changes it.
 *
 * @param [in] backend The backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);

/**
 * @brief Makes the current upper limit of a backend strict: the global limit no longer changes it.
 *
 * @param [in] backend The backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/**
 * @brief Sets the most verbose level of program messages for all existing and new backends.
 *
 * Backends with a strict lower limit keep it. The default is DOCA_LOG_LEVEL_INFO.
 *
 * @param [in] level The limit: a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: level is not a value of enum doca_log_level.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/**
 * @brief Sets the most severe level of program messages for all existing and new backends.
 *
 * Backends with a strict upper limit keep it. The default is DOCA_LOG_LEVEL_CRIT.
 *
 * @param [in] upper_limit The limit: a value of enum doca_log_level.
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
 * @brief Registers a source of log messages: a name that appears with its messages.
 *
 * DOCA_LOG_REGISTER() calls it for a file before main() runs.
 *
 * @param [in] source_name Name of the source, NUL-terminated.
 * @param [out] source ID of the source, for doca_log().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: source_name or source is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_register_source(const char *source_name, int *source);

/**
 * @brief Unregisters a source of log messages. The program must no longer use its ID.
 *
 * @param [in] source ID from doca_log_register_source().
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_unregister_source(int source);

/**
 * @brief Creates a backend that writes the program's messages to a stdio stream.
 *
 * @param [in] fptr The stream. The caller keeps ownership, and must keep it open as long as
 * messages are logged.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: fptr or backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend);

/**
 * @brief Creates a backend that writes the program's messages to a file descriptor.
 *
 * @param [in] fd The file descriptor, open for writing. The caller keeps ownership, and must keep
 * it open as long as messages are logged.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);

/**
 * @brief Creates a backend that passes the program's messages to a callback, one at a time, in a
 * buffer of the caller.
 *
 * The backend writes each message at the start of the buffer and then runs the callback.
 *
 * @param [in] buf The buffer. Its size limits the length of a message. The caller keeps ownership,
 * and must keep it valid as long as messages are logged.
 * @param [in] capacity Size of the buffer in bytes.
 * @param [in] handler The callback. It runs after each message, on the thread that logs.
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
 * @param [in] name The name of the program in the system log, NUL-terminated. Keep it valid as
 * long as messages are logged.
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
 * A new SDK backend has the global SDK limit. A later doca_log_level_set_global_sdk_limit()
 * overrides it.
 *
 * @param [in] backend A backend of one of the functions that end in _sdk.
 * @param [in] level The limit: a value of enum doca_log_level.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL, or level is not a value of enum doca_log_level.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level);

/**
 * @brief Creates a backend that writes the SDK's messages to a stdio stream.
 *
 * @param [in] fptr The stream. The caller keeps ownership, and must keep it open as long as
 * messages are logged.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: fptr or backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend);

/**
 * @brief Creates a backend that writes the SDK's messages to a file descriptor.
 *
 * @param [in] fd The file descriptor, open for writing. The caller keeps ownership, and must keep
 * it open as long as messages are logged.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);

/**
 * @brief Creates a backend that passes the SDK's messages to a callback, one at a time, in a
 * buffer of the caller.
 *
 * The backend writes each message at the start of the buffer and then runs the callback.
 *
 * @param [in] buf The buffer. Its size limits the length of a message. The caller keeps ownership,
 * and must keep it valid as long as messages are logged.
 * @param [in] capacity Size of the buffer in bytes.
 * @param [in] handler The callback. It runs after each message, on the thread that logs.
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
 * @param [in] name The name of the program in the system log, NUL-terminated. Keep it valid as
 * long as messages are logged.
 * @param [out] backend The new backend.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: name or backend is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog_sdk(
		const char *name,
		struct doca_log_backend **backend);

/**
 * @brief Sets the most verbose level of the SDK's messages for all existing and new SDK backends.
 *
 * The default is DOCA_LOG_LEVEL_INFO.
 *
 * @param [in] level The limit: a value of enum doca_log_level.
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
 * streams.
 *
 * Messages of DOCA_LOG_LEVEL_WARNING and more severe levels go to stderr, the others to stdout.
 * The global limits apply. The backend has no limits of its own.
 *
 * @note Each call adds a backend: after two calls, each message appears twice. DOCA 2.5 writes all
 * levels to one stream.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_standard(void);

/**
 * @brief Logs a message of the program to all its backends.
 *
 * Any thread may call it. Programs use the DOCA_LOG macros, which fill in the source location.
 *
 * @param [in] level Severity: a value of enum doca_log_level.
 * @param [in] source ID of the source, from doca_log_register_source().
 * @param [in] fname Name of the source file, NUL-terminated.
 * @param [in] line Line in the source file.
 * @param [in] func Name of the function, NUL-terminated.
 * @param [in] format Format as for printf(), followed by its arguments. It needs no newline at the
 * end.
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
 * @brief Registers the source of the log messages of a file before main() runs, and unregisters it
 * at exit. Use it once, at file scope, in each file that uses the macros below.
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
	}

/**
 * @brief Logs a message of the given level. It always evaluates the arguments, even if no backend
 * shows the message.
 *
 * @param [in] level Severity: a value of enum doca_log_level.
 * @param [in] ... Format as for printf() and its arguments.
 */
#define DOCA_LOG(level, ...) \
	((void)doca_log((level), log_source, __FILE__, __LINE__, __func__, __VA_ARGS__))

/**
 * @brief Logs a message of level DOCA_LOG_LEVEL_CRIT. The arguments are a format as for printf()
 * and its arguments.
 */
#define DOCA_LOG_CRIT(...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)

/**
 * @brief Logs a message of level DOCA_LOG_LEVEL_ERROR. The arguments are a format as for printf()
 * and its arguments.
 */
#define DOCA_LOG_ERR(...) DOCA_LOG(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)

/**
 * @brief Logs a message of level DOCA_LOG_LEVEL_WARNING. The arguments are a format as for
 * printf() and its arguments.
 */
#define DOCA_LOG_WARN(...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)

/**
 * @brief Logs a message of level DOCA_LOG_LEVEL_INFO. The arguments are a format as for printf()
 * and its arguments.
 */
#define DOCA_LOG_INFO(...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)

/**
 * @brief Logs a message of level DOCA_LOG_LEVEL_DEBUG. The arguments are a format as for printf()
 * and its arguments.
 */
#define DOCA_LOG_DBG(...) DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)

/**
 * @brief Logs a message of level DOCA_LOG_LEVEL_TRACE. The arguments are a format as for printf()
 * and its arguments.
 *
 * Without DOCA_LOGGING_ALLOW_TRACE it does nothing and does not evaluate its arguments. The
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
