/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>

#include <doca_pe.h>

#include "emu_apart.h"
#include "emu_ctx.h"
#include "emu_dev.h"
#include "emu_fault.h"
#include "emu_notify.h"
#include "emu_pe.h"
#include "emu_task.h"

/* Life of an engine. */

doca_error_t doca_pe_create(struct doca_pe **pe)
{
	EMU_CALL("doca_pe_create");
	struct doca_pe *engine;

	if (pe == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	engine = emu_calloc_apart(sizeof(*engine));
	if (engine == NULL)
		return DOCA_ERROR_NO_MEMORY;
	engine->event_mode = DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE;
	emu_pe_notify_init(engine);
	*pe = engine;
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
	EMU_CALL("doca_pe_destroy");
	if (pe == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (pe->contexts != NULL)
		return DOCA_ERROR_IN_USE;
	emu_pe_notify_fini(pe);
	free(pe);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
	EMU_CALL("doca_pe_connect_ctx");
	if (pe == NULL || ctx == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (ctx->pe != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	emu_pe_connect(pe, ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks)
{
	EMU_CALL("doca_pe_get_num_inflight_tasks");
	size_t sum = 0;

	if (pe == NULL || num_inflight_tasks == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	for (const struct doca_ctx *ctx = pe->contexts; ctx != NULL; ctx = ctx->pe_next)
		sum += ctx->num_inflight;
	*num_inflight_tasks = sum;
	return DOCA_SUCCESS;
}

/* Progress. */

/* Ends a task that must not run: it was freed, has a result, or its context is stopping. */
static bool settle(struct doca_task *task)
{
	if (task->state == EMU_TASK_ABANDONED) {
		emu_task_drop(task);
		return false;
	}
	if (task->state == EMU_TASK_DECIDED)
		return emu_task_report(task);
	return emu_pe_report(task, DOCA_ERROR_IO_FAILED);
}

/* Runs a task while a fault holds reports back. False: the task is to be run and reported as usual. */
static __attribute__((noinline)) bool withhold(struct doca_task *task)
{
	struct doca_ctx *ctx = task->ctx;
	bool later = task->reports == EMU_REPORTS_LATER;

	task->reports = EMU_REPORTS_AT_ONCE;
	if (!later) {
		struct emu_task_queue ready = ctx->pe->ready;

		/* Those that were held back are reported first, then this one. */
		if (ctx->withheld.head == NULL)
			return false;
		ctx->pe->ready = ctx->withheld;
		ctx->withheld.head = NULL;
		emu_task_queue_push(&ctx->pe->ready, task);
		if (ready.head != NULL)
			emu_task_queue_append(&ctx->pe->ready, &ready);
		return true;
	}
	task->status = task->ops->execute(task);
	task->state = EMU_TASK_DECIDED;
	emu_task_queue_push(task->status == DOCA_SUCCESS ? &ctx->withheld : &ctx->pe->ready, task);
	return true;
}

static inline uint8_t run_next_task(struct doca_pe *pe)
{
	struct doca_task *task;

	while ((task = emu_task_queue_pop(&pe->ready)) != NULL) {
		if (EMU_LIKELY(task->state == EMU_TASK_QUEUED &&
			       task->ctx->state == DOCA_CTX_STATE_RUNNING)) {
			if (EMU_UNLIKELY(task->reports != EMU_REPORTS_AT_ONCE) && withhold(task))
				continue;
			emu_pe_report(task, task->ops->execute(task));
			return 1;
		}
		if (settle(task))
			return 1;
	}
	return 0;
}

/* Lets watched contexts make progress until one has something to show. */
static bool progress_watched(struct doca_pe *pe)
{
	struct doca_ctx *first = pe->watched;
	struct doca_ctx *ctx = first;

	if (first == NULL)
		return false;
	do {
		pe->watched = ctx->watch_next; /* before the context can be destroyed */
		if (ctx->ops->progress != NULL && ctx->ops->progress(ctx))
			return true;
		if (ctx->state == DOCA_CTX_STATE_STOPPING && emu_ctx_try_idle(ctx))
			return true;
		ctx = pe->watched;
	} while (ctx != NULL && ctx != first);
	return false;
}

/* Stops one context whose device is lost. */
static bool progress_devices(struct doca_pe *pe)
{
	emu_pe_unattend(pe, EMU_PE_SIGNAL);
	for (struct doca_ctx *ctx = pe->contexts; ctx != NULL; ctx = ctx->pe_next) {
		if (!emu_dev_is_lost(ctx->dev) || ctx->state == DOCA_CTX_STATE_IDLE ||
		    ctx->state == DOCA_CTX_STATE_STOPPING)
			continue;
		emu_pe_attend(pe, EMU_PE_SIGNAL); /* there may be more */
		emu_ctx_fail(ctx);
		return true;
	}
	return false;
}

static __attribute__((noinline)) uint8_t progress_attentively(struct doca_pe *pe)
{
	uint32_t attention = emu_pe_attention(pe);

	/* In selective mode an armed engine makes no progress before the notification is cleared. */
	if ((attention & EMU_PE_ARMED) && pe->event_mode == DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE)
		return 0;
	if ((attention & EMU_PE_SIGNAL) && progress_devices(pe))
		return 1;
	if ((attention & EMU_PE_HELD) && pe->ready.head == NULL) /* those that are ready were due before */
		emu_pe_release_due(pe);
	/* Neither the tasks nor the contexts may starve the others. The contexts come last: dropping a freed
	 * task shows nothing, but may let its context become idle. */
	pe->watch_turn = !pe->watch_turn;
	if (pe->watch_turn && progress_watched(pe))
		return 1;
	return run_next_task(pe) || progress_watched(pe);
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
	uint8_t has_progressed;

	if (EMU_UNLIKELY(pe == NULL))
		return 0;
	if (EMU_UNLIKELY(emu_pe_attention(pe) != 0))
		has_progressed = progress_attentively(pe);
	else
		has_progressed = run_next_task(pe);
	if (has_progressed == 0)
		emu_pe_rest(pe);
	return has_progressed;
}

/* Notification. */

doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
					     doca_notification_handle_t *handle)
{
	EMU_CALL("doca_pe_get_notification_handle");
	doca_error_t result;

	if (pe == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_pe_open_handle((struct doca_pe *)(uintptr_t)pe);
	if (result == DOCA_SUCCESS)
		*handle = pe->epoll_fd;
	return result;
}

doca_error_t doca_pe_request_notification(struct doca_pe *pe)
{
	EMU_CALL("doca_pe_request_notification");
	doca_error_t result;
	uint64_t look;

	if (pe == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_pe_open_handle(pe);
	if (result == DOCA_SUCCESS)
		result = emu_pe_disarm(pe);
	if (result != DOCA_SUCCESS)
		return result;
	emu_pe_attend(pe, EMU_PE_ARMED);
	if (emu_pe_pending(pe))
		emu_pe_wake(pe);
	else if ((look = emu_pe_next_look(pe)) != 0)
		emu_pe_wake_at(pe, look);
	return DOCA_SUCCESS;
}

/* The handle matters on Windows only. */
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle)
{
	EMU_CALL("doca_pe_clear_notification");
	(void)handle;
	if (pe == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_pe_disarm(pe);
}

doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode)
{
	EMU_CALL("doca_pe_set_event_mode");
	if (pe == NULL || (event_mode != DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE &&
			   event_mode != DOCA_PE_EVENT_MODE_PROGRESS_ALL))
		return DOCA_ERROR_INVALID_VALUE;
	pe->event_mode = event_mode;
	return DOCA_SUCCESS;
}
