/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of doca_mmap.h for the DPA. */
#include "core/emulator.h"

#include <doca_mmap.h>

#include "core/emu_fault.h"
#include "core/emu_log.h"
#include "core/emu_mmap.h"

#include "emu_dpa.h"
#include "emu_dpa_handle.h"

/* The map gets the device of the DPA, so that it can be exported there. */
doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa, uint64_t dpa_addr, size_t len)
{
	EMU_CALL("doca_mmap_set_dpa_memrange");
	doca_error_t result;

	if (mmap == NULL || dpa == NULL || len == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (mmap->addr != NULL || mmap->num_devs != 0)
		return DOCA_ERROR_NOT_PERMITTED;
	if (!emu_dpa_is_started(dpa) || !emu_dpa_memory_has(&dpa->base->memory, dpa_addr, len)) {
		EMU_LOG_ERR("DPA: 0x%llx and %zu bytes are not within one allocation of DPA memory",
			    (unsigned long long)dpa_addr, len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	result = emu_mmap_append_dev(mmap, emu_dpa_dev(dpa));
	if (result != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	emu_mmap_set_dpa(mmap, &dpa->datapath);
	mmap->addr = (uint8_t *)(uintptr_t)dpa_addr;
	mmap->len = len;
	return DOCA_SUCCESS;
}

/* One handle serves all devices: each access looks whether the map has the device. */
doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
					  doca_dpa_dev_mmap_t *dpa_mmap_handle)
{
	EMU_CALL("doca_mmap_dev_get_dpa_handle");
	if (mmap == NULL || dev == NULL || dpa_mmap_handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_mmap_is_usable(mmap))
		return DOCA_ERROR_NOT_PERMITTED;
	if (!emu_mmap_has_dev(mmap, dev))
		return DOCA_ERROR_NOT_FOUND;
	if (mmap->dpa_handle == 0 &&
	    emu_dpa_handle_open(EMU_DPA_MMAP, NULL, mmap, &mmap->dpa_handle) != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	mmap->close_dpa_handle = emu_dpa_handle_close;
	*dpa_mmap_handle = emu_dpa_handle_short(mmap->dpa_handle);
	return DOCA_SUCCESS;
}
