/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_ADDR_H_
#define EMU_RDMA_ADDR_H_

/*
 * Addresses, as 16 bytes: IPv6, or IPv4 mapped to it.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include <doca_rdma.h>

#include "core/emulator.h"

#include "emu_rdma.h"

struct emu_function;

/* False: the text is no address of that type. */
EMU_LOCAL bool emu_rdma_addr_parse(enum doca_rdma_addr_type type, const char *text, uint8_t ip[16]);

/* The address of the peer that has connected by a socket, or, if fd is -1, with that HELLO on this host. */
EMU_LOCAL struct doca_rdma_addr emu_rdma_addr_of_peer(int fd, const struct emu_rdma_hello *hello);

EMU_LOCAL socklen_t emu_rdma_addr_to_socket(const uint8_t ip[16], uint16_t port, struct sockaddr_storage *address);
EMU_LOCAL void emu_rdma_addr_from_socket(const struct sockaddr_storage *address, uint8_t ip[16], uint16_t *port);

/* True if the address leads to this host: it is a loopback address or one of an interface. */
EMU_LOCAL bool emu_rdma_addr_is_ours(const uint8_t ip[16]);
/* The function of the emulated BlueField that has the address, or NULL. */
EMU_LOCAL const struct emu_function *emu_rdma_addr_function(const uint8_t ip[16]);

/* What DOCA_EMU_RDMA_ADDRESS says of where other hosts may come in. */
enum emu_rdma_network {
	EMU_RDMA_NETWORK_ANY,  /* not set: at all addresses, to ports where a program listens */
	EMU_RDMA_NETWORK_NONE, /* "none": nowhere */
	EMU_RDMA_NETWORK_ONE,  /* an address: there, to those ports and to connections by details */
};

EMU_LOCAL enum emu_rdma_network emu_rdma_addr_network(uint8_t ip[16]);

#endif /* EMU_RDMA_ADDR_H_ */
