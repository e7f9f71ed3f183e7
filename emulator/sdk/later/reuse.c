/* SPDX-License-Identifier: Apache-2.0 */
/* What the SDK alone has of releases after 3.0. */
#include "core/emulator.h"

#include <doca_buf_inventory.h>

#include "core/emu_buf.h"

DOCA_EXPERIMENTAL doca_error_t doca_buf_inventory_buf_reuse_by_args(struct doca_buf *buf, void *addr, size_t len, void *data,
								    size_t data_len);

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
