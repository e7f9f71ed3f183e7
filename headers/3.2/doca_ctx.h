/* SPDX-License-Identifier: Apache-2.0 */
/* What 3.2 has added to this header. */

/**
 * @brief Sets how many ranges a profiler may show at once for each type of task of a context.
 *
 * @param [in] ctx the context; it must be idle.
 * @param [in] num_ranges the number, 1 to 255.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL, or num_ranges is 0.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * - DOCA_ERROR_NOT_SUPPORTED: the library cannot be profiled.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_profiler_set_max_nranges(struct doca_ctx *ctx, uint8_t num_ranges);
