/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>

#include <doca_buf_inventory.h>

#include "emu_apart.h"
#include "emu_buf.h"
#include "emu_fault.h"
#include "emu_mmap.h"

struct doca_buf_inventory {
	struct emu_buf_store store;
	union doca_data user_data;
};

doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory)
{
	EMU_CALL("doca_buf_inventory_create");
	struct doca_buf_inventory *inv;
	doca_error_t result;

	if (num_elements == 0 || inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	inv = emu_calloc_apart(sizeof(*inv));
	if (inv == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = emu_buf_store_expand(&inv->store, num_elements);
	if (result != DOCA_SUCCESS) {
		free(inv);
		return result;
	}
	*inventory = inv;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory)
{
	EMU_CALL("doca_buf_inventory_destroy");
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (inventory->store.num_out != 0)
		return DOCA_ERROR_IN_USE;
	emu_buf_store_destroy(&inventory->store);
	free(inventory);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory)
{
	EMU_CALL("doca_buf_inventory_start");
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	inventory->store.is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory)
{
	EMU_CALL("doca_buf_inventory_stop");
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	inventory->store.is_started = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements)
{
	EMU_CALL("doca_buf_inventory_expand");
	if (inventory == NULL || num_elements == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (!inventory->store.is_started)
		return DOCA_ERROR_BAD_STATE;
	return emu_buf_store_expand(&inventory->store, num_elements);
}

/* Does not check the states of inventory and map, nor the range: the task does. */
doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
						struct doca_mmap *mmap, void *addr, size_t len,
						void *data, size_t data_len, struct doca_buf **buf)
{
	EMU_CALL("doca_buf_inventory_buf_get_by_args");
	struct doca_buf *found;

	if (inventory == NULL || mmap == NULL || buf == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	found = emu_buf_take(&inventory->store, mmap);
	if (found == NULL)
		return DOCA_ERROR_NO_MEMORY;
	found->head = addr;
	found->len = len;
	found->data = data;
	found->data_len = data_len;
	*buf = found;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
					const struct doca_buf *src_buf, struct doca_buf **dst_buf)
{
	EMU_CALL("doca_buf_inventory_buf_dup");
	struct doca_buf *head = NULL;
	struct doca_buf **tail = &head;

	if (inventory == NULL || src_buf == NULL || dst_buf == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!inventory->store.is_started || !src_buf->store->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (src_buf->is_member)
		return DOCA_ERROR_NOT_PERMITTED;
	for (const struct doca_buf *src = src_buf; src != NULL; src = src->next) {
		if (src->mmap == NULL || !emu_mmap_is_usable(src->mmap))
			return DOCA_ERROR_BAD_STATE;
	}
	for (const struct doca_buf *src = src_buf; src != NULL; src = src->next) {
		struct doca_buf *dup = emu_buf_take(&inventory->store, src->mmap);

		if (dup == NULL) {
			emu_buf_release(head);
			return DOCA_ERROR_NO_MEMORY;
		}
		dup->head = src->head;
		dup->len = src->len;
		dup->data = src->data;
		dup->data_len = src->data_len;
		dup->is_member = src->is_member;
		*tail = dup;
		tail = &dup->next;
	}
	*dst_buf = head;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
					      union doca_data user_data)
{
	EMU_CALL("doca_buf_inventory_set_user_data");
	if (inventory == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (inventory->store.is_started)
		return DOCA_ERROR_BAD_STATE;
	inventory->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
						 uint32_t *num_of_elements)
{
	EMU_CALL("doca_buf_inventory_get_num_elements");
	if (inventory == NULL || num_of_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_of_elements = inventory->store.num_bufs;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
						      uint32_t *num_of_free_elements)
{
	EMU_CALL("doca_buf_inventory_get_num_free_elements");
	if (inventory == NULL || num_of_free_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_of_free_elements = inventory->store.num_bufs - inventory->store.num_out;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
					      union doca_data *user_data)
{
	EMU_CALL("doca_buf_inventory_get_user_data");
	if (inventory == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = inventory->user_data;
	return DOCA_SUCCESS;
}
