#ifndef KERNELS_H_
#define KERNELS_H_

#include <doca_dpa_dev.h>
#include "params.h"

#define KERNEL __dpa_global__ void

/**
 * @brief Multiplies numbers in DPA memory.
 *
 * @param [in] range The numbers.
 * @param [in] factor What they are multiplied by.
 * @param [in] mode What happens to results that are too large.
 * @param [in] delta What is added.
 */
__dpa_global__ void scale_numbers(struct scale_range range, uint32_t factor, enum scale_mode mode, int8_t delta);

/**
 * @brief Runs each time a completion wakes the thread.
 *
 * @param [in] arg Address of the thread's argument.
 */
__dpa_global__ void on_wake(uint64_t arg);

/* A kernel without arguments, declared by way of a macro. */
KERNEL reset(void);

/** @brief Drains a completion queue. */
__dpa_global__ void drain(doca_dpa_dev_completion_t comp, doca_dpa_dev_uintptr_t to, struct scale_pair pair, _Bool all);

/**
 * @brief Adds up numbers.
 *
 * @param [in] range The numbers.
 * @return The sum.
 */
__dpa_rpc__ uint64_t sum_numbers(struct scale_range range);

/* Not for the host. */
int helper(const int *p);

#endif
