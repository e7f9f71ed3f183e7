/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <doca_pe.h>

#include "emu_clock.h"
#include "emu_ctx.h"
#include "emu_dev.h"
#include "emu_fault.h"
#include "emu_pe.h"
#include "emu_task.h"

/* Submission. */

/* When a task of the context may complete (doca_task.due); 0: at once. */
static uint64_t due(struct doca_ctx *ctx, const struct emu_fault_verdict *verdict)
{
	uint64_t at;

	if (verdict->hold != 0)
		return EMU_DUE_HOLD | verdict->hold;
	if (verdict->delay_ns == 0 && verdict->pause_ns == 0)
		return 0;
	at = emu_clock_ns() + verdict->delay_ns;
	if (verdict->pause_ns != 0 && at < ctx->last_due + verdict->pause_ns)
		at = ctx->last_due + verdict->pause_ns;
	ctx->last_due = at;
	return at;
}

static __attribute__((noinline)) doca_error_t submit(struct doca_task *task, uint32_t flags)
{
	struct emu_fault_verdict verdict = {.fail = DOCA_SUCCESS, .refuse = DOCA_SUCCESS};
	struct doca_ctx *ctx = task->ctx;

	if (ctx->state != DOCA_CTX_STATE_RUNNING || task->state != EMU_TASK_OWNED)
		return DOCA_ERROR_BAD_STATE;
	if (emu_faults_active())
		verdict = emu_fault_on_submit(task);
	if (verdict.refuse != DOCA_SUCCESS) {
		emu_fault_undo_submit(task);
		return verdict.refuse;
	}
	if (task->ops->check != NULL && verdict.fail == DOCA_SUCCESS && !task->ops->check(task))
		verdict.fail = DOCA_ERROR_IO_FAILED;

	if ((flags & DOCA_TASK_SUBMIT_FLAG_FLUSH) && ctx->unflushed.head != NULL)
		emu_ctx_flush(ctx); /* what was submitted before goes first */
	task->due = due(ctx, &verdict);
	task->reports = EMU_REPORTS_AT_ONCE;
	if (verdict.hold_reports && task->ops->execute != NULL)
		task->reports = (flags & DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS) ? EMU_REPORTS_LATER :
				(flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)		 ? EMU_REPORTS_RELEASES :
										   EMU_REPORTS_AT_ONCE;
	task->state = EMU_TASK_QUEUED;
	ctx->num_inflight++;
	if (verdict.cut)
		task->ops->cut(task);
	if (verdict.fail != DOCA_SUCCESS) {
		if (task->ops->fail == NULL || !task->ops->fail(task, verdict.fail)) {
			task->state = EMU_TASK_DECIDED;
			task->status = verdict.fail;
		}
	} else if (verdict.hold_unflushed && task->ops->submit != NULL && !(flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)) {
		task->is_unsent = true;
		if (task->ops->keep != NULL)
			task->ops->keep(task);
		ctx->unflushed_due = true;
	} else if (task->ops->submit != NULL) {
		doca_error_t result = task->ops->submit(task, flags);

		if (result != DOCA_SUCCESS) {
			ctx->num_inflight--;
			task->state = EMU_TASK_OWNED;
			if (emu_faults_active())
				emu_fault_undo_submit(task);
			return result;
		}
	}
	if (task->state == EMU_TASK_DECIDED || task->ops->submit == NULL || task->is_unsent) {
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
	struct doca_ctx *ctx;
	struct doca_pe *pe;

	if (EMU_UNLIKELY(task == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	ctx = task->ctx;
	pe = ctx->pe;
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
	struct doca_ctx *ctx;

	if (((flags & DOCA_TASK_SUBMIT_FLAG_FLUSH) && !emu_faults_active()) || EMU_UNLIKELY(task == NULL))
		return doca_task_submit(task);
	ctx = task->ctx;
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

/* Fields of a task. */

void doca_task_free(struct doca_task *task)
{
	if (EMU_UNLIKELY(task == NULL))
		return;
	if (EMU_LIKELY(task->state == EMU_TASK_OWNED)) {
		emu_task_put(task);
		return;
	}
	/* It is still submitted: the engine or the context drops it when its turn comes. */
	if (task->state == EMU_TASK_QUEUED || task->state == EMU_TASK_DECIDED)
		task->state = EMU_TASK_ABANDONED;
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
	return EMU_UNLIKELY(task == NULL) ? DOCA_ERROR_INVALID_VALUE : task->status;
}

void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
	if (EMU_LIKELY(task != NULL))
		task->user_data = user_data;
}

union doca_data doca_task_get_user_data(const struct doca_task *task)
{
	return EMU_UNLIKELY(task == NULL) ? (union doca_data){.u64 = 0} : task->user_data;
}

struct doca_ctx *doca_task_get_ctx(const struct doca_task *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->ctx;
}
