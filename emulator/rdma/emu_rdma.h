/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_H_
#define EMU_RDMA_H_

/*
 * RDMA contexts, connections and tasks.
 *
 * One thread of the library (emu_rdma_service.h) serves all connections of the process, so that a peer's requests are
 * carried out whatever the program does. One lock guards everything that this thread and the engines' threads share. No
 * callback of the program runs under it.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <doca_rdma.h>
#include <doca_types.h>

#include "core/emu_ctx.h"
#include "core/emu_task.h"
#include "core/emulator.h"
#include "dpacore/emu_dpa_watch.h"

#include "emu_rdma_wire.h"

struct doca_dpa_completion;
struct emu_rdma_door;
struct emu_rdma_link;
struct emu_rdma_response;

#define EMU_RDMA_MAX_NUM_TASKS 65536
#define EMU_RDMA_MAX_QUEUE_SIZE 32768
#define EMU_RDMA_MAX_BUF_LIST_LEN 32
#define EMU_RDMA_MAX_MESSAGE_SIZE (UINT32_C(1) << 30)
#define EMU_RDMA_MAX_NUM_CONNECTIONS 1024
#define EMU_RDMA_INFINITE_RNR_RETRIES 7
#define EMU_RDMA_GID_TABLE_SIZE 4

enum emu_rdma_kind {
	EMU_RDMA_TASK_RECEIVE,
	EMU_RDMA_TASK_SEND,
	EMU_RDMA_TASK_SEND_IMM,
	EMU_RDMA_TASK_READ,
	EMU_RDMA_TASK_WRITE,
	EMU_RDMA_TASK_WRITE_IMM,
	EMU_RDMA_TASK_COMPARE_SWAP,
	EMU_RDMA_TASK_FETCH_ADD,
	EMU_RDMA_TASK_EVENT_GET,
	EMU_RDMA_TASK_EVENT_SET,
	EMU_RDMA_TASK_EVENT_ADD,
	EMU_RDMA_NUM_KINDS,
};

/* A task of any kind. */
struct emu_rdma_task {
	struct doca_task base;
	struct doca_rdma_connection *conn; /* of a receive: where its message came from */
	const struct doca_buf *src;
	struct doca_buf *dst; /* where a result goes */
	const struct doca_buf *target; /* of an atomic operation */
	const struct doca_sync_event_remote_net *event;
	uint64_t operand[2];
	doca_be32_t imm;
	enum doca_rdma_opcode opcode;
	uint32_t result_len;
	uint8_t kind; /* enum emu_rdma_kind */

	/* While it is submitted, under the lock. */
	uint64_t seq; /* of its request; 0: none was sent */
	uint64_t total; /* bytes of the request */
	bool is_copied; /* of a write with immediate data: the data is there */
	doca_error_t fault; /* with which it is to fail in its turn, or SUCCESS */
};

typedef void (*emu_rdma_callback_t)(void); /* of the type that belongs to the kind */

struct emu_rdma_pool {
	const struct emu_task_ops *ops;
	struct emu_task_pool tasks;
	uint32_t num_tasks; /* 0: not configured */
	emu_rdma_callback_t completed;
	emu_rdma_callback_t failed;
};

enum emu_rdma_state {
	EMU_RDMA_EXPORTED,   /* waits for doca_rdma_connect */
	EMU_RDMA_CONNECTING, /* waits for the peer */
	EMU_RDMA_REQUESTED,  /* waits for the program to accept it */
	EMU_RDMA_ACCEPTED,   /* the program has; waits for CONFIRM */
	EMU_RDMA_ESTABLISHED,
	EMU_RDMA_DISCONNECTING, /* the program has disconnected; the callback follows */
	EMU_RDMA_LOST,		/* by the peer; waits for the program to disconnect */
	EMU_RDMA_CLOSED,	/* to be used again */
};

enum emu_rdma_event {
	EMU_RDMA_EVENT_REQUEST = 1 << 0,
	EMU_RDMA_EVENT_ESTABLISHED = 1 << 1,
	EMU_RDMA_EVENT_FAILURE = 1 << 2,
	EMU_RDMA_EVENT_DISCONNECTED = 1 << 3,
};

struct doca_rdma_addr {
	enum doca_rdma_addr_type type;
	uint16_t port;
	bool is_of_connection; /* the program must not destroy it */
	char text[46];
	uint8_t ip[16]; /* IPv6, or IPv4 mapped to it */
};

struct doca_rdma_connection {
	struct doca_rdma *rdma;
	struct doca_rdma_connection *next; /* of the context */
	uint32_t id;
	enum emu_rdma_state state;
	bool is_by_address;
	bool was_established;
	uint32_t events; /* to be reported */
	union doca_data user_data;
	struct doca_rdma_addr addr; /* of the peer, if by address */
	struct emu_rdma_details details;
	uint8_t key[EMU_RDMA_KEY_SIZE];
	uint8_t peer_key[EMU_RDMA_KEY_SIZE];
	uint64_t deadline; /* of a request by address; 0: none */

	struct emu_rdma_link *link;    /* NULL: none */
	struct emu_rdma_link *arrived; /* the peer's, before this side has connected */
	uint8_t arrived_key[EMU_RDMA_KEY_SIZE];
	pid_t pid;		       /* of the peer; 0: unknown, or on another host */
	uint32_t peer_permissions;
	bool cannot_pull; /* the system does not let the peer copy from this process */

	bool has_failed; /* an error was reported to the program: nothing more is sent or carried out */

	/* Requests of this side. */
	struct emu_task_queue sent; /* submitted and not acknowledged, in order */
	struct doca_task *unsent;   /* the first of them that is not sent completely */
	uint64_t unsent_offset;
	uint64_t next_seq; /* the number of the last one that was sent; those that this side carries out have none */
	uint64_t rnr_until; /* sends nothing before; 0: no wait */
	uint32_t rnr_tries;
	uint64_t heard_at; /* when the peer last showed that it lives, if something is sent */
	bool is_copying;   /* the engine accesses the peer's memory, without the lock */
	int held_fd;	   /* if the link was closed meanwhile: keeps the socket open until that is over; else 0 */

	/* Of a context on a DPA. */
	struct emu_task_queue unflushed; /* posted, and not yet for the device */
	uint32_t num_posted;		 /* requests that have not ended */
	uint32_t next_index;		 /* of a request in the send queue */
	uint64_t turn;			 /* of the service's thread in which it has copied last */

	/* Requests of the peer. */
	uint64_t expected; /* the next one */
	bool is_dropping;  /* ignores requests until the expected one comes again */
	bool owes_ready;   /* the peer waits for a receive */
	struct emu_rdma_task *receiving;
	struct emu_rdma_response *responses;
	uint32_t num_responses;
	struct emu_rdma_response *last_response;
};

struct doca_rdma {
	struct doca_ctx ctx;
	struct emu_rdma_pool pools[EMU_RDMA_NUM_KINDS];

	/* Configuration. */
	uint32_t permissions;
	uint32_t send_queue_size;
	uint32_t recv_queue_size;
	uint32_t max_send_buf_list_len;
	uint32_t max_receive_buf_list_len;
	uint32_t gid_index;
	uint32_t sl;
	uint16_t max_num_connections;
	uint16_t request_timeout; /* ms */
	uint8_t rnr_retry_count;
	uint64_t silence_ns; /* how long a peer may leave a request unanswered */
	uint8_t grh_enabled;
	enum doca_mtu_size mtu;
	enum doca_rdma_transport_type transport;
	doca_rdma_connection_request_cb_t request_cb;
	doca_rdma_connection_established_cb_t established_cb;
	doca_rdma_connection_failure_cb_t failure_cb;
	doca_rdma_connection_disconnection_cb_t disconnection_cb;

	struct emu_task_queue reported; /* of the engine's thread: from done, to be reported next */

	/* Of a context on a DPA. */
	struct doca_dpa_completion *comp; /* NULL: not attached */
	uint64_t dpa_handle;		  /* 0: not started */
	struct emu_dpa_watcher watcher;

	/* Under the lock. */
	struct doca_rdma_connection *conns; /* CLOSED ones too */
	struct emu_task_queue posted;	    /* receives */
	struct emu_rdma_door *doors;	    /* where it listens */
	struct emu_task_queue done;	    /* with their results; to be reported */
	bool is_lost;  /* a peer was lost, and nobody else can tell the program */
	bool has_work; /* for the service's thread; only on a DPA */
	uint32_t num_receives; /* on a DPA: posted and not acknowledged */
	uint32_t num_to_ack;   /* those of them that have ended */
	uint32_t next_index;   /* of a receive in its queue */
	bool is_ready; /* something of the above is to be reported; also read without the lock */
	struct doca_rdma *next; /* of the running contexts */
};

static inline struct doca_rdma *emu_rdma_of(const struct doca_ctx *ctx)
{
	return (struct doca_rdma *)(uintptr_t)ctx;
}

static inline bool emu_rdma_is_on_dpa(const struct doca_rdma *rdma)
{
	return rdma->ctx.datapath != NULL;
}

#endif /* EMU_RDMA_H_ */
