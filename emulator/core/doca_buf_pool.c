/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>

#include <doca_buf_pool.h>

#include "emu_apart.h"
#include "emu_buf.h"
#include "emu_fault.h"
#include "emu_mmap.h"

struct doca_buf_pool {
	struct emu_buf_store store;
	struct emu_buf_chunk *chunk; /* the only one */
	struct doca_mmap *mmap;
	size_t element_size;
	size_t alignment;
	union doca_data user_data;
};

doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
				  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool)
{
	EMU_CALL("doca_buf_pool_create");
	struct doca_buf_pool *pool;
	doca_error_t result;

	if (num_elements == 0 || element_size == 0 || mmap == NULL || buf_pool == NULL ||
	    mmap->addr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pool = emu_calloc_apart(sizeof(*pool));
	if (pool == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = emu_buf_store_expand(&pool->store, num_elements);
	if (result != DOCA_SUCCESS) {
		free(pool);
		return result;
	}
	pool->chunk = pool->store.chunks;
	pool->mmap = (struct doca_mmap *)(uintptr_t)mmap; /* not const: it counts its buffers */
	pool->element_size = element_size;
	pool->alignment = 1;
	*buf_pool = pool;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool)
{
	EMU_CALL("doca_buf_pool_destroy");
	if (buf_pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->store.num_out != 0)
		return DOCA_ERROR_IN_USE;
	emu_buf_store_destroy(&buf_pool->store);
	free(buf_pool);
	return DOCA_SUCCESS;
}

/* The number of bytes up to the next multiple of a power of two. */
static size_t padding(uintptr_t value, size_t alignment)
{
	return -value & (alignment - 1);
}

doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool)
{
	EMU_CALL("doca_buf_pool_start");
	struct emu_buf_chunk *chunk;
	size_t stride, first, num;

	if (buf_pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->store.is_started)
		return DOCA_SUCCESS;
	if (!emu_mmap_is_usable(buf_pool->mmap))
		return DOCA_ERROR_BAD_STATE;
	chunk = buf_pool->chunk;
	num = chunk->num_bufs;
	first = padding((uintptr_t)buf_pool->mmap->addr, buf_pool->alignment);
	stride = buf_pool->element_size + padding(buf_pool->element_size, buf_pool->alignment);
	if (stride < buf_pool->element_size || first > buf_pool->mmap->len ||
	    (buf_pool->mmap->len - first) / stride < num)
		return DOCA_ERROR_INITIALIZATION;
	/* Elements keep their places, and the first is allocated first. */
	buf_pool->store.free_list = NULL;
	chunk->num_used = chunk->num_bufs;
	for (size_t i = num; i-- > 0;) {
		struct doca_buf *buf = &chunk->bufs[i];

		buf->store = &buf_pool->store;
		buf->head = buf_pool->mmap->addr + first + i * stride;
		buf->len = buf_pool->element_size;
		buf->next = buf_pool->store.free_list;
		buf_pool->store.free_list = buf;
	}
	buf_pool->store.is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool)
{
	EMU_CALL("doca_buf_pool_stop");
	if (buf_pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->store.num_out != 0)
		return DOCA_ERROR_IN_USE;
	buf_pool->store.is_started = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf)
{
	EMU_CALL("doca_buf_pool_buf_alloc");
	struct doca_buf *found;

	if (buf_pool == NULL || buf == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!buf_pool->store.is_started)
		return DOCA_ERROR_BAD_STATE;
	found = emu_buf_take(&buf_pool->store, buf_pool->mmap);
	if (found == NULL)
		return DOCA_ERROR_EMPTY;
	found->data = found->head;
	found->data_len = 0;
	*buf = found;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data)
{
	EMU_CALL("doca_buf_pool_set_user_data");
	if (buf_pool == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->store.is_started)
		return DOCA_ERROR_BAD_STATE;
	buf_pool->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
						 size_t element_alignment)
{
	EMU_CALL("doca_buf_pool_set_element_alignment");
	if (buf_pool == NULL || element_alignment == 0 ||
	    (element_alignment & (element_alignment - 1)) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_pool->store.is_started)
		return DOCA_ERROR_BAD_STATE;
	buf_pool->alignment = element_alignment;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
					    uint32_t *num_of_elements)
{
	EMU_CALL("doca_buf_pool_get_num_elements");
	if (buf_pool == NULL || num_of_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_of_elements = buf_pool->store.num_bufs;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
						 uint32_t *num_of_free_elements)
{
	EMU_CALL("doca_buf_pool_get_num_free_elements");
	if (buf_pool == NULL || num_of_free_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_of_free_elements = buf_pool->store.num_bufs - buf_pool->store.num_out;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
					 union doca_data *user_data)
{
	EMU_CALL("doca_buf_pool_get_user_data");
	if (buf_pool == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = buf_pool->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
						 size_t *element_alignment)
{
	EMU_CALL("doca_buf_pool_get_element_alignment");
	if (buf_pool == NULL || element_alignment == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*element_alignment = buf_pool->alignment;
	return DOCA_SUCCESS;
}
