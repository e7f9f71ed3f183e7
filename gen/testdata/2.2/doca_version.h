/* In the style of DOCA 2.2, for tests. */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <stddef.h>

#define DOCA_VER_STRING "2.2.0080"
#define DOCA_VER_MAJOR 2
#define DOCA_VER_MINOR 2
#define DOCA_VER_PATCH 80

#define DOCA_VERSION_NUM(major, minor, patch) ((size_t)((major) << 24 | (minor) << 16 | (patch)))
#define DOCA_CURRENT_VERSION_NUM DOCA_VERSION_NUM(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH)
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch) (DOCA_VERSION_NUM(major, minor, patch) <= DOCA_CURRENT_VERSION_NUM)

/** @brief The version of the headers. @return a static string. */
static inline const char *doca_version(void)
{
	return DOCA_VER_STRING;
}

#endif
