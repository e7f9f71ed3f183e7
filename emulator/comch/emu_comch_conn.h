/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_CONN_H_
#define EMU_COMCH_CONN_H_

/*
 * Comch between two processes of one machine, or within one.
 *
 * Control path: one UNIX socket (SOCK_SEQPACKET) per connection, found by device function and name in a
 * private directory (emu_comch_dir.c). Everything that has an order (messages, consumers that come and go,
 * the end) travels on it, so the order is kept. A receiver grants the sender credits for as many messages as
 * its receive queue holds (emu_comch_frame.c).
 *
 * Fast path: each consumer has a ring of posted buffers in shared memory, which its announcement carries to
 * the peer. Producers claim an entry of the ring and write the data where it belongs: into the posted buffer
 * itself, or beside it when the kernel does not let them (emu_comch_ring.c). No thread of the consumer's
 * process takes part, and new entries are visible to producers at once.
 *
 * Threads: a server or client and all its connections belong to one thread, a consumer or producer to
 * another. What they share is in struct doca_comch_connection under its lock, and in the rings.
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

#define EMU_COMCH_MAX_ENDPOINTS 4096 /* consumers, and producers, of one connection */

struct emu_comch_ctrl;
struct emu_comch_endpoint;
struct emu_comch_remote;

enum emu_comch_conn_state {
	EMU_COMCH_CONNECTING,  /* client: no socket yet; server: no HELLO yet */
	EMU_COMCH_GREETED,     /* client: HELLO is sent */
	EMU_COMCH_ESTABLISHED,
	EMU_COMCH_CLOSING,     /* this side ends it: what is queued is still sent */
	EMU_COMCH_ENDED,       /* no socket any more; the event is due */
	EMU_COMCH_GONE,        /* known to consumers and producers alone */
};

struct doca_comch_connection {
	/* The context's alone. */
	struct doca_comch_connection *next;
	struct doca_comch_connection *prev;
	struct doca_comch_connection *ready_next;
	bool is_ready;
	uint64_t serial;
	union doca_data user_data;
	bool was_reported;   /* the connect event was delivered */
	bool was_lost;	     /* the peer has ended it without a word */
	uint64_t give_up_at; /* when connecting fails, or when messages that the peer does not take are given up */

	struct doca_comch_connection *live_next; /* under the lock of emu_comch_conn_get */
	struct doca_comch_connection *live_prev;

	pthread_mutex_t lock;	     /* guards what follows */
	uint32_t refcount;	     /* the context, each consumer and producer; accessed with atomics */
	uint32_t state;		     /* enum emu_comch_conn_state; read with atomics, too */
	struct emu_comch_ctrl *ctrl; /* NULL: destroyed or IDLE; read with atomics, too */
	int fd;			     /* -1: none */
	pid_t peer_pid;
	bool watches_output;
	bool is_held;	/* nothing is sent for now */
	bool is_broken; /* nothing can be sent any more */
	struct emu_comch_out *out;
	struct emu_comch_out *out_last;
	struct emu_task_queue done; /* tasks that were sent later than submitted */
	struct emu_comch_out hello_out;
	struct emu_comch_hello hello;
	struct emu_comch_out end_out;
	uint32_t peer_queue_size;
	uint64_t sent, peer_delivered; /* messages */
	uint64_t delivered, told;
	uint64_t counters[5], snapshot[5]; /* by enum doca_comch_counter */
	struct emu_comch_endpoint *endpoints; /* active ones */
	struct emu_comch_remote *remotes;
	uint32_t last_consumer_id, last_producer_id;
	uint64_t *consumer_ids, *producer_ids; /* bit sets of those in use */
};

EMU_LOCAL struct doca_comch_connection *emu_comch_conn_new(struct emu_comch_ctrl *ctrl, int fd);
/* A reference to a connection that its context still has; NULL: it has ended, on whatever thread. */
EMU_LOCAL struct doca_comch_connection *emu_comch_conn_get(struct doca_comch_connection *conn);
/* Ends the context's part in it, and gives back its reference. */
EMU_LOCAL void emu_comch_conn_leave(struct doca_comch_connection *conn);
EMU_LOCAL void emu_comch_conn_unref(struct doca_comch_connection *conn);

static inline uint32_t emu_comch_conn_state(const struct doca_comch_connection *conn)
{
	return __atomic_load_n(&conn->state, __ATOMIC_ACQUIRE);
}

/* The connection can be used by consumers and producers. */
static inline bool emu_comch_conn_is_up(const struct doca_comch_connection *conn)
{
	return emu_comch_conn_state(conn) == EMU_COMCH_ESTABLISHED;
}

/* The functions below are called with the lock held. */

EMU_LOCAL void emu_comch_conn_set_state(struct doca_comch_connection *conn, enum emu_comch_conn_state state);
EMU_LOCAL void emu_comch_conn_close(struct doca_comch_connection *conn);
/* Closes the socket; consumers and producers learn of it. Unsent tasks fail. */
EMU_LOCAL void emu_comch_conn_drop(struct doca_comch_connection *conn);
/* Looks at the socket itself: for threads that do not own it. */
EMU_LOCAL bool emu_comch_conn_peer_is_gone(struct doca_comch_connection *conn);

/* A reference to a consumer of the peer; NULL: there is none of this id. */
EMU_LOCAL struct emu_comch_remote *emu_comch_conn_find_remote(struct doca_comch_connection *conn, uint32_t id);

#endif /* EMU_COMCH_CONN_H_ */
