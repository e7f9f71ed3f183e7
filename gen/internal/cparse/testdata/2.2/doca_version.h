/**
 * @file doca_version.h
 * @brief The release, in the spelling used before 2.6.
 */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <stddef.h>
#include <stdint.h>

/** @brief Major number. */
#define DOCA_VER_MAJOR 2
/** @brief Minor number. */
#define DOCA_VER_MINOR 2
/** @brief Patch number; decimal in spite of its zeros elsewhere. */
#define DOCA_VER_PATCH 80
/** @brief All of it. */
#define DOCA_VER_STRING "2.2.0080"

/** @brief Three numbers in one, which compares as the release does. */
#define DOCA_VERSION_NUM(major, minor, patch) \
	((size_t)(major) << 32 | (size_t)(minor) << 16 | (size_t)(patch))

/** @brief The number of these headers. */
#define DOCA_CURRENT_VERSION_NUM DOCA_VERSION_NUM(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH)

/**
 * @brief The release as a string.
 *
 * @return A string that lives for ever.
 */
static inline const char *doca_version(void)
{
	return DOCA_VER_STRING;
}

#endif /* DOCA_VERSION_H_ */
