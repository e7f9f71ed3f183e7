/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_CONN_H_
#define EMU_RDMA_CONN_H_

/*
 * Connections: how they begin and end. All functions are called with the lock.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <doca_error.h>

#include "core/emulator.h"

#include "emu_rdma_wire.h"

struct doca_rdma;
struct doca_rdma_connection;
struct emu_rdma_link;

/* The running contexts of the process, among which peers find their connections. */
EMU_LOCAL void emu_rdma_conn_add_context(struct doca_rdma *rdma);
EMU_LOCAL void emu_rdma_conn_remove_context(struct doca_rdma *rdma);
EMU_LOCAL struct doca_rdma *emu_rdma_conn_contexts(void);

/* Makes a connection with a key of its own, or uses a closed one again. FULL: the context has its maximum. */
EMU_LOCAL doca_error_t emu_rdma_conn_new(struct doca_rdma *rdma, struct doca_rdma_connection **conn);

/* Refuses a peer. */
EMU_LOCAL void emu_rdma_refuse(struct emu_rdma_link *link, enum emu_rdma_refusal why);
/* Keeps a peer until the program connects. */
EMU_LOCAL void emu_rdma_conn_wait(struct doca_rdma_connection *conn, struct emu_rdma_link *link,
				  const struct emu_rdma_hello *hello);
/* The link becomes that of the connection, whose peer has these permissions. */
EMU_LOCAL void emu_rdma_conn_take(struct doca_rdma_connection *conn, struct emu_rdma_link *link, uint32_t permissions);
/* The same, and the connection is established. */
EMU_LOCAL void emu_rdma_conn_accept_peer(struct doca_rdma_connection *conn, struct emu_rdma_link *link,
					 uint32_t permissions);

/* Called in the child of a fork. */
EMU_LOCAL void emu_rdma_conn_forget_all(void);

/* Sends HELLO on a socket that leads to the peer. NO_MEMORY: the socket is closed. */
EMU_LOCAL doca_error_t emu_rdma_conn_begin(struct doca_rdma_connection *conn, int fd, pid_t pid, bool is_network,
					   const struct emu_rdma_hello *hello);
/* Connects with the peer that has arrived already. False: it is not there yet. */
EMU_LOCAL bool emu_rdma_conn_adopt(struct doca_rdma_connection *conn);
/* Accepts a request by address. */
EMU_LOCAL void emu_rdma_conn_accept(struct doca_rdma_connection *conn, const void *private_data, uint8_t len);
EMU_LOCAL void emu_rdma_conn_reject(struct doca_rdma_connection *conn);

/* The peer has gone: abruptly, or in order. */
EMU_LOCAL void emu_rdma_conn_lose(struct doca_rdma_connection *conn, bool is_abrupt);
/* This side ends the connection. Its tasks stay in their queue. */
EMU_LOCAL void emu_rdma_conn_end(struct doca_rdma_connection *conn);
/* The engine has finished what is_copying says. */
EMU_LOCAL void emu_rdma_conn_has_copied(struct doca_rdma_connection *conn);
/* True if nothing can be sent on it, now and later. */
EMU_LOCAL bool emu_rdma_conn_is_over(const struct doca_rdma_connection *conn);

/* Fills what HELLO and ACCEPT say of this side. */
EMU_LOCAL void emu_rdma_conn_introduce(const struct doca_rdma_connection *conn, struct emu_rdma_hello *hello);

/* Cuts the connection, as if the peer was killed: both sides notice. */
EMU_LOCAL void emu_rdma_conn_cut(struct doca_rdma_connection *conn);

/* Sends what can be sent now, and sets the timer. */
EMU_LOCAL void emu_rdma_conn_go_on(struct doca_rdma_connection *conn);

#endif /* EMU_RDMA_CONN_H_ */
