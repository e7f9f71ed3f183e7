/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_BUF_H_
#define EMU_BUF_H_

/*
 * Buffers and the stores they come from. A buffer describes a region of a memory map; the store
 * (of an inventory or a pool) owns the descriptors.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>

#include "emulator.h"
#include "emu_mmap.h"

struct doca_buf {
	uint8_t *head;
	size_t len;
	uint8_t *data;
	size_t data_len;
	struct doca_mmap *mmap; /* NULL while the buffer is in its store */
	struct doca_buf *next;  /* in a list, or in the store's free list */
	struct emu_buf_store *store;
	uint16_t refcount;
	bool is_member;  /* in a list, and not its head */
	bool is_counted; /* counted by its map, which must then outlive it */
};

struct emu_buf_chunk {
	struct emu_buf_chunk *next;
	uint32_t num_bufs;
	uint32_t num_used; /* bufs[num_used..] have never been handed out */
	struct doca_buf bufs[];
};

struct emu_buf_store {
	struct doca_buf *free_list;
	struct emu_buf_chunk *chunks; /* only the first has unused descriptors */
	uint32_t num_bufs;
	uint32_t num_out;
	bool is_started;
};

/* Adds descriptors. If it returns NO_MEMORY, the store is unchanged. */
EMU_LOCAL doca_error_t emu_buf_store_expand(struct emu_buf_store *store, size_t num_bufs);
EMU_LOCAL void emu_buf_store_destroy(struct emu_buf_store *store);

/* Returns a descriptor of the map with refcount 1, in no list, or NULL if there is none. The caller sets the
 * region. */
EMU_LOCAL struct doca_buf *emu_buf_take(struct emu_buf_store *store, struct doca_mmap *mmap);

/* Returns the buffers of a list, each to its own store. */
EMU_LOCAL void emu_buf_release(struct doca_buf *head);

#endif /* EMU_BUF_H_ */
