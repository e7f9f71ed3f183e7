/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_common_defines.h
 * @brief The definitions that all DOCA libraries share: includes doca_compat.h and doca_types.h.
 */
#ifndef DOCA_COMMON_DEFINES_H_
#define DOCA_COMMON_DEFINES_H_

#include <doca_compat.h>
#include <doca_types.h>

#endif /* DOCA_COMMON_DEFINES_H_ */
