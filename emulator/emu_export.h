/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EXPORT_H_
#define EMU_EXPORT_H_

/*
 * Exports of memory maps. An export is known by a random key that only its descriptor tells: who has the
 * descriptor has the memory. It ends when its map is stopped, and all maps made from it end with it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "emulator.h"
#include "emu_mmap.h"

enum emu_export_kind {
	EMU_EXPORT_PCI = 1,
	EMU_EXPORT_RDMA = 2,
};

#define EMU_EXPORT_KEY_SIZE 16

/* The bytes that a program sends to the importer. */
struct emu_export_desc {
	char magic[8];
	uint32_t version;
	uint32_t kind;
	uint8_t process[EMU_EXPORT_KEY_SIZE]; /* of the exporter: random, one per process */
	uint8_t key[EMU_EXPORT_KEY_SIZE];
};

struct emu_export {
	struct emu_export_desc desc;
	struct emu_export *next; /* of all exports of the process */
	struct emu_export *next_of_mmap;
	struct emu_export *parent; /* the import that is exported again, or NULL */
	const struct doca_dev *dev;
	uint8_t *addr;
	size_t len;
	uint32_t permissions;
	uint32_t refcount; /* one of the exporting map, one per map or export made from it */
	bool is_alive;
};

/* Finds or makes the export of mmap through dev. */
EMU_LOCAL doca_error_t emu_export_get(struct doca_mmap *mmap, const struct doca_dev *dev,
				      enum emu_export_kind kind, struct emu_export **export);

/* Ends all exports of a map that is stopped. */
EMU_LOCAL void emu_export_end_all(struct doca_mmap *mmap);

/* The living export of a descriptor, with a reference for the caller. INVALID_VALUE: none has that key.
 * NOT_SUPPORTED: it is another process's. */
EMU_LOCAL doca_error_t emu_export_find(const void *desc, size_t desc_len, struct emu_export **export);
EMU_LOCAL void emu_export_unref(struct emu_export *export);

#endif /* EMU_EXPORT_H_ */
