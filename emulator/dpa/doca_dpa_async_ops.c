/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of asynchronous operations. */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_dpa.h>

#include "core/emu_fault.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_async.h"
#include "dpacore/emu_dpa_completion.h"

#include "emu_dpa_limits.h"

doca_error_t doca_dpa_async_ops_create(struct doca_dpa *dpa, unsigned int queue_size, uint64_t user_data,
				       struct doca_dpa_async_ops **async_ops)
{
	EMU_CALL("doca_dpa_async_ops_create");
	struct doca_dpa_async_ops *made;

	if (dpa == NULL || async_ops == NULL || queue_size == 0 || queue_size > EMU_DPA_MAX_QUEUE_SIZE ||
	    (queue_size & (queue_size - 1)) != 0 || user_data >> DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA != 0)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->dpa = dpa;
	made->queue_size = queue_size;
	made->user_data = user_data;
	emu_dpa_add_object(dpa);
	*async_ops = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_destroy(struct doca_dpa_async_ops *async_ops)
{
	EMU_CALL("doca_dpa_async_ops_destroy");
	if (async_ops == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_dpa_async_end(async_ops);
	if (async_ops->comp != NULL)
		emu_dpa_completion_detach(async_ops->comp);
	emu_dpa_remove_object(async_ops->dpa);
	free(async_ops);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_get_queue_size(struct doca_dpa_async_ops *async_ops, unsigned int *queue_size)
{
	EMU_CALL("doca_dpa_async_ops_get_queue_size");
	if (async_ops == NULL || queue_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*queue_size = async_ops->queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_get_user_data(struct doca_dpa_async_ops *async_ops, uint64_t *user_data)
{
	EMU_CALL("doca_dpa_async_ops_get_user_data");
	if (async_ops == NULL || user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = async_ops->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_attach(struct doca_dpa_async_ops *async_ops, struct doca_dpa_completion *dpa_comp)
{
	EMU_CALL("doca_dpa_async_ops_attach");
	if (async_ops == NULL || dpa_comp == NULL || dpa_comp->dpa != async_ops->dpa)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->handle != 0)
		return DOCA_ERROR_BAD_STATE;
	if (async_ops->comp != NULL)
		emu_dpa_completion_detach(async_ops->comp);
	emu_dpa_completion_attach(dpa_comp);
	async_ops->comp = dpa_comp;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_start(struct doca_dpa_async_ops *async_ops)
{
	EMU_CALL("doca_dpa_async_ops_start");
	doca_error_t result;

	if (async_ops == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->handle != 0 || async_ops->comp == NULL || !emu_dpa_completion_is_started(async_ops->comp))
		return DOCA_ERROR_BAD_STATE;
	result = emu_dpa_ready(async_ops->dpa);
	if (result != DOCA_SUCCESS)
		return result;
	return emu_dpa_async_begin(async_ops) == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
}

doca_error_t doca_dpa_async_ops_stop(struct doca_dpa_async_ops *async_ops)
{
	EMU_CALL("doca_dpa_async_ops_stop");
	if (async_ops == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_dpa_async_end(async_ops);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_async_ops_get_dpa_handle(struct doca_dpa_async_ops *async_ops, doca_dpa_dev_async_ops_t *handle)
{
	EMU_CALL("doca_dpa_async_ops_get_dpa_handle");
	if (async_ops == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (async_ops->handle == 0)
		return DOCA_ERROR_BAD_STATE;
	*handle = async_ops->handle;
	return DOCA_SUCCESS;
}
