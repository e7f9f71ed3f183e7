/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_LAUNCH_H_
#define KERNEL_LAUNCH_H_

#include <doca_dpa_dev.h>

/** @brief Says hello in the log of the DPA. */
__dpa_global__ void hello_world(void);

#endif /* KERNEL_LAUNCH_H_ */
