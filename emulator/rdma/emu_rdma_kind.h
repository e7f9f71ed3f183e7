/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_KIND_H_
#define EMU_RDMA_KIND_H_

/*
 * What the kinds of requests differ in. All functions may be called without the lock.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/emu_export_key.h"
#include "core/emulator.h"

#include "emu_rdma.h"

struct doca_buf;

static inline bool emu_rdma_kind_is_write(const struct emu_rdma_task *task)
{
	return task->kind == EMU_RDMA_TASK_WRITE || task->kind == EMU_RDMA_TASK_WRITE_IMM;
}

static inline bool emu_rdma_kind_is_atomic(const struct emu_rdma_task *task)
{
	return task->kind == EMU_RDMA_TASK_COMPARE_SWAP || task->kind == EMU_RDMA_TASK_FETCH_ADD;
}

static inline bool emu_rdma_kind_is_event(const struct emu_rdma_task *task)
{
	return task->kind == EMU_RDMA_TASK_EVENT_GET || task->kind == EMU_RDMA_TASK_EVENT_SET ||
	       task->kind == EMU_RDMA_TASK_EVENT_ADD;
}

/* True if the answer is a number that goes to a buffer. */
EMU_LOCAL bool emu_rdma_kind_has_result(const struct emu_rdma_task *task);

/* What it does to the peer's memory: flags of enum doca_access_flag. */
static inline uint32_t emu_rdma_kind_needs(const struct emu_rdma_task *task)
{
	if (emu_rdma_kind_is_write(task))
		return DOCA_ACCESS_FLAG_RDMA_WRITE;
	return task->kind == EMU_RDMA_TASK_READ ? DOCA_ACCESS_FLAG_RDMA_READ : DOCA_ACCESS_FLAG_RDMA_ATOMIC;
}

/* The buffer of the peer's memory, or NULL. */
static inline const struct doca_buf *emu_rdma_kind_remote(const struct emu_rdma_task *task)
{
	if (emu_rdma_kind_is_write(task))
		return task->dst;
	return task->kind == EMU_RDMA_TASK_READ ? task->src : task->target;
}

/* The buffers of this side's memory that a write or a read copies, or NULL. */
static inline const struct doca_buf *emu_rdma_kind_local(const struct emu_rdma_task *task)
{
	return emu_rdma_kind_is_write(task) ? task->src : task->dst;
}

/* The bytes of the request. */
EMU_LOCAL uint64_t emu_rdma_kind_measure(const struct emu_rdma_task *task);
/* Checks the buffers. range names the peer's memory, if there is any. */
EMU_LOCAL bool emu_rdma_kind_check(const struct emu_rdma_task *task, struct emu_export_range *range);

/* Checks a task of the program, which is not submitted yet. */
EMU_LOCAL bool emu_rdma_kind_is_valid(const struct emu_rdma_task *task);

#endif /* EMU_RDMA_KIND_H_ */
