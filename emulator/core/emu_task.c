/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>

#include "emu_apart.h"
#include "emu_ctx.h"
#include "emu_fault.h"
#include "emu_notify.h"
#include "emu_pe.h"
#include "emu_task.h"

/* The first chunk has so many tasks; each further one as many as there are. */
#define FIRST_CHUNK 32

static bool add_chunk(struct emu_task_pool *pool)
{
	uint32_t num = pool->num_made == 0 ? FIRST_CHUNK : pool->num_made;
	struct emu_task_chunk *chunk;

	if (num > pool->num_tasks - pool->num_made)
		num = pool->num_tasks - pool->num_made;
	if (num == 0)
		return false;
	chunk = emu_calloc_apart(sizeof(*chunk) + num * pool->task_size);
	if (chunk == NULL)
		return false;
	chunk->num_tasks = num;
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	pool->num_made += num;
	return true;
}

static void free_chunks(struct emu_task_pool *pool)
{
	struct emu_task_chunk *chunk;

	while ((chunk = pool->chunks) != NULL) {
		pool->chunks = chunk->next;
		free(chunk);
	}
}

/* A task that was never handed out; NULL: there is none, or no memory. */
static struct doca_task *new_task(struct emu_task_pool *pool)
{
	struct emu_task_chunk *chunk = pool->chunks;
	struct doca_task *task;

	if (chunk->num_used == chunk->num_tasks) {
		if (!add_chunk(pool))
			return NULL;
		chunk = pool->chunks;
	}
	task = (struct doca_task *)(void *)(chunk->tasks + chunk->num_used++ * pool->task_size);
	task->ctx = pool->ctx;
	task->ops = pool->ops;
	task->pool = pool;
	return task;
}

doca_error_t emu_task_pool_start(struct emu_task_pool *pool, struct doca_ctx *ctx,
				 const struct emu_task_ops *ops, size_t task_size, uint32_t num_tasks)
{
	/* A restart with the same size keeps the chunks, and so every handle to a freed task that the program may
	 * still have. */
	if (pool->chunks == NULL || pool->num_tasks != num_tasks || pool->task_size != task_size) {
		struct emu_task_pool fresh = {.task_size = task_size, .num_tasks = num_tasks};

		if (!add_chunk(&fresh))
			return DOCA_ERROR_NO_MEMORY;
		free_chunks(pool);
		*pool = fresh;
	}
	pool->ctx = ctx;
	pool->ops = ops;
	return DOCA_SUCCESS;
}

void emu_task_pool_destroy(struct emu_task_pool *pool)
{
	free_chunks(pool);
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
		found = new_task(pool);
		if (found == NULL)
			return DOCA_ERROR_NO_MEMORY;
	}
	found->user_data = user_data;
	found->status = DOCA_SUCCESS;
	found->state = EMU_TASK_OWNED;
	found->due = 0;
	found->reports = EMU_REPORTS_AT_ONCE;
	found->is_unsent = false;
	found->is_overdue = false;
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

static void reported(struct doca_task *task)
{
	if (!task->is_overdue)
		return;
	task->is_overdue = false;
	task->ctx->num_overdue--;
}

bool emu_task_report(struct doca_task *task)
{
	reported(task);
	return emu_pe_report(task, task->status);
}

void emu_task_drop(struct doca_task *task)
{
	struct emu_task_watcher *watcher = task->watcher;

	reported(task);
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
	/* Those of a kind stay in order, whatever faults have held each of them back. */
	if (EMU_UNLIKELY(task->ctx->last_held != NULL) && task->due < task->ctx->last_held->due) {
		uint64_t before = emu_pe_held_like(pe, task);

		if (task->due < before)
			task->due = before;
	}
	if (EMU_UNLIKELY(task->due != 0)) {
		task->status = status;
		task->state = EMU_TASK_DECIDED;
		emu_pe_hold(pe, task);
		return false;
	}
	if (EMU_UNLIKELY(task->ctx->num_overdue > 0)) {
		task->status = status;
		task->state = EMU_TASK_DECIDED;
		emu_pe_overdue(pe, task);
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
			emu_task_report(task);
	}
}
