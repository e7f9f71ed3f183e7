/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <string.h>

#include "core/emu_dev.h"
#include "core/emu_export_table.h"
#include "core/emu_remote.h"

#include "emu_dpa_handle.h"
#include "emu_dpa_mmap.h"

#define BOUNCE_SIZE ((size_t)16 << 10)

struct doca_mmap *emu_dpa_mmap_lookup(struct emu_dpa_run *run, uint32_t handle)
{
	return emu_dpa_lookup_short(run, handle, EMU_DPA_MMAP);
}

bool emu_dpa_mmap_permits(const struct doca_mmap *map, const struct doca_dev *dev, uint64_t addr, size_t len,
			  uint32_t access)
{
	return emu_may_access(map, dev, access) && emu_within((const uint8_t *)(uintptr_t)addr, len, map->addr, map->len) &&
	       (map->import == NULL || emu_import_is_alive(map));
}

/* Copies between two other processes. */
static bool copy_remote(struct emu_remote *to, uint8_t *dst, struct emu_remote *from, const uint8_t *src, size_t len)
{
	uint8_t bounce[BOUNCE_SIZE];

	while (len > 0) {
		size_t n = len < sizeof(bounce) ? len : sizeof(bounce);

		if (!emu_remote_read(from, src, bounce, n) || !emu_remote_write(to, dst, bounce, n))
			return false;
		src += n;
		dst += n;
		len -= n;
	}
	return true;
}

static bool copy(const struct doca_mmap *to, uint8_t *dst, const struct doca_mmap *from, const uint8_t *src, size_t len)
{
	if (to->remote == NULL && from->remote == NULL) {
		memmove(dst, src, len);
		return true;
	}
	if (to->remote == NULL)
		return emu_remote_read(from->remote, src, dst, len);
	if (from->remote == NULL)
		return emu_remote_write(to->remote, dst, src, len);
	return copy_remote(to->remote, dst, from->remote, src, len);
}

/* The exporter of memory in this process must not stop meanwhile. */
static bool is_own_import(const struct doca_mmap *map)
{
	return map->import != NULL && map->remote == NULL;
}

bool emu_dpa_mmap_copy(const struct doca_dev *dev, const struct doca_mmap *to, uint64_t dst, const struct doca_mmap *from,
		       uint64_t src, size_t len)
{
	bool locks = is_own_import(to) || is_own_import(from);
	bool is_done;

	if (locks)
		emu_import_lock();
	is_done = !emu_dev_is_lost(dev) && emu_dpa_mmap_permits(to, dev, dst, len, EMU_ACCESS_WRITE) &&
		  emu_dpa_mmap_permits(from, dev, src, len, EMU_ACCESS_READ) &&
		  copy(to, (uint8_t *)(uintptr_t)dst, from, (const uint8_t *)(uintptr_t)src, len);
	if (locks)
		emu_import_unlock();
	return is_done;
}
