/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_TCP_H_
#define EMU_RDMA_TCP_H_

/*
 * TCP connections with other hosts. Processes of this host are refused here: they come in by the runtime directory,
 * where it shows which user they belong to. All functions are called with the lock.
 */

#include <stdint.h>

#include "core/emulator.h"

struct doca_rdma;
struct emu_rdma_port;

/* Begins to connect. Returns a socket, or a negative errno. */
EMU_LOCAL int emu_rdma_tcp_connect(const uint8_t ip[16], uint16_t port);

/* Opens a port at an address (0: any) to which peers come for a context that listens, or, if listening is NULL, for
 * connections with details. port 0: the system chooses one. NULL: the system refuses; the log says why. */
EMU_LOCAL struct emu_rdma_port *emu_rdma_port_open(const uint8_t ip[16], uint16_t port, struct doca_rdma *listening,
						   uint16_t listening_port);
EMU_LOCAL void emu_rdma_port_close(struct emu_rdma_port *port);
EMU_LOCAL void emu_rdma_port_address(const struct emu_rdma_port *port, uint8_t ip[16], uint16_t *number);

#endif /* EMU_RDMA_TCP_H_ */
