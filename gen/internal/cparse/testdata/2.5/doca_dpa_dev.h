/**
 * @file doca_dpa_dev.h
 * @brief Device side of the DPA.
 */
#ifndef DOCA_DPA_DEV_H_
#define DOCA_DPA_DEV_H_

#undef __linux__
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>

#define DOCA_DPA_DEVICE

/** @brief Handle of a buffer. */
__dpa_global__ typedef uint64_t doca_dpa_dev_buf_t;

/** @brief Repeats what doca_types.h says in its own way. */
typedef int doca_error_t;

/** @brief Number of the calling thread. */
DOCA_EXPERIMENTAL
unsigned int doca_dpa_dev_thread_rank(void);

/** @brief Prints. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_printf(const char *format, ...);

/** @brief A kernel. */
__dpa_global__ void doca_dpa_dev_kernel(uint64_t arg);

#endif
