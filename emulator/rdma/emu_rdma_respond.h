/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_RESPOND_H_
#define EMU_RDMA_RESPOND_H_

/*
 * The requests of the peer of a connection, which the thread carries out. All functions are called with the lock.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/emulator.h"

struct doca_rdma;
struct doca_rdma_connection;
struct emu_rdma_frame;
struct emu_rdma_task;

/* Handles a request. False: the peer has broken the protocol. A request that has failed sets has_failed. */
EMU_LOCAL bool emu_rdma_respond(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame,
				const uint8_t *payload);
/* The next frame of the answers, or 0: see emu_rdma_link_ops. */
EMU_LOCAL size_t emu_rdma_respond_produce(struct doca_rdma_connection *conn, uint8_t *at);

/* Posts a submitted receive. */
EMU_LOCAL void emu_rdma_post(struct doca_rdma *rdma, struct emu_rdma_task *task);

/* The connection has no peer any more: drops the answers. A receive whose message is not complete is posted again. */
EMU_LOCAL void emu_rdma_respond_end(struct doca_rdma_connection *conn);

#endif /* EMU_RDMA_RESPOND_H_ */
