/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_config.h
 * @brief The configuration that a DOCA SDK was built with.
 */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include <doca_build_config.h>

#endif /* DOCA_CONFIG_H_ */
