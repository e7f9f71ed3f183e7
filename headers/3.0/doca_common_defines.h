/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_common_defines.h
 * @brief Empty header for programs that include it. It declares nothing.
 */
#ifndef DOCA_COMMON_DEFINES_H_
#define DOCA_COMMON_DEFINES_H_

#endif /* DOCA_COMMON_DEFINES_H_ */
