/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that releases after 3.0 have added; those of devices are in later_dev.c. */
#include "core/emulator.h"

#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_mmap.h>

#include "core/emu_buf.h"
#include "core/emu_ctx.h"

doca_error_t doca_buf_inventory_buf_reuse_by_args(struct doca_buf *buf, void *addr, size_t len, void *data,
						  size_t data_len)
{
	if (buf == NULL || addr == NULL || data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	uintptr_t off = (uintptr_t)data - (uintptr_t)addr;
	if (off > len || data_len > len - off)
		return DOCA_ERROR_INVALID_VALUE;
	buf->head = addr;
	buf->len = len;
	buf->data = data;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

/* Nothing of the emulator can be profiled. */
doca_error_t doca_ctx_profiler_set_max_nranges(struct doca_ctx *ctx, uint8_t num_ranges)
{
	if (ctx == NULL || num_ranges == 0)
		return DOCA_ERROR_INVALID_VALUE;
	return ctx->state == DOCA_CTX_STATE_IDLE ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_BAD_STATE;
}

/* Memory maps have no keys here, and their exports no tokens that a program could choose. */
doca_error_t doca_mmap_get_mkey(const struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t *mkey)
{
	return mmap == NULL || dev == NULL || mkey == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_mmap_set_export_access_token(struct doca_mmap *mmap, const struct doca_dev *dev, const uint8_t *token,
					       size_t token_sz)
{
	if (mmap == NULL || dev == NULL || token == NULL || token_sz == 0)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_mmap_cap_get_max_export_access_token_size(const struct doca_devinfo *devinfo, size_t *max_sz)
{
	return devinfo == NULL || max_sz == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_NOT_SUPPORTED;
}
