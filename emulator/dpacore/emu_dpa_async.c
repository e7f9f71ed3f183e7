/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>

#include "emu_dpa.h"
#include "emu_dpa_async.h"
#include "emu_dpa_completion.h"
#include "emu_dpa_handle.h"
#include "emu_dpa_mmap.h"
#include "emu_dpa_run.h"

#define ALL_FLAGS (EMU_DPA_SUBMIT_FLUSH | EMU_DPA_SUBMIT_OPTIMIZE_REPORTS)

static struct emu_dpa_async_op *op_at(struct doca_dpa_async_ops *async, uint64_t index)
{
	return &async->ops[index & (async->queue_size - 1)];
}

/* Under the lock. The first operation has ended. */
static void end_first(struct doca_dpa_async_ops *async, bool is_done)
{
	const struct emu_dpa_async_op *op = op_at(async, async->num_done);
	struct emu_dpa_cqe cqe = {
		.type = is_done ? EMU_DPA_COMP_SEND : EMU_DPA_COMP_SEND_ERR,
		.user_data = (uint32_t)async->user_data,
	};

	async->has_failed |= !is_done;
	async->num_done++;
	if (!is_done || (op->flags & EMU_DPA_SUBMIT_OPTIMIZE_REPORTS) == 0)
		emu_dpa_completion_post(async->comp, &cqe);
}

static bool copy(const struct doca_dpa_async_ops *async, const struct emu_dpa_async_op *op)
{
	const struct doca_mmap *to = emu_dpa_peek_short(op->dst_mmap, EMU_DPA_MMAP);
	const struct doca_mmap *from = emu_dpa_peek_short(op->src_mmap, EMU_DPA_MMAP);

	return to != NULL && from != NULL &&
	       emu_dpa_mmap_copy(emu_dpa_dev(async->dpa), to, op->dst, from, op->src, op->len);
}

/* Under the lock. IN_PROGRESS: emu_dpa_async_wait_ended goes on. */
static doca_error_t begin_wait(struct doca_dpa_async_ops *async, const struct emu_dpa_async_op *op)
{
	doca_error_t result = op->wait->begin(async, op);

	if (result == DOCA_ERROR_IN_PROGRESS)
		async->waiting = op->wait;
	return result;
}

/* Under the lock, between the begin and the end of a use of handles. */
static void advance(struct doca_dpa_async_ops *async)
{
	while (async->waiting == NULL && !async->is_ending && async->num_done < async->num_flushed) {
		const struct emu_dpa_async_op *op = op_at(async, async->num_done);
		doca_error_t result = DOCA_ERROR_IO_FAILED;

		if (!async->has_failed && op->wait != NULL)
			result = begin_wait(async, op);
		else if (!async->has_failed && copy(async, op))
			result = DOCA_SUCCESS;
		if (result != DOCA_ERROR_IN_PROGRESS)
			end_first(async, result == DOCA_SUCCESS);
	}
}

void emu_dpa_async_wait_ended(struct doca_dpa_async_ops *async, doca_error_t status)
{
	struct emu_dpa_run reader = {.dpa = NULL};

	emu_dpa_run_join(&reader);
	emu_dpa_run_begin(&reader);
	pthread_mutex_lock(&async->lock);
	async->waiting = NULL;
	if (!async->is_ending)
		end_first(async, status == DOCA_SUCCESS);
	advance(async);
	pthread_mutex_unlock(&async->lock);
	emu_dpa_run_end(&reader);
	emu_dpa_run_quit(&reader);
}

void emu_dpa_async_post(struct emu_dpa_run *run, uint64_t handle, const struct emu_dpa_async_op *op)
{
	struct doca_dpa_async_ops *async = emu_dpa_lookup(run, handle, EMU_DPA_ASYNC_OPS);
	bool has_room;

	if ((op->flags & ~(uint32_t)ALL_FLAGS) != 0)
		emu_dpa_fatal(run, "0x%x are no flags", op->flags);
	pthread_mutex_lock(&async->lock);
	has_room = async->num_posted - async->num_done < async->queue_size;
	if (has_room) {
		*op_at(async, async->num_posted++) = *op;
		if ((op->flags & EMU_DPA_SUBMIT_FLUSH) != 0)
			async->num_flushed = async->num_posted;
		advance(async);
	}
	pthread_mutex_unlock(&async->lock);
	if (!has_room)
		emu_dpa_fatal(run, "the queue has room for %u operations, which are posted and not done", async->queue_size);
}

doca_error_t emu_dpa_async_begin(struct doca_dpa_async_ops *async)
{
	doca_error_t result;

	async->ops = calloc(async->queue_size, sizeof(*async->ops));
	if (async->ops == NULL)
		return DOCA_ERROR_NO_MEMORY;
	pthread_mutex_init(&async->lock, NULL);
	async->num_posted = 0;
	async->num_flushed = 0;
	async->num_done = 0;
	async->has_failed = false;
	async->waiting = NULL;
	async->is_ending = false;
	result = emu_dpa_handle_open(EMU_DPA_ASYNC_OPS, async->dpa, async, &async->handle);
	if (result != DOCA_SUCCESS) {
		pthread_mutex_destroy(&async->lock);
		free(async->ops);
	}
	return result;
}

/* Operations that are not done are dropped. */
void emu_dpa_async_end(struct doca_dpa_async_ops *async)
{
	const struct emu_dpa_async_wait *waiting;

	if (async->handle == 0)
		return;
	emu_dpa_handle_close(async->handle);
	async->handle = 0;
	pthread_mutex_lock(&async->lock);
	async->is_ending = true;
	waiting = async->waiting;
	pthread_mutex_unlock(&async->lock);
	if (waiting != NULL)
		waiting->cancel(async);
	pthread_mutex_destroy(&async->lock);
	free(async->ops);
}
