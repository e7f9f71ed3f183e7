/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_CTX_H_
#define EMU_RDMA_CTX_H_

/*
 * RDMA contexts on their engines: start, progress and stop; and what the tasks of all kinds share.
 */

#include <doca_error.h>

#include "core/emu_ctx.h"
#include "core/emu_task.h"
#include "core/emulator.h"

#include "emu_rdma.h"

extern EMU_LOCAL const struct emu_ctx_ops emu_rdma_ctx_ops;

/* For the tasks' functions in emu_task_ops. */
EMU_LOCAL doca_error_t emu_rdma_task_submit(struct doca_task *task, uint32_t flags);
EMU_LOCAL bool emu_rdma_task_fail(struct doca_task *task, doca_error_t status);
EMU_LOCAL doca_error_t emu_rdma_task_validate(const struct doca_task *task);
EMU_LOCAL doca_error_t emu_rdma_receive_validate(const struct doca_task *task);
EMU_LOCAL doca_error_t emu_rdma_receive_submit(struct doca_task *task, uint32_t flags);
EMU_LOCAL const void *emu_rdma_task_connection(const struct doca_task *task);
EMU_LOCAL void emu_rdma_task_cut(struct doca_task *task);

/* The functions of a task that is a request to the peer: of all kinds but receives. */
#define EMU_RDMA_REQUEST_OPS(name, on_notify)                                                              \
	{                                                                                                  \
		.kind = (name),                                                                            \
		.notify = (on_notify),                                                                     \
		.validate = emu_rdma_task_validate,                                                        \
		.submit = emu_rdma_task_submit,                                                            \
		.fail = emu_rdma_task_fail,                                                                \
		.connection = emu_rdma_task_connection,                                                    \
		.cut = emu_rdma_task_cut,                                                                  \
		.failure_is_fatal = true,                                                                  \
		.harmless = DOCA_ERROR_NOT_CONNECTED,                                                      \
	}

/* For doca_rdma_task_x_set_conf and doca_rdma_task_x_allocate_init. */
EMU_LOCAL doca_error_t emu_rdma_set_conf(struct doca_rdma *rdma, enum emu_rdma_kind kind, const struct emu_task_ops *ops,
					 emu_rdma_callback_t completed, emu_rdma_callback_t failed, uint32_t num_tasks);
EMU_LOCAL doca_error_t emu_rdma_allocate(struct doca_rdma *rdma, enum emu_rdma_kind kind,
					 struct doca_rdma_connection *conn, union doca_data user_data,
					 struct emu_rdma_task **task);

/* The callback for a result. */
static inline emu_rdma_callback_t emu_rdma_callback(const struct emu_rdma_task *task, doca_error_t status)
{
	const struct emu_rdma_pool *pool = &emu_rdma_of(task->base.ctx)->pools[task->kind];

	return status == DOCA_SUCCESS ? pool->completed : pool->failed;
}

#endif /* EMU_RDMA_CTX_H_ */
