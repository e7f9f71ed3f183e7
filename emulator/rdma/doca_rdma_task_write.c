/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <doca_rdma.h>

#include "core/emu_dev.h"
#include "core/emu_fault.h"

#include "emu_rdma.h"
#include "emu_rdma_ctx.h"

struct doca_rdma_task_write {
	struct emu_rdma_task task;
};

static void write_notify(struct doca_task *base, doca_error_t status)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)base;
	doca_rdma_task_write_completion_cb_t cb =
		(doca_rdma_task_write_completion_cb_t)emu_rdma_callback(task, status);

	cb((struct doca_rdma_task_write *)task, base->user_data, base->ctx->user_data);
}

static const struct emu_task_ops write_ops = EMU_RDMA_REQUEST_OPS("write", write_notify);

doca_error_t doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_rdma_cap_task_write_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_RDMA);
}

doca_error_t doca_rdma_task_write_set_conf(struct doca_rdma *rdma,
					   doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
					   doca_rdma_task_write_completion_cb_t error_task_completion_cb,
					   uint32_t num_tasks)
{
	EMU_CALL("doca_rdma_task_write_set_conf");
	return emu_rdma_set_conf(rdma, EMU_RDMA_TASK_WRITE, &write_ops,
				 (emu_rdma_callback_t)successful_task_completion_cb,
				 (emu_rdma_callback_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
						struct doca_rdma_connection *rdma_connection,
						const struct doca_buf *src_buf, struct doca_buf *dst_buf,
						union doca_data user_data, struct doca_rdma_task_write **task)
{
	EMU_CALL("doca_rdma_task_write_allocate_init");
	struct emu_rdma_task *made;
	doca_error_t result;

	if (rdma == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_rdma_allocate(rdma, EMU_RDMA_TASK_WRITE, rdma_connection, user_data, &made);
	if (result != DOCA_SUCCESS)
		return result;
	made->src = src_buf;
	made->dst = dst_buf;
	*task = (struct doca_rdma_task_write *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task)
{
	return task == NULL ? NULL : &task->task.base;
}

void doca_rdma_task_write_set_src_buf(struct doca_rdma_task_write *task, const struct doca_buf *src_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.src = src_buf;
}

const struct doca_buf *doca_rdma_task_write_get_src_buf(const struct doca_rdma_task_write *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.src;
}

void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task, struct doca_buf *dst_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.dst = dst_buf;
}

struct doca_buf *doca_rdma_task_write_get_dst_buf(const struct doca_rdma_task_write *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.dst;
}

void doca_rdma_task_write_set_rdma_connection(struct doca_rdma_task_write *task,
					      struct doca_rdma_connection *rdma_connection)
{
	if (EMU_LIKELY(task != NULL))
		task->task.conn = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_write_get_rdma_connection(const struct doca_rdma_task_write *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.conn;
}

struct doca_rdma_task_write_imm {
	struct emu_rdma_task task;
};

static void write_imm_notify(struct doca_task *base, doca_error_t status)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)base;
	doca_rdma_task_write_imm_completion_cb_t cb =
		(doca_rdma_task_write_imm_completion_cb_t)emu_rdma_callback(task, status);

	cb((struct doca_rdma_task_write_imm *)task, base->user_data, base->ctx->user_data);
}

static const struct emu_task_ops write_imm_ops = EMU_RDMA_REQUEST_OPS("write_imm", write_imm_notify);

doca_error_t doca_rdma_cap_task_write_imm_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_rdma_cap_task_write_imm_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_RDMA);
}

doca_error_t doca_rdma_task_write_imm_set_conf(struct doca_rdma *rdma,
					       doca_rdma_task_write_imm_completion_cb_t successful_task_completion_cb,
					       doca_rdma_task_write_imm_completion_cb_t error_task_completion_cb,
					       uint32_t num_tasks)
{
	EMU_CALL("doca_rdma_task_write_imm_set_conf");
	return emu_rdma_set_conf(rdma, EMU_RDMA_TASK_WRITE_IMM, &write_imm_ops,
				 (emu_rdma_callback_t)successful_task_completion_cb,
				 (emu_rdma_callback_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_write_imm_allocate_init(struct doca_rdma *rdma,
						    struct doca_rdma_connection *rdma_connection,
						    const struct doca_buf *src_buf, struct doca_buf *dst_buf,
						    doca_be32_t immediate_data, union doca_data user_data,
						    struct doca_rdma_task_write_imm **task)
{
	EMU_CALL("doca_rdma_task_write_imm_allocate_init");
	struct emu_rdma_task *made;
	doca_error_t result;

	if (rdma == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_rdma_allocate(rdma, EMU_RDMA_TASK_WRITE_IMM, rdma_connection, user_data, &made);
	if (result != DOCA_SUCCESS)
		return result;
	made->src = src_buf;
	made->dst = dst_buf;
	made->imm = immediate_data;
	*task = (struct doca_rdma_task_write_imm *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_write_imm_as_task(struct doca_rdma_task_write_imm *task)
{
	return task == NULL ? NULL : &task->task.base;
}

void doca_rdma_task_write_imm_set_src_buf(struct doca_rdma_task_write_imm *task, const struct doca_buf *src_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.src = src_buf;
}

const struct doca_buf *doca_rdma_task_write_imm_get_src_buf(const struct doca_rdma_task_write_imm *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.src;
}

void doca_rdma_task_write_imm_set_dst_buf(struct doca_rdma_task_write_imm *task, struct doca_buf *dst_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.dst = dst_buf;
}

struct doca_buf *doca_rdma_task_write_imm_get_dst_buf(const struct doca_rdma_task_write_imm *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.dst;
}

void doca_rdma_task_write_imm_set_immediate_data(struct doca_rdma_task_write_imm *task,
						 doca_be32_t immediate_data)
{
	if (EMU_LIKELY(task != NULL))
		task->task.imm = immediate_data;
}

doca_be32_t doca_rdma_task_write_imm_get_immediate_data(const struct doca_rdma_task_write_imm *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->task.imm;
}

void doca_rdma_task_write_imm_set_rdma_connection(struct doca_rdma_task_write_imm *task,
						  struct doca_rdma_connection *rdma_connection)
{
	if (EMU_LIKELY(task != NULL))
		task->task.conn = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_write_imm_get_rdma_connection(const struct doca_rdma_task_write_imm *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.conn;
}
