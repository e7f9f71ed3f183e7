/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_CONN_H_
#define EMU_COMCH_CONN_H_

/*
 * Comch between two processes of one machine, or within one process.
 *
 * Control path: each connection has a UNIX socket (SOCK_SEQPACKET). A client finds its server by device function
 * and name in the runtime directory (emu_comch_dir.c). Everything that must stay in order travels on the socket:
 * messages, new and expired consumers, the end. A receiver grants the sender credits for as many messages as its
 * receive queue holds (emu_comch_frame.c).
 *
 * Fast path: each consumer has a ring of posted buffers in shared memory, which its announcement carries to the
 * peer. Producers claim an entry of the ring and write the data directly into the posted buffer, or beside it if
 * the kernel forbids that (emu_comch_ring.c, emu_comch_remote.c). No thread of the consumer's process takes part,
 * and producers see new entries at once.
 *
 * Threads: a server or client and all its connections belong to one thread, a consumer or producer to another. They
 * share struct doca_comch_connection, under its lock, and the rings.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <doca_comch.h>

#include "core/emu_task.h"
#include "core/emulator.h"
#include "emu_comch_frame.h"
#include "emu_comch_ids.h"

struct emu_comch_ctrl;
struct emu_comch_endpoint;
struct emu_comch_remote;

enum emu_comch_conn_state {
	EMU_COMCH_CONNECTING,  /* client: no socket yet; server: no HELLO yet */
	EMU_COMCH_GREETED,     /* client: it has sent HELLO */
	EMU_COMCH_ESTABLISHED,
	EMU_COMCH_CLOSING,     /* this side ends the connection, but still sends what is queued */
	EMU_COMCH_ENDED,       /* the socket is closed; the event is still to come */
	EMU_COMCH_GONE,        /* only consumers and producers still know it */
};

struct doca_comch_connection {
	/* Used by the context's thread only. */
	struct doca_comch_connection *next;
	struct doca_comch_connection *prev;
	struct doca_comch_connection *ready_next;
	bool is_ready;
	uint64_t serial;
	union doca_data user_data;
	bool is_silent;	     /* server: the client has not said hello */
	bool was_reported;   /* the program got the connect event */
	bool was_lost;	     /* the peer has ended the connection without DISCONNECT */
	uint64_t give_up_at; /* when to stop connecting, or waiting for a hello or for a peer that takes no messages */

	struct doca_comch_connection *live_next; /* under live_lock */
	struct doca_comch_connection *live_prev;

	pthread_mutex_t lock;	     /* guards what follows */
	uint32_t refcount;	     /* one for the context, each consumer and producer; accessed with atomics */
	uint32_t state;		     /* enum emu_comch_conn_state; also read with atomics */
	struct emu_comch_ctrl *ctrl; /* NULL: destroyed or IDLE; also read with atomics */
	int fd;			     /* -1: none */
	pid_t peer_pid;
	bool watches_output;
	bool is_held;	/* send nothing for now */
	bool is_broken; /* the socket takes nothing any more */
	struct emu_comch_out *out;
	struct emu_comch_out *out_last;
	struct emu_task_queue done; /* tasks sent after their submission had returned */
	struct emu_comch_out hello_out;
	struct emu_comch_hello hello;
	struct emu_comch_out end_out;
	uint32_t peer_queue_size;
	uint64_t sent, peer_delivered; /* messages */
	uint64_t delivered, told;
	uint64_t counters[5], snapshot[5]; /* by enum doca_comch_counter */
	struct emu_comch_endpoint *endpoints; /* those that are active */
	struct emu_comch_remote *remotes;
	uint32_t num_remotes;
	uint32_t num_refusals; /* of the peer's consumers, that are not sent */
	uint32_t num_consumers, peer_max_consumers;
	uint32_t num_endpoints;		      /* all that exist */
	struct emu_comch_ids consumer_ids, producer_ids;
};

EMU_LOCAL struct doca_comch_connection *emu_comch_conn_new(struct emu_comch_ctrl *ctrl, int fd);
/* Returns a reference to a connection that a context has. NULL: the connection has ended, on any thread. */
EMU_LOCAL struct doca_comch_connection *emu_comch_conn_get(struct doca_comch_connection *conn);
/* Releases the context's reference to a connection that it gives up. */
EMU_LOCAL void emu_comch_conn_leave(struct doca_comch_connection *conn);
EMU_LOCAL void emu_comch_conn_unref(struct doca_comch_connection *conn);

static inline uint32_t emu_comch_conn_state(const struct doca_comch_connection *conn)
{
	return __atomic_load_n(&conn->state, __ATOMIC_ACQUIRE);
}

/* True if consumers and producers can use the connection. */
static inline bool emu_comch_conn_is_up(const struct doca_comch_connection *conn)
{
	return emu_comch_conn_state(conn) == EMU_COMCH_ESTABLISHED;
}

/* Call the functions below with the lock held. */

EMU_LOCAL void emu_comch_conn_set_state(struct doca_comch_connection *conn, enum emu_comch_conn_state state);
EMU_LOCAL void emu_comch_conn_close(struct doca_comch_connection *conn);
/* Closes the socket, and wakes consumers and producers. Unsent tasks fail. */
EMU_LOCAL void emu_comch_conn_drop(struct doca_comch_connection *conn);
/* Breaks the connection, for both sides, as if the other one was killed. */
EMU_LOCAL void emu_comch_conn_cut(struct doca_comch_connection *conn);
/* Checks the socket itself, for threads that do not own it. */
EMU_LOCAL bool emu_comch_conn_peer_is_gone(struct doca_comch_connection *conn);

/* Returns a reference to a consumer of the peer. NULL: there is none with this id. */
EMU_LOCAL struct emu_comch_remote *emu_comch_conn_find_remote(struct doca_comch_connection *conn, uint32_t id);

#endif /* EMU_COMCH_CONN_H_ */
