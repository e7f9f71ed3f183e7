/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_ENDS_H_
#define EMU_RDMA_ENDS_H_

/*
 * The end of all connections of a context that stops. A peer on this host accesses the memory of this side itself. When it
 * hears of the end it begins nothing more, and it closes its socket when what it does at the moment is done. So a stop
 * waits for that, and afterwards no peer of the context writes to this process's memory.
 */

#include <stddef.h>
#include <sys/types.h>

#include "core/emulator.h"

struct doca_rdma;
struct pollfd;

struct emu_rdma_ends {
	struct pollfd *sockets;
	size_t num;
};

/* Notes the connections, before they are ended. Called with the lock. */
EMU_LOCAL void emu_rdma_ends_begin(struct emu_rdma_ends *ends, const struct doca_rdma *rdma);
/* Waits for the peers, but no longer than a second for those that are stopped. Called without the lock. */
EMU_LOCAL void emu_rdma_ends_wait(struct emu_rdma_ends *ends);

#endif /* EMU_RDMA_ENDS_H_ */
