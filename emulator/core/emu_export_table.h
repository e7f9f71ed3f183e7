/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EXPORT_TABLE_H_
#define EMU_EXPORT_TABLE_H_

/*
 * The exports of this process, and what its imports know of those of others, under one lock. Its readers are accesses
 * to imported memory.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "emulator.h"
#include "emu_export_wire.h"
#include "emu_mmap.h"

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

EMU_LOCAL void emu_exports_lock(void);
EMU_LOCAL void emu_exports_unlock(void);

/* Gives the process its id, unless it has one. False: the system has no random bytes. */
EMU_LOCAL bool emu_exports_name_process(void);
EMU_LOCAL const uint8_t *emu_exports_process(void);
/* In the child of a fork, with the lock, which it gives back: all exports are the parent's. */
EMU_LOCAL void emu_exports_forget(void);

/* INVALID_VALUE: the bytes are no descriptor. */
EMU_LOCAL doca_error_t emu_export_read_desc(const void *bytes, size_t len, struct emu_export_desc *desc);

/* What an importer's device may do with the memory: EMU_ACCESS_*. */
EMU_LOCAL uint32_t emu_export_access(const struct emu_export *export);

EMU_LOCAL void emu_export_unref(struct emu_export *export);

/* The functions below are called with the lock, but for emu_export_release. */

EMU_LOCAL bool emu_export_is_own(const struct emu_export_desc *desc);
EMU_LOCAL doca_error_t emu_export_add(struct doca_mmap *mmap, const struct doca_dev *dev, enum emu_export_kind kind,
				      struct emu_export **export);
/* No import finds it any more. */
EMU_LOCAL void emu_export_remove(struct emu_export *export);
/* The living export of a descriptor, for a device of that port; with a reference for the caller. INVALID_VALUE: there
 * is none. NOT_PERMITTED: it is not for that device. */
EMU_LOCAL doca_error_t emu_export_admit(const struct emu_export_desc *desc, uint32_t port,
					struct emu_export **export);
/* Those that are to be released, without the lock. */
EMU_LOCAL struct emu_export *emu_export_unref_locked(struct emu_export *export);
EMU_LOCAL void emu_export_release(struct emu_export *export);

/* Access to imported memory of this process happens between lock and unlock, and only while its exporter is
 * there: a stop of the exporter waits for it. Memory of other processes is accessed by emu_remote.h. */
EMU_API void emu_import_lock(void);
EMU_API void emu_import_unlock(void);
EMU_API bool emu_import_is_alive(const struct doca_mmap *mmap);

#endif /* EMU_EXPORT_TABLE_H_ */
