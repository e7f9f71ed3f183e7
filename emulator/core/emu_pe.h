/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_PE_H_
#define EMU_PE_H_

/*
 * The progress engine: a queue of submitted tasks, which doca_pe_progress runs one per call, and a list
 * of watched contexts (those that stop, and those that have work of their own to look at).
 *
 * One thread at a time uses an engine. Other threads reach it only through emu_pe_signal.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_pe.h>

#include "emulator.h"
#include "emu_ctx.h"
#include "emu_task.h"

/* Reasons why progress must do more than run the next task: bits of doca_pe.attention. */
enum {
	EMU_PE_ARMED = 1 << 0,   /* notification requested and not cleared */
	EMU_PE_WATCH = 1 << 1,   /* contexts are watched */
	EMU_PE_HELD = 1 << 2,    /* tasks are held back by a delay */
	EMU_PE_SIGNAL = 1 << 3,  /* another thread wants the devices of the contexts checked */
};

struct doca_pe {
	uint32_t attention; /* accessed with atomics: emu_pe_signal runs on other threads */
	bool watch_turn;
	struct emu_task_queue ready;

	struct emu_task_queue held; /* ordered by due */
	struct doca_ctx *contexts;
	struct doca_ctx *watched;     /* ring */
	enum doca_pe_event_mode event_mode;

	/* Made on first use, fixed from then on. -1: not yet. */
	int epoll_fd;
	int event_fd;
	int timer_fd;
	bool woken; /* the eventfd was written since the last clear, by this thread */
};

static inline uint32_t emu_pe_attention(const struct doca_pe *pe)
{
	return __atomic_load_n(&pe->attention, __ATOMIC_RELAXED);
}

static inline void emu_pe_attend(struct doca_pe *pe, uint32_t reasons)
{
	__atomic_fetch_or(&pe->attention, reasons, __ATOMIC_SEQ_CST);
}

static inline void emu_pe_unattend(struct doca_pe *pe, uint32_t reasons)
{
	__atomic_fetch_and(&pe->attention, ~reasons, __ATOMIC_SEQ_CST);
}

/* Contexts that doca_pe_progress looks at. Both may be called at any time by the engine's thread. */
EMU_API void emu_pe_watch(struct doca_pe *pe, struct doca_ctx *ctx);
EMU_API void emu_pe_unwatch(struct doca_pe *pe, struct doca_ctx *ctx);

/* The contexts of an engine. */
EMU_LOCAL void emu_pe_connect(struct doca_pe *pe, struct doca_ctx *ctx);
EMU_LOCAL void emu_pe_disconnect(struct doca_pe *pe, struct doca_ctx *ctx);

/* True if progress would show something now. */
EMU_LOCAL bool emu_pe_pending(const struct doca_pe *pe);

/* Queues a submitted task behind all others. */
EMU_LOCAL void emu_pe_enqueue(struct doca_pe *pe, struct doca_task *task);
/* Holds a submitted task until its due time. */
EMU_LOCAL void emu_pe_hold(struct doca_pe *pe, struct doca_task *task);
/* Queues the held tasks that are due. */
EMU_LOCAL void emu_pe_release_due(struct doca_pe *pe);

/* Reports a result. Counts the task as in flight until its callback has returned: that is what makes a
 * stop inside the callback asynchronous. False: the program has given the task up, nothing was reported. */
static inline bool emu_pe_report(struct doca_task *task, doca_error_t status)
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

#endif /* EMU_PE_H_ */
