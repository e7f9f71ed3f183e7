/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#include <stddef.h>

#include <doca_config.h>

#define DOCA_USED __attribute__((used))

#define DOCA_STABLE __attribute__((visibility("default"))) DOCA_USED

#ifdef DOCA_ALLOW_EXPERIMENTAL_API
#define DOCA_EXPERIMENTAL __attribute__((section(".text.experimental"))) DOCA_STABLE
#else
#define DOCA_EXPERIMENTAL \
	__attribute__((deprecated("Symbol is defined as experimental"), \
		       section(".text.experimental"))) DOCA_STABLE
#endif

#define DOCA_DEPRECATED \
	__attribute__((deprecated("Symbol is defined as deprecated"), \
		       section(".text.deprecated"))) DOCA_STABLE

#define DOCA_STRUCT_START size_t __doca_api_version

#define DOCA_STRUCT_CTOR_LIST_START .__doca_api_version = DOCA_VERSION_EXACT

#endif /* DOCA_COMPAT_H_ */
