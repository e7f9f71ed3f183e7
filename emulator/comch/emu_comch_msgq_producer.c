/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <string.h>

#include "core/emu_ctx.h"
#include "core/emu_pe.h"
#include "core/emu_task.h"
#include "emu_comch_fifo.h"
#include "emu_comch_inbox.h"
#include "emu_comch_msgq.h"
#include "emu_comch_msgq_producer.h"
#include "emu_comch_producer.h"

static struct doca_comch_producer *of(struct doca_ctx *ctx)
{
	return (struct doca_comch_producer *)ctx;
}

/* Sending. */

static doca_error_t send_validate(const struct doca_task *base)
{
	const struct doca_comch_producer_task_send *task = (const struct doca_comch_producer_task_send *)base;

	return task->buf == NULL && emu_comch_imm_is_valid(task->imm, task->imm_len) ? DOCA_SUCCESS :
										     DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t send_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	struct doca_comch_producer *producer = of(base->ctx);
	const struct doca_comch_msgq *msgq = producer->endpoint.msgq;
	struct emu_comch_inbox *inbox = emu_comch_msgq_inbox(msgq, task->consumer_id);
	struct emu_comch_message message = {.producer_id = producer->endpoint.id, .imm_len = task->imm_len};
	doca_error_t result;

	(void)flags;
	if (inbox == NULL || send_validate(base) != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_comch_msgq_is_dead(msgq)) /* a program may retry without making progress */
		return DOCA_ERROR_NOT_CONNECTED;
	if (task->imm_len > 0)
		memcpy(message.imm, task->imm, task->imm_len);
	result = emu_comch_inbox_send(inbox, &message);
	switch (result) {
	case DOCA_SUCCESS:
		base->status = DOCA_SUCCESS;
		base->state = EMU_TASK_DECIDED;
		return DOCA_SUCCESS;
	case DOCA_ERROR_AGAIN:
		emu_pe_rest(base->ctx->pe);
		return result;
	case DOCA_ERROR_NOT_CONNECTED: /* there is no such consumer, or it is not started */
		return DOCA_ERROR_INVALID_VALUE;
	default:
		return result;
	}
}

static void send_notify(struct doca_task *base, doca_error_t status)
{
	struct doca_comch_producer *producer = of(base->ctx);
	doca_comch_producer_task_send_completion_cb_t cb =
		status == DOCA_SUCCESS ? producer->completion_cb : producer->error_cb;

	cb((struct doca_comch_producer_task_send *)base, base->user_data, producer->endpoint.ctx.user_data);
}

static const struct emu_task_ops send_ops = {
	.kind = "send",
	.submit = send_submit,
	.keep = emu_comch_producer_keep,
	.restore = emu_comch_producer_restore,
	.notify = send_notify,
	.validate = send_validate,
};

/* The context. */

static bool has_lost(const struct doca_ctx *ctx)
{
	return ctx->state == DOCA_CTX_STATE_RUNNING &&
	       emu_comch_msgq_is_dead(((const struct doca_comch_producer *)ctx)->endpoint.msgq);
}

static bool producer_progress(struct doca_ctx *ctx)
{
	if (!has_lost(ctx))
		return false;
	emu_ctx_fail(ctx);
	return true;
}

static void producer_idle(struct doca_ctx *ctx)
{
	emu_comch_msgq_unwatch(&of(ctx)->endpoint);
}

static doca_error_t producer_start(struct doca_ctx *ctx)
{
	struct emu_comch_endpoint *endpoint = &of(ctx)->endpoint;

	if (endpoint->num_tasks == 0 || !emu_comch_msgq_is_ready(endpoint))
		return DOCA_ERROR_INITIALIZATION;
	if (emu_task_pool_start(&endpoint->pool, ctx, &send_ops, sizeof(struct doca_comch_producer_task_send),
				endpoint->num_tasks) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	emu_comch_msgq_watch(endpoint);
	return DOCA_SUCCESS;
}

const struct emu_ctx_ops emu_comch_msgq_producer_ops = {
	.start = producer_start,
	.progress = producer_progress,
	.pending = has_lost,
	.idle = producer_idle,
};
