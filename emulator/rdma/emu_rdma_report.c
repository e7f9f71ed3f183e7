/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include "core/emu_notify.h"
#include "core/emu_pe.h"

#include "emu_rdma.h"
#include "emu_rdma_report.h"
#include "emu_rdma_service.h"
#include "emu_rdma_wr.h"

void emu_rdma_notice(struct doca_rdma *rdma)
{
	struct doca_pe *pe = rdma->ctx.pe;

	if (emu_rdma_is_on_dpa(rdma)) {
		rdma->has_work = true;
		emu_rdma_service_ask();
	}
	/* Whoever has set is_ready has seen to it that the engine looks: it is cleared with the lock, when there is nothing
	 * to report. */
	if (pe == NULL || __atomic_load_n(&rdma->is_ready, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&rdma->is_ready, true, __ATOMIC_SEQ_CST);
	/* Either this thread sees that the engine is armed, or the engine sees is_ready. */
	if (__atomic_fetch_or(&pe->attention, 0, __ATOMIC_SEQ_CST) & EMU_PE_ARMED)
		emu_pe_signal(pe);
}

void emu_rdma_finish(struct doca_rdma *rdma, struct doca_task *task, doca_error_t status)
{
	if (emu_rdma_is_on_dpa(rdma)) {
		emu_rdma_wr_finish((struct emu_rdma_wr *)task, status);
		if (status != DOCA_SUCCESS)
			emu_rdma_notice(rdma); /* others fail, too */
		return;
	}
	task->status = status;
	emu_task_queue_push(&rdma->done, task);
	emu_rdma_notice(rdma);
}
