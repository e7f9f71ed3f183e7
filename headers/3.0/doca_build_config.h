/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

#if !defined(DOCA_ARCH_HOST) && !defined(DOCA_ARCH_DPU)
#define DOCA_ARCH_DPU
#endif

#endif /* DOCA_BUILD_CONFIG_H_ */
