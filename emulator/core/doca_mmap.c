/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>
#include <string.h>

#include <doca_mmap.h>

#include "emu_apart.h"
#include "emu_dev.h"
#include "emu_export.h"
#include "emu_export_table.h"
#include "emu_export_wire.h"
#include "emu_fault.h"
#include "emu_mmap.h"
#include "later.h"

#define PCI_FLAGS (DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE)
#define RDMA_FLAGS                                                                                 \
	(DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)
#define ALL_FLAGS                                                                                  \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | RDMA_FLAGS | PCI_FLAGS |                              \
	 DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING)

/* Permissions that include local write access: a memory key with write access across PCI has local write access too. */
#define LOCAL_WRITE_FLAGS (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE)

/* Life. */

/* A map has 256 numbers for keys: more than devices. Nothing takes a key here. */
static uint32_t new_keys(void)
{
	static uint32_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED) << 8;
}

doca_error_t doca_mmap_create(struct doca_mmap **mmap)
{
	EMU_CALL("doca_mmap_create");
	struct doca_mmap *map;

	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	map = emu_calloc_apart(sizeof(*map));
	if (map == NULL)
		return DOCA_ERROR_NO_MEMORY;
	map->max_devs = 1;
	map->first_key = new_keys();
	map->permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
	*mmap = map;
	return DOCA_SUCCESS;
}

/* The memory itself belongs to the program, and may no longer exist when the map stops. IN_USE: the map stays
 * started, but its exports have ended. */
static doca_error_t stop(struct doca_mmap *map)
{
	doca_error_t result = emu_export_end_all(map);

	if (result != DOCA_SUCCESS)
		return result;
	emu_mmap_close_dpa_handle(map);
	map->is_started = false;
	map->access = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_destroy(struct doca_mmap *mmap)
{
	EMU_CALL("doca_mmap_destroy");
	doca_error_t result;

	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->num_bufs != 0)
		return DOCA_ERROR_NOT_PERMITTED;
	result = stop(mmap);
	if (result != DOCA_SUCCESS)
		return result;
	if (mmap->free_cb != NULL && mmap->free_cb_due)
		mmap->free_cb(mmap->addr, mmap->len, mmap->free_opaque);
	if (mmap->import != NULL)
		emu_export_unref(mmap->import);
	emu_mmap_set_dpa(mmap, NULL);
	free(mmap->devs);
	free(mmap);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_start(struct doca_mmap *mmap)
{
	EMU_CALL("doca_mmap_start");
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->import != NULL || mmap->exports != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	if (mmap->is_started)
		return DOCA_SUCCESS;
	if (mmap->addr == NULL)
		return DOCA_ERROR_BAD_STATE;
	mmap->is_started = true;
	mmap->was_started = true;
	mmap->free_cb_due = true;
	mmap->access = EMU_ACCESS_READ;
	if (mmap->permissions & LOCAL_WRITE_FLAGS)
		mmap->access |= EMU_ACCESS_WRITE;
	return DOCA_SUCCESS;
}

/* Buffers of the map do not prevent its stop: from then on, their tasks fail. */
doca_error_t doca_mmap_stop(struct doca_mmap *mmap)
{
	EMU_CALL("doca_mmap_stop");
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return stop(mmap);
}

/* Devices. */

doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	EMU_CALL("doca_mmap_add_dev");
	if (mmap == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->is_started || mmap->import != NULL || mmap->dpa != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	if (emu_mmap_has_dev(mmap, dev))
		return DOCA_ERROR_ALREADY_EXIST;
	return emu_mmap_append_dev(mmap, dev);
}

doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	EMU_CALL("doca_mmap_rm_dev");
	if (mmap == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->is_started || mmap->import != NULL || mmap->dpa != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	for (uint32_t i = 0; i < mmap->num_devs; i++) {
		if (mmap->devs[i] != dev)
			continue;
		mmap->num_devs--;
		for (; i < mmap->num_devs; i++)
			mmap->devs[i] = mmap->devs[i + 1];
		mmap->dev = mmap->num_devs == 0 ? NULL : mmap->devs[0];
		return DOCA_SUCCESS;
	}
	return DOCA_ERROR_NOT_FOUND;
}

doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices)
{
	EMU_CALL("doca_mmap_set_max_num_devices");
	if (mmap == NULL || max_num_devices == 0 || max_num_devices < mmap->num_devs)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->was_started || mmap->import != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	mmap->max_devs = max_num_devices;
	return DOCA_SUCCESS;
}

/* Range and attributes. */

doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len)
{
	EMU_CALL("doca_mmap_set_memrange");
	if (mmap == NULL || addr == NULL || len == 0 || (uintptr_t)addr > UINTPTR_MAX - len)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->import != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	if (mmap->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (mmap->addr != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	mmap->addr = addr;
	mmap->len = len;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len)
{
	EMU_CALL("doca_mmap_get_memrange");
	if (mmap == NULL || addr == NULL || len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap->addr == NULL)
		return DOCA_ERROR_BAD_STATE;
	*addr = mmap->addr;
	*len = mmap->len;
	return DOCA_SUCCESS;
}

/* Attributes are fixed while the map is started, and always fixed if it was made from an export. */
static bool is_settled(const struct doca_mmap *map)
{
	return map->is_started || map->import != NULL;
}

/* Remote writes and atomics of RDMA need local write access, as in the verbs. */
static bool is_valid_mask(uint32_t mask)
{
	return (mask & ~(uint32_t)ALL_FLAGS) == 0 && (mask & PCI_FLAGS) != PCI_FLAGS &&
	       ((mask & (DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)) == 0 ||
		(mask & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) != 0);
}

/* DOCA 3.2 on a card refuses PCI access with relaxed ordering, earlier releases accept it. */
static bool is_refused(uint32_t mask)
{
	const char *text = getenv("DOCA_EMU_REFUSE_RELAXED");

	return (mask & DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING) != 0 && (mask & PCI_FLAGS) != 0 && text != NULL &&
	       strcmp(text, "1") == 0;
}

doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask)
{
	EMU_CALL("doca_mmap_set_permissions");
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (is_settled(mmap))
		return DOCA_ERROR_BAD_STATE;
	if (!is_valid_mask(access_mask) || is_refused(access_mask))
		return DOCA_ERROR_INVALID_VALUE;
	mmap->permissions = access_mask;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
				   void *opaque)
{
	EMU_CALL("doca_mmap_set_free_cb");
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (is_settled(mmap))
		return DOCA_ERROR_BAD_STATE;
	mmap->free_cb = free_cb;
	mmap->free_opaque = opaque;
	mmap->free_cb_due = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data)
{
	EMU_CALL("doca_mmap_set_user_data");
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (is_settled(mmap))
		return DOCA_ERROR_BAD_STATE;
	mmap->user_data = user_data;
	return DOCA_SUCCESS;
}

/* An import that has no buffers yet can be made thread safe. */
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap)
{
	EMU_CALL("doca_mmap_enable_thread_safety");
	if (mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if ((mmap->is_started && mmap->import == NULL) || mmap->num_bufs != 0)
		return DOCA_ERROR_NOT_PERMITTED;
	mmap->is_thread_safe = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data)
{
	EMU_CALL("doca_mmap_get_user_data");
	if (mmap == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = mmap->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices)
{
	EMU_CALL("doca_mmap_get_max_num_devices");
	if (mmap == NULL || max_num_devices == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_devices = mmap->max_devs;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs)
{
	EMU_CALL("doca_mmap_get_num_bufs");
	if (mmap == NULL || num_bufs == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_bufs = mmap->num_bufs;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported)
{
	EMU_CALL("doca_mmap_get_exported");
	if (mmap == NULL || exported == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*exported = mmap->exports != NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export)
{
	EMU_CALL("doca_mmap_get_from_export");
	if (mmap == NULL || from_export == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*from_export = mmap->import != NULL;
	return DOCA_SUCCESS;
}

/* Of a release after 3.0: what verbs know the memory by. */
doca_error_t doca_mmap_get_mkey(const struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t *mkey)
{
	EMU_CALL("doca_mmap_get_mkey");
	if (mmap == NULL || dev == NULL || mkey == NULL || !emu_mmap_is_usable(mmap))
		return DOCA_ERROR_INVALID_VALUE;
	for (uint32_t i = 0; i < mmap->num_devs; i++) {
		if (mmap->devs[i] != dev)
			continue;
		*mkey = mmap->first_key + i;
		return DOCA_SUCCESS;
	}
	return DOCA_ERROR_INVALID_VALUE;
}

/* Export and import. */

static doca_error_t export_mmap(struct doca_mmap *mmap, const struct doca_dev *dev,
				enum emu_export_kind kind, const void **desc, size_t *desc_len)
{
	struct emu_export *export;
	doca_error_t result;

	if (mmap == NULL || dev == NULL || desc == NULL || desc_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!mmap->is_started ||
	    !(mmap->permissions & (kind == EMU_EXPORT_PCI ? PCI_FLAGS : RDMA_FLAGS)))
		return DOCA_ERROR_NOT_PERMITTED;
	if (!emu_mmap_has_dev(mmap, dev))
		return DOCA_ERROR_NOT_FOUND;
	if (emu_dev_is_lost(dev))
		return DOCA_ERROR_DRIVER;
	result = emu_export_get(mmap, dev, kind, &export);
	if (result != DOCA_SUCCESS)
		return result;
	*desc = &export->desc;
	*desc_len = emu_export_desc_len(export);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
				  const void **export_desc, size_t *export_desc_len)
{
	EMU_CALL("doca_mmap_export_pci");
	if (mmap != NULL && mmap->import != NULL && dev != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	return export_mmap(mmap, dev, EMU_EXPORT_PCI, export_desc, export_desc_len);
}

doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
				   const void **export_desc, size_t *export_desc_len)
{
	EMU_CALL("doca_mmap_export_rdma");
	return export_mmap(mmap, dev, EMU_EXPORT_RDMA, export_desc, export_desc_len);
}

doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
					  size_t export_desc_len, struct doca_dev *dev,
					  struct doca_mmap **mmap)
{
	EMU_CALL("doca_mmap_create_from_export");
	struct emu_export *export;
	struct doca_mmap *map;
	doca_error_t result;

	if (export_desc == NULL || export_desc_len == 0 || dev == NULL || mmap == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_dev_is_lost(dev))
		return DOCA_ERROR_DRIVER;
	result = emu_export_find(export_desc, export_desc_len, dev->info.function, false, &export);
	if (result != DOCA_SUCCESS)
		return result;
	map = emu_calloc_apart(sizeof(*map));
	if (map == NULL) {
		emu_export_unref(export);
		return DOCA_ERROR_NO_MEMORY;
	}
	map->max_devs = 1;
	map->import = export;
	map->remote = export->remote;
	map->addr = export->addr;
	map->len = export->len;
	map->permissions = export->permissions;
	map->is_started = true;
	map->was_started = true;
	map->access = emu_export_access(export);
	if (user_data != NULL)
		map->user_data = *user_data;
	result = emu_mmap_append_dev(map, dev);
	if (result != DOCA_SUCCESS) {
		emu_export_unref(export);
		free(map);
		return result;
	}
	*mmap = map;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
						   uint8_t *mmap_export)
{
	EMU_CALL("doca_mmap_cap_is_export_pci_supported");
	if (devinfo == NULL || mmap_export == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*mmap_export = 1;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
							       uint8_t *from_export)
{
	EMU_CALL("doca_mmap_cap_is_create_from_export_pci_supported");
	if (devinfo == NULL || from_export == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*from_export = 1;
	return DOCA_SUCCESS;
}
