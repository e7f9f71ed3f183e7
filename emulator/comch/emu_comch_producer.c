/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

/*
 * Producers: sending, and the life of the context.
 */

#include <string.h>

#include "core/emu_buf.h"
#include "core/emu_ctx.h"
#include "core/emu_mmap.h"
#include "core/emu_pe.h"
#include "core/emu_task.h"
#include "emu_comch_conn.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_producer.h"
#include "emu_comch_remote.h"
#include "emu_comch_ring.h"

/* A program may retry without making progress: check this often whether the peer still exists. */
#define TRIES_PER_LOOK 1024

static struct doca_comch_producer *of(struct doca_ctx *ctx)
{
	return (struct doca_comch_producer *)ctx;
}

/* Sending. */

static bool buf_is_valid(const struct doca_comch_producer *producer, const struct doca_buf *buf)
{
	if (buf == NULL) /* a send of immediate data only */
		return true;
	return buf->next == NULL && buf->data_len <= EMU_COMCH_MAX_BUF_SIZE && buf->mmap != NULL &&
	       buf->mmap->import == NULL && emu_may_access(buf->mmap, producer->endpoint.ctx.dev, EMU_ACCESS_READ) &&
	       emu_within(buf->data, buf->data_len, buf->head, buf->len) &&
	       emu_within(buf->data, buf->data_len, buf->mmap->addr, buf->mmap->len);
}

static doca_error_t send_validate(const struct doca_task *base)
{
	const struct doca_comch_producer_task_send *task = (const struct doca_comch_producer_task_send *)base;
	const struct doca_comch_producer *producer = (const struct doca_comch_producer *)base->ctx;

	return buf_is_valid(producer, task->buf) && emu_comch_imm_is_valid(task->imm, task->imm_len) ?
		       DOCA_SUCCESS :
		       DOCA_ERROR_INVALID_VALUE;
}

static void forget_remote(struct doca_comch_producer *producer)
{
	if (producer->remote != NULL)
		emu_comch_remote_unref(producer->remote);
	producer->remote = NULL;
}

static struct emu_comch_remote *find_remote(struct doca_comch_producer *producer, uint32_t id)
{
	struct emu_comch_remote *remote = producer->remote;

	if (EMU_LIKELY(remote != NULL && remote->id == id && !__atomic_load_n(&remote->expired, __ATOMIC_ACQUIRE)))
		return remote;
	forget_remote(producer);
	pthread_mutex_lock(&producer->endpoint.conn->lock);
	producer->remote = emu_comch_conn_find_remote(producer->endpoint.conn, id);
	pthread_mutex_unlock(&producer->endpoint.conn->lock);
	return producer->remote;
}

static doca_error_t send_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	struct doca_comch_producer *producer = of(base->ctx);
	const struct doca_buf *buf = task->buf;
	struct emu_comch_send send = {
		.imm = task->imm,
		.imm_len = task->imm_len,
		.producer_id = producer->endpoint.id,
		.pid = producer->endpoint.conn->peer_pid,
	};
	struct emu_comch_remote *remote;
	doca_error_t result;

	(void)flags;
	if (!buf_is_valid(producer, buf) || !emu_comch_imm_is_valid(task->imm, task->imm_len))
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_comch_conn_is_up(producer->endpoint.conn))
		return DOCA_ERROR_NOT_CONNECTED;
	remote = find_remote(producer, task->consumer_id);
	if (remote == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf != NULL) {
		send.bytes = buf->data;
		send.len = buf->data_len;
	}
	/* The id of a process that has ended may belong to another one: do not write there. What is mapped stays. */
	if (send.len > EMU_COMCH_INLINE_SIZE && !emu_comch_remote_is_mapped(remote) &&
	    !emu_comch_remote_uses_tray(remote, send.len) && emu_comch_endpoint_peer_is_gone(&producer->endpoint))
		return DOCA_ERROR_NOT_CONNECTED;
	result = emu_comch_remote_send(remote, &send);
	switch (result) {
	case DOCA_SUCCESS:
	case DOCA_ERROR_IO_FAILED:
		base->status = result;
		base->state = EMU_TASK_DECIDED;
		return DOCA_SUCCESS;
	case DOCA_ERROR_AGAIN:
		if (++producer->num_tries % TRIES_PER_LOOK == 0 && emu_comch_endpoint_peer_is_gone(&producer->endpoint))
			return DOCA_ERROR_NOT_CONNECTED;
		emu_pe_rest(base->ctx->pe); /* programs try again without progress */
		return result;
	case DOCA_ERROR_NOT_CONNECTED: /* the consumer has stopped, and its expiry is on the way */
		return DOCA_ERROR_INVALID_VALUE;
	default:
		return result;
	}
}

void emu_comch_producer_keep(struct doca_task *base)
{
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;

	task->of_program = task->imm;
	if (task->imm_len == 0 || !emu_comch_imm_is_valid(task->imm, task->imm_len))
		return;
	memcpy(task->kept, task->imm, task->imm_len);
	task->imm = task->kept;
}

void emu_comch_producer_restore(struct doca_task *base)
{
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;

	task->imm = task->of_program;
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
	.connection = emu_comch_endpoint_connection,
	.cut = emu_comch_endpoint_cut,
};

static bool is_sent_on(const struct doca_task *task, const void *conn)
{
	return task->ops == &send_ops && ((const struct doca_comch_producer *)task->ctx)->endpoint.conn == conn;
}

/* What a task has sent is known when it is submitted: the peer may have received it and left long before the engine
 * reports the task. */
void emu_comch_producer_finish(const struct doca_ctx *ctrl, const struct doca_comch_connection *conn)
{
	emu_task_report_decided(ctrl->pe, is_sent_on, conn);
}

/* The context. */

static bool producer_progress(struct doca_ctx *ctx)
{
	if (ctx->state != DOCA_CTX_STATE_RUNNING || emu_comch_conn_is_up(of(ctx)->endpoint.conn))
		return false;
	emu_ctx_fail(ctx);
	return true;
}

static bool producer_pending(const struct doca_ctx *ctx)
{
	const struct doca_comch_producer *producer = (const struct doca_comch_producer *)ctx;

	return ctx->state == DOCA_CTX_STATE_RUNNING && !emu_comch_conn_is_up(producer->endpoint.conn);
}

static void producer_idle(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = of(ctx);

	emu_comch_endpoint_close(&producer->endpoint);
	forget_remote(producer);
}

static doca_error_t producer_start(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = of(ctx);

	if (producer->endpoint.num_tasks == 0)
		return DOCA_ERROR_INITIALIZATION;
	if (emu_task_pool_start(&producer->endpoint.pool, ctx, &send_ops, sizeof(struct doca_comch_producer_task_send),
				producer->endpoint.num_tasks) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	if (!emu_comch_endpoint_join(&producer->endpoint)) {
		producer_idle(ctx);
		return DOCA_ERROR_INITIALIZATION;
	}
	return DOCA_SUCCESS;
}

const struct emu_ctx_ops emu_comch_producer_ops = {
	.start = producer_start,
	.progress = producer_progress,
	.pending = producer_pending,
	.idle = producer_idle,
};
