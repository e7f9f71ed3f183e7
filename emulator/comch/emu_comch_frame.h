/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_FRAME_H_
#define EMU_COMCH_FRAME_H_

/* What travels on a connection's socket. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/emulator.h"

/*
 * The version of everything that two processes share: frames and rings. Two versions cannot talk to each other, so
 * it changes only when there is no other way. These changes keep it:
 *
 * - Structs of frames grow at their end. Receivers ignore what they do not know; what an older peer does not send
 *   is 0, and 0 stands for the behavior without the field.
 * - New types of frames have the bit EMU_COMCH_OPTIONAL if receivers that do not know them may ignore them. All
 *   others must be announced by a field of the hello.
 *
 * In all versions a hello begins with the version, and a refusal begins with a text. So each version can tell each
 * other one why they do not fit.
 */
#define EMU_COMCH_VERSION 3

#define EMU_COMCH_MAX_NAME_LEN 120 /* with the NUL */

enum emu_comch_frame_type {
	EMU_COMCH_HELLO = 1,    /* client: struct emu_comch_hello */
	EMU_COMCH_ACCEPT,       /* server: struct emu_comch_hello */
	EMU_COMCH_REFUSE,       /* server: a text; behind a NUL, u32 doca_error_t for the client's program */
	EMU_COMCH_MSG,          /* a message */
	EMU_COMCH_CREDIT,       /* nothing but the header's count */
	EMU_COMCH_CONSUMER_NEW, /* struct emu_comch_announce, and the descriptors of ring, wake-up, and perhaps memory */
	EMU_COMCH_CONSUMER_EXPIRED, /* u32 id */
	EMU_COMCH_DISCONNECT,   /* the sender closes the socket after this */
	EMU_COMCH_CONSUMER_REFUSED, /* u32 id: the peer has no room for the consumer */
};

#define EMU_COMCH_OPTIONAL (UINT32_C(1) << 31)

struct emu_comch_frame {
	uint32_t type;
	uint32_t len;       /* bytes that follow */
	uint64_t delivered; /* messages that the sender of this frame has received and delivered */
};

struct emu_comch_hello {
	uint32_t version;
	uint32_t max_msg_size;
	uint32_t recv_queue_size;
	char name[EMU_COMCH_MAX_NAME_LEN];
	uint32_t max_consumers; /* that the peer may announce */
};

struct emu_comch_announce {
	uint32_t id;
	uint32_t imm_data_len;
	uint32_t flags; /* EMU_COMCH_DIRECT */
	uint32_t reserved;
	/* The memory of the posted buffers, if its file comes with the announcement (core/emu_memfile.h). */
	uint64_t addr;
	uint64_t len;
	uint64_t offset; /* in the file */
};

/* What announcements had before the memory was added. */
#define EMU_COMCH_ANNOUNCE_MIN offsetof(struct emu_comch_announce, reserved)

/* The most descriptors that come with a frame. */
#define EMU_COMCH_MAX_FDS 3

/* Producers may write into the posted buffers. The consumer can see what threads of the peer do, and therefore when
 * they have stopped writing. */
#define EMU_COMCH_DIRECT 1

/* The longest of those above. */
#define EMU_COMCH_MIN_RECV_BUF 512

/* Something to send. A frame that is not of a task belongs to its maker until it is sent. */
struct emu_comch_out {
	struct emu_comch_out *next;
	uint32_t type;
	uint32_t len;
	const void *bytes;
	const int *fds;		/* EMU_COMCH_MAX_FDS, those that are missing -1 and last; or NULL */
	struct doca_task *task; /* the send task; NULL: none */
	bool *sent;		/* set when the socket has taken it; may be NULL */
	int *spent_fds;		/* two, closed and set to -1 when the frame is sent; may be NULL */
	bool is_freed;		/* free() it when it is no longer needed */
};

struct doca_comch_connection;

/* Call the functions below with the connection's lock held. */

/* Queues a frame, and sends what can be sent. */
EMU_LOCAL void emu_comch_push(struct doca_comch_connection *conn, struct emu_comch_out *out);
/* Sends what can be sent, and tells the peer how many messages were delivered if that is due. */
EMU_LOCAL void emu_comch_flush(struct doca_comch_connection *conn);
/* Removes a frame from the queue. False: it was sent already. */
EMU_LOCAL bool emu_comch_withdraw(struct doca_comch_connection *conn, struct emu_comch_out *out);
/* Notes how many messages the peer has delivered. */
EMU_LOCAL void emu_comch_hear_credit(struct doca_comch_connection *conn, uint64_t delivered);

/* Receives a frame. Returns its length, 0 at the end of the connection, or a negative errno. fds gets its
 * descriptors, or -1 for those that were not sent or that this process has no room for. */
EMU_LOCAL ssize_t emu_comch_recv(int fd, struct emu_comch_frame *frame, void *bytes, size_t size,
				 int fds[EMU_COMCH_MAX_FDS]);
/* Closes descriptors that came with a frame or go with one, and sets them to -1. Those that are -1 already are left out. */
EMU_LOCAL void emu_comch_close_fds(int *fds, size_t num);

#endif /* EMU_COMCH_FRAME_H_ */
