/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <sched.h>

#include "emu_clock.h"
#include "emu_ctx.h"
#include "emu_dev.h"
#include "emu_fault.h"
#include "emu_notify.h"
#include "emu_pe.h"
#include "emu_task.h"

#define CALLS_PER_REST 16
#define DUE_SOON_NS 20000
#define HOLD_LOOK_NS 1000000 /* nobody tells engines that a fault has ended */

void emu_pe_connect(struct doca_pe *pe, struct doca_ctx *ctx)
{
	ctx->pe_prev = NULL;
	ctx->pe_next = pe->contexts;
	if (pe->contexts != NULL)
		pe->contexts->pe_prev = ctx;
	pe->contexts = ctx;
	emu_dev_set_ctx_pe(ctx, pe);
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

/* Watched contexts are in a ring, so that each gets its turn. */

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

/* Submitted tasks, and those that a delay holds back. */

void emu_pe_enqueue(struct doca_pe *pe, struct doca_task *task)
{
	uint32_t attention = emu_pe_attention(pe);

	if (task->due == 0 && task->ctx->last_held != NULL)
		task->due = task->ctx->last_held->due; /* tasks of a context stay in order */
	if (task->due != 0) {
		emu_pe_hold(pe, task);
		return;
	}
	emu_task_queue_push(&pe->ready, task);
	if (attention & EMU_PE_ARMED)
		emu_pe_wake(pe);
}

void emu_pe_overdue(struct doca_pe *pe, struct doca_task *task)
{
	task->is_overdue = true;
	task->ctx->num_overdue++;
	emu_task_queue_push(&pe->ready, task);
}

uint64_t emu_pe_held_like(const struct doca_pe *pe, const struct doca_task *task)
{
	const struct doca_task *other;
	uint64_t due = 0;

	if (task->ctx->last_held == NULL)
		return 0;
	for (other = pe->held.head; other != NULL; other = other->next)
		if (other->pool == task->pool)
			due = other->due;
	return due;
}

void emu_pe_hold(struct doca_pe *pe, struct doca_task *task)
{
	struct emu_task_queue *held = &pe->held;
	struct doca_task *last = task->ctx->last_held;
	bool is_last = last == NULL || last->due <= task->due;

	if (is_last)
		task->ctx->last_held = task;
	if (held->head == NULL || held->tail->due <= task->due) {
		emu_task_queue_push(held, task);
	} else {
		struct doca_task **at = last != NULL && is_last ? &last->next : &held->head;

		while ((*at)->due <= task->due)
			at = &(*at)->next;
		task->next = *at;
		*at = task;
	}
	if (!(emu_pe_attention(pe) & EMU_PE_HELD)) /* this thread alone sets and clears it */
		emu_pe_attend(pe, EMU_PE_HELD);
	if (emu_pe_attention(pe) & EMU_PE_ARMED)
		emu_pe_wake_at(pe, emu_pe_next_look(pe));
}

void emu_pe_release_withheld(struct doca_ctx *ctx)
{
	if (ctx->withheld.head == NULL)
		return;
	emu_task_queue_append(&ctx->pe->ready, &ctx->withheld);
	if (emu_pe_attention(ctx->pe) & EMU_PE_ARMED)
		emu_pe_wake(ctx->pe);
}

static void release(struct doca_pe *pe, struct doca_task *task)
{
	task->due = 0;
	if (task->ctx->last_held == task)
		task->ctx->last_held = NULL;
	if (task->state == EMU_TASK_DECIDED)
		emu_pe_overdue(pe, task);
	else
		emu_task_queue_push(&pe->ready, task);
}

/* True if the engine has tasks that wait for the end of a fault. They are behind those that wait for a time. */
static bool has_holds(const struct doca_pe *pe)
{
	return pe->held.head != NULL && (pe->held.tail->due & EMU_DUE_HOLD);
}

static bool hold_has_ended(const struct doca_task *task)
{
	return (task->due & EMU_DUE_HOLD) && !emu_fault_holds(task->due & ~EMU_DUE_HOLD);
}

static void release_holds(struct doca_pe *pe)
{
	struct emu_task_queue held = pe->held;
	struct doca_task *task;

	pe->held.head = NULL;
	while ((task = emu_task_queue_pop(&held)) != NULL) {
		if (hold_has_ended(task))
			release(pe, task);
		else
			emu_task_queue_push(&pe->held, task);
	}
}

void emu_pe_release_due(struct doca_pe *pe)
{
	uint64_t now = emu_clock_ns();

	while (pe->held.head != NULL && pe->held.head->due <= now)
		release(pe, emu_task_queue_pop(&pe->held));
	if (has_holds(pe))
		release_holds(pe);
	pe->due_soon = pe->held.head != NULL && pe->held.head->due - now < DUE_SOON_NS;
	if (pe->held.head == NULL)
		emu_pe_unattend(pe, EMU_PE_HELD);
}

static bool some_are_due(const struct doca_pe *pe)
{
	if (pe->held.head == NULL)
		return false;
	if (pe->held.head->due <= emu_clock_ns())
		return true;
	if (has_holds(pe))
		for (const struct doca_task *task = pe->held.head; task != NULL; task = task->next)
			if (hold_has_ended(task))
				return true;
	return false;
}

bool emu_pe_pending(const struct doca_pe *pe)
{
	const struct doca_ctx *ctx = pe->watched;

	if (pe->ready.head != NULL || (emu_pe_attention(pe) & EMU_PE_SIGNAL))
		return true;
	if (some_are_due(pe))
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

void emu_pe_rest(struct doca_pe *pe)
{
	if (pe->due_soon)
		return;
	if (++pe->num_rests % CALLS_PER_REST == 0)
		(void)sched_yield();
}

static bool is_sooner(uint64_t at, uint64_t than)
{
	return at != 0 && (than == 0 || at < than);
}

uint64_t emu_pe_next_look(const struct doca_pe *pe)
{
	const struct doca_ctx *ctx = pe->watched;
	uint64_t next = pe->held.head == NULL ? 0 : pe->held.head->due;

	if (has_holds(pe) && is_sooner(emu_clock_ns() + HOLD_LOOK_NS, next))
		next = emu_clock_ns() + HOLD_LOOK_NS;
	if (ctx == NULL)
		return next;
	do {
		uint64_t look = ctx->ops->next_look == NULL ? 0 : ctx->ops->next_look(ctx);

		if (is_sooner(look, next))
			next = look;
		ctx = ctx->watch_next;
	} while (ctx != pe->watched);
	return next;
}
