/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of each kind of task. emu_event_task.c has what they do. */
#include "core/emulator.h"

#include <doca_sync_event.h>

#include "core/emu_fault.h"

#include "emu_event_task.h"

/* Get tasks. */

doca_error_t doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_sync_event_cap_task_get_is_supported");
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_sync_event_task_get_set_conf(struct doca_sync_event *event,
		doca_sync_event_task_get_completion_cb_t completion_cb,
		doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks)
{
	EMU_CALL("doca_sync_event_task_get_set_conf");
	return emu_event_task_set_conf(event, EMU_EVENT_TASK_GET, (void (*)(void))completion_cb,
				       (void (*)(void))error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event, uint64_t *ret_val_ptr,
		union doca_data user_data, struct doca_sync_event_task_get **task)
{
	EMU_CALL("doca_sync_event_task_get_alloc_init");
	struct emu_event_task *made;
	doca_error_t result = task == NULL ? DOCA_ERROR_INVALID_VALUE :
		emu_event_task_alloc(event, EMU_EVENT_TASK_GET, user_data, &made);

	if (result != DOCA_SUCCESS)
		return result;
	made->ptr = ret_val_ptr;
	*task = (struct doca_sync_event_task_get *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_sync_event_task_get_as_doca_task(struct doca_sync_event_task_get *task)
{
	return (struct doca_task *)task;
}

void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task, uint64_t *ret_val_ptr)
{
	if (EMU_LIKELY(task != NULL))
		((struct emu_event_task *)task)->ptr = ret_val_ptr;
}

uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : ((const struct emu_event_task *)task)->ptr;
}

/* Notify-set tasks. */

doca_error_t doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_sync_event_cap_task_notify_set_is_supported");
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_sync_event_task_notify_set_set_conf(struct doca_sync_event *event,
		doca_sync_event_task_notify_set_completion_cb_t completion_cb,
		doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks)
{
	EMU_CALL("doca_sync_event_task_notify_set_set_conf");
	return emu_event_task_set_conf(event, EMU_EVENT_TASK_SET, (void (*)(void))completion_cb,
				       (void (*)(void))error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_notify_set_alloc_init(struct doca_sync_event *event, uint64_t set_val,
		union doca_data user_data, struct doca_sync_event_task_notify_set **task)
{
	EMU_CALL("doca_sync_event_task_notify_set_alloc_init");
	struct emu_event_task *made;
	doca_error_t result = task == NULL ? DOCA_ERROR_INVALID_VALUE :
		emu_event_task_alloc(event, EMU_EVENT_TASK_SET, user_data, &made);

	if (result != DOCA_SUCCESS)
		return result;
	made->value = set_val;
	*task = (struct doca_sync_event_task_notify_set *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_sync_event_task_notify_set_as_doca_task(struct doca_sync_event_task_notify_set *task)
{
	return (struct doca_task *)task;
}

void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task, uint64_t set_val)
{
	if (EMU_LIKELY(task != NULL))
		((struct emu_event_task *)task)->value = set_val;
}

uint64_t doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : ((const struct emu_event_task *)task)->value;
}

/* Notify-add tasks. */

doca_error_t doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_sync_event_cap_task_notify_add_is_supported");
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_sync_event_task_notify_add_set_conf(struct doca_sync_event *event,
		doca_sync_event_task_notify_add_completion_cb_t completion_cb,
		doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks)
{
	EMU_CALL("doca_sync_event_task_notify_add_set_conf");
	return emu_event_task_set_conf(event, EMU_EVENT_TASK_ADD, (void (*)(void))completion_cb,
				       (void (*)(void))error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_notify_add_alloc_init(struct doca_sync_event *event, uint64_t inc_val, uint64_t *fetched_val_ptr,
		union doca_data user_data, struct doca_sync_event_task_notify_add **task)
{
	EMU_CALL("doca_sync_event_task_notify_add_alloc_init");
	struct emu_event_task *made;
	doca_error_t result = task == NULL ? DOCA_ERROR_INVALID_VALUE :
		emu_event_task_alloc(event, EMU_EVENT_TASK_ADD, user_data, &made);

	if (result != DOCA_SUCCESS)
		return result;
	made->value = inc_val;
	made->ptr = fetched_val_ptr;
	*task = (struct doca_sync_event_task_notify_add *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_sync_event_task_notify_add_as_doca_task(struct doca_sync_event_task_notify_add *task)
{
	return (struct doca_task *)task;
}

void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task, uint64_t inc_val)
{
	if (EMU_LIKELY(task != NULL))
		((struct emu_event_task *)task)->value = inc_val;
}

uint64_t doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : ((const struct emu_event_task *)task)->value;
}

void doca_sync_event_task_notify_add_set_fetched_val_ptr(struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr)
{
	if (EMU_LIKELY(task != NULL))
		((struct emu_event_task *)task)->ptr = fetched_val_ptr;
}

uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(const struct doca_sync_event_task_notify_add *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : ((const struct emu_event_task *)task)->ptr;
}

/* Wait-eq tasks. */

doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_sync_event_cap_task_wait_eq_is_supported");
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_sync_event_task_wait_eq_set_conf(struct doca_sync_event *event,
		doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
		doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks)
{
	EMU_CALL("doca_sync_event_task_wait_eq_set_conf");
	return emu_event_task_set_conf(event, EMU_EVENT_TASK_WAIT_EQ, (void (*)(void))completion_cb,
				       (void (*)(void))error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_eq_alloc_init(struct doca_sync_event *event, uint64_t wait_val, uint64_t mask,
		union doca_data user_data, struct doca_sync_event_task_wait_eq **task)
{
	EMU_CALL("doca_sync_event_task_wait_eq_alloc_init");
	struct emu_event_task *made;
	doca_error_t result = task == NULL ? DOCA_ERROR_INVALID_VALUE :
		emu_event_task_alloc(event, EMU_EVENT_TASK_WAIT_EQ, user_data, &made);

	if (result != DOCA_SUCCESS)
		return result;
	made->value = wait_val;
	made->mask = mask;
	*task = (struct doca_sync_event_task_wait_eq *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_sync_event_task_wait_eq_as_doca_task(struct doca_sync_event_task_wait_eq *task)
{
	return (struct doca_task *)task;
}

void doca_sync_event_task_wait_eq_set_wait_val(struct doca_sync_event_task_wait_eq *task, uint64_t wait_val)
{
	if (EMU_LIKELY(task != NULL))
		((struct emu_event_task *)task)->value = wait_val;
}

uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : ((const struct emu_event_task *)task)->value;
}

void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task, uint64_t mask)
{
	if (EMU_LIKELY(task != NULL))
		((struct emu_event_task *)task)->mask = mask;
}

uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : ((const struct emu_event_task *)task)->mask;
}

/* Wait-neq tasks. */

doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_sync_event_cap_task_wait_neq_is_supported");
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_sync_event_task_wait_neq_set_conf(struct doca_sync_event *event,
		doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
		doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks)
{
	EMU_CALL("doca_sync_event_task_wait_neq_set_conf");
	return emu_event_task_set_conf(event, EMU_EVENT_TASK_WAIT_NEQ, (void (*)(void))completion_cb,
				       (void (*)(void))error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_neq_alloc_init(struct doca_sync_event *event, uint64_t wait_val, uint64_t mask,
		union doca_data user_data, struct doca_sync_event_task_wait_neq **task)
{
	EMU_CALL("doca_sync_event_task_wait_neq_alloc_init");
	struct emu_event_task *made;
	doca_error_t result = task == NULL ? DOCA_ERROR_INVALID_VALUE :
		emu_event_task_alloc(event, EMU_EVENT_TASK_WAIT_NEQ, user_data, &made);

	if (result != DOCA_SUCCESS)
		return result;
	made->value = wait_val;
	made->mask = mask;
	*task = (struct doca_sync_event_task_wait_neq *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_sync_event_task_wait_neq_as_doca_task(struct doca_sync_event_task_wait_neq *task)
{
	return (struct doca_task *)task;
}

void doca_sync_event_task_wait_neq_set_wait_val(struct doca_sync_event_task_wait_neq *task, uint64_t wait_val)
{
	if (EMU_LIKELY(task != NULL))
		((struct emu_event_task *)task)->value = wait_val;
}

uint64_t doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : ((const struct emu_event_task *)task)->value;
}

void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task, uint64_t mask)
{
	if (EMU_LIKELY(task != NULL))
		((struct emu_event_task *)task)->mask = mask;
}

uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : ((const struct emu_event_task *)task)->mask;
}
