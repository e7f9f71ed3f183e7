/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_config.h
 * @brief The configuration that a DOCA SDK was built with.
 */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include <doca_build_config.h>

/** @brief Defined on a host: doca_compat.h includes the headers of the C library that programs rely on. */
#ifndef DOCA_DPA_DEVICE
#define DOCA_COMPAT_HELPERS
#endif

#endif /* DOCA_CONFIG_H_ */
