/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_DPA_H_
#define EMU_RDMA_DPA_H_

/*
 * Contexts whose data path is on a DPA. Code on the DPA posts requests and receives. The service's thread does what an
 * engine does elsewhere, and posts the completions.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/emulator.h"

#include "emu_rdma.h"

struct doca_mmap;
struct doca_sync_event_remote_net;

/* Start. INITIALIZATION: the DPA is not usable, or is not that of the context's device; the log says so. */
EMU_LOCAL doca_error_t emu_rdma_dpa_check(const struct doca_rdma *rdma);
/* The last step of it: code on the DPA may use the context. NO_MEMORY. */
EMU_LOCAL doca_error_t emu_rdma_dpa_open(struct doca_rdma *rdma);

/* Stop. First, and without the lock: no code on the DPA uses the context any more. */
EMU_LOCAL void emu_rdma_dpa_close(struct doca_rdma *rdma);
/* Drops all requests, without completions. Called with the lock, which it may release, after all connections have ended. */
EMU_LOCAL void emu_rdma_dpa_drop(struct doca_rdma *rdma);

/* What code on the DPA posts. */
struct emu_rdma_post {
	uint64_t rdma; /* handles */
	uint32_t local_mmap;
	uint32_t remote_mmap;
	uint64_t remote_event;
	enum emu_rdma_kind kind;
	uint32_t connection_id;
	uint64_t local; /* addresses */
	uint64_t remote;
	size_t len;
	uint64_t value; /* of an addition or an event */
	uint32_t immediate;
	uint32_t flags; /* EMU_DPA_SUBMIT_* */
};

/* Their objects. */
struct emu_rdma_post_objects {
	struct doca_rdma *rdma;
	const struct doca_mmap *local;	/* NULL: none is needed */
	const struct doca_mmap *remote; /* the same */
	const struct doca_sync_event_remote_net *event;
};

/* Posts a request. AGAIN: the send queue is full. NOT_FOUND: there is no such connection. NO_MEMORY. TOO_BIG: no message can
 * be as long. */
EMU_LOCAL doca_error_t emu_rdma_dpa_post(const struct emu_rdma_post *post, const struct emu_rdma_post_objects *objects);
/* Posts a receive. FULL: the receive queue is full. NO_MEMORY. TOO_BIG. */
EMU_LOCAL doca_error_t emu_rdma_dpa_post_receive(const struct emu_rdma_post *post,
						 const struct emu_rdma_post_objects *objects);
/* Frees places in the receive queue. False: there are not as many receives that have ended. */
EMU_LOCAL bool emu_rdma_dpa_ack(struct doca_rdma *rdma, uint32_t num);

#endif /* EMU_RDMA_DPA_H_ */
