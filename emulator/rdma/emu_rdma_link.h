/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_LINK_H_
#define EMU_RDMA_LINK_H_

/*
 * A stream of frames to a peer process. All functions are called with the lock.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/emulator.h"

#include "emu_rdma_service.h"
#include "emu_rdma_wire.h"

struct emu_rdma_link;

/* What the user of a link supplies. The functions run on the thread or in emu_rdma_link_flush. */
struct emu_rdma_link_ops {
	/* Handles a frame. False: the peer has broken the protocol, and the link is to be closed. */
	bool (*frame)(struct emu_rdma_link *link, const struct emu_rdma_frame *frame, const uint8_t *payload);
	/* Writes the next frames, of at most EMU_RDMA_MAX_PAYLOAD each, one per call. Returns their bytes; 0: there is
	 * nothing to send. */
	size_t (*produce)(struct emu_rdma_link *link, uint8_t *at);
	/* The time of emu_rdma_link_wake_at has come. */
	void (*timer)(struct emu_rdma_link *link);
	/* The peer has gone, or the protocol was broken. The link is freed afterwards. */
	void (*lost)(struct emu_rdma_link *link);
};

struct emu_rdma_link {
	struct emu_rdma_watch watch;
	const struct emu_rdma_link_ops *ops;
	void *owner;
	pid_t pid; /* of the peer; 0: unknown, or on another host */
	bool is_network;
	bool is_closing; /* sends the rest, and waits for the peer's end */
	bool waits_for_room;
	uint8_t *in; /* a part of a frame */
	size_t in_len;
	uint8_t *out; /* what the socket has not taken */
	size_t out_len, out_done;
};

/* Makes a link of a connected stream socket, which belongs to the link from then on. NULL: no memory; the socket is
 * closed. */
EMU_LOCAL struct emu_rdma_link *emu_rdma_link_new(int fd, pid_t pid, bool is_network,
						  const struct emu_rdma_link_ops *ops, void *owner);

/* Sends one frame behind what is already on its way. */
EMU_LOCAL void emu_rdma_link_send(struct emu_rdma_link *link, const struct emu_rdma_frame *frame, const void *payload);
/* Sends what produce has. */
EMU_LOCAL void emu_rdma_link_flush(struct emu_rdma_link *link);
EMU_LOCAL void emu_rdma_link_wake_at(struct emu_rdma_link *link, uint64_t due);

/* Ends the link: the peer receives everything that was sent. The owner is forgotten, and no function of ops is called
 * any more. */
EMU_LOCAL void emu_rdma_link_close(struct emu_rdma_link *link);

#endif /* EMU_RDMA_LINK_H_ */
