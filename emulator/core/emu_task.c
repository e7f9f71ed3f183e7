/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>

#include "emu_ctx.h"
#include "emu_fault.h"
#include "emu_notify.h"
#include "emu_pe.h"
#include "emu_task.h"

doca_error_t emu_task_pool_start(struct emu_task_pool *pool, struct doca_ctx *ctx,
				 const struct emu_task_ops *ops, size_t task_size, uint32_t num_tasks)
{
	/* A restart with the same size keeps the array, and so every handle to a freed task that the program may
	 * still have. */
	if (pool->tasks == NULL || pool->num_tasks != num_tasks || pool->task_size != task_size) {
		uint8_t *tasks = calloc(num_tasks, task_size);

		if (tasks == NULL)
			return DOCA_ERROR_NO_MEMORY;
		free(pool->tasks);
		pool->tasks = tasks;
		pool->task_size = task_size;
		pool->num_tasks = num_tasks;
		pool->num_used = 0;
		pool->free_list = NULL;
	}
	pool->ctx = ctx;
	pool->ops = ops;
	return DOCA_SUCCESS;
}

void emu_task_pool_destroy(struct emu_task_pool *pool)
{
	free(pool->tasks);
	*pool = (struct emu_task_pool){0};
}

doca_error_t emu_task_alloc(struct emu_task_pool *pool, union doca_data user_data,
			    struct doca_task **task)
{
	struct doca_ctx *ctx = pool->ctx;
	struct doca_task *found;

	if (ctx == NULL || ctx->state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	if (emu_fault_exhausted(ctx))
		return DOCA_ERROR_NO_MEMORY;
	found = pool->free_list;
	if (found != NULL) {
		pool->free_list = found->next;
	} else {
		if (pool->num_used == pool->num_tasks)
			return DOCA_ERROR_NO_MEMORY;
		found = (struct doca_task *)(void *)(pool->tasks + pool->num_used * pool->task_size);
		pool->num_used++;
		found->ctx = ctx;
		found->ops = pool->ops;
		found->pool = pool;
	}
	found->user_data = user_data;
	found->status = DOCA_SUCCESS;
	found->state = EMU_TASK_OWNED;
	found->due = 0;
	found->reports = EMU_REPORTS_AT_ONCE;
	found->is_unsent = false;
	ctx->num_allocated++;
	*task = found;
	return DOCA_SUCCESS;
}

void emu_task_put(struct doca_task *task)
{
	struct doca_ctx *ctx = task->ctx;

	task->state = EMU_TASK_FREE;
	task->next = task->pool->free_list;
	task->pool->free_list = task;
	ctx->num_allocated--;
	/* The last free lets a stopping context become idle, and a thread may be waiting for that. */
	if (EMU_UNLIKELY(ctx->state == DOCA_CTX_STATE_STOPPING) &&
	    (emu_pe_attention(ctx->pe) & EMU_PE_ARMED) && emu_ctx_can_idle(ctx))
		emu_pe_wake(ctx->pe);
}

void emu_task_drop(struct doca_task *task)
{
	struct emu_task_watcher *watcher = task->watcher;

	task->watcher = NULL;
	if (task->ops->dropped != NULL)
		task->ops->dropped(task);
	task->ctx->num_inflight--;
	emu_task_put(task);
	if (watcher != NULL)
		watcher->ended(watcher, DOCA_ERROR_IO_FAILED);
}

/* Tasks that their context keeps. */

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
	return emu_pe_report(task, status);
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

void emu_task_report_decided(struct doca_pe *pe, bool (*matches)(const struct doca_task *task, const void *arg),
			     const void *arg)
{
	struct emu_task_queue ready = pe->ready, decided = {NULL, NULL};
	struct doca_task *task;

	/* Their place may change in a callback, which may free them or lose the device: so take them out first. */
	pe->ready.head = NULL;
	while ((task = emu_task_queue_pop(&ready)) != NULL)
		emu_task_queue_push(task->state == EMU_TASK_DECIDED && matches(task, arg) ? &decided : &pe->ready, task);
	while ((task = emu_task_queue_pop(&decided)) != NULL) {
		if (task->state == EMU_TASK_ABANDONED)
			emu_task_drop(task);
		else
			emu_pe_report(task, task->status);
	}
}
