/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_CTX_H_
#define EMU_CTX_H_

/*
 * Contexts. Every library object that is a context embeds struct doca_ctx and supplies an ops table. States,
 * callbacks, counting and stopping are the same for all.
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
struct doca_dpa;
struct doca_pe;

/* The part of a DPA context that the core knows: struct doca_dpa begins with it. */
struct emu_datapath {
	uint32_t num_contexts; /* whose data path is on the DPA; accessed with atomics */
};

/* Each function may be NULL, except start. */
struct emu_ctx_ops {
	/* The data path may be on a DPA. Then there is no engine: start and stop do all at once. */
	bool can_run_on_dpa;
	/* IDLE -> RUNNING (SUCCESS) or -> STARTING (IN_PROGRESS; progress then calls emu_ctx_started or
	 * emu_ctx_start_failed). After anything else the context stays IDLE, and start has kept nothing. */
	doca_error_t (*start)(struct doca_ctx *ctx);
	/* Called before doca_ctx_stop stops a running context. If it does not return SUCCESS, doca_ctx_stop
	 * returns its result. */
	doca_error_t (*may_stop)(struct doca_ctx *ctx);
	/* Begins to stop: hands every task that the context keeps to emu_task_flush. Returns false if the
	 * teardown takes time; drained then tells when it is complete. */
	bool (*stop)(struct doca_ctx *ctx);
	bool (*drained)(const struct doca_ctx *ctx);
	/* Handles at most one thing, and returns true if the program could see it. It may run callbacks only in
	 * a call that returns true; the context may no longer exist afterwards. */
	bool (*progress)(struct doca_ctx *ctx);
	/* True if progress would have something to do now. Called when an engine is armed. */
	bool (*pending)(const struct doca_ctx *ctx);
	/* When an engine that is armed now should look again: for what does not wake it by itself. 0: never. */
	uint64_t (*next_look)(const struct doca_ctx *ctx);
	/* Releases what start has allocated. Runs before IDLE is reported. */
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
	struct emu_datapath *datapath; /* the struct doca_dpa, or NULL */
	doca_ctx_state_changed_callback_t state_changed;
	struct emu_task_queue unflushed; /* submitted without the flush flag */
	bool unflushed_due;		  /* a delay holds some of them, or they are unsent */
	struct emu_task_queue withheld;	  /* tasks that have ended and are not reported for now */
	uint64_t last_due;		  /* when its last held task is due */
	struct doca_task *last_held;	  /* the last of its tasks that the engine holds; NULL: none */
	uint32_t num_overdue;		  /* see emu_pe_overdue */
	bool start_is_lost;		  /* a fault keeps it STARTING */

	struct doca_ctx *pe_next; /* the contexts of the engine */
	struct doca_ctx *pe_prev;
	struct doca_ctx *watch_next; /* the contexts that progress checks */
	struct doca_ctx *watch_prev;
	bool watched;

	struct doca_ctx *dev_next; /* the contexts of the device, under the registry's lock */
	struct doca_ctx *dev_prev;
};

/* Makes an IDLE context on dev, or one without a device if dev is NULL. INITIALIZATION: the device is lost. */
EMU_API doca_error_t emu_ctx_init(struct doca_ctx *ctx, const struct emu_ctx_ops *ops,
				  struct doca_dev *dev);

/* Disconnects an IDLE context from its engine and its device. IN_USE: the context is not IDLE, and is unchanged. */
EMU_API doca_error_t emu_ctx_fini(struct doca_ctx *ctx);

/* The DPA of a context whose data path is there, or NULL. */
static inline struct doca_dpa *emu_ctx_dpa(const struct doca_ctx *ctx)
{
	return (struct doca_dpa *)ctx->datapath;
}

/* Called by a context's progress function when an asynchronous start has succeeded or failed. */
EMU_API void emu_ctx_started(struct doca_ctx *ctx);
EMU_API void emu_ctx_start_failed(struct doca_ctx *ctx);

/* Stops a running or starting context that has met a fatal error or lost its peer. */
EMU_API void emu_ctx_fail(struct doca_ctx *ctx);

/* Called by the engine for a context that stops. True: it is IDLE now, and may no longer exist. */
EMU_LOCAL bool emu_ctx_try_idle(struct doca_ctx *ctx);

static inline bool emu_ctx_can_idle(const struct doca_ctx *ctx)
{
	return ctx->num_inflight == 0 && ctx->num_allocated == 0 &&
	       (ctx->ops->drained == NULL || ctx->ops->drained(ctx));
}

/* Changes the state and calls the program, which may destroy an IDLE context: do not touch the context
 * afterwards. */
EMU_LOCAL void emu_ctx_set_state(struct doca_ctx *ctx, enum doca_ctx_states next);
/* Takes a context out of RUNNING or STARTING. True: it is IDLE already, which happens only with may_finish. */
EMU_LOCAL bool emu_ctx_begin_stop(struct doca_ctx *ctx, bool may_finish);

/* Queues the tasks that were submitted without the flush flag. */
EMU_LOCAL void emu_ctx_flush(struct doca_ctx *ctx);

#endif /* EMU_CTX_H_ */
