/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EXPORT_TABLE_H_
#define EMU_EXPORT_TABLE_H_

/*
 * The exports of this process, and those of other processes that it has imported. One lock guards them; its readers
 * are accesses to imported memory.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "emulator.h"
#include "emu_export_wire.h"
#include "emu_mmap.h"

/* An export of this process or, if remote is set, one of another process that this one has imported. */
struct emu_export {
	struct emu_export_desc desc;
	struct emu_export_net net; /* of RDMA exports: the rest of the descriptor */
	struct emu_export *next; /* in the list of all exports, or of those to be released */
	struct emu_export *next_of_mmap;
	struct emu_export *parent; /* the import that this export passes on, or NULL */
	struct emu_remote *remote;
	const struct doca_dev *dev;
	struct emu_export_page *page; /* of a sync event of this process, or NULL; page_fd is valid with it */
	int page_fd;
	uint8_t *addr;
	size_t len;
	uint32_t permissions;
	uint32_t refcount; /* one for the exporting map, one for each map, connection or export made from it */
	bool is_alive;
	uint64_t ended_at; /* emu_clock_ns, if not alive */
};

EMU_LOCAL void emu_exports_lock(void);
EMU_LOCAL void emu_exports_unlock(void);

/* Gives the process an id, unless it has one. False: the system has no random bytes. */
EMU_LOCAL bool emu_exports_name_process(void);
EMU_LOCAL const uint8_t *emu_exports_process(void);
/* Called in the child of a fork with the lock, which it releases: all exports belong to the parent. */
EMU_LOCAL void emu_exports_forget(void);

/* Returns INVALID_VALUE if the bytes are not a descriptor, UNSUPPORTED_VERSION if they are one of another
 * version. */
EMU_LOCAL doca_error_t emu_export_read_desc(const void *bytes, size_t len, struct emu_export_desc *desc,
					    struct emu_export_net *net);
/* The number of bytes of the export's descriptor, which begins with desc. */
EMU_LOCAL size_t emu_export_desc_len(const struct emu_export *export);

/* Returns what an importer's device may do with the memory: EMU_ACCESS_*. */
EMU_LOCAL uint32_t emu_export_access(const struct emu_export *export);

EMU_LOCAL void emu_export_unref(struct emu_export *export);

/* Call the functions below with the lock, except emu_export_release. */

EMU_LOCAL bool emu_export_is_own(const struct emu_export_desc *desc);
EMU_LOCAL doca_error_t emu_export_add(struct doca_mmap *mmap, const struct doca_dev *dev, enum emu_export_kind kind,
				      struct emu_export **export);
/* Hides the export from new imports. */
EMU_LOCAL void emu_export_remove(struct emu_export *export);
/* Finds the live export of a descriptor for a device of that port. The caller gets a reference. INVALID_VALUE:
 * there is no such export. NOT_PERMITTED: the export is not for that device. */
EMU_LOCAL doca_error_t emu_export_admit(const struct emu_export_desc *desc, uint32_t port,
					struct emu_export **export);
/* Finds the live RDMA export with that key, or NULL. */
EMU_LOCAL struct emu_export *emu_export_with_key(const uint8_t key[EMU_EXPORT_ID_SIZE]);
/* Returns the exports that nobody refers to any more. Release them without the lock. */
EMU_LOCAL struct emu_export *emu_export_unref_locked(struct emu_export *export);
EMU_LOCAL void emu_export_release(struct emu_export *export);

/* Access to imported memory of this process takes place between lock and unlock, and only while its exporter is
 * alive: the exporter's stop waits for it. emu_remote.h is for memory of other processes. */
EMU_API void emu_import_lock(void);
EMU_API void emu_import_unlock(void);
EMU_API bool emu_import_is_alive(const struct doca_mmap *mmap);

/* Keep what an import was made from, for access to it when the import itself may be gone. */
EMU_API void emu_import_hold(struct emu_export *export);
EMU_API void emu_import_release(struct emu_export *export);

#endif /* EMU_EXPORT_TABLE_H_ */
