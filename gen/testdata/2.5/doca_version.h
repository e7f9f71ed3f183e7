/* The names and types of DOCA 2.5's doca_version.h, for tests. */
#ifndef G_doca_version_h
#define G_doca_version_h
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdarg.h>
#include <linux/types.h>
#include "doca_error.h"
#include "doca_types.h"
#include "doca_compat.h"
#define DOCA_VER_MAJOR 2
#define DOCA_VER_MINOR 5
#define DOCA_VER_PATCH 108
#define DOCA_VER_STRING "2.5.0108"
#define DOCA_CURRENT_VERSION_NUM DOCA_VERSION_NUM(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH)
static inline const char * doca_version(void) { return 0; }
DOCA_EXPERIMENTAL const char * doca_version_runtime(void);
#endif
