/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_compat.h
 * @brief Attributes of DOCA declarations: the stability and the visibility of a symbol.
 */
#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#include <doca_config.h>

/** @brief Keeps a symbol in the object file even if nothing there refers to it. */
#define DOCA_USED __attribute__((used))

/** @brief Marks a declaration that later releases keep as it is. */
#define DOCA_STABLE __attribute__((visibility("default"))) DOCA_USED

#ifndef DOCA_ALLOW_EXPERIMENTAL_API
/**
 * @brief Marks a declaration that a later release may change or drop.
 *
 * The compiler warns about its use, unless the program defines DOCA_ALLOW_EXPERIMENTAL_API before
 * it includes the first DOCA header.
 */
#define DOCA_EXPERIMENTAL \
	__attribute__((deprecated("Symbol is defined as experimental"), \
		       section(".text.experimental"))) DOCA_STABLE
#else
#define DOCA_EXPERIMENTAL __attribute__((section(".text.experimental"))) DOCA_STABLE
#endif

/** @brief Marks a declaration that a later release will drop. The compiler warns about its use. */
#define DOCA_DEPRECATED \
	__attribute__((deprecated("Symbol is defined as deprecated"), \
		       section(".text.deprecated"))) DOCA_STABLE

#ifndef __forceinline
/** @brief Has the compiler put the code of a function where it is called. */
#define __forceinline inline __attribute__((always_inline))
#endif

#ifdef DOCA_COMPAT_HELPERS

#include <string.h>
#include <stdint.h>
#include <stdlib.h>
#include <assert.h>

#include <doca_version.h>

/**
 * @brief First member of a versioned structure: the API version that the caller was compiled with.
 */
#define DOCA_STRUCT_START size_t __doca_api_version

/** @brief The version that a versioned structure has in its first member. */
#define DOCA_STRUCT_GET_VERSION(_s) ((_s)->__doca_api_version)

/** @brief Sets the version of a versioned structure, and leaves its other members alone. */
#define DOCA_STRUCT_CTOR(_s) ((_s).__doca_api_version = DOCA_VERSION_EXACT)

/** @brief DOCA_STRUCT_CTOR() by the address of the structure, which may not be NULL. */
#define DOCA_STRUCT_PTR_CTOR(_s) \
	do { \
		assert((_s) != NULL); \
		DOCA_STRUCT_CTOR(*(_s)); \
	} while (0)

/** @brief Sets the version of a versioned structure, and its other members to zero. */
#define DOCA_STRUCT_MEMSET_CTOR(_s) \
	do { \
		memset(&(_s), 0, sizeof(_s)); \
		DOCA_STRUCT_CTOR(_s); \
	} while (0)

/** @brief DOCA_STRUCT_MEMSET_CTOR() by the address of the structure, which may not be NULL. */
#define DOCA_STRUCT_PTR_MEMSET_CTOR(_s) \
	do { \
		assert((_s) != NULL); \
		memset((_s), 0, sizeof(*(_s))); \
		DOCA_STRUCT_PTR_CTOR(_s); \
	} while (0)

/** @brief Initialiser of the member that DOCA_STRUCT_START declares. */
#define DOCA_STRUCT_CTOR_LIST_START .__doca_api_version = DOCA_VERSION_EXACT

#endif /* DOCA_COMPAT_HELPERS */

#endif /* DOCA_COMPAT_H_ */
