/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <doca_rdma.h>

#include "core/emu_dev.h"
#include "core/emu_fault.h"

#include "emu_rdma.h"
#include "emu_rdma_ctx.h"

struct doca_rdma_task_receive {
	struct emu_rdma_task task;
};

static void receive_notify(struct doca_task *base, doca_error_t status)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)base;
	doca_rdma_task_receive_completion_cb_t cb =
		(doca_rdma_task_receive_completion_cb_t)emu_rdma_callback(task, status);

	cb((struct doca_rdma_task_receive *)task, base->user_data, base->ctx->user_data);
}

static const struct emu_task_ops receive_ops = {
	.kind = "receive",
	.notify = receive_notify,
	.validate = emu_rdma_receive_validate,
	.submit = emu_rdma_receive_submit,
	.failure_is_fatal = true,
	.harmless = DOCA_ERROR_NOT_CONNECTED,
};

doca_error_t doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_rdma_cap_task_receive_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_RDMA);
}

doca_error_t doca_rdma_task_receive_set_conf(struct doca_rdma *rdma,
					     doca_rdma_task_receive_completion_cb_t successful_task_completion_cb,
					     doca_rdma_task_receive_completion_cb_t error_task_completion_cb,
					     uint32_t num_tasks)
{
	EMU_CALL("doca_rdma_task_receive_set_conf");
	return emu_rdma_set_conf(rdma, EMU_RDMA_TASK_RECEIVE, &receive_ops,
				 (emu_rdma_callback_t)successful_task_completion_cb,
				 (emu_rdma_callback_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_receive_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
						  union doca_data user_data,
						  struct doca_rdma_task_receive **task)
{
	EMU_CALL("doca_rdma_task_receive_allocate_init");
	struct emu_rdma_task *made;
	doca_error_t result;

	if (rdma == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_rdma_allocate(rdma, EMU_RDMA_TASK_RECEIVE, NULL, user_data, &made);
	if (result != DOCA_SUCCESS)
		return result;
	made->dst = dst_buf;
	*task = (struct doca_rdma_task_receive *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_receive_as_task(struct doca_rdma_task_receive *task)
{
	return task == NULL ? NULL : &task->task.base;
}

void doca_rdma_task_receive_set_dst_buf(struct doca_rdma_task_receive *task, struct doca_buf *dst_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.dst = dst_buf;
}

struct doca_buf *doca_rdma_task_receive_get_dst_buf(const struct doca_rdma_task_receive *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.dst;
}

enum doca_rdma_opcode doca_rdma_task_receive_get_result_opcode(const struct doca_rdma_task_receive *task)
{
	return EMU_UNLIKELY(task == NULL) ? DOCA_RDMA_OPCODE_RECV_SEND : task->task.opcode;
}

uint32_t doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->task.result_len;
}

doca_be32_t doca_rdma_task_receive_get_result_immediate_data(const struct doca_rdma_task_receive *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->task.imm;
}

const struct doca_rdma_connection *doca_rdma_task_receive_get_result_rdma_connection(const struct doca_rdma_task_receive *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.conn;
}

doca_error_t doca_rdma_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
								 enum doca_rdma_transport_type transport_type,
								 uint32_t *max_buf_list_len)
{
	EMU_CALL("doca_rdma_cap_task_receive_get_max_dst_buf_list_len");
	if (devinfo == NULL || max_buf_list_len == NULL ||
	    (transport_type != DOCA_RDMA_TRANSPORT_TYPE_RC && transport_type != DOCA_RDMA_TRANSPORT_TYPE_DC))
		return DOCA_ERROR_INVALID_VALUE;
	*max_buf_list_len = EMU_RDMA_MAX_BUF_LIST_LEN;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma, uint32_t buf_list_len)
{
	EMU_CALL("doca_rdma_task_receive_set_dst_buf_list_len");
	if (rdma == NULL || buf_list_len == 0 || buf_list_len > EMU_RDMA_MAX_BUF_LIST_LEN)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	rdma->max_receive_buf_list_len = buf_list_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma, uint32_t *buf_list_len)
{
	EMU_CALL("doca_rdma_task_receive_get_dst_buf_list_len");
	if (rdma == NULL || buf_list_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*buf_list_len = rdma->max_receive_buf_list_len;
	return DOCA_SUCCESS;
}
