/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>

#include "emu_apart.h"
#include "emu_buf.h"
#include "emu_fault.h"
#include "emu_mmap.h"

doca_error_t emu_buf_store_expand(struct emu_buf_store *store, size_t num_bufs)
{
	struct emu_buf_chunk *old = store->chunks;
	struct emu_buf_chunk *chunk;

	if (num_bufs > UINT32_MAX - store->num_bufs)
		return DOCA_ERROR_NO_MEMORY;
	chunk = emu_calloc_apart(sizeof(*chunk) + num_bufs * sizeof(chunk->bufs[0]));
	if (chunk == NULL)
		return DOCA_ERROR_NO_MEMORY;
	while (old != NULL && old->num_used < old->num_bufs) {
		struct doca_buf *buf = &old->bufs[old->num_used++];

		buf->store = store;
		buf->next = store->free_list;
		store->free_list = buf;
	}
	chunk->num_bufs = (uint32_t)num_bufs;
	chunk->next = old;
	store->chunks = chunk;
	store->num_bufs += (uint32_t)num_bufs;
	return DOCA_SUCCESS;
}

void emu_buf_store_destroy(struct emu_buf_store *store)
{
	struct emu_buf_chunk *chunk;

	while ((chunk = store->chunks) != NULL) {
		store->chunks = chunk->next;
		free(chunk);
	}
}

struct doca_buf *emu_buf_take(struct emu_buf_store *store, struct doca_mmap *mmap)
{
	struct doca_buf *buf = store->free_list;

	if (emu_fault_exhausted(NULL))
		return NULL;
	if (buf != NULL) {
		store->free_list = buf->next;
	} else {
		struct emu_buf_chunk *chunk = store->chunks;

		if (chunk->num_used == chunk->num_bufs)
			return NULL;
		buf = &chunk->bufs[chunk->num_used++];
		buf->store = store;
	}
	store->num_out++;
	buf->mmap = mmap;
	buf->next = NULL;
	buf->refcount = 1;
	buf->is_member = false;
	buf->is_counted = !mmap->is_thread_safe;
	if (buf->is_counted)
		mmap->num_bufs++;
	return buf;
}

void emu_buf_release(struct doca_buf *head)
{
	while (head != NULL) {
		struct doca_buf *buf = head;

		head = buf->next;
		if (buf->is_counted)
			buf->mmap->num_bufs--;
		buf->mmap = NULL;
		buf->refcount = 0;
		buf->is_member = false;
		buf->next = buf->store->free_list;
		buf->store->free_list = buf;
		buf->store->num_out--;
	}
}
