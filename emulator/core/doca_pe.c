/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>

#include <doca_pe.h>

#include "emu_clock.h"
#include "emu_ctx.h"
#include "emu_dev.h"
#include "emu_fault.h"
#include "emu_pe.h"
#include "emu_task.h"

/* Life of an engine. */

doca_error_t doca_pe_create(struct doca_pe **pe)
{
	EMU_CALL("doca_pe_create");
	struct doca_pe *engine;

	if (pe == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	engine = calloc(1, sizeof(*engine));
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
	ctx->pe_prev = NULL;
	ctx->pe_next = pe->contexts;
	if (pe->contexts != NULL)
		pe->contexts->pe_prev = ctx;
	pe->contexts = ctx;
	emu_dev_set_ctx_pe(ctx, pe);
	return DOCA_SUCCESS;
}

void emu_pe_disconnect(struct doca_pe *pe, struct doca_ctx *ctx)
{
	emu_pe_unwatch(pe, ctx);
	if (ctx->pe_prev != NULL)
		ctx->pe_prev->pe_next = ctx->pe_next;
	else
		pe->contexts = ctx->pe_next;
	if (ctx->pe_next != NULL)
		ctx->pe_next->pe_prev = ctx->pe_prev;
	emu_dev_set_ctx_pe(ctx, NULL);
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

/* Watched contexts: a ring, so that each gets its turn. */

void emu_pe_watch(struct doca_pe *pe, struct doca_ctx *ctx)
{
	if (ctx->watched)
		return;
	ctx->watched = true;
	if (pe->watched == NULL) {
		ctx->watch_next = ctx;
		ctx->watch_prev = ctx;
		pe->watched = ctx;
		emu_pe_attend(pe, EMU_PE_WATCH);
		return;
	}
	ctx->watch_next = pe->watched;
	ctx->watch_prev = pe->watched->watch_prev;
	ctx->watch_prev->watch_next = ctx;
	ctx->watch_next->watch_prev = ctx;
}

void emu_pe_unwatch(struct doca_pe *pe, struct doca_ctx *ctx)
{
	if (!ctx->watched)
		return;
	ctx->watched = false;
	if (ctx->watch_next == ctx) {
		pe->watched = NULL;
		emu_pe_unattend(pe, EMU_PE_WATCH);
		return;
	}
	if (pe->watched == ctx)
		pe->watched = ctx->watch_next;
	ctx->watch_prev->watch_next = ctx->watch_next;
	ctx->watch_next->watch_prev = ctx->watch_prev;
}

/* Reports a result. Counts the task as in flight until its callback has returned: that is what makes a
 * stop inside the callback asynchronous. False: the program has given the task up, nothing was reported. */
static inline bool report(struct doca_task *task, doca_error_t status)
{
	struct doca_ctx *ctx = task->ctx;

	task->status = status;
	if (EMU_UNLIKELY(status != DOCA_SUCCESS) && task->ops->failure_is_fatal) {
		emu_ctx_fail(ctx);
		if (task->state == EMU_TASK_ABANDONED) { /* freed by the state callback */
			emu_task_drop(task);
			return false;
		}
	}
	task->state = EMU_TASK_OWNED;
	task->ops->notify(task, status);
	ctx->num_inflight--;
	return true;
}

/* A task that must not be run: abandoned, decided, or of a context that stops. */
static bool settle(struct doca_task *task)
{
	if (task->state == EMU_TASK_ABANDONED) {
		emu_task_drop(task);
		return false;
	}
	if (task->state == EMU_TASK_DECIDED)
		return report(task, task->status);
	return report(task, DOCA_ERROR_IO_FAILED);
}

static inline uint8_t run_next_task(struct doca_pe *pe)
{
	struct doca_task *task;

	while ((task = emu_task_queue_pop(&pe->ready)) != NULL) {
		if (EMU_LIKELY(task->state == EMU_TASK_QUEUED &&
			       task->ctx->state == DOCA_CTX_STATE_RUNNING)) {
			report(task, task->ops->execute(task));
			return 1;
		}
		if (settle(task))
			return 1;
	}
	return 0;
}

bool emu_task_finish(struct doca_task *task, doca_error_t status)
{
	struct doca_pe *pe = task->ctx->pe;

	if (task->state == EMU_TASK_ABANDONED) {
		emu_task_drop(task);
		return false;
	}
	if (EMU_UNLIKELY(task->due != 0)) {
		task->status = status;
		task->state = EMU_TASK_DECIDED;
		emu_pe_hold(pe, task);
		return false;
	}
	return report(task, status);
}

void emu_task_flush(struct doca_task *task)
{
	struct doca_pe *pe = task->ctx->pe;

	if (task->state == EMU_TASK_QUEUED) {
		task->status = DOCA_ERROR_IO_FAILED;
		task->state = EMU_TASK_DECIDED;
	}
	if (task->due != 0) {
		emu_pe_hold(pe, task);
		return;
	}
	emu_task_queue_push(&pe->ready, task);
	if (emu_pe_attention(pe) & EMU_PE_ARMED)
		emu_pe_wake(pe);
}

/* Tasks held by a delay. */

void emu_pe_hold(struct doca_pe *pe, struct doca_task *task)
{
	struct emu_task_queue *held = &pe->held;

	if (held->head == NULL || held->tail->due <= task->due) {
		emu_task_queue_push(held, task);
	} else {
		struct doca_task **at = &held->head;

		while ((*at)->due <= task->due)
			at = &(*at)->next;
		task->next = *at;
		*at = task;
	}
	emu_pe_attend(pe, EMU_PE_HELD);
	if (emu_pe_attention(pe) & EMU_PE_ARMED)
		emu_pe_wake_at(pe, held->head->due);
}

static void release_due(struct doca_pe *pe)
{
	uint64_t now = emu_clock_ns();

	while (pe->held.head != NULL && pe->held.head->due <= now) {
		struct doca_task *task = emu_task_queue_pop(&pe->held);

		task->due = 0;
		emu_task_queue_push(&pe->ready, task);
	}
	if (pe->held.head == NULL)
		emu_pe_unattend(pe, EMU_PE_HELD);
}

/* Progress. */

/* Looks at each watched context until one has something to show. */
static bool progress_watched(struct doca_pe *pe)
{
	struct doca_ctx *first = pe->watched;
	struct doca_ctx *ctx = first;

	if (first == NULL)
		return false;
	do {
		pe->watched = ctx->watch_next; /* before the context can vanish */
		if (ctx->ops->progress != NULL && ctx->ops->progress(ctx))
			return true;
		if (ctx->state == DOCA_CTX_STATE_STOPPING && emu_ctx_try_idle(ctx))
			return true;
		ctx = pe->watched;
	} while (ctx != NULL && ctx != first);
	return false;
}

/* Begins to stop one context whose device is lost. */
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

	/* An armed engine in the selective mode shows nothing before the notification is cleared. */
	if ((attention & EMU_PE_ARMED) && pe->event_mode == DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE)
		return 0;
	if ((attention & EMU_PE_SIGNAL) && progress_devices(pe))
		return 1;
	if (attention & EMU_PE_HELD)
		release_due(pe);
	/* Neither the tasks nor the contexts may starve the others. The contexts have the last word: dropping
	 * an abandoned task shows nothing, but may let its context become idle. */
	pe->watch_turn = !pe->watch_turn;
	if (pe->watch_turn && progress_watched(pe))
		return 1;
	return run_next_task(pe) || progress_watched(pe);
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
	if (EMU_UNLIKELY(emu_pe_attention(pe) != 0))
		return progress_attentively(pe);
	return run_next_task(pe);
}

bool emu_pe_pending(const struct doca_pe *pe)
{
	const struct doca_ctx *ctx = pe->watched;

	if (pe->ready.head != NULL || (emu_pe_attention(pe) & EMU_PE_SIGNAL))
		return true;
	if (pe->held.head != NULL && pe->held.head->due <= emu_clock_ns())
		return true;
	if (ctx == NULL)
		return false;
	do {
		if (ctx->ops->pending != NULL && ctx->ops->pending(ctx))
			return true;
		if (ctx->state == DOCA_CTX_STATE_STOPPING && emu_ctx_can_idle(ctx))
			return true;
		ctx = ctx->watch_next;
	} while (ctx != pe->watched);
	return false;
}

/* Submission. */

static void enqueue(struct doca_pe *pe, struct doca_task *task)
{
	uint32_t attention = emu_pe_attention(pe);

	if (task->due == 0 && (attention & EMU_PE_HELD))
		task->due = pe->held.tail->due; /* no overtaking */
	if (task->due != 0) {
		emu_pe_hold(pe, task);
		return;
	}
	emu_task_queue_push(&pe->ready, task);
	if (attention & EMU_PE_ARMED)
		emu_pe_wake(pe);
}

void emu_ctx_flush(struct doca_ctx *ctx)
{
	struct doca_pe *pe = ctx->pe;
	struct doca_task *task;

	/* With nothing to decide task by task, all of them at once. */
	if (ctx->unflushed.head != NULL && !ctx->unflushed_due &&
	    !(emu_pe_attention(pe) & (EMU_PE_ARMED | EMU_PE_HELD)))
		emu_task_queue_append(&pe->ready, &ctx->unflushed);
	while ((task = emu_task_queue_pop(&ctx->unflushed)) != NULL)
		enqueue(pe, task);
	ctx->unflushed_due = false;
	ctx->accepts_tasks = ctx->state == DOCA_CTX_STATE_RUNNING;
}

static __attribute__((noinline)) doca_error_t submit(struct doca_task *task, uint32_t flags)
{
	struct emu_fault_verdict verdict = {.fail = DOCA_SUCCESS};
	struct doca_ctx *ctx = task->ctx;

	if (ctx->state != DOCA_CTX_STATE_RUNNING || task->state != EMU_TASK_OWNED)
		return DOCA_ERROR_BAD_STATE;
	if (emu_faults_active())
		verdict = emu_fault_on_submit();

	task->due = verdict.delay_ns == 0 ? 0 : emu_clock_ns() + verdict.delay_ns;
	task->state = EMU_TASK_QUEUED;
	ctx->num_inflight++;
	if (verdict.fail != DOCA_SUCCESS) {
		task->state = EMU_TASK_DECIDED;
		task->status = verdict.fail;
	} else if (task->ops->submit != NULL) {
		doca_error_t result = task->ops->submit(task, flags);

		if (result != DOCA_SUCCESS) {
			ctx->num_inflight--;
			task->state = EMU_TASK_OWNED;
			if (emu_faults_active())
				emu_fault_undo_submit();
			return result;
		}
	}
	if (task->state == EMU_TASK_DECIDED || task->ops->submit == NULL) {
		emu_task_queue_push(&ctx->unflushed, task);
		ctx->unflushed_due |= task->due != 0;
		ctx->accepts_tasks = false;
		if (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)
			emu_ctx_flush(ctx);
	}
	if (verdict.lose_device)
		emu_dev_lose(ctx->dev);
	return DOCA_SUCCESS;
}

doca_error_t doca_task_submit(struct doca_task *task)
{
	struct doca_ctx *ctx = task->ctx;
	struct doca_pe *pe = ctx->pe;

	if (EMU_UNLIKELY(!ctx->accepts_tasks || task->state != EMU_TASK_OWNED ||
			 task->ops->submit != NULL || emu_faults_active() ||
			 (emu_pe_attention(pe) & (EMU_PE_ARMED | EMU_PE_HELD))))
		return submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	task->state = EMU_TASK_QUEUED;
	ctx->num_inflight++;
	emu_task_queue_push(&pe->ready, task);
	return DOCA_SUCCESS;
}

doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags)
{
	struct doca_ctx *ctx = task->ctx;

	if (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)
		return doca_task_submit(task);
	if (EMU_UNLIKELY(ctx->state != DOCA_CTX_STATE_RUNNING || task->state != EMU_TASK_OWNED ||
			 task->ops->submit != NULL || emu_faults_active()))
		return submit(task, flags);
	task->due = 0;
	task->state = EMU_TASK_QUEUED;
	ctx->num_inflight++;
	emu_task_queue_push(&ctx->unflushed, task);
	ctx->accepts_tasks = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_task_try_submit(struct doca_task *task)
{
	if (task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (task->state == EMU_TASK_OWNED && task->ops->validate != NULL) {
		doca_error_t result = task->ops->validate(task);

		if (result != DOCA_SUCCESS)
			return result;
	}
	return doca_task_submit(task);
}

void doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
	if (ctx->unflushed.head != NULL)
		emu_ctx_flush(ctx);
}

/* Fields of a task. */

void doca_task_free(struct doca_task *task)
{
	if (EMU_LIKELY(task->state == EMU_TASK_OWNED)) {
		emu_task_put(task);
		return;
	}
	/* Still submitted: the engine or the context drops it when they come across it. */
	if (task->state == EMU_TASK_QUEUED || task->state == EMU_TASK_DECIDED)
		task->state = EMU_TASK_ABANDONED;
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
	return task->status;
}

void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
	task->user_data = user_data;
}

union doca_data doca_task_get_user_data(const struct doca_task *task)
{
	return task->user_data;
}

struct doca_ctx *doca_task_get_ctx(const struct doca_task *task)
{
	return task->ctx;
}
