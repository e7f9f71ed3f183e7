/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_LAUNCH_H_
#define KERNEL_LAUNCH_H_

#include <doca_dpa_dev.h>

/** @brief Says hello in the log of the DPA. */
__dpa_global__ void hello_world(void);

/**
 * @brief Adds up numbers in DPA memory. Each thread adds up a part of them.
 *
 * @param [in] numbers Address of count 64-bit numbers.
 * @param [in] count How many.
 * @param [in] sums Address of a 64-bit sum for each thread.
 */
__dpa_global__ void add_up(doca_dpa_dev_uintptr_t numbers, uint64_t count, doca_dpa_dev_uintptr_t sums);

#endif /* KERNEL_LAUNCH_H_ */
