/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_CTRL_H_
#define EMU_COMCH_CTRL_H_

/* Servers and clients: the control path. All of it belongs to the context's thread, but for emu_comch_ctrl_wake. */

#include <stdbool.h>
#include <stdint.h>

#include <doca_comch.h>

#include "core/emulator.h"
#include "emu_comch.h"
#include "core/emu_ctx.h"
#include "core/emu_dev.h"
#include "core/emu_task.h"

struct emu_comch_ctrl {
	struct doca_ctx ctx;
	struct emu_task_pool pool;
	bool is_server;
	char name[EMU_COMCH_MAX_NAME_LEN];
	struct doca_dev_rep *rep;	     /* server */
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
	int wake_fd; /* written by threads of consumers and producers */
	int timer_fd;
	uint64_t timer_at; /* 0: the timer is not set */
	int listen_fd;	   /* server */
	uint8_t *recv_buf;
	uint8_t *send_bufs; /* one message per task: num_tasks * max_msg_size */
	struct doca_comch_connection *conns;
	uint32_t num_conns;
	uint64_t next_serial;
	struct doca_comch_connection *ready; /* connections with input, first in first out */
	struct doca_comch_connection *ready_last;
	uint32_t num_ended; /* connections whose end is to be reported */
	bool attention;	    /* another thread wants the connections looked at; accessed with atomics */
	bool stop_wanted;   /* stop was called while consumers or producers were active */
};

/* The two kinds of context are the same inside. */
struct doca_comch_server {
	struct emu_comch_ctrl ctrl;
};

struct doca_comch_client {
	struct emu_comch_ctrl ctrl;
};

static inline struct emu_comch_ctrl *emu_comch_ctrl_of(struct doca_ctx *ctx)
{
	return (struct emu_comch_ctrl *)ctx;
}

/* Frames fit into a receive buffer of this size. */
static inline size_t emu_comch_recv_size(const struct emu_comch_ctrl *ctrl)
{
	return ctrl->max_msg_size > EMU_COMCH_MIN_RECV_BUF ? ctrl->max_msg_size : EMU_COMCH_MIN_RECV_BUF;
}

EMU_LOCAL doca_error_t emu_comch_ctrl_init(struct emu_comch_ctrl *ctrl, struct doca_dev *dev, const char *name);
EMU_LOCAL doca_error_t emu_comch_ctrl_fini(struct emu_comch_ctrl *ctrl);
/* Tells the context's thread that something has changed. Any thread. */
EMU_LOCAL void emu_comch_ctrl_wake(struct emu_comch_ctrl *ctrl);
/* Looks at time again at this one (CLOCK_MONOTONIC ns) or sooner. */
EMU_LOCAL void emu_comch_ctrl_set_timer(struct emu_comch_ctrl *ctrl, uint64_t at);
EMU_LOCAL bool emu_comch_ctrl_add_fd(struct emu_comch_ctrl *ctrl, int fd, void *what);

/* Closes a connection's socket; its end is reported later. */
EMU_LOCAL void emu_comch_ctrl_drop(struct doca_comch_connection *conn);
/* Forgets a connection whose socket is closed. */
EMU_LOCAL void emu_comch_ctrl_forget(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn);
/* Ends an established connection from this side; with its lock held. */
EMU_LOCAL void emu_comch_ctrl_disconnect(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn);
/* Completes that, once all is sent; with the lock held. */
EMU_LOCAL void emu_comch_ctrl_finish_closing(struct doca_comch_connection *conn);

/* Consumers or producers are active. */
EMU_LOCAL bool emu_comch_ctrl_has_parties(struct emu_comch_ctrl *ctrl);
EMU_LOCAL bool emu_comch_ctrl_pending(const struct doca_ctx *ctx);

/* The functions below return true if the program could see what they did. */

EMU_LOCAL bool emu_comch_ctrl_progress(struct doca_ctx *ctx);

/* The peer has ended the connection, or is no more. */
EMU_LOCAL bool emu_comch_peer_ended(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, bool was_told);

/* One attempt of a client to connect; if there is no server yet, the timer makes the next one. DRIVER: no attempt will
 * get there; the log says why. */
EMU_LOCAL doca_error_t emu_comch_connect_try(struct emu_comch_ctrl *ctrl);
/* After the end of a socket whose server has not answered: true if the client tries again. */
EMU_LOCAL bool emu_comch_connect_again(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn);
/* Until when a client that starts now tries. */
EMU_LOCAL uint64_t emu_comch_connect_deadline(void);
/* Clients that have come. */
EMU_LOCAL void emu_comch_connect_accept(struct emu_comch_ctrl *ctrl);
/* The first frame of a client, and the server's answers. The frame is in recv_buf. */
EMU_LOCAL bool emu_comch_connect_hello(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len);
EMU_LOCAL bool emu_comch_connect_accepted(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len);
EMU_LOCAL bool emu_comch_connect_refused(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len);

enum emu_comch_received {
	EMU_COMCH_NO_FRAME,
	EMU_COMCH_INVISIBLE,
	EMU_COMCH_VISIBLE,
};

/* Takes one frame from a connection. */
EMU_LOCAL enum emu_comch_received emu_comch_receive(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn);

/* What the functions of servers and of clients come to; they check what they are given. */

EMU_LOCAL doca_error_t emu_comch_create(struct doca_dev *dev, const char *name, struct emu_comch_ctrl **ctrl);
EMU_LOCAL doca_error_t emu_comch_set_max_msg_size(struct emu_comch_ctrl *ctrl, uint32_t size);
EMU_LOCAL doca_error_t emu_comch_set_recv_queue_size(struct emu_comch_ctrl *ctrl, uint32_t size);
EMU_LOCAL doca_error_t emu_comch_set_send_conf(struct emu_comch_ctrl *ctrl,
					       doca_comch_task_send_completion_cb_t completion_cb,
					       doca_comch_task_send_completion_cb_t error_cb, uint32_t num);
EMU_LOCAL doca_error_t emu_comch_set_msg_recv(struct emu_comch_ctrl *ctrl, doca_comch_event_msg_recv_cb_t cb);
EMU_LOCAL doca_error_t emu_comch_set_consumer_events(struct emu_comch_ctrl *ctrl,
						     doca_comch_event_consumer_cb_t new_cb,
						     doca_comch_event_consumer_cb_t expired_cb);
/* The connection is one that this context has. */
EMU_LOCAL bool emu_comch_owns(const struct emu_comch_ctrl *ctrl, const struct doca_comch_connection *conn);
EMU_LOCAL doca_error_t emu_comch_alloc_send(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *peer,
					    const void *msg, uint32_t len, struct doca_comch_task_send **task);

struct doca_comch_task_send {
	struct doca_task base;
	struct doca_comch_connection *peer; /* compared with serial, for it may be gone */
	uint64_t serial;
	const void *msg;
	uint32_t len;
	struct emu_comch_out out;
};

EMU_LOCAL extern const struct emu_task_ops emu_comch_send_ops;

#endif /* EMU_COMCH_CTRL_H_ */
