/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include "core/emu_notify.h"
#include "core/emu_pe.h"

#include "emu_rdma.h"
#include "emu_rdma_report.h"

void emu_rdma_notice(struct doca_rdma *rdma)
{
	struct doca_pe *pe = rdma->ctx.pe;

	__atomic_store_n(&rdma->is_ready, true, __ATOMIC_SEQ_CST);
	/* Either this thread sees that the engine is armed, or the engine sees is_ready. */
	if (__atomic_fetch_or(&pe->attention, 0, __ATOMIC_SEQ_CST) & EMU_PE_ARMED)
		emu_pe_signal(pe);
}

void emu_rdma_finish(struct doca_rdma *rdma, struct doca_task *task, doca_error_t status)
{
	task->status = status;
	emu_task_queue_push(&rdma->done, task);
	emu_rdma_notice(rdma);
}
