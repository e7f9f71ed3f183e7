/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_buf_array.h>
#include <doca_mmap.h>

#include "core/emu_fault.h"
#include "core/emu_log.h"
#include "core/emu_mmap.h"

#include "emu_dpa.h"
#include "emu_dpa_mmap.h"

/* The layout of struct doca_dpa_dev_buf_arr of the device code. */
struct dev_array {
	uint64_t bufs;
	uint8_t reserved[20];
} __attribute__((packed, aligned(64)));

struct doca_buf_arr {
	size_t num_elem;
	struct doca_dpa *dpa; /* NULL: no target yet */
	struct doca_mmap *mmap;
	size_t elem_size;
	uint64_t start_offset;
	bool was_started;
	uint64_t addr; /* of the array in DPA memory; 0: not started */
};

doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr)
{
	EMU_CALL("doca_buf_arr_create");
	if (num_elem == 0 || buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*buf_arr = calloc(1, sizeof(**buf_arr));
	if (*buf_arr == NULL)
		return DOCA_ERROR_NO_MEMORY;
	(*buf_arr)->num_elem = num_elem;
	return DOCA_SUCCESS;
}

static void set_target(struct doca_buf_arr *array, struct doca_dpa *dpa)
{
	if (array->dpa != NULL)
		emu_dpa_remove_object(array->dpa);
	if (dpa != NULL)
		emu_dpa_add_object(dpa);
	array->dpa = dpa;
}

doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa_handler)
{
	EMU_CALL("doca_buf_arr_set_target_dpa");
	if (buf_arr == NULL || dpa_handler == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->was_started)
		return DOCA_ERROR_BAD_STATE;
	set_target(buf_arr, dpa_handler);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap, size_t elem_size,
				     uint64_t start_offset)
{
	EMU_CALL("doca_buf_arr_set_params");
	if (buf_arr == NULL || mmap == NULL || elem_size == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->was_started)
		return DOCA_ERROR_BAD_STATE;
	buf_arr->mmap = mmap;
	buf_arr->elem_size = elem_size;
	buf_arr->start_offset = start_offset;
	return DOCA_SUCCESS;
}

/* Writes the array to DPA memory: a head, and behind it the elements. */
static uint64_t place(const struct doca_buf_arr *array, uint32_t mmap)
{
	size_t size = sizeof(struct dev_array) + array->num_elem * sizeof(struct emu_dpa_buf);
	uint64_t addr = emu_dpa_memory_alloc(&array->dpa->base->memory, size);
	struct dev_array *head = (struct dev_array *)(uintptr_t)addr;
	struct emu_dpa_buf *bufs = (struct emu_dpa_buf *)(head + 1);

	if (addr == 0)
		return 0;
	*head = (struct dev_array){.bufs = (uint64_t)(uintptr_t)bufs};
	for (size_t i = 0; i < array->num_elem; i++) {
		bufs[i] = (struct emu_dpa_buf){
			.addr = (uint64_t)(uintptr_t)array->mmap->addr + array->start_offset + i * array->elem_size,
			.len = array->elem_size,
			.mmap = mmap,
		};
	}
	return addr;
}

static bool fits(const struct doca_buf_arr *array)
{
	return array->start_offset <= array->mmap->len &&
	       array->num_elem <= (array->mmap->len - array->start_offset) / array->elem_size;
}

doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr)
{
	EMU_CALL("doca_buf_arr_start");
	doca_error_t result;
	uint32_t mmap;

	if (buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->was_started || buf_arr->dpa == NULL || buf_arr->mmap == NULL || !emu_mmap_is_usable(buf_arr->mmap) ||
	    emu_dpa_ready(buf_arr->dpa) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (!fits(buf_arr))
		return DOCA_ERROR_NO_MEMORY;
	result = doca_mmap_dev_get_dpa_handle(buf_arr->mmap, emu_dpa_dev(buf_arr->dpa), &mmap);
	if (result != DOCA_SUCCESS) {
		EMU_LOG_ERR("buffer array: the memory map does not have the device of the DPA");
		return DOCA_ERROR_INVALID_VALUE;
	}
	buf_arr->addr = place(buf_arr, mmap);
	if (buf_arr->addr == 0)
		return DOCA_ERROR_NO_MEMORY;
	buf_arr->was_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr)
{
	EMU_CALL("doca_buf_arr_stop");
	if (buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->addr != 0)
		emu_dpa_memory_free(&buf_arr->dpa->base->memory, buf_arr->addr);
	buf_arr->addr = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr)
{
	EMU_CALL("doca_buf_arr_destroy");
	if (buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->addr != 0)
		emu_dpa_memory_free(&buf_arr->dpa->base->memory, buf_arr->addr);
	set_target(buf_arr, NULL);
	free(buf_arr);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr, doca_dpa_dev_buf_arr_t *dpa_buf_arr)
{
	EMU_CALL("doca_buf_arr_get_dpa_handle");
	if (buf_arr == NULL || dpa_buf_arr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf_arr->addr == 0)
		return DOCA_ERROR_BAD_STATE;
	*dpa_buf_arr = buf_arr->addr;
	return DOCA_SUCCESS;
}
