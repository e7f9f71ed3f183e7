/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_compat.h
 * @brief Attributes of DOCA declarations: how stable a symbol is, and who sees it.
 */
#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#include <stddef.h>

#include <doca_config.h>

/** @brief Keeps a symbol in the object file even when nothing in it refers to the symbol. */
#define DOCA_USED __attribute__((used))

/** @brief Marks a declaration whose interface later releases keep. */
#define DOCA_STABLE __attribute__((visibility("default"))) DOCA_USED

#ifndef DOCA_ALLOW_EXPERIMENTAL_API
/**
 * @brief Marks a declaration that a later release may change or drop.
 *
 * Its use draws a deprecation warning, unless DOCA_ALLOW_EXPERIMENTAL_API is defined before the
 * first DOCA header is included.
 */
#define DOCA_EXPERIMENTAL \
	__attribute__((deprecated("Symbol is defined as experimental"), \
		       section(".text.experimental"))) DOCA_STABLE
#else
#define DOCA_EXPERIMENTAL __attribute__((section(".text.experimental"))) DOCA_STABLE
#endif

/** @brief Marks a declaration that a later release will drop; its use draws a warning. */
#define DOCA_DEPRECATED \
	__attribute__((deprecated("Symbol is defined as deprecated"), \
		       section(".text.deprecated"))) DOCA_STABLE

/**
 * @brief First member of a versioned structure: the API version that the caller was compiled with.
 */
#define DOCA_STRUCT_START size_t __doca_api_version

/** @brief Initialiser of the member that DOCA_STRUCT_START declares; needs doca_version.h. */
#define DOCA_STRUCT_CTOR_LIST_START .__doca_api_version = DOCA_VERSION_EXACT

#endif /* DOCA_COMPAT_H_ */
