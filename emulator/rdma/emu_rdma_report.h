/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_REPORT_H_
#define EMU_RDMA_REPORT_H_

/*
 * What the engine's thread is to report to the program, or the service's to code on a DPA. All functions are called with
 * the lock.
 */

#include <doca_error.h>

#include "core/emulator.h"

struct doca_rdma;
struct doca_task;

/* Both are called with the lock. */

/* Wakes the thread that reports: there is something. */
EMU_LOCAL void emu_rdma_notice(struct doca_rdma *rdma);
/* Gives a task, which is in no queue, its result. */
EMU_LOCAL void emu_rdma_finish(struct doca_rdma *rdma, struct doca_task *task, doca_error_t status);

#endif /* EMU_RDMA_REPORT_H_ */
