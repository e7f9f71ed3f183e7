/**
 * @file doca_dpa.h
 * @brief Host side of the DPA.
 */
#ifndef DOCA_DPA_H_
#define DOCA_DPA_H_

#include <stdint.h>
#include <stdio.h>

#include <doca_compat.h>

/** @brief The longest user data, as a logarithm. */
#define DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA (24)

typedef int doca_error_t;

/** @brief Pointer of the DPA. */
typedef uint64_t doca_dpa_dev_uintptr_t;

/** @brief A function of the DPA: the type is that of the function, not of a pointer. */
typedef void(doca_dpa_func_t)(void);

struct doca_dpa;
struct doca_sync_event;

/**
 * @brief Launches a kernel.
 *
 * @param [in] func
 *   The kernel.
 * @param [in] ...
 *   Its arguments.
 *
 * @return
 * - DOCA_SUCCESS
 *   - even without arguments
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_kernel_launch_update_set(struct doca_dpa *dpa,
					       struct doca_sync_event *wait_event,
					       uint64_t wait_threshold,
					       struct doca_sync_event *comp_event,
					       uint64_t comp_count,
					       unsigned int num_threads,
					       doca_dpa_func_t *func,
					       ... /* args */);

/** @brief Where logs go. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_set_log_file(struct doca_dpa *dpa, FILE *file);

#endif
