/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_build_config.h
 * @brief The platform that this SDK was built for: DOCA_ARCH_DPU for the Arm cores of a BlueField,
 * DOCA_ARCH_HOST for its host. Programs test which of the two is defined.
 */
#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

/**
 * @brief Defined if the SDK is built for the BlueField. This is the default, unless the command
 * line defines DOCA_ARCH_HOST.
 */
#if !defined(DOCA_ARCH_HOST) && !defined(DOCA_ARCH_DPU)
#define DOCA_ARCH_DPU
#endif

/** @brief Defined together with DOCA_ARCH_DPU: an SDK for the BlueField runs on BlueField-2 and later. */
#if defined(DOCA_ARCH_DPU) && !defined(DOCA_ARCH_DPU_BF2)
#define DOCA_ARCH_DPU_BF2
#endif

#endif /* DOCA_BUILD_CONFIG_H_ */
