/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_ASYNC_H_
#define EMU_DPA_ASYNC_H_

/*
 * Queues of asynchronous operations: copies, and waits that hold back the operations behind them.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_dpa.h>

#include "core/emulator.h"

#include "emu_dpa_poll.h"

struct emu_dpa_run;

struct emu_dpa_async_op {
	/* A wait, if set: 1 if it is over, 0 if not, -1 if it has failed, which is a completion with an error. It looks the
	 * handle up with emu_dpa_peek each time. */
	int (*is_over)(const struct emu_dpa_async_op *op);
	uint64_t handle;
	uint64_t value;
	/* A copy otherwise. */
	uint32_t dst_mmap;
	uint32_t src_mmap;
	uint64_t dst;
	uint64_t src;
	size_t len;
	uint32_t flags; /* EMU_DPA_SUBMIT_* */
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
	bool is_broken; /* an operation has failed: all others fail, too */
	struct emu_dpa_poll poll;
};

/* Posts an operation for device code. Ends the run if the handle is wrong or the queue is full. */
EMU_API void emu_dpa_async_post(struct emu_dpa_run *run, uint64_t handle, const struct emu_dpa_async_op *op);

/* Start and stop. */
EMU_API doca_error_t emu_dpa_async_begin(struct doca_dpa_async_ops *async);
EMU_API void emu_dpa_async_end(struct doca_dpa_async_ops *async);

#endif /* EMU_DPA_ASYNC_H_ */
