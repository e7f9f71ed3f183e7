/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_comch_consumer.h>

#include "emu_comch_consumer.h"
#include "emu_comch_ctrl.h"
#include "core/emu_fault.h"
#include "core/emu_mmap.h"

#define MAX_NUM_TASKS 16384

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
	struct doca_comch_connection *conn;
	struct doca_dev *dev = NULL;
	doca_error_t result = DOCA_SUCCESS;

	if (comch_connection == NULL || buf_mmap == NULL || consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	conn = emu_comch_conn_get(comch_connection);
	if (conn == NULL) {
		free(made);
		return DOCA_ERROR_BAD_STATE;
	}
	pthread_mutex_lock(&conn->lock);
	if (!emu_comch_conn_is_up(conn)) {
		result = DOCA_ERROR_BAD_STATE;
	} else {
		dev = conn->ctrl->ctx.dev;
		if (!mmap_is_fit(buf_mmap, dev))
			result = DOCA_ERROR_INVALID_VALUE;
		else if ((made->id = emu_comch_take_id(conn, true)) == 0)
			result = DOCA_ERROR_NO_MEMORY;
	}
	pthread_mutex_unlock(&conn->lock);
	if (result == DOCA_SUCCESS) {
		result = emu_ctx_init(&made->ctx, &emu_comch_consumer_ops, dev);
		if (result != DOCA_SUCCESS) {
			pthread_mutex_lock(&conn->lock);
			emu_comch_put_id(conn, true, made->id);
			pthread_mutex_unlock(&conn->lock);
		}
	}
	if (result != DOCA_SUCCESS) {
		emu_comch_conn_unref(conn);
		free(made);
		return result;
	}
	made->conn = conn;
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
