/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EXPORT_H_
#define EMU_EXPORT_H_

/*
 * Exports of memory maps. An export is known by a random key that only its descriptor tells: who has the
 * descriptor, and is a process of the same user, has the memory. It ends when its map is stopped, and all maps
 * made from it end with it.
 */

#include <stddef.h>

#include <doca_error.h>

#include "emulator.h"
#include "emu_export_table.h"

struct emu_function;

/* Finds or makes the export of mmap through dev. */
EMU_LOCAL doca_error_t emu_export_get(struct doca_mmap *mmap, const struct doca_dev *dev,
				      enum emu_export_kind kind, struct emu_export **export);

/* Ends all exports of a map that is stopped. After SUCCESS nobody writes to the memory any more, nor takes what is
 * read there for the export's. IN_USE: somebody may still write; the map keeps those exports, for another try. */
EMU_LOCAL doca_error_t emu_export_end_all(struct doca_mmap *mmap);

/* The living export of a descriptor, of this process or another one, for a device with that function; with a
 * reference for the caller. INVALID_VALUE: there is none. NOT_PERMITTED: it is not for that device. DRIVER: the
 * system or the other process failed; the log says how. */
EMU_LOCAL doca_error_t emu_export_find(const void *desc, size_t desc_len, const struct emu_function *function,
				       struct emu_export **export);

#endif /* EMU_EXPORT_H_ */
