/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_version.h
 * @brief The release that a program was compiled with, and the release that it runs on.
 */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <stddef.h>

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Major number of the release. */
#define DOCA_VERSION_MAJOR 3

/** @brief Minor number of the release. */
#define DOCA_VERSION_MINOR 0

/**
 * @brief Patch number of the release: the last part of DOCA_VERSION_STRING without leading zeros.
 */
#define DOCA_VERSION_PATCH 58

/** @brief The release as text, "major.minor.patch" with a patch of four digits. */
#define DOCA_VERSION_STRING "3.0.0058"

/**
 * @brief Packs a version into one number, for comparisons. Every part of the version counts.
 *
 * @param [in] major Major number, up to 127.
 * @param [in] minor Minor number, up to 255.
 * @param [in] patch Patch number, up to 65535.
 */
#define DOCA_VERSION_CALC_EXACT(major, minor, patch) \
	((size_t)(((major) << 24) | ((minor) << 16) | (patch)))

/**
 * @brief Packs the version of an official release into one number, for comparison with
 * DOCA_VERSION_OFFICIAL.
 *
 * @param [in] major Major number, up to 127.
 * @param [in] minor Minor number, up to 255.
 * @param [in] patch Patch number, up to 65.
 */
#define DOCA_VERSION_CALC(major, minor, patch) \
	((size_t)(((major) << 24) | ((minor) << 16) | ((patch) * 1000)))

/** @brief The release of these headers in the form of DOCA_VERSION_CALC_EXACT(). */
#define DOCA_VERSION_EXACT \
	DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/** @brief The release of these headers in the form of DOCA_VERSION_CALC(). */
#define DOCA_VERSION_OFFICIAL \
	DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/**
 * @brief Returns the version of the headers that the caller was compiled with, in the form of
 * DOCA_VERSION_STRING.
 *
 * @return A constant string that the caller must not free.
 */
static inline const char *doca_version(void)
{
	return DOCA_VERSION_STRING;
}

/**
 * @brief Returns the version of the DOCA libraries that the process has loaded, in the form of
 * DOCA_VERSION_STRING.
 *
 * It differs from doca_version() if the program runs on another release than it was compiled with.
 *
 * @return A constant string that the caller must not free.
 */
DOCA_EXPERIMENTAL
const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_VERSION_H_ */
