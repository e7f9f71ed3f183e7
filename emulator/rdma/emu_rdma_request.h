/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_REQUEST_H_
#define EMU_RDMA_REQUEST_H_

/*
 * The requests of this side of a connection: from the submission of a task to its acknowledgement. All functions are
 * called with the lock, unless they say otherwise.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/emulator.h"

struct doca_rdma_connection;
struct emu_rdma_frame;
struct emu_rdma_task;

/* Queues a submitted task. True: the link may have something to send. */
EMU_LOCAL bool emu_rdma_request(struct doca_rdma_connection *conn, struct emu_rdma_task *task);

/* True if requests may be sent. */
EMU_LOCAL bool emu_rdma_is_open(const struct doca_rdma_connection *conn);

/* The next frame, or 0: see emu_rdma_link_ops. */
EMU_LOCAL size_t emu_rdma_request_produce(struct doca_rdma_connection *conn, uint8_t *at);
/* Handle the answers of the peer. False: the peer has broken the protocol. */
EMU_LOCAL bool emu_rdma_request_answered(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame,
					 const uint8_t *payload);

/* The oldest tasks, if they are such that this process carries out alone and nothing is before them. Returns how many. */
#define EMU_RDMA_MAX_RUN 32
EMU_LOCAL size_t emu_rdma_request_direct(struct doca_rdma_connection *conn,
					 struct emu_rdma_task *tasks[EMU_RDMA_MAX_RUN]);
/* Carries them out in order, without the lock. Returns how many have succeeded: the next one has failed. */
EMU_LOCAL size_t emu_rdma_request_copy(struct doca_rdma_connection *conn, struct emu_rdma_task **tasks, size_t num);
/* Ends the oldest task, unless its immediate data is still to be sent. */
EMU_LOCAL void emu_rdma_request_copied(struct doca_rdma_connection *conn);
/* Fails the oldest task. False: the peer's process ends, so the connection is lost with all its tasks. */
EMU_LOCAL bool emu_rdma_request_not_copied(struct doca_rdma_connection *conn);

/* How long a peer may leave a request unanswered (DOCA_EMU_RDMA_TIMEOUT), in ns. Called without the lock. */
EMU_LOCAL uint64_t emu_rdma_request_silence(void);
/* When the connection needs its timer, or 0. */
EMU_LOCAL uint64_t emu_rdma_request_due(const struct doca_rdma_connection *conn);
/* True if the peer has been silent for too long. Begins to send again if it was not ready. */
EMU_LOCAL bool emu_rdma_request_timer(struct doca_rdma_connection *conn);

#endif /* EMU_RDMA_REQUEST_H_ */
