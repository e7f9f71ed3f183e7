/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_comch_producer.h>

#include "emu_comch_ctrl.h"
#include "emu_comch_producer.h"
#include "core/emu_fault.h"

#define MAX_NUM_TASKS 16384

doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
					struct doca_comch_producer **producer)
{
	EMU_CALL("doca_comch_producer_create");
	struct doca_comch_producer *made;
	struct doca_comch_connection *conn;
	struct doca_dev *dev = NULL;
	doca_error_t result = DOCA_SUCCESS;

	if (comch_connection == NULL || producer == NULL)
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
	if (!emu_comch_conn_is_up(conn))
		result = DOCA_ERROR_BAD_STATE;
	else if ((made->id = emu_comch_take_id(conn, false)) == 0)
		result = DOCA_ERROR_NO_MEMORY;
	else
		dev = conn->ctrl->ctx.dev;
	pthread_mutex_unlock(&conn->lock);
	if (result == DOCA_SUCCESS) {
		result = emu_ctx_init(&made->ctx, &emu_comch_producer_ops, dev);
		if (result != DOCA_SUCCESS) {
			pthread_mutex_lock(&conn->lock);
			emu_comch_put_id(conn, false, made->id);
			pthread_mutex_unlock(&conn->lock);
		}
	}
	if (result != DOCA_SUCCESS) {
		emu_comch_conn_unref(conn);
		free(made);
		return result;
	}
	made->conn = conn;
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

	if (producer == NULL || task == NULL || !emu_comch_imm_is_valid(imm_data, imm_data_len))
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
