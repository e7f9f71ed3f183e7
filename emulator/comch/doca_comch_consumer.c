/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <doca_comch_consumer.h>

#include "core/emu_dev.h"
#include "core/emu_fault.h"
#include "core/emu_task.h"
#include "emu_comch_config.h"
#include "emu_comch_conn.h"
#include "emu_comch_consumer.h"
#include "emu_comch_dpa_consumer.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_msgq.h"
#include "emu_comch_remote.h"
#include "emu_comch_ring.h"

doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection, struct doca_mmap *buf_mmap,
					struct doca_comch_consumer **consumer)
{
	EMU_CALL("doca_comch_consumer_create");
	struct emu_comch_endpoint *made;
	doca_error_t result;

	if (comch_connection == NULL || buf_mmap == NULL || consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_comch_endpoint_new(sizeof(**consumer), &emu_comch_consumer_ops, comch_connection, buf_mmap, &made);
	if (result != DOCA_SUCCESS)
		return result;
	*consumer = (struct doca_comch_consumer *)made;
	(*consumer)->mmap = buf_mmap;
	(*consumer)->ring_fd = -1;
	emu_comch_takeover_init(&(*consumer)->takeover);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer)
{
	EMU_CALL("doca_comch_consumer_destroy");
	struct doca_comch_consumer_completion *comp;
	doca_error_t result;

	if (consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->endpoint.msgq == NULL)
		return emu_comch_endpoint_destroy(&consumer->endpoint);
	comp = consumer->comp;
	result = emu_comch_msgq_leave(&consumer->endpoint);
	if (result == DOCA_SUCCESS && comp != NULL)
		emu_comch_dpa_comp_remove(comp);
	return result;
}

doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id)
{
	EMU_CALL("doca_comch_consumer_get_id");
	return emu_comch_endpoint_get_id((const struct emu_comch_endpoint *)consumer, id);
}

doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer, uint32_t imm_data_len)
{
	EMU_CALL("doca_comch_consumer_set_imm_data_len");
	if (consumer == NULL || imm_data_len > EMU_COMCH_MAX_IMM_DATA_LEN)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->endpoint.ctx.state != DOCA_CTX_STATE_IDLE)
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
	return consumer == NULL ? NULL : &consumer->endpoint.ctx;
}

/* On the DPA. */

/* NOT_SUPPORTED: the consumer is one of a connection. BAD_STATE: it is not idle, or its data path is not on the DPA. */
static doca_error_t check_dpa_config(const struct doca_comch_consumer *consumer)
{
	const struct doca_ctx *ctx = &consumer->endpoint.ctx;

	if (consumer->endpoint.msgq == NULL)
		return DOCA_ERROR_NOT_SUPPORTED;
	return ctx->state == DOCA_CTX_STATE_IDLE && emu_ctx_dpa(ctx) != NULL ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer, uint32_t dev_num_recv)
{
	EMU_CALL("doca_comch_consumer_set_dev_max_num_recv");
	doca_error_t result;

	if (consumer == NULL || dev_num_recv == 0 || dev_num_recv > EMU_COMCH_MAX_DEV_NUM)
		return DOCA_ERROR_INVALID_VALUE;
	result = check_dpa_config(consumer);
	if (result == DOCA_SUCCESS)
		consumer->dev_num_recv = emu_comch_dpa_round_up(dev_num_recv);
	return result;
}

doca_error_t doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
						struct doca_comch_consumer_completion *consumer_comp,
						uint32_t user_data)
{
	EMU_CALL("doca_comch_consumer_set_completion");
	doca_error_t result;

	if (consumer == NULL || consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = check_dpa_config(consumer);
	if (result == DOCA_SUCCESS && consumer_comp->handle == 0)
		result = DOCA_ERROR_BAD_STATE;
	if (result == DOCA_SUCCESS && consumer_comp != consumer->comp) {
		result = emu_comch_dpa_comp_add(consumer_comp);
		if (result == DOCA_SUCCESS && consumer->comp != NULL)
			emu_comch_dpa_comp_remove(consumer->comp);
	}
	if (result != DOCA_SUCCESS)
		return result;
	consumer->comp = consumer_comp;
	consumer->comp_user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
						doca_dpa_dev_comch_consumer_t *dpa_consumer)
{
	EMU_CALL("doca_comch_consumer_get_dpa_handle");
	if (consumer == NULL || dpa_consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->handle == 0)
		return DOCA_ERROR_BAD_STATE;
	*dpa_consumer = consumer->handle;
	return DOCA_SUCCESS;
}

/* Capabilities. */

doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_comch_consumer_cap_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_COMCH);
}

doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo, uint32_t *max_num_tasks)
{
	EMU_CALL("doca_comch_consumer_cap_get_max_num_tasks");
	return emu_comch_get_limit(devinfo, max_num_tasks, EMU_COMCH_MAX_ENDPOINT_TASKS);
}

doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo, uint32_t *max_buf_size)
{
	EMU_CALL("doca_comch_consumer_cap_get_max_buf_size");
	return emu_comch_get_limit(devinfo, max_buf_size, EMU_COMCH_MAX_BUF_SIZE);
}

doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len)
{
	EMU_CALL("doca_comch_consumer_cap_get_max_buf_list_len");
	return emu_comch_get_limit(devinfo, max_buf_list_len, 1);
}

doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo, uint32_t *max_consumers)
{
	EMU_CALL("doca_comch_consumer_cap_get_max_consumers");
	return emu_comch_get_limit(devinfo, max_consumers, emu_comch_max_consumers());
}

doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_imm_data_len)
{
	EMU_CALL("doca_comch_consumer_cap_get_max_imm_data_len");
	return emu_comch_get_limit(devinfo, max_imm_data_len, EMU_COMCH_MAX_IMM_DATA_LEN);
}

/* Tasks. */

doca_error_t doca_comch_consumer_task_post_recv_set_conf(
	struct doca_comch_consumer *consumer,
	doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks)
{
	EMU_CALL("doca_comch_consumer_task_post_recv_set_conf");
	doca_error_t result;

	if (task_completion_cb == NULL || task_error_cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_comch_endpoint_set_num_tasks((struct emu_comch_endpoint *)consumer, num_post_recv_tasks);
	if (result != DOCA_SUCCESS)
		return result;
	consumer->completion_cb = task_completion_cb;
	consumer->error_cb = task_error_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer, struct doca_buf *buf,
							   struct doca_comch_consumer_task_post_recv **task)
{
	EMU_CALL("doca_comch_consumer_task_post_recv_alloc_init");
	struct doca_comch_consumer_task_post_recv *made;
	struct doca_task *base;
	doca_error_t result;

	if (consumer == NULL || task == NULL || (buf != NULL && consumer->endpoint.msgq != NULL))
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_task_alloc(&consumer->endpoint.pool, (union doca_data){.u64 = 0}, &base);
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
	return EMU_UNLIKELY(task == NULL) ? NULL : task->buf;
}

void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf)
{
	if (EMU_LIKELY(task != NULL))
		task->buf = buf;
}

uint32_t doca_comch_consumer_task_post_recv_get_producer_id(const struct doca_comch_consumer_task_post_recv *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->producer_id;
}

const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(const struct doca_comch_consumer_task_post_recv *task)
{
	return task == NULL || task->imm_len == 0 ? NULL : task->imm;
}

uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(const struct doca_comch_consumer_task_post_recv *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->imm_len;
}

struct doca_task *doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task)
{
	return task == NULL ? NULL : &task->base;
}
