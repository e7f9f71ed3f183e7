/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <doca_rdma.h>

#include "core/emu_dev.h"
#include "core/emu_fault.h"

#include "emu_rdma.h"
#include "emu_rdma_ctx.h"

struct doca_rdma_task_atomic_cmp_swp {
	struct emu_rdma_task task;
};

static void atomic_cmp_swp_notify(struct doca_task *base, doca_error_t status)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)base;
	doca_rdma_task_atomic_cmp_swp_completion_cb_t cb =
		(doca_rdma_task_atomic_cmp_swp_completion_cb_t)emu_rdma_callback(task, status);

	cb((struct doca_rdma_task_atomic_cmp_swp *)task, base->user_data, base->ctx->user_data);
}

static const struct emu_task_ops atomic_cmp_swp_ops = EMU_RDMA_REQUEST_OPS("atomic_cmp_swp", atomic_cmp_swp_notify);

doca_error_t doca_rdma_cap_task_atomic_cmp_swp_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_rdma_cap_task_atomic_cmp_swp_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_RDMA);
}

doca_error_t doca_rdma_task_atomic_cmp_swp_set_conf(struct doca_rdma *rdma,
						    doca_rdma_task_atomic_cmp_swp_completion_cb_t successful_task_completion_cb,
						    doca_rdma_task_atomic_cmp_swp_completion_cb_t error_task_completion_cb,
						    uint32_t num_tasks)
{
	EMU_CALL("doca_rdma_task_atomic_cmp_swp_set_conf");
	return emu_rdma_set_conf(rdma, EMU_RDMA_TASK_COMPARE_SWAP, &atomic_cmp_swp_ops,
				 (emu_rdma_callback_t)successful_task_completion_cb,
				 (emu_rdma_callback_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(struct doca_rdma *rdma,
							 struct doca_rdma_connection *rdma_connection,
							 struct doca_buf *dst_buf, struct doca_buf *result_buf,
							 uint64_t cmp_data, uint64_t swap_data,
							 union doca_data user_data,
							 struct doca_rdma_task_atomic_cmp_swp **task)
{
	EMU_CALL("doca_rdma_task_atomic_cmp_swp_allocate_init");
	struct emu_rdma_task *made;
	doca_error_t result;

	if (rdma == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_rdma_allocate(rdma, EMU_RDMA_TASK_COMPARE_SWAP, rdma_connection, user_data, &made);
	if (result != DOCA_SUCCESS)
		return result;
	made->target = dst_buf;
	made->dst = result_buf;
	made->operand[0] = cmp_data;
	made->operand[1] = swap_data;
	*task = (struct doca_rdma_task_atomic_cmp_swp *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_atomic_cmp_swp_as_task(struct doca_rdma_task_atomic_cmp_swp *task)
{
	return task == NULL ? NULL : &task->task.base;
}

void doca_rdma_task_atomic_cmp_swp_set_dst_buf(struct doca_rdma_task_atomic_cmp_swp *task,
					       struct doca_buf *dst_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.target = dst_buf;
}

struct doca_buf *doca_rdma_task_atomic_cmp_swp_get_dst_buf(const struct doca_rdma_task_atomic_cmp_swp *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : (struct doca_buf *)(uintptr_t)task->task.target;
}

void doca_rdma_task_atomic_cmp_swp_set_result_buf(struct doca_rdma_task_atomic_cmp_swp *task,
						  struct doca_buf *result_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.dst = result_buf;
}

struct doca_buf *doca_rdma_task_atomic_cmp_swp_get_result_buf(const struct doca_rdma_task_atomic_cmp_swp *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.dst;
}

void doca_rdma_task_atomic_cmp_swp_set_cmp_data(struct doca_rdma_task_atomic_cmp_swp *task, uint64_t cmp_data)
{
	if (EMU_LIKELY(task != NULL))
		task->task.operand[0] = cmp_data;
}

uint64_t doca_rdma_task_atomic_cmp_swp_get_cmp_data(const struct doca_rdma_task_atomic_cmp_swp *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->task.operand[0];
}

void doca_rdma_task_atomic_cmp_swp_set_swap_data(struct doca_rdma_task_atomic_cmp_swp *task, uint64_t swap_data)
{
	if (EMU_LIKELY(task != NULL))
		task->task.operand[1] = swap_data;
}

uint64_t doca_rdma_task_atomic_cmp_swp_get_swap_data(const struct doca_rdma_task_atomic_cmp_swp *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->task.operand[1];
}

void doca_rdma_task_atomic_cmp_swp_set_rdma_connection(struct doca_rdma_task_atomic_cmp_swp *task,
						       struct doca_rdma_connection *rdma_connection)
{
	if (EMU_LIKELY(task != NULL))
		task->task.conn = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_atomic_cmp_swp_get_rdma_connection(const struct doca_rdma_task_atomic_cmp_swp *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.conn;
}

struct doca_rdma_task_atomic_fetch_add {
	struct emu_rdma_task task;
};

static void atomic_fetch_add_notify(struct doca_task *base, doca_error_t status)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)base;
	doca_rdma_task_atomic_fetch_add_completion_cb_t cb =
		(doca_rdma_task_atomic_fetch_add_completion_cb_t)emu_rdma_callback(task, status);

	cb((struct doca_rdma_task_atomic_fetch_add *)task, base->user_data, base->ctx->user_data);
}

static const struct emu_task_ops atomic_fetch_add_ops = EMU_RDMA_REQUEST_OPS("atomic_fetch_add", atomic_fetch_add_notify);

doca_error_t doca_rdma_cap_task_atomic_fetch_add_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_rdma_cap_task_atomic_fetch_add_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_RDMA);
}

doca_error_t doca_rdma_task_atomic_fetch_add_set_conf(struct doca_rdma *rdma,
						      doca_rdma_task_atomic_fetch_add_completion_cb_t successful_task_completion_cb,
						      doca_rdma_task_atomic_fetch_add_completion_cb_t error_task_completion_cb,
						      uint32_t num_tasks)
{
	EMU_CALL("doca_rdma_task_atomic_fetch_add_set_conf");
	return emu_rdma_set_conf(rdma, EMU_RDMA_TASK_FETCH_ADD, &atomic_fetch_add_ops,
				 (emu_rdma_callback_t)successful_task_completion_cb,
				 (emu_rdma_callback_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(struct doca_rdma *rdma,
							   struct doca_rdma_connection *rdma_connection,
							   struct doca_buf *dst_buf,
							   struct doca_buf *result_buf, uint64_t add_data,
							   union doca_data user_data,
							   struct doca_rdma_task_atomic_fetch_add **task)
{
	EMU_CALL("doca_rdma_task_atomic_fetch_add_allocate_init");
	struct emu_rdma_task *made;
	doca_error_t result;

	if (rdma == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_rdma_allocate(rdma, EMU_RDMA_TASK_FETCH_ADD, rdma_connection, user_data, &made);
	if (result != DOCA_SUCCESS)
		return result;
	made->target = dst_buf;
	made->dst = result_buf;
	made->operand[0] = add_data;
	*task = (struct doca_rdma_task_atomic_fetch_add *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_atomic_fetch_add_as_task(struct doca_rdma_task_atomic_fetch_add *task)
{
	return task == NULL ? NULL : &task->task.base;
}

void doca_rdma_task_atomic_fetch_add_set_dst_buf(struct doca_rdma_task_atomic_fetch_add *task,
						 struct doca_buf *dst_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.target = dst_buf;
}

struct doca_buf *doca_rdma_task_atomic_fetch_add_get_dst_buf(const struct doca_rdma_task_atomic_fetch_add *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : (struct doca_buf *)(uintptr_t)task->task.target;
}

void doca_rdma_task_atomic_fetch_add_set_result_buf(struct doca_rdma_task_atomic_fetch_add *task,
						    struct doca_buf *result_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.dst = result_buf;
}

struct doca_buf *doca_rdma_task_atomic_fetch_add_get_result_buf(const struct doca_rdma_task_atomic_fetch_add *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.dst;
}

void doca_rdma_task_atomic_fetch_add_set_add_data(struct doca_rdma_task_atomic_fetch_add *task,
						  uint64_t add_data)
{
	if (EMU_LIKELY(task != NULL))
		task->task.operand[0] = add_data;
}

uint64_t doca_rdma_task_atomic_fetch_add_get_add_data(const struct doca_rdma_task_atomic_fetch_add *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->task.operand[0];
}

void doca_rdma_task_atomic_fetch_add_set_rdma_connection(struct doca_rdma_task_atomic_fetch_add *task,
							 struct doca_rdma_connection *rdma_connection)
{
	if (EMU_LIKELY(task != NULL))
		task->task.conn = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_atomic_fetch_add_get_rdma_connection(const struct doca_rdma_task_atomic_fetch_add *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.conn;
}
