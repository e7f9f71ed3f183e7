/* SPDX-License-Identifier: Apache-2.0 */
/* What 3.2 has added to this header. */

/**
 * @brief Sets whether the completions of a context come in the order of submission.
 *
 * @param [in] dma the context; it must be idle.
 * @param [in] ordered_completions 1: in that order; 0: in any.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dma is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t ordered_completions);

/**
 * @brief Reads what doca_dma_set_ordered_completions() has set. The default is 1.
 *
 * @param [in] dma the context, in any state.
 * @param [out] ordered_completions 1 or 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_ordered_completions(struct doca_dma *dma, uint8_t *ordered_completions);
