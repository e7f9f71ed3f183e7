/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EXPORT_H_
#define EMU_EXPORT_H_

/*
 * Exports of memory maps. An export is known by a random key that only its descriptor tells: who has the
 * descriptor, and is a process of the same user, has the memory. It ends when its map is stopped, and all maps
 * made from it end with it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "emulator.h"
#include "emu_export_wire.h"
#include "emu_mmap.h"

struct emu_function;

/* An export of this process; or, with remote set, what an import knows of one of another process. */
struct emu_export {
	struct emu_export_desc desc;
	struct emu_export *next; /* of all exports of the process; of those that are released */
	struct emu_export *next_of_mmap;
	struct emu_export *parent; /* the import that is exported again, or NULL */
	struct emu_remote *remote;
	const struct doca_dev *dev;
	uint8_t *addr;
	size_t len;
	uint32_t permissions;
	uint32_t refcount; /* one of the exporting map, one per map, connection or export made from it */
	bool is_alive;
	uint64_t ended_at; /* emu_clock_ns, of one that is not alive */
};

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
EMU_LOCAL void emu_export_unref(struct emu_export *export);

/* What an importer's device may do with the memory: EMU_ACCESS_*. */
EMU_LOCAL uint32_t emu_export_access(const struct emu_export *export);

/* For the thread that serves other processes. The lock guards all exports; the readers of emu_import_lock are
 * accesses to imported memory. */
EMU_LOCAL void emu_exports_lock(void);
EMU_LOCAL void emu_exports_unlock(void);
/* The functions below are called with it. */
EMU_LOCAL doca_error_t emu_export_admit(const struct emu_export_desc *desc, uint32_t port,
					struct emu_export **export);
/* Those that are to be released, without the lock. */
EMU_LOCAL struct emu_export *emu_export_unref_locked(struct emu_export *export);
EMU_LOCAL void emu_export_release(struct emu_export *export);

#endif /* EMU_EXPORT_H_ */
