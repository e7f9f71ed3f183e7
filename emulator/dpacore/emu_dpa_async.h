/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_ASYNC_H_
#define EMU_DPA_ASYNC_H_

/*
 * Queues of asynchronous operations: copies, and waits for sync events, which hold back the operations behind them.
 * Operations are carried out in the order of their posts, from the flush on. After one has failed, all others fail.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_dpa.h>

#include "core/emulator.h"

struct doca_dpa_async_ops;
struct emu_dpa_async_op;
struct emu_dpa_run;

/* How to wait. The wait may keep what it needs in the queue (wait_state). */
struct emu_dpa_async_wait {
	/* SUCCESS: it is over. IN_PROGRESS: emu_dpa_async_wait_ended will be called. Otherwise it has failed. Handles can be
	 * peeked at. */
	doca_error_t (*begin)(struct doca_dpa_async_ops *async, const struct emu_dpa_async_op *op);
	/* Ends it early. Afterwards emu_dpa_async_wait_ended has returned or will not be called. */
	void (*cancel)(struct doca_dpa_async_ops *async);
};

#define EMU_DPA_ASYNC_WAIT_SIZE 128

struct emu_dpa_async_op {
	uint32_t flags; /* EMU_DPA_SUBMIT_* */
	/* A wait, if wait is set. */
	const struct emu_dpa_async_wait *wait;
	uint64_t event; /* a handle */
	uint64_t value;
	/* A copy otherwise. */
	uint32_t dst_mmap;
	uint32_t src_mmap;
	uint64_t dst;
	uint64_t src;
	size_t len;
};

struct doca_dpa_async_ops {
	struct doca_dpa *dpa;
	struct doca_dpa_completion *comp; /* NULL: not attached */
	unsigned int queue_size;
	uint64_t user_data;
	uint64_t handle; /* 0: not started */

	/* Of emu_dpa_async.c, under the lock. */
	pthread_mutex_t lock;
	struct emu_dpa_async_op *ops;
	uint64_t num_posted;
	uint64_t num_flushed;
	uint64_t num_done;
	bool has_failed;
	bool is_ending;
	const struct emu_dpa_async_wait *waiting; /* the first operation that is not done; NULL: for nothing */
	uint8_t wait_state[EMU_DPA_ASYNC_WAIT_SIZE] __attribute__((aligned(16)));
};

/* Posts an operation for device code, whose handles of maps and events were looked up. Ends the run if the handle of the
 * queue is wrong or the queue is full. */
EMU_API void emu_dpa_async_post(struct emu_dpa_run *run, uint64_t handle, const struct emu_dpa_async_op *op);

/* What an operation has waited for has come, or never will. Called without a lock. */
EMU_API void emu_dpa_async_wait_ended(struct doca_dpa_async_ops *async, doca_error_t status);

/* Start and stop. NO_MEMORY: there is none. */
EMU_API doca_error_t emu_dpa_async_begin(struct doca_dpa_async_ops *async);
EMU_API void emu_dpa_async_end(struct doca_dpa_async_ops *async);

#endif /* EMU_DPA_ASYNC_H_ */
