/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EXPORT_KEY_H_
#define EMU_EXPORT_KEY_H_

/*
 * Access to the RDMA exports of this process by their keys, for peers that have no import of them: on other hosts, or
 * of memory that this process has imported itself. Any thread may call these functions.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator.h"
#include "emu_export_wire.h"

/* What a peer names. */
struct emu_export_range {
	uint8_t key[EMU_EXPORT_ID_SIZE];
	uint64_t addr; /* of the exporter */
	uint64_t len;
	uint32_t need; /* flags of enum doca_access_flag that the export must have */
};

/* True if there is such an export, and the range is within it. */
EMU_API bool emu_export_key_check(const struct emu_export_range *range);

/* Copy len bytes at an offset in the range. They check it as well. */
EMU_API bool emu_export_key_read(const struct emu_export_range *range, uint64_t offset, uint8_t *bytes, size_t len);
EMU_API bool emu_export_key_write(const struct emu_export_range *range, uint64_t offset, const uint8_t *bytes,
				  size_t len);

/* Changes 8 bytes in one step: to swap if they are compare, or by adding. old: what they were. */
EMU_API bool emu_export_key_compare_swap(const struct emu_export_range *range, uint64_t compare, uint64_t swap,
					 uint64_t *old);
EMU_API bool emu_export_key_add(const struct emu_export_range *range, uint64_t increment, uint64_t *old);

#endif /* EMU_EXPORT_KEY_H_ */
