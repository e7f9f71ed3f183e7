/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EXPORT_H_
#define EMU_EXPORT_H_

/*
 * Exports of memory maps. Each export has a random key, which only its descriptor contains: any process of the same
 * user that has the descriptor can access the memory. An export ends when its map stops, and with it all maps made
 * from it.
 */

#include <stdbool.h>
#include <stddef.h>

#include <doca_error.h>

#include "emulator.h"
#include "emu_export_table.h"

struct emu_function;

/* Prepares for forks, unless that was done. A library whose thread accesses exports with a lock of its own calls this
 * before it registers fork handlers of its own: at a fork its lock is then taken first. */
EMU_API void emu_export_watch_forks(void);

/* Finds the export of mmap through dev, or makes it. */
EMU_LOCAL doca_error_t emu_export_get(struct doca_mmap *mmap, const struct doca_dev *dev,
				      enum emu_export_kind kind, struct emu_export **export);

/* Ends all exports of a map that stops. After SUCCESS nobody writes to the memory any more, and data read from
 * it no longer counts. IN_USE: an importer may still be writing; the map keeps those exports, so that the call
 * can be repeated. */
EMU_LOCAL doca_error_t emu_export_end_all(struct doca_mmap *mmap);

/* Finds the live export of a descriptor, of this process or another, for a device with that function. is_event: it
 * must be of a sync event, and otherwise of memory. The caller gets a reference. INVALID_VALUE: there is no such export. NOT_PERMITTED: the export is not for that device.
 * UNSUPPORTED_VERSION: the descriptor
 * is of another version. DRIVER: the system or the other process failed; the log says how. */
EMU_LOCAL doca_error_t emu_export_find(const void *desc, size_t desc_len, const struct emu_function *function,
				       bool is_event, struct emu_export **export);

#endif /* EMU_EXPORT_H_ */
