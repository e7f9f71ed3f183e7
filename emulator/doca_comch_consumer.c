/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <doca_comch_consumer.h>

#include "emu_buf.h"
#include "emu_comch.h"
#include "emu_comch_ring.h"
#include "emu_fault.h"
#include "emu_mmap.h"
#include "emu_pe.h"

#define MAX_NUM_TASKS 16384

struct doca_comch_consumer {
	struct doca_ctx ctx;
	struct emu_task_pool pool;
	struct doca_comch_connection *conn;
	struct doca_mmap *mmap;
	uint32_t id;
	uint32_t imm_data_len;
	uint32_t num_tasks; /* 0: not configured */
	doca_comch_consumer_task_post_recv_completion_cb_t completion_cb;
	doca_comch_consumer_task_post_recv_completion_cb_t error_cb;

	/* While not IDLE. */
	struct emu_comch_ring *ring;
	uint32_t num_entries;
	int ring_fd;
	struct doca_comch_consumer_task_post_recv **tasks; /* by entry */
	uint64_t posted;
	uint64_t taken; /* entries whose tasks have ended */
	bool is_armed;	/* the ring was armed: the eventfd may have been written */
	struct emu_comch_party party;
	struct expiry *expiry;
};

/* The frame that tells of a consumer's end may be sent when the consumer is no more. */
struct expiry {
	struct emu_comch_out out;
	uint32_t id;
};

struct doca_comch_consumer_task_post_recv {
	struct doca_task base;
	struct doca_buf *buf;
	uint32_t producer_id;
	uint32_t imm_len;
	uint8_t imm[EMU_COMCH_MAX_IMM_DATA_LEN];
};

static struct doca_comch_consumer *of(struct doca_ctx *ctx)
{
	return (struct doca_comch_consumer *)ctx;
}

/* Posting. */

/* A posted buffer is filled from its tail on. */
static uint8_t *tail_of(const struct doca_buf *buf)
{
	return (uint8_t *)((uintptr_t)buf->data + buf->data_len);
}

static bool buf_is_valid(const struct doca_comch_consumer *consumer, const struct doca_buf *buf)
{
	const struct doca_mmap *mmap = consumer->mmap;

	if (buf == NULL) /* immediate data only */
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

	cb((struct doca_comch_consumer_task_post_recv *)base, base->user_data, consumer->ctx.user_data);
}

static const struct emu_task_ops post_ops = {
	.submit = post_submit,
	.notify = post_notify,
	.validate = post_validate,
};

/* Receiving. */

/* Moves what a producer has sent to where the program looks for it. */
static doca_error_t take(struct doca_comch_consumer *consumer, struct emu_comch_entry *entry,
			 struct doca_comch_consumer_task_post_recv *task)
{
	struct doca_buf *buf = task->buf;
	/* The peer may change them at any time: what is checked is what is used. */
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
		case EMU_COMCH_STAGED:
			if (!emu_comch_ring_unstage(consumer->ring_fd, consumer->num_entries, consumer->taken, tail, len))
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
	       emu_comch_entry_is_filled(
		       emu_comch_ring_entry(consumer->ring, consumer->num_entries, consumer->taken), consumer->taken);
}

/* Ends the task of the oldest filled entry; false if there is none to report. */
static bool take_next(struct doca_comch_consumer *consumer)
{
	while (next_is_filled(consumer)) {
		struct emu_comch_entry *entry =
			emu_comch_ring_entry(consumer->ring, consumer->num_entries, consumer->taken);
		struct doca_comch_consumer_task_post_recv *task =
			consumer->tasks[consumer->taken & (consumer->num_entries - 1)];
		doca_error_t status = DOCA_SUCCESS;

		if (task->base.state == EMU_TASK_QUEUED) /* and not given up, perhaps with its buffer */
			status = take(consumer, entry, task);
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

		if (task->state == EMU_TASK_QUEUED && !emu_comch_conn_is_up(consumer->conn)) {
			task->status = DOCA_ERROR_NOT_CONNECTED;
			task->state = EMU_TASK_DECIDED;
		}
		emu_task_flush(task);
	}
	consumer->posted = first;
}

/* A producer that was killed while it wrote will never fill its entry. */
static bool claims_are_void(struct doca_comch_consumer *consumer)
{
	bool is_gone;

	pthread_mutex_lock(&consumer->conn->lock);
	is_gone = emu_comch_conn_peer_is_gone(consumer->conn);
	pthread_mutex_unlock(&consumer->conn->lock);
	return is_gone && !next_is_filled(consumer);
}

static void disarm(struct doca_comch_consumer *consumer)
{
	if (!consumer->is_armed)
		return;
	consumer->is_armed = false;
	__atomic_store_n(&consumer->ring->armed, 0, __ATOMIC_SEQ_CST);
	emu_comch_drain_fd(consumer->party.wake_fd);
}

static bool consumer_progress(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);

	if (consumer->is_armed)
		disarm(consumer);
	if (take_next(consumer))
		return true;
	switch (ctx->state) {
	case DOCA_CTX_STATE_STARTING:
		if (!emu_comch_conn_is_up(consumer->conn)) {
			emu_ctx_start_failed(ctx);
			return true;
		}
		if (!__atomic_load_n(&consumer->party.is_registered, __ATOMIC_ACQUIRE))
			return false;
		emu_ctx_started(ctx);
		return true;
	case DOCA_CTX_STATE_RUNNING:
		if (emu_comch_conn_is_up(consumer->conn))
			return false;
		emu_ctx_fail(ctx);
		return true;
	default:
		if (consumer->taken != consumer->posted && claims_are_void(consumer))
			fail_from(consumer, consumer->taken);
		return false;
	}
}

static bool consumer_pending(const struct doca_ctx *ctx)
{
	/* The engine is about to sleep, which is the ring's business, too. */
	struct doca_comch_consumer *consumer = of((struct doca_ctx *)(uintptr_t)ctx);
	bool starts = ctx->state == DOCA_CTX_STATE_STARTING;

	disarm(consumer);
	consumer->is_armed = true;
	__atomic_store_n(&consumer->ring->armed, 1, __ATOMIC_SEQ_CST);
	return next_is_filled(consumer) ||
	       (starts && __atomic_load_n(&consumer->party.is_registered, __ATOMIC_ACQUIRE)) ||
	       (ctx->state != DOCA_CTX_STATE_STOPPING && !emu_comch_conn_is_up(consumer->conn));
}

/* Start and stop. */

static void consumer_idle(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);
	struct doca_comch_connection *conn = consumer->conn;

	pthread_mutex_lock(&conn->lock);
	emu_comch_party_leave(conn, &consumer->party);
	pthread_mutex_unlock(&conn->lock);
	if (consumer->party.wake_fd >= 0) {
		emu_pe_remove_fd(ctx->pe, consumer->party.wake_fd);
		close(consumer->party.wake_fd);
	}
	if (consumer->ring != NULL)
		emu_comch_ring_unmap(consumer->ring, consumer->num_entries);
	if (consumer->ring_fd >= 0)
		close(consumer->ring_fd);
	free(consumer->tasks);
	free(consumer->expiry);
	consumer->ring = NULL;
	consumer->tasks = NULL;
	consumer->expiry = NULL;
	consumer->ring_fd = consumer->party.wake_fd = -1;
	consumer->posted = consumer->taken = 0;
	consumer->is_armed = false;
}

static bool open_all(struct doca_comch_consumer *consumer)
{
	if (emu_task_pool_start(&consumer->pool, &consumer->ctx, &post_ops,
				sizeof(struct doca_comch_consumer_task_post_recv), consumer->num_tasks) != DOCA_SUCCESS)
		return false;
	consumer->expiry = calloc(1, sizeof(*consumer->expiry));
	consumer->ring = emu_comch_ring_new(consumer->num_tasks, &consumer->ring_fd);
	consumer->party.wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (consumer->expiry == NULL || consumer->ring == NULL || consumer->party.wake_fd < 0)
		return false;
	consumer->num_entries = consumer->ring->num_entries;
	consumer->tasks = calloc(consumer->num_entries, sizeof(consumer->tasks[0]));
	return consumer->tasks != NULL &&
	       emu_pe_add_fd(consumer->ctx.pe, consumer->party.wake_fd) == DOCA_SUCCESS;
}

static doca_error_t consumer_start(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);
	struct doca_comch_connection *conn = consumer->conn;
	struct emu_comch_party *party = &consumer->party;
	bool has_joined;

	if (consumer->num_tasks == 0)
		return DOCA_ERROR_INITIALIZATION;
	if (!open_all(consumer)) {
		consumer_idle(ctx);
		return DOCA_ERROR_INITIALIZATION;
	}
	party->announce_bytes = (struct emu_comch_announce){.id = consumer->id, .imm_data_len = consumer->imm_data_len};
	party->announce_fds[0] = consumer->ring_fd;
	party->announce_fds[1] = party->wake_fd;
	party->announce = (struct emu_comch_out){
		.type = EMU_COMCH_CONSUMER_NEW,
		.len = sizeof(party->announce_bytes),
		.bytes = &party->announce_bytes,
		.fds = party->announce_fds,
	};
	party->is_registered = false;
	party->wants_announcement = true;
	pthread_mutex_lock(&conn->lock);
	has_joined = emu_comch_party_join(conn, party);
	pthread_mutex_unlock(&conn->lock);
	if (!has_joined) {
		consumer_idle(ctx);
		return DOCA_ERROR_INITIALIZATION;
	}
	/* Where the system asks for it, the peer may write into this process's buffers. Refused or unknown:
	 * data is staged then. */
	prctl(PR_SET_PTRACER, (unsigned long)conn->peer_pid, 0, 0, 0);
	return DOCA_ERROR_IN_PROGRESS;
}

/* Tells the peer, who has been or will be told of the consumer, and no one else. */
static void expire(struct doca_comch_consumer *consumer)
{
	struct doca_comch_connection *conn = consumer->conn;
	struct expiry *expiry = consumer->expiry;

	pthread_mutex_lock(&conn->lock);
	if (consumer->party.wants_announcement) {
		consumer->party.wants_announcement = false;
	} else if (!emu_comch_conn_withdraw(conn, &consumer->party.announce) && emu_comch_conn_is_up(conn)) {
		*expiry = (struct expiry){
			.out = {.type = EMU_COMCH_CONSUMER_EXPIRED, .len = sizeof(expiry->id), .bytes = &expiry->id,
				.is_freed = true},
			.id = consumer->id,
		};
		consumer->expiry = NULL;
		emu_comch_conn_push(conn, &expiry->out);
	}
	pthread_mutex_unlock(&conn->lock);
}

static bool consumer_stop(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);
	uint64_t claimed = __atomic_fetch_or(&consumer->ring->claimed, EMU_COMCH_RING_CLOSED, __ATOMIC_ACQ_REL);

	/* What a producer has claimed is still received, everything else comes back. */
	claimed &= ~EMU_COMCH_RING_CLOSED;
	if (claimed < consumer->taken || claimed > consumer->posted) /* the peer has overwritten it */
		claimed = consumer->taken;
	fail_from(consumer, claimed);
	expire(consumer);
	return consumer->taken == consumer->posted;
}

static bool consumer_drained(const struct doca_ctx *ctx)
{
	const struct doca_comch_consumer *consumer = (const struct doca_comch_consumer *)ctx;

	return consumer->taken == consumer->posted;
}

static const struct emu_ctx_ops consumer_ops = {
	.start = consumer_start,
	.stop = consumer_stop,
	.drained = consumer_drained,
	.progress = consumer_progress,
	.pending = consumer_pending,
	.idle = consumer_idle,
};

/* A map that the peer's device may write to. */
static bool mmap_is_fit(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
	return emu_mmap_is_usable(mmap) && mmap->import == NULL &&
	       (mmap->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0 && emu_mmap_has_dev(mmap, dev);
}

doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection, struct doca_mmap *buf_mmap,
					struct doca_comch_consumer **consumer)
{
	EMU_CALL("doca_comch_consumer_create");
	struct doca_comch_consumer *made;
	struct doca_dev *dev = NULL;
	doca_error_t result = DOCA_SUCCESS;

	if (comch_connection == NULL || buf_mmap == NULL || consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	pthread_mutex_lock(&comch_connection->lock);
	if (!emu_comch_conn_is_up(comch_connection)) {
		result = DOCA_ERROR_BAD_STATE;
	} else {
		dev = comch_connection->ctrl->ctx.dev;
		if (!mmap_is_fit(buf_mmap, dev))
			result = DOCA_ERROR_INVALID_VALUE;
		else if ((made->id = emu_comch_take_id(comch_connection, true)) == 0)
			result = DOCA_ERROR_NO_MEMORY;
	}
	pthread_mutex_unlock(&comch_connection->lock);
	if (result == DOCA_SUCCESS) {
		result = emu_ctx_init(&made->ctx, &consumer_ops, dev);
		if (result != DOCA_SUCCESS) {
			pthread_mutex_lock(&comch_connection->lock);
			emu_comch_put_id(comch_connection, true, made->id);
			pthread_mutex_unlock(&comch_connection->lock);
		}
	}
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	emu_comch_conn_ref(comch_connection);
	made->conn = comch_connection;
	made->mmap = buf_mmap;
	made->ring_fd = made->party.wake_fd = -1;
	*consumer = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer)
{
	EMU_CALL("doca_comch_consumer_destroy");
	doca_error_t result;

	if (consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_ctx_fini(&consumer->ctx);
	if (result != DOCA_SUCCESS)
		return result;
	pthread_mutex_lock(&consumer->conn->lock);
	emu_comch_put_id(consumer->conn, true, consumer->id);
	pthread_mutex_unlock(&consumer->conn->lock);
	emu_comch_conn_unref(consumer->conn);
	emu_task_pool_destroy(&consumer->pool);
	free(consumer);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id)
{
	EMU_CALL("doca_comch_consumer_get_id");
	if (consumer == NULL || id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*id = consumer->id;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer, uint32_t imm_data_len)
{
	EMU_CALL("doca_comch_consumer_set_imm_data_len");
	if (consumer == NULL || imm_data_len > EMU_COMCH_MAX_IMM_DATA_LEN)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	consumer->imm_data_len = imm_data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer, uint32_t *imm_data_len)
{
	EMU_CALL("doca_comch_consumer_get_imm_data_len");
	if (consumer == NULL || imm_data_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*imm_data_len = consumer->imm_data_len;
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer)
{
	return consumer == NULL ? NULL : &consumer->ctx;
}

/* Capabilities. */

static doca_error_t limit(const struct doca_devinfo *devinfo, uint32_t *out, uint32_t value)
{
	if (devinfo == NULL || out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*out = value;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_comch_consumer_cap_is_supported");
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo, uint32_t *max_num_tasks)
{
	EMU_CALL("doca_comch_consumer_cap_get_max_num_tasks");
	return limit(devinfo, max_num_tasks, MAX_NUM_TASKS);
}

doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo, uint32_t *max_buf_size)
{
	EMU_CALL("doca_comch_consumer_cap_get_max_buf_size");
	return limit(devinfo, max_buf_size, EMU_COMCH_MAX_BUF_SIZE);
}

doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len)
{
	EMU_CALL("doca_comch_consumer_cap_get_max_buf_list_len");
	return limit(devinfo, max_buf_list_len, 1);
}

doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo, uint32_t *max_consumers)
{
	EMU_CALL("doca_comch_consumer_cap_get_max_consumers");
	return limit(devinfo, max_consumers, EMU_COMCH_MAX_PARTIES);
}

doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_imm_data_len)
{
	EMU_CALL("doca_comch_consumer_cap_get_max_imm_data_len");
	return limit(devinfo, max_imm_data_len, EMU_COMCH_MAX_IMM_DATA_LEN);
}

/* Tasks. */

doca_error_t doca_comch_consumer_task_post_recv_set_conf(
	struct doca_comch_consumer *consumer,
	doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks)
{
	EMU_CALL("doca_comch_consumer_task_post_recv_set_conf");
	if (consumer == NULL || task_completion_cb == NULL || task_error_cb == NULL || num_post_recv_tasks == 0 ||
	    num_post_recv_tasks > MAX_NUM_TASKS)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	consumer->completion_cb = task_completion_cb;
	consumer->error_cb = task_error_cb;
	consumer->num_tasks = num_post_recv_tasks;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer, struct doca_buf *buf,
							   struct doca_comch_consumer_task_post_recv **task)
{
	EMU_CALL("doca_comch_consumer_task_post_recv_alloc_init");
	struct doca_comch_consumer_task_post_recv *made;
	struct doca_task *base;
	doca_error_t result;

	if (consumer == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_task_alloc(&consumer->pool, (union doca_data){.u64 = 0}, &base);
	if (result != DOCA_SUCCESS)
		return result;
	made = (struct doca_comch_consumer_task_post_recv *)base;
	made->buf = buf;
	made->producer_id = 0;
	made->imm_len = 0;
	*task = made;
	return DOCA_SUCCESS;
}

struct doca_buf *doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task)
{
	return task->buf;
}

void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf)
{
	task->buf = buf;
}

uint32_t doca_comch_consumer_task_post_recv_get_producer_id(const struct doca_comch_consumer_task_post_recv *task)
{
	return task->producer_id;
}

const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(const struct doca_comch_consumer_task_post_recv *task)
{
	return task->imm_len == 0 ? NULL : task->imm;
}

uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(const struct doca_comch_consumer_task_post_recv *task)
{
	return task->imm_len;
}

struct doca_task *doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task)
{
	return task == NULL ? NULL : &task->base;
}
