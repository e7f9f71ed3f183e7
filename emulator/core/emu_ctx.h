/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_CTX_H_
#define EMU_CTX_H_

/*
 * Contexts. Every library object that is a context embeds struct doca_ctx and supplies an ops table;
 * states, callbacks, counting and stopping are the same for all.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_types.h>

#include "emulator.h"
#include "emu_task.h"

struct doca_dev;
struct doca_pe;

/* All functions may be NULL except start. */
struct emu_ctx_ops {
	/* IDLE -> RUNNING (SUCCESS) or -> STARTING (IN_PROGRESS; emu_ctx_started or emu_ctx_start_failed
	 * follows from progress). Anything else: the context stays IDLE and nothing is kept. */
	doca_error_t (*start)(struct doca_ctx *ctx);
	/* Asked before doca_ctx_stop stops a running context: anything but SUCCESS is its answer. */
	doca_error_t (*may_stop)(struct doca_ctx *ctx);
	/* Begins to stop: hands every task that the context holds by itself back for flushing. Returns
	 * false when the teardown needs time; drained then tells the end of it. */
	bool (*stop)(struct doca_ctx *ctx);
	bool (*drained)(const struct doca_ctx *ctx);
	/* Handles at most one thing and returns true if the program could see it. Callbacks may only run
	 * in a call that returns true; the context may be gone afterwards. */
	bool (*progress)(struct doca_ctx *ctx);
	/* True if progress would have something to do now: an engine that is being armed asks. */
	bool (*pending)(const struct doca_ctx *ctx);
	/* Releases what start has taken; runs before IDLE is reported. */
	void (*idle)(struct doca_ctx *ctx);
};

struct doca_ctx {
	uint8_t accepts_tasks; /* RUNNING, and no submitted task waits for a flush */
	enum doca_ctx_states state;
	struct doca_pe *pe;
	size_t num_inflight;  /* submitted tasks whose callback has not returned */
	size_t num_allocated; /* tasks not in their pool */
	union doca_data user_data;

	const struct emu_ctx_ops *ops;
	struct doca_dev *dev;
	doca_ctx_state_changed_callback_t state_changed;
	struct emu_task_queue unflushed; /* submitted without the flush flag */
	bool unflushed_due;		  /* a delay holds some of them */

	struct doca_ctx *pe_next; /* contexts of the engine */
	struct doca_ctx *pe_prev;
	struct doca_ctx *watch_next; /* contexts that progress has to look at */
	struct doca_ctx *watch_prev;
	bool watched;

	struct doca_ctx *dev_next; /* contexts of the device, under the registry's lock */
	struct doca_ctx *dev_prev;
};

/* Makes an IDLE context on dev. NULL dev: a context without a device. INITIALIZATION: the device is lost. */
EMU_API doca_error_t emu_ctx_init(struct doca_ctx *ctx, const struct emu_ctx_ops *ops,
				  struct doca_dev *dev);

/* Disconnects an IDLE context from its engine and its device; IN_USE (and no change) if it is not IDLE. */
EMU_API doca_error_t emu_ctx_fini(struct doca_ctx *ctx);

/* Ends of an asynchronous start, from the context's progress function. */
EMU_API void emu_ctx_started(struct doca_ctx *ctx);
EMU_API void emu_ctx_start_failed(struct doca_ctx *ctx);

/* RUNNING -> STOPPING by itself: a fatal error or a lost peer. */
EMU_API void emu_ctx_fail(struct doca_ctx *ctx);

/* The engine's share of a context that stops: true if IDLE was reached (the context may be gone then). */
EMU_LOCAL bool emu_ctx_try_idle(struct doca_ctx *ctx);

static inline bool emu_ctx_can_idle(const struct doca_ctx *ctx)
{
	return ctx->num_inflight == 0 && ctx->num_allocated == 0 &&
	       (ctx->ops->drained == NULL || ctx->ops->drained(ctx));
}

/* Changes the state and tells the program, which may destroy the context when it is IDLE: nothing may follow then. */
EMU_LOCAL void emu_ctx_set_state(struct doca_ctx *ctx, enum doca_ctx_states next);
/* Takes a context out of RUNNING or STARTING. True: it is IDLE already, which takes may_finish. */
EMU_LOCAL bool emu_ctx_begin_stop(struct doca_ctx *ctx, bool may_finish);

/* Hands tasks that were submitted without the flush flag to the engine. */
EMU_LOCAL void emu_ctx_flush(struct doca_ctx *ctx);

#endif /* EMU_CTX_H_ */
