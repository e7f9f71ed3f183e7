/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <string.h>

#include "core/emu_buf.h"
#include "core/emu_log.h"
#include "syncevent/emu_syncevent.h"

#include "emu_rdma.h"
#include "emu_rdma_bytes.h"
#include "emu_rdma_kind.h"

bool emu_rdma_kind_has_result(const struct emu_rdma_task *task)
{
	return emu_rdma_kind_is_atomic(task) ||
	       (emu_rdma_kind_is_event(task) && task->kind != EMU_RDMA_TASK_EVENT_SET && task->dst != NULL);
}

uint64_t emu_rdma_kind_measure(const struct emu_rdma_task *task)
{
	if (emu_rdma_kind_is_atomic(task) || emu_rdma_kind_is_event(task))
		return sizeof(uint64_t);
	if (task->kind == EMU_RDMA_TASK_READ) /* of the remote side, only the head counts */
		return task->src == NULL ? 0 : task->src->data_len;
	return emu_rdma_data_len(task->src);
}

/* The value of a sync event is 8 bytes. That before an addition is not always wanted. */
static bool is_valid_event(const struct emu_rdma_task *task, struct emu_export_range *range)
{
	const struct doca_rdma *rdma = task->conn->rdma;
	const struct doca_dev *dev = rdma->ctx.dev;

	if (task->event == NULL)
		return false;
	memcpy(range->key, emu_event_remote_key(task->event)->bytes, sizeof(range->key));
	if (task->kind == EMU_RDMA_TASK_EVENT_SET)
		return emu_rdma_data_len(task->src) == sizeof(uint64_t) &&
		       emu_rdma_can_read(task->src, dev, rdma->max_send_buf_list_len);
	if (task->dst == NULL)
		return task->kind == EMU_RDMA_TASK_EVENT_ADD;
	return emu_rdma_can_write(task->dst, sizeof(uint64_t), dev, rdma->max_send_buf_list_len);
}

bool emu_rdma_kind_check(const struct emu_rdma_task *task, struct emu_export_range *range)
{
	const struct doca_rdma *rdma = task->conn->rdma;
	const struct doca_dev *dev = rdma->ctx.dev;
	const struct doca_buf *remote = emu_rdma_kind_remote(task);

	if (task->total > EMU_RDMA_MAX_MESSAGE_SIZE)
		return false;
	if (emu_rdma_kind_is_event(task))
		return is_valid_event(task, range);
	if (emu_rdma_kind_is_atomic(task) || task->kind == EMU_RDMA_TASK_READ) {
		if ((task->total > 0 && task->dst == NULL) ||
		    !emu_rdma_can_write(task->dst, task->total, dev, rdma->max_send_buf_list_len))
			return false;
	} else if (!emu_rdma_can_read(task->src, dev, rdma->max_send_buf_list_len)) {
		return false;
	}
	if (task->kind == EMU_RDMA_TASK_SEND || task->kind == EMU_RDMA_TASK_SEND_IMM || task->total == 0)
		return true;
	if (remote == NULL || !emu_rdma_name_remote(remote, task->total, dev, emu_rdma_kind_needs(task), range)) {
		EMU_LOG_ERR("rdma: the buffer is not of memory that the peer has exported for this operation, or the "
			    "operation goes beyond it");
		return false;
	}
	return !emu_rdma_kind_is_atomic(task) || range->addr % sizeof(uint64_t) == 0;
}

bool emu_rdma_kind_is_valid(const struct emu_rdma_task *task)
{
	struct emu_rdma_task copy = *task;
	struct emu_export_range range;

	if (task->conn == NULL || task->conn->rdma != emu_rdma_of(task->base.ctx))
		return false;
	copy.total = emu_rdma_kind_measure(task);
	return emu_rdma_kind_check(&copy, &range);
}
