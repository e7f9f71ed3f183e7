/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_WIRE_H_
#define EMU_RDMA_WIRE_H_

/*
 * The protocol between the two ends of a connection.
 *
 * A connection is a stream socket: one end of a socket pair between processes of one host, TCP between hosts. To
 * connect to a process of its host, a process makes a socket pair and sends one end to the socket of the other in the
 * runtime directory, with a DOOR message.
 *
 * On the stream, frames go both ways. The first is HELLO, which is answered by ACCEPT or REFUSE. Requests of a connection
 * are numbered from 1 and carried out in that order. Each is answered by ACK, a READ by its data first. The receiver
 * answers RNR to a message for which no receive is posted, and ignores what follows until that request comes again. It
 * sends READY_TO_RECEIVE when one is posted.
 *
 * Reads and writes between two processes of one host take no frames: the initiator accesses the memory itself
 * (emu_remote.h) when all its earlier requests are acknowledged. Likewise the receiver of a long message copies it from
 * the sender's memory.
 *
 * Numbers are little-endian, as on every machine that the emulator runs on.
 */

#include <stddef.h>
#include <stdint.h>

#include "core/emu_export_wire.h"
#include "core/emulator.h"

/*
 * The version of everything in this file. It changes only when there is no other way. Structures may grow at their end:
 * receivers ignore what they do not know, and what an older process does not send is 0. The first 12 bytes of
 * connection details and of HELLO's payload, the frames HELLO and REFUSE, and the DOOR message never change.
 */
#define EMU_RDMA_VERSION 1
#define EMU_RDMA_KEY_SIZE 16
#define EMU_RDMA_MAX_PRIVATE_DATA 255

#define EMU_RDMA_DOOR "DOCARDMA"

enum emu_rdma_frame_type {
	EMU_RDMA_HELLO = 1, /* payload: struct emu_rdma_hello */
	EMU_RDMA_REFUSE,    /* status: enum emu_rdma_refusal; a: the version of the sender */
	EMU_RDMA_ACCEPT,    /* payload: struct emu_rdma_hello of the acceptor */
	EMU_RDMA_CONFIRM,   /* the initiator has seen ACCEPT */
	EMU_RDMA_BYE,	    /* the sender has disconnected */

	EMU_RDMA_SEND = 16, /* requests */
	EMU_RDMA_SEND_IMM,
	EMU_RDMA_WRITE,
	EMU_RDMA_WRITE_IMM,
	EMU_RDMA_IMM,  /* the end of a WRITE_IMM whose data is there */
	EMU_RDMA_READ, /* of total bytes */
	EMU_RDMA_COMPARE_SWAP, /* a: compare, b: swap */
	EMU_RDMA_FETCH_ADD,    /* a: increment */
	EMU_RDMA_EVENT_GET, /* of the sync event with that key; ACK has the value before in a */
	EMU_RDMA_EVENT_SET, /* a: value */
	EMU_RDMA_EVENT_ADD, /* a: increment */

	EMU_RDMA_ACK = 64, /* status: enum emu_rdma_status; a: what an atomic operation has found */
	EMU_RDMA_DATA,	   /* of a READ, at offset */
	EMU_RDMA_RNR,
	EMU_RDMA_READY_TO_RECEIVE,
	EMU_RDMA_CANNOT_PULL, /* the request must be sent again, with its bytes */
};

enum emu_rdma_status {
	EMU_RDMA_OK = 0,
	EMU_RDMA_NO_ACCESS,  /* no such memory, or no permission */
	EMU_RDMA_TOO_LONG,   /* for the receive */
	EMU_RDMA_LOCAL_ERROR, /* the buffer of the receive cannot be used */
};

enum emu_rdma_refusal {
	EMU_RDMA_NO_SUCH_CONNECTION = 1, /* or not with this peer */
	EMU_RDMA_OTHER_VERSION,
	EMU_RDMA_REJECTED, /* by the program */
	EMU_RDMA_IS_FULL,
	EMU_RDMA_NOT_LISTENING,
	EMU_RDMA_CROSSING, /* both have connected at once: the sender's own HELLO counts */
};

#define EMU_RDMA_LAST 1 /* flag: the last frame of a request or of the data of a READ */
#define EMU_RDMA_PULL 2 /* flag of SEND: there is no payload; the receiver takes b bytes from addr in the sender's memory */

/* Every frame. Fields that its type does not need are 0. */
struct emu_rdma_frame {
	uint8_t type;
	uint8_t flags;
	uint16_t status;
	uint32_t len; /* of the payload that follows, up to EMU_RDMA_MAX_PAYLOAD */
	uint64_t seq;
	uint64_t total;	 /* bytes of the whole request */
	uint64_t offset; /* of the payload in them */
	uint64_t addr;
	uint64_t a;
	uint64_t b;
	uint32_t imm; /* as the programs see it */
	uint32_t reserved;
	uint8_t key[EMU_EXPORT_ID_SIZE];
};

#define EMU_RDMA_MAX_PAYLOAD ((size_t)64 << 10)
#define EMU_RDMA_MAX_PULL ((size_t)1 << 20)

/* HELLO and ACCEPT. */
struct emu_rdma_hello {
	char magic[8];
	uint32_t version;
	uint16_t is_by_address; /* HELLO: to a port; else to the connection whose key is target */
	uint16_t port;
	uint8_t target[EMU_RDMA_KEY_SIZE];
	uint8_t key[EMU_RDMA_KEY_SIZE]; /* of the sender's connection */
	uint32_t permissions;		/* of the sender's context */
	uint32_t id;			/* of the sender's connection */
	uint16_t private_len;
	uint16_t reserved;
	uint8_t ipv4[4]; /* of the sender's device */
	uint8_t private_data[EMU_RDMA_MAX_PRIVATE_DATA + 1];
};

/* The connection details that programs exchange. */
struct emu_rdma_details {
	char magic[8];
	uint32_t version;
	uint32_t transport;
	uint8_t process[EMU_RDMA_KEY_SIZE]; /* the name of its socket */
	uint8_t key[EMU_RDMA_KEY_SIZE];	    /* of the connection: the secret that a peer must know */
	uint8_t host[EMU_HOST_ID_SIZE];
	uint8_t address[16]; /* where other hosts reach the process: IPv6, or IPv4 mapped to it; 0: nowhere */
	uint16_t port;
	uint16_t reserved;
	uint32_t checksum; /* of all before it */
};

_Static_assert(sizeof(struct emu_rdma_frame) == 80, "no holes");
_Static_assert(sizeof(struct emu_rdma_details) == 88, "no holes");
_Static_assert(sizeof(struct emu_rdma_hello) == 320, "no holes");

#endif /* EMU_RDMA_WIRE_H_ */
