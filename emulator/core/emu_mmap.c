/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>

#include "emu_ctx.h"
#include "emu_mmap.h"

bool emu_mmap_has_dev(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
	for (uint32_t i = 0; i < mmap->num_devs; i++) {
		if (mmap->devs[i] == dev)
			return true;
	}
	return false;
}

doca_error_t emu_mmap_append_dev(struct doca_mmap *map, struct doca_dev *dev)
{
	struct doca_dev **devs;

	if (map->num_devs >= map->max_devs)
		return DOCA_ERROR_NO_MEMORY;
	devs = realloc(map->devs, (map->num_devs + (size_t)1) * sizeof(*devs));
	if (devs == NULL)
		return DOCA_ERROR_NO_MEMORY;
	map->devs = devs;
	devs[map->num_devs++] = dev;
	map->dev = devs[0];
	return DOCA_SUCCESS;
}

void emu_mmap_set_dpa(struct doca_mmap *mmap, struct emu_datapath *dpa)
{
	if (mmap->dpa != NULL)
		__atomic_sub_fetch(&mmap->dpa->num_contexts, 1, __ATOMIC_ACQ_REL);
	if (dpa != NULL)
		__atomic_add_fetch(&dpa->num_contexts, 1, __ATOMIC_ACQ_REL);
	mmap->dpa = dpa;
}

void emu_mmap_close_dpa_handle(struct doca_mmap *mmap)
{
	if (mmap->dpa_handle != 0)
		mmap->close_dpa_handle(mmap->dpa_handle);
	mmap->dpa_handle = 0;
}
