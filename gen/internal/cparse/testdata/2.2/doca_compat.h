/**
 * @file doca_compat.h
 * @brief Attributes of declarations, as they were when everything was experimental.
 */
#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#ifndef DOCA_ALLOW_EXPERIMENTAL_API
/** @brief May change. */
#define DOCA_EXPERIMENTAL \
	__attribute__((deprecated("Symbol is defined as experimental"), section(".text.experimental")))
#else
#define DOCA_EXPERIMENTAL __attribute__((section(".text.experimental")))
#endif

/** @brief First member of a structure with a version. */
#define DOCA_STRUCT_START size_t __doca_api_version
/** @brief Its initialiser. */
#define DOCA_STRUCT_CTOR_LIST_START .__doca_api_version = DOCA_CURRENT_VERSION_NUM

#define __DOCA_EXPERIMENTAL DOCA_EXPERIMENTAL /**< The older name. */

#endif
