/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_WORK_H_
#define EMU_RDMA_WORK_H_

/*
 * What is left to do for the requests of a connection that its peer does not carry out. The engine's thread does it, and
 * for contexts on a DPA the service's. All functions are called with the lock.
 */

#include <stdbool.h>

#include "core/emulator.h"

struct doca_rdma_connection;

/* Fails the requests of a connection of which no more can succeed. */
EMU_LOCAL void emu_rdma_work_fail(struct doca_rdma_connection *conn);
/* Carries out the oldest requests that need no peer. It releases the lock meanwhile. False: there are none. */
EMU_LOCAL bool emu_rdma_work_copy(struct doca_rdma_connection *conn);

#endif /* EMU_RDMA_WORK_H_ */
