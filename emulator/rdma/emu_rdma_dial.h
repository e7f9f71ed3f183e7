/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_DIAL_H_
#define EMU_RDMA_DIAL_H_

/*
 * The way to another process: by the runtime directory on this host, over TCP to others. The functions return a stream
 * socket, or a negative errno. Called with the lock.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "core/emulator.h"

#include "emu_rdma_wire.h"

struct doca_rdma_addr;

EMU_LOCAL int emu_rdma_dial_process(const struct emu_rdma_details *details, pid_t *pid, bool *is_network);
/* An address of this host or of an emulated device leads to whoever listens on the port here. */
EMU_LOCAL int emu_rdma_dial_addr(const struct doca_rdma_addr *addr, pid_t *pid, bool *is_network);

#endif /* EMU_RDMA_DIAL_H_ */
