/* SPDX-License-Identifier: Apache-2.0 */
/* Completion queues. */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_dpa.h>

#include "core/emu_fault.h"
#include "core/emu_log.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_completion.h"
#include "dpacore/emu_dpa_thread.h"

#include "emu_dpa_limits.h"

doca_error_t doca_dpa_completion_create(struct doca_dpa *dpa, unsigned int queue_size, struct doca_dpa_completion **dpa_comp)
{
	EMU_CALL("doca_dpa_completion_create");
	struct doca_dpa_completion *made;

	if (dpa == NULL || dpa_comp == NULL || queue_size == 0 || queue_size > EMU_DPA_MAX_QUEUE_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	made = aligned_alloc(_Alignof(struct doca_dpa_completion), sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*made = (struct doca_dpa_completion){.dpa = dpa, .queue_size = emu_dpa_round_up(queue_size)};
	emu_dpa_add_object(dpa);
	*dpa_comp = made;
	return DOCA_SUCCESS;
}

/* What posts to the queue must not outlive it. */
static doca_error_t stop(struct doca_dpa_completion *comp)
{
	if (__atomic_load_n(&comp->num_attached, __ATOMIC_ACQUIRE) != 0) {
		EMU_LOG_ERR("DPA: the completion queue has objects attached: destroy them first");
		return DOCA_ERROR_BAD_STATE;
	}
	emu_dpa_completion_end(comp);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp)
{
	EMU_CALL("doca_dpa_completion_destroy");
	doca_error_t result = dpa_comp == NULL ? DOCA_ERROR_INVALID_VALUE : stop(dpa_comp);

	if (result != DOCA_SUCCESS)
		return result;
	if (dpa_comp->thread != NULL)
		emu_dpa_thread_detach(dpa_comp->thread);
	emu_dpa_remove_object(dpa_comp->dpa);
	free(dpa_comp);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_get_queue_size(struct doca_dpa_completion *dpa_comp, unsigned int *queue_size)
{
	EMU_CALL("doca_dpa_completion_get_queue_size");
	if (dpa_comp == NULL || queue_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*queue_size = dpa_comp->queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_set_thread(struct doca_dpa_completion *dpa_comp, struct doca_dpa_thread *dpa_thread)
{
	EMU_CALL("doca_dpa_completion_set_thread");
	if (dpa_comp == NULL || dpa_thread == NULL || dpa_thread->dpa->base != dpa_comp->dpa->base)
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_dpa_completion_is_started(dpa_comp))
		return DOCA_ERROR_BAD_STATE;
	if (dpa_comp->thread != NULL)
		emu_dpa_thread_detach(dpa_comp->thread);
	emu_dpa_thread_attach(dpa_thread);
	dpa_comp->thread = dpa_thread;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_get_thread(struct doca_dpa_completion *dpa_comp, struct doca_dpa_thread **dpa_thread)
{
	EMU_CALL("doca_dpa_completion_get_thread");
	if (dpa_comp == NULL || dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*dpa_thread = dpa_comp->thread;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp)
{
	EMU_CALL("doca_dpa_completion_start");
	doca_error_t result;

	if (dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_dpa_completion_is_started(dpa_comp))
		return DOCA_ERROR_BAD_STATE;
	result = emu_dpa_ready(dpa_comp->dpa);
	return result != DOCA_SUCCESS ? result : emu_dpa_completion_begin(dpa_comp);
}

doca_error_t doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp)
{
	EMU_CALL("doca_dpa_completion_stop");
	return dpa_comp == NULL ? DOCA_ERROR_INVALID_VALUE : stop(dpa_comp);
}

doca_error_t doca_dpa_completion_get_dpa_handle(struct doca_dpa_completion *dpa_comp, doca_dpa_dev_completion_t *handle)
{
	EMU_CALL("doca_dpa_completion_get_dpa_handle");
	if (dpa_comp == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_dpa_completion_is_started(dpa_comp))
		return DOCA_ERROR_BAD_STATE;
	*handle = dpa_comp->handle;
	return DOCA_SUCCESS;
}
