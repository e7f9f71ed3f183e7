/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <doca_comch_producer.h>

#include "emu_buf.h"
#include "emu_comch.h"
#include "emu_comch_ring.h"
#include "emu_fault.h"
#include "emu_mmap.h"
#include "emu_pe.h"

#define MAX_NUM_TASKS 16384

/* A program may try again and again without progress: now and then it must learn that its peer is gone. */
#define TRIES_PER_LOOK 1024

struct doca_comch_producer {
	struct doca_ctx ctx;
	struct emu_task_pool pool;
	struct doca_comch_connection *conn;
	uint32_t id;
	uint32_t num_tasks; /* 0: not configured */
	uint32_t num_tries;
	doca_comch_producer_task_send_completion_cb_t completion_cb;
	doca_comch_producer_task_send_completion_cb_t error_cb;
	struct emu_comch_remote *remote; /* the consumer last sent to */
	struct emu_comch_party party;	  /* while not IDLE */
};

struct doca_comch_producer_task_send {
	struct doca_task base;
	const struct doca_buf *buf;
	uint32_t consumer_id;
	uint32_t imm_len;
	uint8_t *imm; /* the program's, until submission */
};

static struct doca_comch_producer *of(struct doca_ctx *ctx)
{
	return (struct doca_comch_producer *)ctx;
}

/* Sending. */

static bool buf_is_valid(const struct doca_comch_producer *producer, const struct doca_buf *buf)
{
	if (buf == NULL) /* immediate data only */
		return true;
	return buf->next == NULL && buf->data_len <= EMU_COMCH_MAX_BUF_SIZE && buf->mmap != NULL &&
	       buf->mmap->import == NULL && emu_may_access(buf->mmap, producer->ctx.dev, EMU_ACCESS_READ) &&
	       emu_within(buf->data, buf->data_len, buf->head, buf->len) &&
	       emu_within(buf->data, buf->data_len, buf->mmap->addr, buf->mmap->len);
}

static bool imm_is_valid(const uint8_t *imm_data, uint32_t imm_data_len)
{
	return imm_data_len == 0 || (imm_data != NULL && imm_data_len <= EMU_COMCH_MAX_IMM_DATA_LEN);
}

static doca_error_t send_validate(const struct doca_task *base)
{
	const struct doca_comch_producer_task_send *task = (const struct doca_comch_producer_task_send *)base;
	const struct doca_comch_producer *producer = (const struct doca_comch_producer *)base->ctx;

	return buf_is_valid(producer, task->buf) && imm_is_valid(task->imm, task->imm_len) ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
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
	pthread_mutex_lock(&producer->conn->lock);
	producer->remote = emu_comch_remote_find(producer->conn, id);
	pthread_mutex_unlock(&producer->conn->lock);
	return producer->remote;
}

static bool peer_is_gone(struct doca_comch_producer *producer)
{
	bool is_gone;

	pthread_mutex_lock(&producer->conn->lock);
	is_gone = emu_comch_conn_peer_is_gone(producer->conn);
	pthread_mutex_unlock(&producer->conn->lock);
	return is_gone;
}

static doca_error_t send_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_producer_task_send *task = (struct doca_comch_producer_task_send *)base;
	struct doca_comch_producer *producer = of(base->ctx);
	const struct doca_buf *buf = task->buf;
	struct emu_comch_send send = {
		.imm = task->imm,
		.imm_len = task->imm_len,
		.producer_id = producer->id,
		.pid = producer->conn->peer_pid,
	};
	struct emu_comch_remote *remote;
	doca_error_t result;

	(void)flags;
	if (!buf_is_valid(producer, buf) || !imm_is_valid(task->imm, task->imm_len))
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_comch_conn_is_up(producer->conn))
		return DOCA_ERROR_NOT_CONNECTED;
	remote = find_remote(producer, task->consumer_id);
	if (remote == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (buf != NULL) {
		send.bytes = buf->data;
		send.len = buf->data_len;
	}
	/* The number of a process that is gone may become another's: do not write there. */
	if (send.len > EMU_COMCH_INLINE_SIZE && peer_is_gone(producer))
		return DOCA_ERROR_NOT_CONNECTED;
	result = emu_comch_ring_send(remote, &send);
	switch (result) {
	case DOCA_SUCCESS:
	case DOCA_ERROR_IO_FAILED:
		base->status = result;
		base->state = EMU_TASK_DECIDED;
		return DOCA_SUCCESS;
	case DOCA_ERROR_AGAIN:
		if (++producer->num_tries % TRIES_PER_LOOK == 0 && peer_is_gone(producer))
			return DOCA_ERROR_NOT_CONNECTED;
		return result;
	case DOCA_ERROR_NOT_CONNECTED: /* the consumer has stopped, and its expiry is on the way */
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

	cb((struct doca_comch_producer_task_send *)base, base->user_data, producer->ctx.user_data);
}

static const struct emu_task_ops send_ops = {
	.submit = send_submit,
	.notify = send_notify,
	.validate = send_validate,
};

/* The context. */

static bool producer_progress(struct doca_ctx *ctx)
{
	if (ctx->state != DOCA_CTX_STATE_RUNNING || emu_comch_conn_is_up(of(ctx)->conn))
		return false;
	emu_ctx_fail(ctx);
	return true;
}

static bool producer_pending(const struct doca_ctx *ctx)
{
	const struct doca_comch_producer *producer = (const struct doca_comch_producer *)ctx;

	if (emu_comch_conn_is_up(producer->conn))
		return false;
	emu_comch_drain_fd(producer->party.wake_fd);
	return ctx->state == DOCA_CTX_STATE_RUNNING;
}

static void producer_idle(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = of(ctx);

	pthread_mutex_lock(&producer->conn->lock);
	emu_comch_party_leave(producer->conn, &producer->party);
	pthread_mutex_unlock(&producer->conn->lock);
	if (producer->party.wake_fd >= 0) {
		emu_pe_remove_fd(ctx->pe, producer->party.wake_fd);
		close(producer->party.wake_fd);
	}
	producer->party.wake_fd = -1;
	forget_remote(producer);
}

static doca_error_t producer_start(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = of(ctx);
	bool has_joined = false;

	if (producer->num_tasks == 0)
		return DOCA_ERROR_INITIALIZATION;
	if (emu_task_pool_start(&producer->pool, ctx, &send_ops, sizeof(struct doca_comch_producer_task_send),
				producer->num_tasks) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	producer->party.wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (producer->party.wake_fd >= 0 && emu_pe_add_fd(ctx->pe, producer->party.wake_fd) == DOCA_SUCCESS) {
		pthread_mutex_lock(&producer->conn->lock);
		has_joined = emu_comch_party_join(producer->conn, &producer->party);
		pthread_mutex_unlock(&producer->conn->lock);
	}
	if (!has_joined) {
		producer_idle(ctx);
		return DOCA_ERROR_INITIALIZATION;
	}
	return DOCA_SUCCESS;
}

static const struct emu_ctx_ops producer_ops = {
	.start = producer_start,
	.progress = producer_progress,
	.pending = producer_pending,
	.idle = producer_idle,
};

doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
					struct doca_comch_producer **producer)
{
	EMU_CALL("doca_comch_producer_create");
	struct doca_comch_producer *made;
	struct doca_dev *dev = NULL;
	doca_error_t result = DOCA_SUCCESS;

	if (comch_connection == NULL || producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	pthread_mutex_lock(&comch_connection->lock);
	if (!emu_comch_conn_is_up(comch_connection))
		result = DOCA_ERROR_BAD_STATE;
	else if ((made->id = emu_comch_take_id(comch_connection, false)) == 0)
		result = DOCA_ERROR_NO_MEMORY;
	else
		dev = comch_connection->ctrl->ctx.dev;
	pthread_mutex_unlock(&comch_connection->lock);
	if (result == DOCA_SUCCESS) {
		result = emu_ctx_init(&made->ctx, &producer_ops, dev);
		if (result != DOCA_SUCCESS) {
			pthread_mutex_lock(&comch_connection->lock);
			emu_comch_put_id(comch_connection, false, made->id);
			pthread_mutex_unlock(&comch_connection->lock);
		}
	}
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	emu_comch_conn_ref(comch_connection);
	made->conn = comch_connection;
	made->party.wake_fd = -1;
	*producer = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer)
{
	EMU_CALL("doca_comch_producer_destroy");
	doca_error_t result;

	if (producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_ctx_fini(&producer->ctx);
	if (result != DOCA_SUCCESS)
		return result;
	pthread_mutex_lock(&producer->conn->lock);
	emu_comch_put_id(producer->conn, false, producer->id);
	pthread_mutex_unlock(&producer->conn->lock);
	emu_comch_conn_unref(producer->conn);
	emu_task_pool_destroy(&producer->pool);
	free(producer);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id)
{
	EMU_CALL("doca_comch_producer_get_id");
	if (producer == NULL || id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*id = producer->id;
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer)
{
	return producer == NULL ? NULL : &producer->ctx;
}

/* Capabilities. */

static doca_error_t limit(const struct doca_devinfo *devinfo, uint32_t *out, uint32_t value)
{
	if (devinfo == NULL || out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*out = value;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_comch_producer_cap_is_supported");
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo, uint32_t *max_num_tasks)
{
	EMU_CALL("doca_comch_producer_cap_get_max_num_tasks");
	return limit(devinfo, max_num_tasks, MAX_NUM_TASKS);
}

doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo, uint32_t *max_buf_size)
{
	EMU_CALL("doca_comch_producer_cap_get_max_buf_size");
	return limit(devinfo, max_buf_size, EMU_COMCH_MAX_BUF_SIZE);
}

doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len)
{
	EMU_CALL("doca_comch_producer_cap_get_max_buf_list_len");
	return limit(devinfo, max_buf_list_len, 1);
}

doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo, uint32_t *max_producers)
{
	EMU_CALL("doca_comch_producer_cap_get_max_producers");
	return limit(devinfo, max_producers, EMU_COMCH_MAX_PARTIES);
}

/* Tasks. */

doca_error_t doca_comch_producer_task_send_set_conf(struct doca_comch_producer *producer,
						    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
						    doca_comch_producer_task_send_completion_cb_t task_error_cb,
						    uint32_t num_send_tasks)
{
	EMU_CALL("doca_comch_producer_task_send_set_conf");
	if (producer == NULL || task_completion_cb == NULL || task_error_cb == NULL || num_send_tasks == 0 ||
	    num_send_tasks > MAX_NUM_TASKS)
		return DOCA_ERROR_INVALID_VALUE;
	if (producer->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	producer->completion_cb = task_completion_cb;
	producer->error_cb = task_error_cb;
	producer->num_tasks = num_send_tasks;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer, const struct doca_buf *buf,
						      uint8_t *imm_data, uint32_t imm_data_len, uint32_t consumer_id,
						      struct doca_comch_producer_task_send **task)
{
	EMU_CALL("doca_comch_producer_task_send_alloc_init");
	struct doca_comch_producer_task_send *made;
	struct doca_task *base;
	doca_error_t result;

	if (producer == NULL || task == NULL || !imm_is_valid(imm_data, imm_data_len))
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_task_alloc(&producer->pool, (union doca_data){.u64 = 0}, &base);
	if (result != DOCA_SUCCESS)
		return result;
	made = (struct doca_comch_producer_task_send *)base;
	made->buf = buf;
	made->consumer_id = consumer_id;
	made->imm = imm_data;
	made->imm_len = imm_data_len;
	*task = made;
	return DOCA_SUCCESS;
}

const struct doca_buf *doca_comch_producer_task_send_get_buf(const struct doca_comch_producer_task_send *task)
{
	return task->buf;
}

void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task, const struct doca_buf *buf)
{
	task->buf = buf;
}

uint32_t doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task)
{
	return task->consumer_id;
}

void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
						   const uint32_t consumer_id)
{
	task->consumer_id = consumer_id;
}

uint8_t *doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task)
{
	return task->imm;
}

uint32_t doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task)
{
	return task->imm_len;
}

/* Too much of it is found at submission. */
void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task, uint8_t *imm_data,
						uint32_t imm_data_len)
{
	task->imm = imm_data;
	task->imm_len = imm_data_len;
}

struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task)
{
	return task == NULL ? NULL : &task->base;
}
