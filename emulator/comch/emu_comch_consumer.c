/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

/*
 * Consumers: posting, receiving, and the life of the context.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/emu_buf.h"
#include "core/emu_ctx.h"
#include "core/emu_log.h"
#include "core/emu_memfile.h"
#include "core/emu_mmap.h"
#include "core/emu_pe.h"
#include "core/emu_peer.h"
#include "core/emu_peer_watch.h"
#include "core/emu_task.h"
#include "emu_comch_conn.h"
#include "emu_comch_consumer.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_frame.h"
#include "emu_comch_ring.h"
#include "emu_comch_wake.h"

static struct doca_comch_consumer *of(struct doca_ctx *ctx)
{
	return (struct doca_comch_consumer *)ctx;
}

/* Posting. */

/* Data goes behind the data that a posted buffer has. */
static uint8_t *tail_of(const struct doca_buf *buf)
{
	return (uint8_t *)((uintptr_t)buf->data + buf->data_len);
}

static bool buf_is_valid(const struct doca_comch_consumer *consumer, const struct doca_buf *buf)
{
	const struct doca_mmap *mmap = consumer->mmap;

	if (buf == NULL) /* a receive of immediate data only */
		return true;
	return buf->next == NULL && buf->mmap == mmap && emu_mmap_is_usable(mmap) &&
	       emu_within(buf->head, buf->len, mmap->addr, mmap->len) &&
	       emu_within(tail_of(buf), 0, buf->head, buf->len);
}

static doca_error_t post_validate(const struct doca_task *base)
{
	const struct doca_comch_consumer_task_post_recv *task =
		(const struct doca_comch_consumer_task_post_recv *)base;

	return buf_is_valid((const struct doca_comch_consumer *)base->ctx, task->buf) ? DOCA_SUCCESS :
											DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t post_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_consumer_task_post_recv *task = (struct doca_comch_consumer_task_post_recv *)base;
	struct doca_comch_consumer *consumer = of(base->ctx);
	const struct doca_buf *buf = task->buf;
	struct emu_comch_entry *entry = emu_comch_ring_entry(consumer->ring, consumer->num_entries, consumer->posted);
	uint8_t *tail;

	(void)flags;
	if (!buf_is_valid(consumer, buf))
		return DOCA_ERROR_INVALID_VALUE;
	task->producer_id = 0; /* left from an earlier use */
	task->imm_len = 0;
	tail = buf == NULL ? NULL : tail_of(buf);
	__atomic_store_n(&entry->addr, (uintptr_t)tail, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->room, buf == NULL ? 0 : (size_t)(buf->head + buf->len - tail), __ATOMIC_RELAXED);
	consumer->tasks[consumer->posted & (consumer->num_entries - 1)] = task;
	consumer->posted++;
	__atomic_store_n(&consumer->ring->posted, consumer->posted, __ATOMIC_RELEASE);
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
	.connection = emu_comch_endpoint_connection,
	.cut = emu_comch_endpoint_cut,
};

/* Receiving. */

/* Moves what a producer has sent to the buffer and the task. */
static doca_error_t take(struct doca_comch_consumer *consumer, struct emu_comch_entry *entry,
			 struct doca_comch_consumer_task_post_recv *task)
{
	struct doca_buf *buf = task->buf;
	/* The peer may change them at any time: read them once, then check and use the copy. */
	uint32_t len = __atomic_load_n(&entry->len, __ATOMIC_RELAXED);
	uint32_t imm_len = __atomic_load_n(&entry->imm_len, __ATOMIC_RELAXED);
	uint8_t *tail;

	if (imm_len > consumer->imm_data_len)
		return DOCA_ERROR_IO_FAILED;
	if (buf == NULL) {
		if (len != 0)
			return DOCA_ERROR_IO_FAILED;
	} else {
		tail = tail_of(buf);
		if (len > (size_t)(buf->head + buf->len - tail))
			return DOCA_ERROR_IO_FAILED;
		switch (__atomic_load_n(&entry->where, __ATOMIC_RELAXED)) {
		case EMU_COMCH_IN_BUFFER:
			break;
		case EMU_COMCH_IN_ENTRY:
			if (len > EMU_COMCH_INLINE_SIZE)
				return DOCA_ERROR_IO_FAILED;
			memcpy(tail, entry->bytes, len);
			break;
		case EMU_COMCH_IN_TRAY:
			if (len > EMU_COMCH_TRAY_SIZE ||
			    emu_comch_ring_tray(consumer->ring, consumer->num_entries, consumer->taken) == NULL)
				return DOCA_ERROR_IO_FAILED;
			memcpy(tail, emu_comch_ring_tray(consumer->ring, consumer->num_entries, consumer->taken), len);
			break;
		case EMU_COMCH_STAGED:
			if (!emu_comch_ring_unstage(consumer->ring_fd, consumer->num_entries, consumer->taken, tail,
						    len))
				return DOCA_ERROR_IO_FAILED;
			break;
		default:
			return DOCA_ERROR_IO_FAILED;
		}
		buf->data_len += len;
	}
	task->producer_id = entry->producer_id;
	task->imm_len = imm_len;
	memcpy(task->imm, entry->imm, imm_len);
	return DOCA_SUCCESS;
}

static bool next_is_filled(const struct doca_comch_consumer *consumer)
{
	return consumer->taken != consumer->posted &&
	       (consumer->takeover.is_done ||
		emu_comch_entry_is_filled(
			emu_comch_ring_entry(consumer->ring, consumer->num_entries, consumer->taken), consumer->taken));
}

/* Ends the task of the oldest filled entry. False: there is none to report. */
static bool take_next(struct doca_comch_consumer *consumer)
{
	while (next_is_filled(consumer)) {
		struct emu_comch_entry *entry =
			emu_comch_ring_entry(consumer->ring, consumer->num_entries, consumer->taken);
		struct doca_comch_consumer_task_post_recv *task =
			consumer->tasks[consumer->taken & (consumer->num_entries - 1)];
		doca_error_t status = DOCA_SUCCESS;

		/* If the program has freed the task, its buffer may no longer exist. */
		if (task->base.state == EMU_TASK_QUEUED)
			status = emu_comch_entry_is_filled(entry, consumer->taken) ? take(consumer, entry, task) :
				 emu_comch_conn_is_up(consumer->endpoint.conn)	   ? DOCA_ERROR_IO_FAILED :
										     DOCA_ERROR_NOT_CONNECTED;
		consumer->taken++;
		if (emu_task_finish(&task->base, status))
			return true;
	}
	return false;
}

static void fail_from(struct doca_comch_consumer *consumer, uint64_t first)
{
	for (uint64_t i = first; i < consumer->posted; i++) {
		struct doca_task *task = &consumer->tasks[i & (consumer->num_entries - 1)]->base;

		if (task->state == EMU_TASK_QUEUED && !emu_comch_conn_is_up(consumer->endpoint.conn)) {
			task->status = DOCA_ERROR_NOT_CONNECTED;
			task->state = EMU_TASK_DECIDED;
		}
		emu_task_flush(task);
	}
	consumer->posted = first;
}

static void disarm(struct doca_comch_consumer *consumer)
{
	if (!consumer->is_armed)
		return;
	consumer->is_armed = false;
	__atomic_store_n(&consumer->ring->armed, 0, __ATOMIC_SEQ_CST);
	emu_comch_hush(consumer->endpoint.wake_fd);
}

/* The peer has no room for the consumer. */
static bool is_refused(const struct doca_comch_consumer *consumer)
{
	return __atomic_load_n(&consumer->endpoint.is_refused, __ATOMIC_ACQUIRE);
}

/* Says why the program loses its consumer, once. */
static void complain(const struct doca_comch_consumer *consumer)
{
	if (is_refused(consumer))
		EMU_LOG_ERR("Comch: consumer %u stops: the peer's process has no room for it (see its log, and ulimit -n)",
			    consumer->endpoint.id);
}

static bool consumer_progress(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);

	/* An engine that makes progress while it is armed goes back to sleep without another request. */
	if (consumer->is_armed && !(emu_pe_attention(ctx->pe) & EMU_PE_ARMED))
		disarm(consumer);
	if (take_next(consumer))
		return true;
	switch (ctx->state) {
	case DOCA_CTX_STATE_STARTING:
		if (!emu_comch_conn_is_up(consumer->endpoint.conn) || is_refused(consumer)) {
			complain(consumer);
			emu_ctx_start_failed(ctx);
			return true;
		}
		if (ctx->start_is_lost || !__atomic_load_n(&consumer->endpoint.is_registered, __ATOMIC_ACQUIRE))
			return false;
		emu_ctx_started(ctx);
		return true;
	case DOCA_CTX_STATE_RUNNING:
		if (emu_comch_conn_is_up(consumer->endpoint.conn) && !is_refused(consumer))
			return false;
		complain(consumer);
		emu_ctx_fail(ctx);
		return true;
	default:
		return emu_comch_takeover_progress(consumer) && take_next(consumer);
	}
}

static bool consumer_pending(const struct doca_ctx *ctx)
{
	/* The engine is about to sleep, so producers must wake it. */
	struct doca_comch_consumer *consumer = of((struct doca_ctx *)(uintptr_t)ctx);
	bool starts = ctx->state == DOCA_CTX_STATE_STARTING && !ctx->start_is_lost;

	disarm(consumer);
	consumer->is_armed = true;
	__atomic_store_n(&consumer->ring->armed, 1, __ATOMIC_SEQ_CST);
	return next_is_filled(consumer) || (!starts && emu_comch_takeover_pending(consumer)) ||
	       (starts && __atomic_load_n(&consumer->endpoint.is_registered, __ATOMIC_ACQUIRE)) ||
	       (ctx->state != DOCA_CTX_STATE_STOPPING &&
		(!emu_comch_conn_is_up(consumer->endpoint.conn) || is_refused(consumer)));
}

/* Start and stop. */

static void consumer_idle(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);

	emu_comch_takeover_end(consumer);
	emu_comch_endpoint_close(&consumer->endpoint);
	if (consumer->ring != NULL)
		emu_comch_ring_unmap(consumer->ring, consumer->num_entries);
	if (consumer->ring_fd >= 0)
		close(consumer->ring_fd);
	free(consumer->tasks);
	free(consumer->expiry);
	consumer->ring = NULL;
	consumer->tasks = NULL;
	consumer->expiry = NULL;
	consumer->ring_fd = -1;
	consumer->posted = consumer->taken = 0;
	consumer->is_armed = false;
}

/* The least memory that peers map. They copy less than this as fast by a system call. */
#define MAPPED_FROM ((size_t)64 << 10)

/* Says where the memory is. If it is of a file, the peer maps that. */
static void describe_memory(struct doca_comch_consumer *consumer)
{
	struct emu_comch_endpoint *endpoint = &consumer->endpoint;
	const struct doca_mmap *mmap = consumer->mmap;

	if (mmap->len < MAPPED_FROM)
		return;
	endpoint->peer_fds[1] = emu_memfile_find(mmap->addr, mmap->len, &endpoint->announce_bytes.offset);
	endpoint->announce_fds[2] = endpoint->peer_fds[1];
	endpoint->announce_bytes.addr = (uintptr_t)mmap->addr;
	endpoint->announce_bytes.len = mmap->len;
}

static bool open_all(struct doca_comch_consumer *consumer)
{
	if (emu_task_pool_start(&consumer->endpoint.pool, &consumer->endpoint.ctx, &post_ops,
				sizeof(struct doca_comch_consumer_task_post_recv),
				consumer->endpoint.num_tasks) != DOCA_SUCCESS)
		return false;
	consumer->expiry = calloc(1, sizeof(*consumer->expiry));
	consumer->ring = emu_comch_ring_new(consumer->endpoint.num_tasks, &consumer->ring_fd);
	if (consumer->expiry == NULL || consumer->ring == NULL)
		return false;
	consumer->num_entries = consumer->ring->num_entries;
	consumer->tasks = calloc(consumer->num_entries, sizeof(consumer->tasks[0]));
	return consumer->tasks != NULL && emu_comch_endpoint_open(&consumer->endpoint);
}

static doca_error_t consumer_start(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);
	struct emu_comch_endpoint *endpoint = &consumer->endpoint;

	if (endpoint->num_tasks == 0)
		return DOCA_ERROR_INITIALIZATION;
	if (!open_all(consumer)) {
		EMU_LOG_ERR("Comch: cannot start a consumer: %s", strerror(errno));
		consumer_idle(ctx);
		return DOCA_ERROR_INITIALIZATION;
	}
	consumer->is_direct = emu_peer_can_watch(endpoint->conn->peer_pid);
	endpoint->announce_bytes =
		(struct emu_comch_announce){.id = endpoint->id,
					    .imm_data_len = consumer->imm_data_len,
					    .flags = consumer->is_direct ? EMU_COMCH_DIRECT : 0};
	endpoint->announce_fds[0] = consumer->ring_fd;
	endpoint->announce_fds[1] = endpoint->peer_fds[0];
	endpoint->announce_fds[2] = -1;
	describe_memory(consumer);
	endpoint->announce = (struct emu_comch_out){
		.type = EMU_COMCH_CONSUMER_NEW,
		.len = sizeof(endpoint->announce_bytes),
		.bytes = &endpoint->announce_bytes,
		.fds = endpoint->announce_fds,
		.spent_fds = endpoint->peer_fds,
	};
	endpoint->is_registered = endpoint->is_refused = false;
	endpoint->wants_announcement = true;
	if (!emu_comch_endpoint_join(endpoint)) {
		consumer_idle(ctx);
		return DOCA_ERROR_INITIALIZATION;
	}
	/* Producers write into this process's buffers. If that is refused, they stage the data. */
	if (consumer->is_direct)
		emu_peer_allow(endpoint->conn->peer_pid);
	return DOCA_ERROR_IN_PROGRESS;
}

/* Tells the peer that the consumer has expired, if it knows of the consumer. */
static void expire(struct doca_comch_consumer *consumer)
{
	struct doca_comch_connection *conn = consumer->endpoint.conn;
	struct emu_comch_expiry *expiry = consumer->expiry;

	pthread_mutex_lock(&conn->lock);
	if (consumer->endpoint.wants_announcement) {
		consumer->endpoint.wants_announcement = false;
	} else if (!emu_comch_withdraw(conn, &consumer->endpoint.announce) && emu_comch_conn_is_up(conn)) {
		*expiry = (struct emu_comch_expiry){
			.out = {.type = EMU_COMCH_CONSUMER_EXPIRED, .len = sizeof(expiry->id), .bytes = &expiry->id,
				.is_freed = true},
			.id = consumer->endpoint.id,
		};
		consumer->expiry = NULL;
		emu_comch_push(conn, &expiry->out);
	}
	pthread_mutex_unlock(&conn->lock);
}

static bool consumer_stop(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);
	uint64_t claimed = __atomic_fetch_or(&consumer->ring->claimed, EMU_COMCH_RING_CLOSED, __ATOMIC_ACQ_REL);

	/* Entries that a producer has claimed are still received; all others fail. */
	claimed &= ~EMU_COMCH_RING_CLOSED;
	if (claimed < consumer->taken || claimed > consumer->posted) /* the peer has written nonsense */
		claimed = consumer->taken;
	fail_from(consumer, claimed);
	emu_comch_takeover_begin(consumer);
	expire(consumer);
	return consumer->taken == consumer->posted;
}

static bool consumer_drained(const struct doca_ctx *ctx)
{
	const struct doca_comch_consumer *consumer = (const struct doca_comch_consumer *)ctx;

	return consumer->taken == consumer->posted;
}

const struct emu_ctx_ops emu_comch_consumer_ops = {
	.start = consumer_start,
	.stop = consumer_stop,
	.drained = consumer_drained,
	.progress = consumer_progress,
	.pending = consumer_pending,
	.idle = consumer_idle,
};
