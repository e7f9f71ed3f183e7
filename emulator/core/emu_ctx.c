/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <doca_pe.h>

#include "emu_ctx.h"
#include "emu_dev.h"
#include "emu_notify.h"
#include "emu_pe.h"
#include "emu_task.h"

doca_error_t emu_ctx_init(struct doca_ctx *ctx, const struct emu_ctx_ops *ops, struct doca_dev *dev)
{
	if (emu_dev_is_lost(dev))
		return DOCA_ERROR_INITIALIZATION;
	*ctx = (struct doca_ctx){.ops = ops, .dev = dev, .state = DOCA_CTX_STATE_IDLE};
	emu_dev_add_ctx(ctx);
	return DOCA_SUCCESS;
}

doca_error_t emu_ctx_fini(struct doca_ctx *ctx)
{
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_IN_USE;
	if (ctx->pe != NULL)
		emu_pe_disconnect(ctx->pe, ctx);
	if (ctx->datapath != NULL)
		__atomic_sub_fetch(&ctx->datapath->num_contexts, 1, __ATOMIC_ACQ_REL);
	emu_dev_remove_ctx(ctx);
	return DOCA_SUCCESS;
}

void emu_ctx_set_state(struct doca_ctx *ctx, enum doca_ctx_states next)
{
	enum doca_ctx_states prev = ctx->state;

	ctx->state = next;
	ctx->accepts_tasks = next == DOCA_CTX_STATE_RUNNING && ctx->unflushed.head == NULL;
	if (ctx->state_changed != NULL)
		ctx->state_changed(ctx->user_data, ctx, prev, next);
}

static void become_idle(struct doca_ctx *ctx)
{
	emu_pe_unwatch(ctx->pe, ctx);
	if (ctx->ops->idle != NULL)
		ctx->ops->idle(ctx);
	emu_ctx_set_state(ctx, DOCA_CTX_STATE_IDLE);
}

/* Submits a task that a fault has held back. True: it goes to the engine's queue. */
static bool send_late(struct doca_task *task)
{
	doca_error_t result;

	task->is_unsent = false;
	if (task->state != EMU_TASK_QUEUED)
		return true;
	result = task->ops->submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	if (task->ops->restore != NULL)
		task->ops->restore(task);
	if (result != DOCA_SUCCESS) { /* else a thread of the engine may have written the status */
		task->status = result;
		task->state = EMU_TASK_DECIDED;
	}
	return task->state == EMU_TASK_DECIDED;
}

void emu_ctx_flush(struct doca_ctx *ctx)
{
	struct doca_pe *pe = ctx->pe;
	struct doca_task *task;

	/* If no task needs a decision of its own, queues all of them at once. */
	if (ctx->unflushed.head != NULL && !ctx->unflushed_due &&
	    !(emu_pe_attention(pe) & (EMU_PE_ARMED | EMU_PE_HELD)))
		emu_task_queue_append(&pe->ready, &ctx->unflushed);
	while ((task = emu_task_queue_pop(&ctx->unflushed)) != NULL) {
		if (task->is_unsent && !send_late(task))
			continue;
		emu_pe_enqueue(pe, task);
	}
	ctx->unflushed_due = false;
	ctx->accepts_tasks = ctx->state == DOCA_CTX_STATE_RUNNING;
}

bool emu_ctx_try_idle(struct doca_ctx *ctx)
{
	if (!emu_ctx_can_idle(ctx))
		return false;
	become_idle(ctx);
	return true;
}

bool emu_ctx_begin_stop(struct doca_ctx *ctx, bool may_finish)
{
	bool torn_down;

	emu_ctx_flush(ctx);
	emu_pe_release_withheld(ctx);
	ctx->accepts_tasks = false;
	torn_down = ctx->ops->stop == NULL || ctx->ops->stop(ctx);
	if (may_finish && torn_down && emu_ctx_can_idle(ctx)) {
		become_idle(ctx);
		return true;
	}
	if (ctx->pe != NULL) {
		emu_pe_watch(ctx->pe, ctx);
		/* With nothing in flight, no task that ends wakes a thread that waits for the end of the stop. */
		if ((emu_pe_attention(ctx->pe) & EMU_PE_ARMED) && emu_ctx_can_idle(ctx))
			emu_pe_wake(ctx->pe);
	}
	emu_ctx_set_state(ctx, DOCA_CTX_STATE_STOPPING);
	return false;
}

void emu_ctx_started(struct doca_ctx *ctx)
{
	if (ctx->state == DOCA_CTX_STATE_STARTING && !ctx->start_is_lost)
		emu_ctx_set_state(ctx, DOCA_CTX_STATE_RUNNING);
}

void emu_ctx_start_failed(struct doca_ctx *ctx)
{
	if (ctx->state == DOCA_CTX_STATE_STARTING)
		emu_ctx_begin_stop(ctx, true);
}

void emu_ctx_fail(struct doca_ctx *ctx)
{
	if (ctx->state == DOCA_CTX_STATE_RUNNING || ctx->state == DOCA_CTX_STATE_STARTING)
		emu_ctx_begin_stop(ctx, false);
}
