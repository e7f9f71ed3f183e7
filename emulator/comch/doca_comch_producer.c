/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <doca_comch_producer.h>

#include "core/emu_dev.h"
#include "core/emu_fault.h"
#include "core/emu_task.h"
#include "dpacore/emu_dpa_completion.h"
#include "emu_comch_config.h"
#include "emu_comch_conn.h"
#include "emu_comch_dpa_producer.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_msgq.h"
#include "emu_comch_producer.h"
#include "emu_comch_ring.h"

doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
					struct doca_comch_producer **producer)
{
	EMU_CALL("doca_comch_producer_create");
	struct emu_comch_endpoint *made;
	doca_error_t result;

	if (comch_connection == NULL || producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_comch_endpoint_new(sizeof(**producer), &emu_comch_producer_ops, comch_connection, NULL, &made);
	if (result != DOCA_SUCCESS)
		return result;
	*producer = (struct doca_comch_producer *)made;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer)
{
	EMU_CALL("doca_comch_producer_destroy");
	struct doca_dpa_completion *comp;
	doca_error_t result;

	if (producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (producer->endpoint.msgq == NULL)
		return emu_comch_endpoint_destroy(&producer->endpoint);
	comp = producer->comp;
	result = emu_comch_msgq_leave(&producer->endpoint);
	if (result == DOCA_SUCCESS && comp != NULL)
		emu_dpa_completion_detach(comp);
	return result;
}

doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id)
{
	EMU_CALL("doca_comch_producer_get_id");
	return emu_comch_endpoint_get_id((const struct emu_comch_endpoint *)producer, id);
}

struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer)
{
	return producer == NULL ? NULL : &producer->endpoint.ctx;
}

/* On the DPA. */

/* NOT_SUPPORTED: the producer is one of a connection. BAD_STATE: it is not idle, or its data path is not on the DPA. */
static doca_error_t check_dpa_config(const struct doca_comch_producer *producer)
{
	const struct doca_ctx *ctx = &producer->endpoint.ctx;

	if (producer->endpoint.msgq == NULL)
		return DOCA_ERROR_NOT_SUPPORTED;
	return ctx->state == DOCA_CTX_STATE_IDLE && emu_ctx_dpa(ctx) != NULL ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer, uint32_t dev_num_send)
{
	EMU_CALL("doca_comch_producer_set_dev_max_num_send");
	doca_error_t result;

	if (producer == NULL || dev_num_send == 0 || dev_num_send > EMU_COMCH_MAX_DEV_NUM)
		return DOCA_ERROR_INVALID_VALUE;
	result = check_dpa_config(producer);
	if (result == DOCA_SUCCESS)
		producer->dev_num_send = dev_num_send;
	return result;
}

doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
						       struct doca_dpa_completion *dpa_comp)
{
	EMU_CALL("doca_comch_producer_dpa_completion_attach");
	doca_error_t result;

	if (producer == NULL || dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = check_dpa_config(producer);
	if (result != DOCA_SUCCESS)
		return result;
	emu_dpa_completion_attach(dpa_comp);
	if (producer->comp != NULL)
		emu_dpa_completion_detach(producer->comp);
	producer->comp = dpa_comp;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
						doca_dpa_dev_comch_producer_t *dpa_producer)
{
	EMU_CALL("doca_comch_producer_get_dpa_handle");
	if (producer == NULL || dpa_producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (producer->handle == 0)
		return DOCA_ERROR_BAD_STATE;
	*dpa_producer = producer->handle;
	return DOCA_SUCCESS;
}

/* Capabilities. */

doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_comch_producer_cap_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_COMCH);
}

doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo, uint32_t *max_num_tasks)
{
	EMU_CALL("doca_comch_producer_cap_get_max_num_tasks");
	return emu_comch_get_limit(devinfo, max_num_tasks, EMU_COMCH_MAX_ENDPOINT_TASKS);
}

doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo, uint32_t *max_buf_size)
{
	EMU_CALL("doca_comch_producer_cap_get_max_buf_size");
	return emu_comch_get_limit(devinfo, max_buf_size, EMU_COMCH_MAX_BUF_SIZE);
}

doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len)
{
	EMU_CALL("doca_comch_producer_cap_get_max_buf_list_len");
	return emu_comch_get_limit(devinfo, max_buf_list_len, 1);
}

doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo, uint32_t *max_producers)
{
	EMU_CALL("doca_comch_producer_cap_get_max_producers");
	return emu_comch_get_limit(devinfo, max_producers, EMU_COMCH_MAX_ENDPOINTS);
}

/* Tasks. */

doca_error_t doca_comch_producer_task_send_set_conf(struct doca_comch_producer *producer,
						    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
						    doca_comch_producer_task_send_completion_cb_t task_error_cb,
						    uint32_t num_send_tasks)
{
	EMU_CALL("doca_comch_producer_task_send_set_conf");
	doca_error_t result;

	if (task_completion_cb == NULL || task_error_cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_comch_endpoint_set_num_tasks((struct emu_comch_endpoint *)producer, num_send_tasks);
	if (result != DOCA_SUCCESS)
		return result;
	producer->completion_cb = task_completion_cb;
	producer->error_cb = task_error_cb;
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

	if (producer == NULL || task == NULL || (buf != NULL && producer->endpoint.msgq != NULL) ||
	    !emu_comch_imm_is_valid(imm_data, imm_data_len))
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_task_alloc(&producer->endpoint.pool, (union doca_data){.u64 = 0}, &base);
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
	return EMU_UNLIKELY(task == NULL) ? NULL : task->buf;
}

void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task, const struct doca_buf *buf)
{
	if (EMU_LIKELY(task != NULL))
		task->buf = buf;
}

uint32_t doca_comch_producer_task_send_get_consumer_id(const struct doca_comch_producer_task_send *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->consumer_id;
}

void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
						   const uint32_t consumer_id)
{
	if (EMU_LIKELY(task != NULL))
		task->consumer_id = consumer_id;
}

uint8_t *doca_comch_producer_task_send_get_imm_data(const struct doca_comch_producer_task_send *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->imm;
}

uint32_t doca_comch_producer_task_send_get_imm_data_len(const struct doca_comch_producer_task_send *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->imm_len;
}

/* Submission checks the length. */
void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task, uint8_t *imm_data,
						uint32_t imm_data_len)
{
	if (EMU_LIKELY(task != NULL)) {
		task->imm = imm_data;
		task->imm_len = imm_data_len;
	}
}

struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task)
{
	return task == NULL ? NULL : &task->base;
}
