/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of doca-dma of releases after 3.0. */
#include "core/emulator.h"

#include "dma/emu_dma.h"

doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t ordered_completions)
{
	if (dma == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	dma->ordered_completions = ordered_completions != 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_get_ordered_completions(struct doca_dma *dma, uint8_t *ordered_completions)
{
	if (dma == NULL || ordered_completions == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*ordered_completions = dma->ordered_completions;
	return DOCA_SUCCESS;
}
