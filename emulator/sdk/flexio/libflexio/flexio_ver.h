/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file flexio_ver.h
 * @brief Versions of FlexIO. A program may define FLEXIO_VER_USED, with FLEXIO_VER(), before it includes flexio.h.
 */
#ifndef LIBFLEXIO_FLEXIO_VER_H_
#define LIBFLEXIO_FLEXIO_VER_H_

/** @brief A version as a number, which compares as versions do. */
#define FLEXIO_VER(major, minor, patch) (((major) << 16) | ((minor) << 8) | (patch))

/** @brief The version of this library. */
#define FLEXIO_VER_LATEST FLEXIO_VER(25, 4, 0)

/** @brief The version of this library. */
#define FLEXIO_LAST_VERSION FLEXIO_VER_LATEST

#endif /* LIBFLEXIO_FLEXIO_VER_H_ */
