/* The names and types of DOCA 2.5's doca_compat.h, for tests. */
#ifndef G_doca_compat_h
#define G_doca_compat_h
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdarg.h>
#include <linux/types.h>
#include "doca_error.h"
#include "doca_types.h"
#define DOCA_USED __attribute__((used))
#define DOCA_STABLE __attribute__((visibility("default"))) DOCA_USED
#define DOCA_EXPERIMENTAL __attribute__((deprecated("Symbol is defined as experimental"), section(".text.experimental"))) DOCA_STABLE
#define DOCA_DEPRECATED __attribute__((deprecated("Symbol is defined as deprecated"))) DOCA_STABLE
#define DOCA_STRUCT_START uint32_t __doca_api_version
#define DOCA_STRUCT_CTOR_LIST_START .__doca_api_version = DOCA_CURRENT_VERSION_NUM
#endif
