/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_error.h
 * @brief The result codes that DOCA functions return, and how to print them.
 */
#ifndef DOCA_ERROR_H_
#define DOCA_ERROR_H_

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief Result of a DOCA call: DOCA_SUCCESS, or the reason why the call did not do what it was
 * asked.
 *
 * Two of the codes are part of normal flows and no failures: DOCA_ERROR_IN_PROGRESS (accepted, the
 * rest happens while a progress engine runs) and DOCA_ERROR_AGAIN (a resource is missing for the
 * moment, repeat the call). Releases may append codes; a program must accept values that it does
 * not know.
 */
typedef enum doca_error {
	DOCA_SUCCESS = 0, /**< The call did what it was asked. */
	DOCA_ERROR_UNKNOWN = 1, /**< Failure without a stated reason. */
	DOCA_ERROR_NOT_PERMITTED = 2, /**< The object does not allow this operation. */
	DOCA_ERROR_IN_USE = 3, /**< Something still refers to the object. */
	DOCA_ERROR_NOT_SUPPORTED = 4, /**< The device or the build lacks this capability. */
	DOCA_ERROR_AGAIN = 5,
	/**< A resource is missing for the moment; the same call may succeed later. */
	DOCA_ERROR_INVALID_VALUE = 6, /**< An argument is NULL, out of range or malformed. */
	DOCA_ERROR_NO_MEMORY = 7,
	/**< Memory could not be allocated, or a pool has no free element. */
	DOCA_ERROR_INITIALIZATION = 8,
	/**< A resource could not be initialised, or mandatory configuration is missing. */
	DOCA_ERROR_TIME_OUT = 9, /**< The operation did not finish in time. */
	DOCA_ERROR_SHUTDOWN = 10, /**< The other side, or the channel, has been shut down. */
	DOCA_ERROR_CONNECTION_RESET = 11, /**< The connection was reset. */
	DOCA_ERROR_CONNECTION_ABORTED = 12,
	/**< The connection was given up, or an operation on it could not be carried out. */
	DOCA_ERROR_CONNECTION_INPROGRESS = 13, /**< The connection is still being established. */
	DOCA_ERROR_NOT_CONNECTED = 14,
	/**< There is no connection, or a context has no progress engine. */
	DOCA_ERROR_NO_LOCK = 15, /**< A lock that is needed could not be taken. */
	DOCA_ERROR_NOT_FOUND = 16, /**< The object that was asked for does not exist. */
	DOCA_ERROR_IO_FAILED = 17,
	/**< An input or output operation failed while it was executed. */
	DOCA_ERROR_BAD_STATE = 18,
	/**< The object is not in a state in which the call is allowed. */
	DOCA_ERROR_UNSUPPORTED_VERSION = 19,
	/**< The version of an interface or of an object is not supported. */
	DOCA_ERROR_OPERATING_SYSTEM = 20, /**< A system call failed. */
	DOCA_ERROR_DRIVER = 21, /**< A call into the driver or the firmware failed. */
	DOCA_ERROR_UNEXPECTED = 22, /**< The library found itself in an inconsistent condition. */
	DOCA_ERROR_ALREADY_EXIST = 23, /**< The object is there already. */
	DOCA_ERROR_FULL = 24, /**< There is no room for more. */
	DOCA_ERROR_EMPTY = 25, /**< There is nothing to take. */
	DOCA_ERROR_IN_PROGRESS = 26, /**< Accepted; the operation finishes later. Not a failure. */
	DOCA_ERROR_TOO_BIG = 27, /**< A value, a count or a message exceeds its limit. */
	DOCA_ERROR_AUTHENTICATION = 28, /**< Authentication failed. Not in DOCA 2.5. */
	DOCA_ERROR_BAD_CONFIG = 29, /**< The configuration is wrong. Not in DOCA 2.5. */
	DOCA_ERROR_SKIPPED = 30,
	/**< The result is valid, but an earlier output was dropped. Not in DOCA 2.5. */
} doca_error_t;

/**
 * @brief Returns the name of a result code, as it is spelled in enum doca_error
 * ("DOCA_ERROR_AGAIN").
 *
 * @param [in] error The result code; any value is accepted.
 * @return A constant string that is never NULL and must not be freed; for a value that the library
 * does not know, one fixed text that says so.
 */
DOCA_STABLE
const char *doca_error_get_name(doca_error_t error);

/**
 * @brief Returns a short English description of a result code.
 *
 * @param [in] error The result code; any value is accepted.
 * @return A constant string that is never NULL and must not be freed; for a value that the library
 * does not know, one fixed text that says so.
 */
DOCA_STABLE
const char *doca_error_get_descr(doca_error_t error);

/**
 * @brief Tells whether a result code is anything but DOCA_SUCCESS.
 *
 * @note DOCA_ERROR_IN_PROGRESS and DOCA_ERROR_AGAIN count as errors here.
 * @param [in] error The result code.
 */
#define DOCA_IS_ERROR(error) ((error) != DOCA_SUCCESS)

/**
 * @brief Keeps the first error of a sequence: first stays as it is when it holds an error, else it
 * becomes next.
 *
 * @param [in,out] first The variable that collects the result.
 * @param [in] next The result of the step that was just done.
 */
#define DOCA_ERROR_PROPAGATE(first, next) ((first) = DOCA_IS_ERROR(first) ? (first) : (next))

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ERROR_H_ */
