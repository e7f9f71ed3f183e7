/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_H_
#define EMU_COMCH_H_

/*
 * Comch between two processes of one machine, or within one.
 *
 * Control path: one UNIX socket (SOCK_SEQPACKET) per connection, found by device function and name in a
 * private directory (emu_comch_dir.c). Everything that has an order (messages, consumers that come and go,
 * the end) travels on it, so the order is kept. A receiver grants the sender credits for as many messages as
 * its receive queue holds (emu_comch_conn.c).
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

#include "emulator.h"
#include "emu_ctx.h"
#include "emu_dev.h"
#include "emu_task.h"

#define EMU_COMCH_MAX_NAME_LEN 120 /* with the NUL */
#define EMU_COMCH_MAX_MSG_SIZE 4080
#define EMU_COMCH_MAX_RECV_QUEUE_SIZE 8192
#define EMU_COMCH_MAX_SEND_TASKS 8192
#define EMU_COMCH_MAX_CLIENTS 512
#define EMU_COMCH_MAX_PARTIES 4096 /* consumers, and producers, of one connection */
#define EMU_COMCH_DEFAULT_RECV_QUEUE_SIZE 32

/* Frames on the socket. */

enum emu_comch_frame_type {
	EMU_COMCH_HELLO = 1,    /* client: struct emu_comch_hello */
	EMU_COMCH_ACCEPT,       /* server: struct emu_comch_hello */
	EMU_COMCH_REFUSE,       /* server: a text */
	EMU_COMCH_MSG,          /* a message */
	EMU_COMCH_CREDIT,       /* nothing but the header's count */
	EMU_COMCH_CONSUMER_NEW, /* struct emu_comch_announce, and the descriptors of ring and wake-up */
	EMU_COMCH_CONSUMER_EXPIRED, /* u32 id */
	EMU_COMCH_DISCONNECT,   /* the sender closes the socket after this */
};

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
};

struct emu_comch_announce {
	uint32_t id;
	uint32_t imm_data_len;
};

/* The version of all that two processes share: frames and rings. */
#define EMU_COMCH_VERSION 1

/* Something to send. Frames that are no tasks belong to whoever made them until they are sent. */
struct emu_comch_out {
	struct emu_comch_out *next;
	uint32_t type;
	uint32_t len;
	const void *bytes;
	const int *fds; /* two, or NULL */
	struct doca_task *task;    /* the send task; NULL: none */
	bool *sent;		   /* set when it was handed to the socket; may be NULL */
	bool is_freed;		   /* with free(), once it is of no more use */
};

/* Servers and clients. */

struct emu_comch_ctrl {
	struct doca_ctx ctx;
	struct emu_task_pool pool;
	bool is_server;
	char name[EMU_COMCH_MAX_NAME_LEN];
	struct doca_dev_rep *rep; /* server */
	const struct emu_function *function; /* of the host */

	uint32_t max_msg_size;
	uint32_t recv_queue_size;
	uint32_t num_tasks; /* 0: not configured */
	doca_comch_task_send_completion_cb_t completion_cb;
	doca_comch_task_send_completion_cb_t error_cb;
	doca_comch_event_msg_recv_cb_t msg_recv_cb;
	doca_comch_event_connection_status_changed_cb_t connect_cb;
	doca_comch_event_connection_status_changed_cb_t disconnect_cb;
	doca_comch_event_consumer_cb_t new_consumer_cb;
	doca_comch_event_consumer_cb_t expired_consumer_cb;

	/* While not IDLE. */
	int epoll_fd;
	int wake_fd;   /* written by threads of consumers and producers */
	int timer_fd;
	int listen_fd; /* server */
	uint8_t *recv_buf;
	uint8_t *send_bufs; /* one message per task: num_tasks * max_msg_size */
	struct doca_comch_connection *conns;
	uint32_t num_conns;
	uint64_t next_serial;
	struct doca_comch_connection *ready; /* connections with input, first in first out */
	struct doca_comch_connection *ready_last;
	uint32_t num_ended;	  /* connections whose end is to be reported */
	uint64_t give_up_at; /* when connecting fails, or when unsent messages are given up by a stop */
	bool attention;      /* another thread wants the connections looked at; accessed with atomics */
	bool in_progress;    /* progress is running, and perhaps a callback in it */
	bool stop_wanted;    /* stop was called while consumers or producers were active */
};

EMU_LOCAL doca_error_t emu_comch_ctrl_init(struct emu_comch_ctrl *ctrl, struct doca_dev *dev, const char *name);
EMU_LOCAL doca_error_t emu_comch_ctrl_fini(struct emu_comch_ctrl *ctrl);
/* Tells the context's thread that something has changed. Any thread. */
EMU_LOCAL void emu_comch_ctrl_wake(struct emu_comch_ctrl *ctrl);
/* Ends an established connection from this side. */
EMU_LOCAL void emu_comch_ctrl_disconnect(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn);

struct doca_comch_task_send {
	struct doca_task base;
	struct doca_comch_connection *peer; /* compared with serial, for it may be gone */
	uint64_t serial;
	const void *msg;
	uint32_t len;
	struct emu_comch_out out;
};

/* Connections. */

enum emu_comch_conn_state {
	EMU_COMCH_CONNECTING,  /* client: no socket yet; server: no HELLO yet */
	EMU_COMCH_GREETED,     /* client: HELLO is sent */
	EMU_COMCH_ESTABLISHED,
	EMU_COMCH_CLOSING,     /* this side ends it: what is queued is still sent */
	EMU_COMCH_ENDED,       /* no socket any more; the event is due */
	EMU_COMCH_GONE,        /* known to consumers and producers alone */
};

/* A consumer or producer, as its connection knows it. */
struct emu_comch_party {
	struct emu_comch_party *next;
	int wake_fd;
	bool wants_announcement; /* a consumer that starts */
	bool is_registered;	 /* its announcement is on its way; accessed with atomics */
	struct emu_comch_out announce;
	struct emu_comch_announce announce_bytes;
	int announce_fds[2];
};

/* A consumer of the peer. */
struct emu_comch_remote {
	struct emu_comch_remote *next;
	uint32_t refcount; /* accessed with atomics */
	uint32_t id;
	uint32_t imm_data_len;
	struct emu_comch_ring *ring;
	uint32_t num_entries;
	int ring_fd;
	int wake_fd;
	bool expired; /* accessed with atomics */
	bool no_direct; /* the kernel has refused a direct write before; accessed with atomics */
};

struct doca_comch_connection {
	struct doca_comch_connection *next; /* of the context */
	struct doca_comch_connection *prev;
	struct doca_comch_connection *ready_next;
	bool is_ready;
	uint64_t serial;
	union doca_data user_data;
	bool was_reported; /* the connect event was delivered */

	pthread_mutex_t lock; /* guards what follows */
	uint32_t refcount;    /* the context, each consumer and producer */
	uint32_t state;	      /* enum emu_comch_conn_state; read with atomics, too */
	struct emu_comch_ctrl *ctrl; /* NULL: destroyed or IDLE */
	int fd;		      /* -1: none */
	pid_t peer_pid;
	bool watches_output;
	bool is_held; /* nothing is sent for now */
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
	struct emu_comch_party *parties; /* active ones */
	struct emu_comch_remote *remotes;
	uint32_t num_consumers, num_producers; /* created ones */
	uint32_t last_consumer_id, last_producer_id;
	uint64_t *consumer_ids, *producer_ids; /* bit sets of those in use */
};

EMU_LOCAL struct doca_comch_connection *emu_comch_conn_new(struct emu_comch_ctrl *ctrl, int fd);
EMU_LOCAL void emu_comch_conn_ref(struct doca_comch_connection *conn);
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
/* Queues something and sends what can be sent. */
EMU_LOCAL void emu_comch_conn_push(struct doca_comch_connection *conn, struct emu_comch_out *out);
EMU_LOCAL void emu_comch_conn_flush(struct doca_comch_connection *conn);
/* Takes something out of the queue that was not sent yet; false if it was. */
EMU_LOCAL bool emu_comch_conn_withdraw(struct doca_comch_connection *conn, struct emu_comch_out *out);
/* Tells the peer of messages delivered, if it is time to. */
EMU_LOCAL void emu_comch_conn_give_credit(struct doca_comch_connection *conn);
/* Closes the socket; consumers and producers learn of it. Unsent tasks fail. */
EMU_LOCAL void emu_comch_conn_drop(struct doca_comch_connection *conn);
/* Looks at the socket itself: for threads that do not own it. */
EMU_LOCAL bool emu_comch_conn_peer_is_gone(struct doca_comch_connection *conn);
EMU_LOCAL void emu_comch_conn_hear_credit(struct doca_comch_connection *conn, uint64_t delivered);

/* Reads one frame: its length, 0 at the end, or a negative errno. fds gets two descriptors or -1. */
EMU_LOCAL ssize_t emu_comch_recv(int fd, struct emu_comch_frame *frame, void *bytes, size_t size, int fds[2]);

/* Consumers and producers. */

/* An id that no other of the connection's side has; 0: none is left. */
EMU_LOCAL uint32_t emu_comch_take_id(struct doca_comch_connection *conn, bool is_consumer);
EMU_LOCAL void emu_comch_put_id(struct doca_comch_connection *conn, bool is_consumer, uint32_t id);
/* A party that becomes active. False: the connection is not up. */
EMU_LOCAL bool emu_comch_party_join(struct doca_comch_connection *conn, struct emu_comch_party *party);
EMU_LOCAL void emu_comch_party_leave(struct doca_comch_connection *conn, struct emu_comch_party *party);
EMU_LOCAL struct emu_comch_remote *emu_comch_remote_find(struct doca_comch_connection *conn, uint32_t id);
EMU_LOCAL struct emu_comch_remote *emu_comch_remote_new(const struct emu_comch_announce *announce, int fds[2]);
EMU_LOCAL void emu_comch_remote_unref(struct emu_comch_remote *remote);
/* An eventfd for wake-ups. */
EMU_LOCAL void emu_comch_signal_fd(int fd);
EMU_LOCAL void emu_comch_drain_fd(int fd);

/* The directory of servers. */

/* A listening socket for name on the host function. ALREADY_EXIST: another server has it. */
EMU_LOCAL doca_error_t emu_comch_dir_listen(const struct emu_function *function, const char *name, int *fd);
EMU_LOCAL void emu_comch_dir_unlisten(const struct emu_function *function, const char *name);
/* A connected socket, or a negative errno. */
EMU_LOCAL int emu_comch_dir_connect(const struct emu_function *function, const char *name);
/* Removes what a server that was killed has left, and others; waits up to wait_ms for its end. */
EMU_LOCAL void emu_comch_dir_lost(const struct emu_function *function, const char *name, int wait_ms);
/* True if the other end of a socket belongs to this user. */
EMU_LOCAL bool emu_comch_peer_is_ours(int fd, pid_t *pid);

#endif /* EMU_COMCH_H_ */
