/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <doca_rdma.h>

#include "core/emu_dev.h"
#include "core/emu_fault.h"

#include "emu_rdma.h"
#include "emu_rdma_ctx.h"

struct doca_rdma_task_send {
	struct emu_rdma_task task;
};

static void send_notify(struct doca_task *base, doca_error_t status)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)base;
	doca_rdma_task_send_completion_cb_t cb =
		(doca_rdma_task_send_completion_cb_t)emu_rdma_callback(task, status);

	cb((struct doca_rdma_task_send *)task, base->user_data, base->ctx->user_data);
}

static const struct emu_task_ops send_ops = EMU_RDMA_REQUEST_OPS("send", send_notify);

doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_rdma_cap_task_send_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_RDMA);
}

doca_error_t doca_rdma_task_send_set_conf(struct doca_rdma *rdma,
					  doca_rdma_task_send_completion_cb_t successful_task_completion_cb,
					  doca_rdma_task_send_completion_cb_t error_task_completion_cb,
					  uint32_t num_tasks)
{
	EMU_CALL("doca_rdma_task_send_set_conf");
	return emu_rdma_set_conf(rdma, EMU_RDMA_TASK_SEND, &send_ops,
				 (emu_rdma_callback_t)successful_task_completion_cb,
				 (emu_rdma_callback_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_send_allocate_init(struct doca_rdma *rdma,
					       struct doca_rdma_connection *rdma_connection,
					       const struct doca_buf *src_buf, union doca_data user_data,
					       struct doca_rdma_task_send **task)
{
	EMU_CALL("doca_rdma_task_send_allocate_init");
	struct emu_rdma_task *made;
	doca_error_t result;

	if (rdma == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_rdma_allocate(rdma, EMU_RDMA_TASK_SEND, rdma_connection, user_data, &made);
	if (result != DOCA_SUCCESS)
		return result;
	made->src = src_buf;
	*task = (struct doca_rdma_task_send *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_send_as_task(struct doca_rdma_task_send *task)
{
	return task == NULL ? NULL : &task->task.base;
}

void doca_rdma_task_send_set_src_buf(struct doca_rdma_task_send *task, const struct doca_buf *src_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.src = src_buf;
}

const struct doca_buf *doca_rdma_task_send_get_src_buf(const struct doca_rdma_task_send *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.src;
}

void doca_rdma_task_send_set_rdma_connection(struct doca_rdma_task_send *task,
					     struct doca_rdma_connection *rdma_connection)
{
	if (EMU_LIKELY(task != NULL))
		task->task.conn = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_send_get_rdma_connection(const struct doca_rdma_task_send *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.conn;
}

struct doca_rdma_task_send_imm {
	struct emu_rdma_task task;
};

static void send_imm_notify(struct doca_task *base, doca_error_t status)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)base;
	doca_rdma_task_send_imm_completion_cb_t cb =
		(doca_rdma_task_send_imm_completion_cb_t)emu_rdma_callback(task, status);

	cb((struct doca_rdma_task_send_imm *)task, base->user_data, base->ctx->user_data);
}

static const struct emu_task_ops send_imm_ops = EMU_RDMA_REQUEST_OPS("send_imm", send_imm_notify);

doca_error_t doca_rdma_cap_task_send_imm_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_rdma_cap_task_send_imm_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_RDMA);
}

doca_error_t doca_rdma_task_send_imm_set_conf(struct doca_rdma *rdma,
					      doca_rdma_task_send_imm_completion_cb_t successful_task_completion_cb,
					      doca_rdma_task_send_imm_completion_cb_t error_task_completion_cb,
					      uint32_t num_tasks)
{
	EMU_CALL("doca_rdma_task_send_imm_set_conf");
	return emu_rdma_set_conf(rdma, EMU_RDMA_TASK_SEND_IMM, &send_imm_ops,
				 (emu_rdma_callback_t)successful_task_completion_cb,
				 (emu_rdma_callback_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_send_imm_allocate_init(struct doca_rdma *rdma,
						   struct doca_rdma_connection *rdma_connection,
						   const struct doca_buf *src_buf, doca_be32_t immediate_data,
						   union doca_data user_data,
						   struct doca_rdma_task_send_imm **task)
{
	EMU_CALL("doca_rdma_task_send_imm_allocate_init");
	struct emu_rdma_task *made;
	doca_error_t result;

	if (rdma == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_rdma_allocate(rdma, EMU_RDMA_TASK_SEND_IMM, rdma_connection, user_data, &made);
	if (result != DOCA_SUCCESS)
		return result;
	made->src = src_buf;
	made->imm = immediate_data;
	*task = (struct doca_rdma_task_send_imm *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_send_imm_as_task(struct doca_rdma_task_send_imm *task)
{
	return task == NULL ? NULL : &task->task.base;
}

void doca_rdma_task_send_imm_set_src_buf(struct doca_rdma_task_send_imm *task, const struct doca_buf *src_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.src = src_buf;
}

const struct doca_buf *doca_rdma_task_send_imm_get_src_buf(const struct doca_rdma_task_send_imm *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.src;
}

void doca_rdma_task_send_imm_set_immediate_data(struct doca_rdma_task_send_imm *task,
						doca_be32_t immediate_data)
{
	if (EMU_LIKELY(task != NULL))
		task->task.imm = immediate_data;
}

doca_be32_t doca_rdma_task_send_imm_get_immediate_data(const struct doca_rdma_task_send_imm *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->task.imm;
}

void doca_rdma_task_send_imm_set_rdma_connection(struct doca_rdma_task_send_imm *task,
						 struct doca_rdma_connection *rdma_connection)
{
	if (EMU_LIKELY(task != NULL))
		task->task.conn = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_send_imm_get_rdma_connection(const struct doca_rdma_task_send_imm *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.conn;
}
