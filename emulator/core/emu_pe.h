/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_PE_H_
#define EMU_PE_H_

/*
 * The progress engine: a queue of submitted tasks, of which each doca_pe_progress runs one, and a list of watched
 * contexts (those that are stopping, and those with a progress function).
 *
 * An engine is used by one thread at a time. Other threads reach it only through emu_pe_signal.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_pe.h>

#include "emulator.h"
#include "emu_ctx.h"
#include "emu_task.h"

/* Reasons for progress to do more than run the next task: bits of doca_pe.attention. */
enum {
	EMU_PE_ARMED = 1 << 0,   /* notification requested and not cleared */
	EMU_PE_WATCH = 1 << 1,   /* contexts are watched */
	EMU_PE_HELD = 1 << 2,    /* tasks are held back by a delay or hold-tasks */
	EMU_PE_SIGNAL = 1 << 3,  /* another thread has asked to check the devices of the contexts */
};

struct doca_pe {
	uint32_t attention; /* accessed with atomics: emu_pe_signal runs on other threads */
	bool watch_turn;
	bool due_soon;      /* as far as emu_pe_release_due knows, a held task is: who polls waits for the clock alone */
	uint8_t num_rests;  /* calls of emu_pe_rest, modulo 256 */
	struct emu_task_queue ready;

	struct emu_task_queue held; /* ordered by due */
	struct doca_ctx *contexts;
	struct doca_ctx *watched;     /* a ring */
	enum doca_pe_event_mode event_mode;

	/* Made on first use and then fixed. -1: not made yet. */
	int epoll_fd;
	int event_fd;
	int timer_fd;
	bool timed; /* the timer may be set */
	bool woken; /* this thread has written the eventfd since the last clear */
};

static inline uint32_t emu_pe_attention(const struct doca_pe *pe)
{
	return __atomic_load_n(&pe->attention, __ATOMIC_RELAXED);
}

/* True if a notification was requested and not cleared. Any thread may call this. If it is false, what the thread has stored before,
 * in sequentially consistent order, is seen by a later request that loads it in that order. */
static inline bool emu_pe_is_armed(const struct doca_pe *pe)
{
	return (__atomic_load_n(&pe->attention, __ATOMIC_SEQ_CST) & EMU_PE_ARMED) != 0;
}

static inline void emu_pe_attend(struct doca_pe *pe, uint32_t reasons)
{
	__atomic_fetch_or(&pe->attention, reasons, __ATOMIC_SEQ_CST);
}

static inline void emu_pe_unattend(struct doca_pe *pe, uint32_t reasons)
{
	__atomic_fetch_and(&pe->attention, ~reasons, __ATOMIC_SEQ_CST);
}

/* The contexts that doca_pe_progress checks. The engine's thread may call both at any time. */
EMU_API void emu_pe_watch(struct doca_pe *pe, struct doca_ctx *ctx);
EMU_API void emu_pe_unwatch(struct doca_pe *pe, struct doca_ctx *ctx);

/* Called where a program polls in vain: yields the CPU at every 16th call. On hardware such a loop waits for a device, here for
 * another thread, which may need this CPU; unless a delay that makes the device slow is about to end. */
EMU_API void emu_pe_rest(struct doca_pe *pe);

/* The contexts of an engine. */
EMU_LOCAL void emu_pe_connect(struct doca_pe *pe, struct doca_ctx *ctx);
EMU_LOCAL void emu_pe_disconnect(struct doca_pe *pe, struct doca_ctx *ctx);

/* True if progress would have something to show now. */
EMU_LOCAL bool emu_pe_pending(const struct doca_pe *pe);

/* When an engine that is armed and has nothing to show should be woken all the same; 0: never. */
EMU_LOCAL uint64_t emu_pe_next_look(const struct doca_pe *pe);

/* Queues a submitted task behind all others. */
EMU_LOCAL void emu_pe_enqueue(struct doca_pe *pe, struct doca_task *task);
/* When the last task of the same kind of the context is due that the engine holds back; 0: there is none. */
EMU_LOCAL uint64_t emu_pe_held_like(const struct doca_pe *pe, const struct doca_task *task);
/* Queues a task that its context has finished, but that is ready only now, because of a fault: what the context finishes until it is
 * reported comes behind it. */
EMU_LOCAL void emu_pe_overdue(struct doca_pe *pe, struct doca_task *task);
/* Holds a submitted task back until it is due. */
EMU_LOCAL void emu_pe_hold(struct doca_pe *pe, struct doca_task *task);
/* Queues the tasks of a context that have ended but were not reported. */
EMU_LOCAL void emu_pe_release_withheld(struct doca_ctx *ctx);
/* Queues the held tasks that are due. */
EMU_LOCAL void emu_pe_release_due(struct doca_pe *pe);

/* Reports a result. The task counts as in flight until its callback has returned, which makes a stop inside the
 * callback asynchronous. False: the program has freed the task, and nothing was reported. */
static inline bool emu_pe_report(struct doca_task *task, doca_error_t status)
{
	struct doca_ctx *ctx = task->ctx;

	task->status = status;
	if (EMU_UNLIKELY(status != DOCA_SUCCESS) && task->ops->failure_is_fatal && status != task->ops->harmless) {
		emu_ctx_fail(ctx);
		if (task->state == EMU_TASK_ABANDONED) { /* freed by the state callback */
			emu_task_drop(task);
			return false;
		}
	}
	struct emu_task_watcher *watcher = task->watcher;

	task->state = EMU_TASK_OWNED;
	task->watcher = NULL;
	task->ops->notify(task, status);
	ctx->num_inflight--;
	if (EMU_UNLIKELY(watcher != NULL))
		watcher->ended(watcher, status);
	return true;
}

#endif /* EMU_PE_H_ */
