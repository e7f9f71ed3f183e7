/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file flexio.h
 * @brief The part of FlexIO that DOCA programs with a DPA call: which execution units (EUs) and groups of them (EUGs) an
 * application may use, as a file says.
 *
 * The emulator reads files of this form, in which each application has a key. Lists have numbers and ranges:
 *
 *     my_app:
 *       eugs: [0]
 *       eus: [0-3, 8]
 */
#ifndef LIBFLEXIO_FLEXIO_H_
#define LIBFLEXIO_FLEXIO_H_

#include <stddef.h>
#include <stdint.h>

#include <libflexio/flexio_ver.h>

#ifndef FLEXIO_VER_USED
/** @brief The version that the program is written for. */
#define FLEXIO_VER_USED FLEXIO_VER_LATEST
#endif

#if FLEXIO_VER_USED > FLEXIO_VER_LATEST
#error "FLEXIO_VER_USED is later than this library"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** @brief How a function has ended. */
typedef enum {
	FLEXIO_STATUS_SUCCESS = 0,   /**< Success. */
	FLEXIO_STATUS_FAILED = 1,    /**< Failure. */
	FLEXIO_STATUS_TIMEOUT = 2,   /**< Time is over. */
	FLEXIO_STATUS_FATAL_ERR = 3, /**< An error that cannot be mended. */
} flexio_status;

/** @brief The resources of an application. */
struct flexio_resources;

/**
 * @brief Reads the resources of an application.
 *
 * @param [in] app_key The key of the application in the text.
 * @param [in] text The text. It need not end with NUL, and is not needed later.
 * @param [in] length Length of the text in bytes.
 * @param [out] res The resources. Unchanged on failure.
 * @return FLEXIO_STATUS_FAILED: a parameter is NULL, the text has another form or no such key, or there is no memory.
 */
flexio_status flexio_resources_create(const char *app_key, const void *text, size_t length,
				      struct flexio_resources **res);

/**
 * @brief Frees resources.
 *
 * @param [in] res The resources.
 * @return FLEXIO_STATUS_FAILED: it is NULL.
 */
flexio_status flexio_resources_destroy(struct flexio_resources *res);

/**
 * @brief Returns the number of groups of execution units.
 *
 * @param [in] res The resources.
 * @return The number. -1: res is NULL.
 */
int flexio_resources_get_eugs_num(const struct flexio_resources *res);

/**
 * @brief Returns the number of execution units.
 *
 * @param [in] res The resources.
 * @return The number. -1: res is NULL.
 */
int flexio_resources_get_eus_num(const struct flexio_resources *res);

/**
 * @brief Returns the numbers of the execution units, as many as flexio_resources_get_eus_num() returns.
 *
 * @param [in] res The resources, which own the list.
 * @return The list, in the order of the text. NULL: res is NULL, or there are none.
 */
uint32_t *flexio_resources_get_eus(const struct flexio_resources *res);

#ifdef __cplusplus
}
#endif

#endif /* LIBFLEXIO_FLEXIO_H_ */
