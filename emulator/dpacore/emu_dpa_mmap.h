/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_MMAP_H_
#define EMU_DPA_MMAP_H_

/*
 * Memory maps in device code.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/emu_mmap.h"
#include "core/emulator.h"

struct doca_dev;
struct emu_dpa_run;

/* The layout of struct doca_dpa_dev_buf of the device code. A kernel's buffer handle is the address of one: read it before
 * emu_dpa_enter. */
struct emu_dpa_buf {
	uint64_t addr;
	uint64_t len;
	uint32_t mmap;
	uint8_t reserved[12];
} __attribute__((packed));

/* Returns the map of a handle, until the device function exits. Ends the run if the handle is wrong. */
EMU_API struct doca_mmap *emu_dpa_mmap_lookup(struct emu_dpa_run *run, uint32_t handle);

/* True if a device may access the range of the map: access is EMU_ACCESS_*. */
EMU_API bool emu_dpa_mmap_permits(const struct doca_mmap *map, const struct doca_dev *dev, uint64_t addr, size_t len,
				  uint32_t access);

/* Copies between maps, with those checks. False: a check has failed, or the memory of another process is gone. */
EMU_API bool emu_dpa_mmap_copy(const struct doca_dev *dev, const struct doca_mmap *to, uint64_t dst,
			       const struct doca_mmap *from, uint64_t src, size_t len);

#endif /* EMU_DPA_MMAP_H_ */
