/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <doca_rdma.h>

#include "core/emu_dev.h"
#include "core/emu_fault.h"

#include "emu_rdma.h"
#include "emu_rdma_ctx.h"

struct doca_rdma_task_remote_net_sync_event_get {
	struct emu_rdma_task task;
};

static void get_notify(struct doca_task *base, doca_error_t status)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)base;
	doca_rdma_task_remote_net_sync_event_get_completion_cb_t cb =
		(doca_rdma_task_remote_net_sync_event_get_completion_cb_t)emu_rdma_callback(task, status);

	cb((struct doca_rdma_task_remote_net_sync_event_get *)task, base->user_data, base->ctx->user_data);
}

static const struct emu_task_ops get_ops = EMU_RDMA_REQUEST_OPS("remote_net_sync_event_get", get_notify);

doca_error_t doca_rdma_cap_task_remote_net_sync_event_get_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_rdma_cap_task_remote_net_sync_event_get_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_RDMA);
}

doca_error_t doca_rdma_task_remote_net_sync_event_get_set_conf(struct doca_rdma *rdma,
							       doca_rdma_task_remote_net_sync_event_get_completion_cb_t successful_task_completion_cb,
							       doca_rdma_task_remote_net_sync_event_get_completion_cb_t error_task_completion_cb,
							       uint32_t num_tasks)
{
	EMU_CALL("doca_rdma_task_remote_net_sync_event_get_set_conf");
	return emu_rdma_set_conf(rdma, EMU_RDMA_TASK_EVENT_GET, &get_ops,
				 (emu_rdma_callback_t)successful_task_completion_cb,
				 (emu_rdma_callback_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(struct doca_rdma *rdma,
								    struct doca_rdma_connection *rdma_connection,
								    const struct doca_sync_event_remote_net *event,
								    struct doca_buf *dst_buf,
								    union doca_data user_data,
								    struct doca_rdma_task_remote_net_sync_event_get **task)
{
	EMU_CALL("doca_rdma_task_remote_net_sync_event_get_allocate_init");
	struct emu_rdma_task *made;
	doca_error_t result;

	if (rdma == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_rdma_allocate(rdma, EMU_RDMA_TASK_EVENT_GET, rdma_connection, user_data, &made);
	if (result != DOCA_SUCCESS)
		return result;
	made->event = event;
	made->dst = dst_buf;
	*task = (struct doca_rdma_task_remote_net_sync_event_get *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_remote_net_sync_event_get_as_task(struct doca_rdma_task_remote_net_sync_event_get *task)
{
	return task == NULL ? NULL : &task->task.base;
}

void doca_rdma_task_remote_net_sync_event_get_set_sync_event(struct doca_rdma_task_remote_net_sync_event_get *task,
							     const struct doca_sync_event_remote_net *event)
{
	if (EMU_LIKELY(task != NULL))
		task->task.event = event;
}

const struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_get_get_sync_event(const struct doca_rdma_task_remote_net_sync_event_get *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.event;
}

void doca_rdma_task_remote_net_sync_event_get_set_dst_buf(struct doca_rdma_task_remote_net_sync_event_get *task,
							  struct doca_buf *dst_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.dst = dst_buf;
}

struct doca_buf *doca_rdma_task_remote_net_sync_event_get_get_dst_buf(const struct doca_rdma_task_remote_net_sync_event_get *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.dst;
}

uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_len(const struct doca_rdma_task_remote_net_sync_event_get *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->task.result_len;
}

void doca_rdma_task_remote_net_sync_event_get_set_rdma_connection(struct doca_rdma_task_remote_net_sync_event_get *task,
								  struct doca_rdma_connection *rdma_connection)
{
	if (EMU_LIKELY(task != NULL))
		task->task.conn = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_remote_net_sync_event_get_get_rdma_connection(const struct doca_rdma_task_remote_net_sync_event_get *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.conn;
}

struct doca_rdma_task_remote_net_sync_event_notify_set {
	struct emu_rdma_task task;
};

static void set_notify(struct doca_task *base, doca_error_t status)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)base;
	doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t cb =
		(doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t)emu_rdma_callback(task, status);

	cb((struct doca_rdma_task_remote_net_sync_event_notify_set *)task, base->user_data, base->ctx->user_data);
}

static const struct emu_task_ops set_ops = EMU_RDMA_REQUEST_OPS("remote_net_sync_event_notify_set", set_notify);

doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_RDMA);
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_set_conf(struct doca_rdma *rdma,
								      doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t successful_task_completion_cb,
								      doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t error_task_completion_cb,
								      uint32_t num_tasks)
{
	EMU_CALL("doca_rdma_task_remote_net_sync_event_notify_set_set_conf");
	return emu_rdma_set_conf(rdma, EMU_RDMA_TASK_EVENT_SET, &set_ops,
				 (emu_rdma_callback_t)successful_task_completion_cb,
				 (emu_rdma_callback_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(struct doca_rdma *rdma,
									   struct doca_rdma_connection *rdma_connection,
									   struct doca_sync_event_remote_net *event,
									   const struct doca_buf *src_buf,
									   union doca_data user_data,
									   struct doca_rdma_task_remote_net_sync_event_notify_set **task)
{
	EMU_CALL("doca_rdma_task_remote_net_sync_event_notify_set_allocate_init");
	struct emu_rdma_task *made;
	doca_error_t result;

	if (rdma == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_rdma_allocate(rdma, EMU_RDMA_TASK_EVENT_SET, rdma_connection, user_data, &made);
	if (result != DOCA_SUCCESS)
		return result;
	made->event = event;
	made->src = src_buf;
	*task = (struct doca_rdma_task_remote_net_sync_event_notify_set *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_remote_net_sync_event_notify_set_as_task(struct doca_rdma_task_remote_net_sync_event_notify_set *task)
{
	return task == NULL ? NULL : &task->task.base;
}

void doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event(struct doca_rdma_task_remote_net_sync_event_notify_set *task,
								    struct doca_sync_event_remote_net *event)
{
	if (EMU_LIKELY(task != NULL))
		task->task.event = event;
}

struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(const struct doca_rdma_task_remote_net_sync_event_notify_set *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : (struct doca_sync_event_remote_net *)(uintptr_t)task->task.event;
}

void doca_rdma_task_remote_net_sync_event_notify_set_set_src_buf(struct doca_rdma_task_remote_net_sync_event_notify_set *task,
								 const struct doca_buf *src_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.src = src_buf;
}

const struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf(const struct doca_rdma_task_remote_net_sync_event_notify_set *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.src;
}

void doca_rdma_task_remote_net_sync_event_notify_set_set_rdma_connection(struct doca_rdma_task_remote_net_sync_event_notify_set *task,
									 struct doca_rdma_connection *rdma_connection)
{
	if (EMU_LIKELY(task != NULL))
		task->task.conn = rdma_connection;
}

const struct doca_rdma_connection * doca_rdma_task_remote_net_sync_event_notify_set_get_rdma_connection(const struct doca_rdma_task_remote_net_sync_event_notify_set *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.conn;
}

struct doca_rdma_task_remote_net_sync_event_notify_add {
	struct emu_rdma_task task;
};

static void add_notify(struct doca_task *base, doca_error_t status)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)base;
	doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t cb =
		(doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t)emu_rdma_callback(task, status);

	cb((struct doca_rdma_task_remote_net_sync_event_notify_add *)task, base->user_data, base->ctx->user_data);
}

static const struct emu_task_ops add_ops = EMU_RDMA_REQUEST_OPS("remote_net_sync_event_notify_add", add_notify);

doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_RDMA);
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_set_conf(struct doca_rdma *rdma,
								      doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t successful_task_completion_cb,
								      doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t error_task_completion_cb,
								      uint32_t num_tasks)
{
	EMU_CALL("doca_rdma_task_remote_net_sync_event_notify_add_set_conf");
	return emu_rdma_set_conf(rdma, EMU_RDMA_TASK_EVENT_ADD, &add_ops,
				 (emu_rdma_callback_t)successful_task_completion_cb,
				 (emu_rdma_callback_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(struct doca_rdma *rdma,
									   struct doca_rdma_connection *rdma_connection,
									   struct doca_sync_event_remote_net *event,
									   struct doca_buf *result_buf,
									   uint64_t add_data,
									   union doca_data user_data,
									   struct doca_rdma_task_remote_net_sync_event_notify_add **task)
{
	EMU_CALL("doca_rdma_task_remote_net_sync_event_notify_add_allocate_init");
	struct emu_rdma_task *made;
	doca_error_t result;

	if (rdma == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_rdma_allocate(rdma, EMU_RDMA_TASK_EVENT_ADD, rdma_connection, user_data, &made);
	if (result != DOCA_SUCCESS)
		return result;
	made->event = event;
	made->dst = result_buf;
	made->operand[0] = add_data;
	*task = (struct doca_rdma_task_remote_net_sync_event_notify_add *)made;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_remote_net_sync_event_notify_add_as_task(struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
	return task == NULL ? NULL : &task->task.base;
}

void doca_rdma_task_remote_net_sync_event_notify_add_set_sync_event(struct doca_rdma_task_remote_net_sync_event_notify_add *task,
								    struct doca_sync_event_remote_net *event)
{
	if (EMU_LIKELY(task != NULL))
		task->task.event = event;
}

struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_add_get_sync_event(const struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : (struct doca_sync_event_remote_net *)(uintptr_t)task->task.event;
}

void doca_rdma_task_remote_net_sync_event_notify_add_set_result_buf(struct doca_rdma_task_remote_net_sync_event_notify_add *task,
								    struct doca_buf *result_buf)
{
	if (EMU_LIKELY(task != NULL))
		task->task.dst = result_buf;
}

struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf(const struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.dst;
}

void doca_rdma_task_remote_net_sync_event_notify_add_set_add_data(struct doca_rdma_task_remote_net_sync_event_notify_add *task,
								  uint64_t add_data)
{
	if (EMU_LIKELY(task != NULL))
		task->task.operand[0] = add_data;
}

uint64_t doca_rdma_task_remote_net_sync_event_notify_add_get_add_data(const struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
	return EMU_UNLIKELY(task == NULL) ? 0 : task->task.operand[0];
}

void doca_rdma_task_remote_net_sync_event_notify_add_set_rdma_connection(struct doca_rdma_task_remote_net_sync_event_notify_add *task,
									 struct doca_rdma_connection *rdma_connection)
{
	if (EMU_LIKELY(task != NULL))
		task->task.conn = rdma_connection;
}

const struct doca_rdma_connection * doca_rdma_task_remote_net_sync_event_notify_add_get_rdma_connection(const struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->task.conn;
}
