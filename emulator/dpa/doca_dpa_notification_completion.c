/* SPDX-License-Identifier: Apache-2.0 */
/* Notification completions. */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_dpa.h>

#include "core/emu_fault.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_handle.h"
#include "dpacore/emu_dpa_notification.h"
#include "dpacore/emu_dpa_thread.h"

doca_error_t doca_dpa_notification_completion_create(struct doca_dpa *dpa, struct doca_dpa_thread *dpa_thread,
						     struct doca_dpa_notification_completion **notify_comp)
{
	EMU_CALL("doca_dpa_notification_completion_create");
	struct doca_dpa_notification_completion *made;

	if (dpa == NULL || dpa_thread == NULL || notify_comp == NULL || dpa_thread->dpa->base != dpa->base)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->dpa = dpa;
	made->thread = dpa_thread;
	emu_dpa_thread_attach(dpa_thread);
	emu_dpa_add_object(dpa);
	*notify_comp = made;
	return DOCA_SUCCESS;
}

static void stop_notification(struct doca_dpa_notification_completion *comp)
{
	if (comp->handle == 0)
		return;
	emu_dpa_handle_close(comp->handle);
	comp->handle = 0;
	emu_dpa_thread_remove_waker(comp->thread);
}

doca_error_t doca_dpa_notification_completion_destroy(struct doca_dpa_notification_completion *notify_comp)
{
	EMU_CALL("doca_dpa_notification_completion_destroy");
	if (notify_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	stop_notification(notify_comp);
	emu_dpa_thread_detach(notify_comp->thread);
	emu_dpa_remove_object(notify_comp->dpa);
	free(notify_comp);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_notification_completion_get_thread(struct doca_dpa_notification_completion *notify_comp,
							 struct doca_dpa_thread **dpa_thread)
{
	EMU_CALL("doca_dpa_notification_completion_get_thread");
	if (notify_comp == NULL || dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*dpa_thread = notify_comp->thread;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_notification_completion_start(struct doca_dpa_notification_completion *notify_comp)
{
	EMU_CALL("doca_dpa_notification_completion_start");
	doca_error_t result;

	if (notify_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (notify_comp->handle != 0)
		return DOCA_ERROR_BAD_STATE;
	result = emu_dpa_ready(notify_comp->dpa);
	if (result == DOCA_SUCCESS)
		result = emu_dpa_thread_add_waker(notify_comp->thread);
	if (result != DOCA_SUCCESS)
		return result;
	if (emu_dpa_handle_open(EMU_DPA_NOTIFICATION, notify_comp->dpa, notify_comp, &notify_comp->handle) !=
	    DOCA_SUCCESS) {
		emu_dpa_thread_remove_waker(notify_comp->thread);
		return DOCA_ERROR_DRIVER;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_notification_completion_stop(struct doca_dpa_notification_completion *notify_comp)
{
	EMU_CALL("doca_dpa_notification_completion_stop");
	if (notify_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	stop_notification(notify_comp);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_notification_completion_get_dpa_handle(struct doca_dpa_notification_completion *notify_comp,
							     doca_dpa_dev_notification_completion_t *handle)
{
	EMU_CALL("doca_dpa_notification_completion_get_dpa_handle");
	if (notify_comp == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (notify_comp->handle == 0)
		return DOCA_ERROR_BAD_STATE;
	*handle = notify_comp->handle;
	return DOCA_SUCCESS;
}
