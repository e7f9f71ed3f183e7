/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_build_config.h
 * @brief The side that this SDK was built for: DOCA_ARCH_DPU for the Arm cores of a BlueField,
 * DOCA_ARCH_HOST for the machine it is plugged into. Programs test which of the two is defined.
 */
#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

/**
 * @brief Defined when the SDK is built for the BlueField; the default, unless DOCA_ARCH_HOST is
 * defined on the command line.
 */
#if !defined(DOCA_ARCH_HOST) && !defined(DOCA_ARCH_DPU)
#define DOCA_ARCH_DPU
#endif

#endif /* DOCA_BUILD_CONFIG_H_ */
