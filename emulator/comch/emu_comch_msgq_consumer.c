/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>
#include <string.h>

#include "core/emu_ctx.h"
#include "core/emu_notify.h"
#include "core/emu_pe.h"
#include "core/emu_task.h"
#include "emu_comch_consumer.h"
#include "emu_comch_fifo.h"
#include "emu_comch_inbox.h"
#include "emu_comch_msgq.h"
#include "emu_comch_msgq_consumer.h"

static struct doca_comch_consumer *of(struct doca_ctx *ctx)
{
	return (struct doca_comch_consumer *)ctx;
}

static struct emu_comch_inbox *inbox_of(const struct doca_comch_consumer *consumer)
{
	return emu_comch_msgq_inbox(consumer->endpoint.msgq, consumer->endpoint.id);
}

static struct doca_comch_consumer_task_post_recv **task_at(struct doca_comch_consumer *consumer, uint64_t number)
{
	return &consumer->tasks[number & (consumer->num_entries - 1)];
}

/* Posting. */

static doca_error_t post_validate(const struct doca_task *base)
{
	const struct doca_comch_consumer_task_post_recv *task = (const struct doca_comch_consumer_task_post_recv *)base;

	return task->buf == NULL ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t post_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_consumer_task_post_recv *task = (struct doca_comch_consumer_task_post_recv *)base;
	struct doca_comch_consumer *consumer = of(base->ctx);

	(void)flags;
	if (task->buf != NULL)
		return DOCA_ERROR_INVALID_VALUE;
	task->producer_id = 0; /* left from an earlier use */
	task->imm_len = 0;
	*task_at(consumer, consumer->posted++) = task;
	emu_comch_inbox_post(inbox_of(consumer), 1);
	return DOCA_SUCCESS;
}

static void post_notify(struct doca_task *base, doca_error_t status)
{
	struct doca_comch_consumer *consumer = of(base->ctx);
	doca_comch_consumer_task_post_recv_completion_cb_t cb =
		status == DOCA_SUCCESS ? consumer->completion_cb : consumer->error_cb;

	cb((struct doca_comch_consumer_task_post_recv *)base, base->user_data, consumer->endpoint.ctx.user_data);
}

static const struct emu_task_ops post_ops = {
	.kind = "post_recv",
	.submit = post_submit,
	.notify = post_notify,
	.validate = post_validate,
};

/* Receiving. */

/* Ends the task of the next message. False: there is none to report. */
static bool take_next(struct doca_comch_consumer *consumer)
{
	const struct emu_comch_message *message;

	while (consumer->taken != consumer->posted && (message = emu_comch_fifo_peek(consumer->fifo)) != NULL) {
		struct doca_comch_consumer_task_post_recv *task = *task_at(consumer, consumer->taken);

		task->producer_id = message->producer_id;
		task->imm_len = message->imm_len;
		memcpy(task->imm, message->imm, sizeof(task->imm));
		emu_comch_fifo_take(consumer->fifo);
		(void)emu_comch_fifo_free(consumer->fifo, 1);
		consumer->taken++;
		if (emu_task_finish(&task->base, DOCA_SUCCESS))
			return true;
	}
	return false;
}

static void wake(void *arg)
{
	emu_pe_signal(((struct doca_comch_consumer *)arg)->endpoint.ctx.pe);
}

static bool consumer_progress(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);

	/* An engine that makes progress without its notification cleared goes back to sleep without another request. */
	if (consumer->is_armed && !(emu_pe_attention(ctx->pe) & EMU_PE_ARMED)) {
		consumer->is_armed = false;
		(void)emu_comch_fifo_disarm(consumer->fifo);
	}
	if (take_next(consumer))
		return true;
	if (ctx->state == DOCA_CTX_STATE_STARTING && !ctx->start_is_lost) {
		emu_ctx_started(ctx);
		return true;
	}
	if (ctx->state == DOCA_CTX_STATE_RUNNING && emu_comch_msgq_is_dead(consumer->endpoint.msgq)) {
		emu_ctx_fail(ctx);
		return true;
	}
	return false;
}

static bool consumer_pending(const struct doca_ctx *ctx)
{
	/* The engine is about to sleep, so producers must wake it. */
	struct doca_comch_consumer *consumer = of((struct doca_ctx *)(uintptr_t)ctx);

	consumer->is_armed = true;
	return emu_comch_fifo_arm(consumer->fifo) ||
	       (ctx->state == DOCA_CTX_STATE_STARTING && !ctx->start_is_lost) ||
	       (ctx->state == DOCA_CTX_STATE_RUNNING && emu_comch_msgq_is_dead(consumer->endpoint.msgq));
}

/* Start and stop. */

static void release(struct doca_comch_consumer *consumer)
{
	emu_comch_fifo_delete(consumer->fifo);
	free(consumer->tasks);
	consumer->fifo = NULL;
	consumer->tasks = NULL;
	consumer->is_armed = false;
}

static void consumer_idle(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);

	emu_comch_inbox_settle(inbox_of(consumer));
	emu_comch_msgq_unwatch(&consumer->endpoint);
	release(consumer);
}

static bool open_all(struct doca_comch_consumer *consumer)
{
	struct emu_comch_endpoint *endpoint = &consumer->endpoint;

	if (emu_task_pool_start(&endpoint->pool, &endpoint->ctx, &post_ops,
				sizeof(struct doca_comch_consumer_task_post_recv), endpoint->num_tasks) != DOCA_SUCCESS)
		return false;
	consumer->fifo = emu_comch_fifo_new(endpoint->num_tasks, wake, consumer);
	if (consumer->fifo == NULL)
		return false;
	consumer->num_entries = (uint32_t)consumer->fifo->num_slots;
	consumer->tasks = calloc(consumer->num_entries, sizeof(consumer->tasks[0]));
	return consumer->tasks != NULL;
}

static doca_error_t consumer_start(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);

	if (consumer->endpoint.num_tasks == 0 || !emu_comch_msgq_is_ready(&consumer->endpoint))
		return DOCA_ERROR_INITIALIZATION;
	if (!open_all(consumer)) {
		release(consumer);
		return DOCA_ERROR_INITIALIZATION;
	}
	consumer->posted = consumer->taken =
		emu_comch_inbox_open(inbox_of(consumer), consumer->fifo, consumer->imm_data_len, 0);
	emu_comch_msgq_watch(&consumer->endpoint);
	return DOCA_ERROR_IN_PROGRESS;
}

static bool consumer_stop(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);
	uint64_t claimed = emu_comch_inbox_close(inbox_of(consumer));

	/* Messages that are on the way are still received; all other tasks fail. */
	for (uint64_t i = claimed; i < consumer->posted; i++) {
		struct doca_task *task = &(*task_at(consumer, i))->base;

		if (task->state == EMU_TASK_QUEUED && emu_comch_msgq_is_dead(consumer->endpoint.msgq)) {
			task->status = DOCA_ERROR_NOT_CONNECTED;
			task->state = EMU_TASK_DECIDED;
		}
		emu_task_flush(task);
	}
	consumer->posted = claimed;
	return consumer->taken == consumer->posted;
}

static bool consumer_drained(const struct doca_ctx *ctx)
{
	const struct doca_comch_consumer *consumer = (const struct doca_comch_consumer *)ctx;

	return consumer->taken == consumer->posted;
}

const struct emu_ctx_ops emu_comch_msgq_consumer_ops = {
	.start = consumer_start,
	.stop = consumer_stop,
	.drained = consumer_drained,
	.progress = consumer_progress,
	.pending = consumer_pending,
	.idle = consumer_idle,
};
