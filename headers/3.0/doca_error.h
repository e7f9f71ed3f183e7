/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_error.h
 * @brief Result codes of DOCA functions, with their names and descriptions.
 */
#ifndef DOCA_ERROR_H_
#define DOCA_ERROR_H_

#include <doca_compat.h>
#include <doca_common_defines.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief Result code of a DOCA call: DOCA_SUCCESS, or the reason for the failure.
 *
 * Two codes belong to normal operation and are not failures. DOCA_ERROR_IN_PROGRESS means that
 * DOCA accepted the operation, which finishes while a progress engine runs. DOCA_ERROR_AGAIN means
 * that a resource is temporarily missing, and that the caller may repeat the call. Later releases
 * may add codes, so a program must accept values that it does not know.
 */
typedef enum doca_error {
	DOCA_SUCCESS = 0, /**< The call succeeded. */
	DOCA_ERROR_UNKNOWN = 1, /**< Unspecified failure. */
	DOCA_ERROR_NOT_PERMITTED = 2, /**< The object does not allow this operation. */
	DOCA_ERROR_IN_USE = 3, /**< Something still uses the object. */
	DOCA_ERROR_NOT_SUPPORTED = 4, /**< The device or the library lacks this capability. */
	DOCA_ERROR_AGAIN = 5,
	/**< A resource is temporarily missing. The same call may succeed later. */
	DOCA_ERROR_INVALID_VALUE = 6, /**< An argument is NULL, out of range or malformed. */
	DOCA_ERROR_NO_MEMORY = 7, /**< Memory allocation failed, or a pool has no free element. */
	DOCA_ERROR_INITIALIZATION = 8,
	/**< Initialisation failed, or mandatory configuration is missing. */
	DOCA_ERROR_TIME_OUT = 9, /**< The operation did not finish in time. */
	DOCA_ERROR_SHUTDOWN = 10, /**< The peer or the channel has shut down. */
	DOCA_ERROR_CONNECTION_RESET = 11, /**< The peer reset the connection. */
	DOCA_ERROR_CONNECTION_ABORTED = 12,
	/**< The connection was aborted, or an operation on it failed. */
	DOCA_ERROR_CONNECTION_INPROGRESS = 13, /**< The connection is not established yet. */
	DOCA_ERROR_NOT_CONNECTED = 14,
	/**< There is no connection, or a context lacks a progress engine. */
	DOCA_ERROR_NO_LOCK = 15, /**< The library could not take a lock. */
	DOCA_ERROR_NOT_FOUND = 16, /**< The requested object does not exist. */
	DOCA_ERROR_IO_FAILED = 17,
	/**< An input or output operation failed during its execution. */
	DOCA_ERROR_BAD_STATE = 18, /**< The object is in a state that does not allow the call. */
	DOCA_ERROR_UNSUPPORTED_VERSION = 19, /**< The library does not support this version. */
	DOCA_ERROR_OPERATING_SYSTEM = 20, /**< A system call failed. */
	DOCA_ERROR_DRIVER = 21, /**< A call to the driver or the firmware failed. */
	DOCA_ERROR_UNEXPECTED = 22, /**< The library found an internal inconsistency. */
	DOCA_ERROR_ALREADY_EXIST = 23, /**< The object exists already. */
	DOCA_ERROR_FULL = 24, /**< There is no free space. */
	DOCA_ERROR_EMPTY = 25, /**< There is nothing available. */
	DOCA_ERROR_IN_PROGRESS = 26,
	/**< DOCA accepted the operation, which finishes later. Not a failure. */
	DOCA_ERROR_TOO_BIG = 27, /**< A value, a count or a message exceeds its limit. */
	DOCA_ERROR_AUTHENTICATION = 28, /**< Authentication failed. Not in DOCA 2.5. */
	DOCA_ERROR_BAD_CONFIG = 29, /**< The configuration is wrong. Not in DOCA 2.5. */
	DOCA_ERROR_SKIPPED = 30,
	/**< The result is valid, but an earlier output was lost. Not in DOCA 2.5. */
} doca_error_t;

/**
 * @brief Returns the name of a result code as in enum doca_error, such as "DOCA_ERROR_AGAIN".
 *
 * @param [in] error The result code. Any value is allowed.
 * @return A constant string, never NULL, that the caller must not free. For a value that the
 * library does not know it is a fixed text that says so.
 */
DOCA_STABLE
const char *doca_error_get_name(doca_error_t error);

/**
 * @brief Returns a short English description of a result code.
 *
 * @param [in] error The result code. Any value is allowed.
 * @return A constant string, never NULL, that the caller must not free. For a value that the
 * library does not know it is a fixed text that says so.
 */
DOCA_STABLE
const char *doca_error_get_descr(doca_error_t error);

/**
 * @brief Reports whether a result code is not DOCA_SUCCESS.
 *
 * @note It also holds for DOCA_ERROR_IN_PROGRESS and DOCA_ERROR_AGAIN.
 * @param [in] error The result code.
 */
#define DOCA_IS_ERROR(error) ((error) != DOCA_SUCCESS)

/**
 * @brief Keeps the first error of a sequence: sets first to next, unless first already holds an
 * error.
 *
 * @param [in,out] first The variable that keeps the first error.
 * @param [in] next The result of the latest step.
 */
#define DOCA_ERROR_PROPAGATE(first, next) ((first) = DOCA_IS_ERROR(first) ? (first) : (next))

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ERROR_H_ */
