/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of releases after 3.0 that NVIDIA's samples for those releases call. */
#include "core/emulator.h"

#include "doca_buf_inventory_later.h"
#include "doca_dev_later.h"
#include "core/emu_buf.h"

/* All devices of the emulator are physical functions. */
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo, enum doca_pci_func_type *pci_func_type)
{
	if (devinfo == NULL || pci_func_type == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*pci_func_type = DOCA_PCI_FUNC_TYPE_PF;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index)
{
	if (devinfo == NULL || sf_index == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_NOT_SUPPORTED;
}

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
