/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_CTRL_H_
#define EMU_COMCH_CTRL_H_

/*
 * Servers and clients: the control path. All of it belongs to the context's thread, except what emu_comch_wake
 * uses.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_comch.h>

#include "core/emu_ctx.h"
#include "core/emu_dev.h"
#include "core/emu_task.h"
#include "core/emulator.h"
#include "emu_comch_conn.h"

#define EMU_COMCH_MAX_MSG_SIZE 4080
#define EMU_COMCH_MAX_RECV_QUEUE_SIZE 8192
#define EMU_COMCH_MAX_SEND_TASKS 65536
#define EMU_COMCH_MAX_CLIENTS 512
#define EMU_COMCH_DEFAULT_RECV_QUEUE_SIZE 32

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
	int timer_fd;	   /* made when a client first needs it, which most never do; -1: not made yet */
	uint64_t timer_at; /* 0: the timer is not set */
	int listen_fd;	   /* server */
	int spare_fd;	   /* server: its number is for a client that must be refused */
	bool is_deaf;	   /* the server does not listen until the timer expires */
	uint8_t *recv_buf;
	struct doca_comch_connection *conns;
	uint32_t num_conns;
	uint32_t num_silent; /* clients that have not said hello */
	uint64_t next_serial;
	struct doca_comch_connection *ready; /* connections that may have input, first in first out */
	struct doca_comch_connection *ready_last;
	uint32_t num_since_look; /* calls since all descriptors were checked */
	uint32_t num_ended; /* connections whose end is to be reported */
	bool attention;	    /* another thread has asked to check the connections; accessed with atomics */
	doca_error_t start_error; /* why a client's last start has failed; SUCCESS: it has not, or nobody knows */
	bool stop_wanted;   /* stop was called while there were consumers or producers */
};

/* Servers and clients have the same struct. */
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

/* The size of a receive buffer that holds any frame. */
static inline size_t emu_comch_recv_size(const struct emu_comch_ctrl *ctrl)
{
	return ctrl->max_msg_size > EMU_COMCH_MIN_RECV_BUF ? ctrl->max_msg_size : EMU_COMCH_MIN_RECV_BUF;
}

/* Makes the timer. False: the system refused it. */
EMU_LOCAL bool emu_comch_ctrl_open_timer(struct emu_comch_ctrl *ctrl);
/* True if the timer is set but there was no descriptor for it: the engine must not sleep. */
static inline bool emu_comch_ctrl_lacks_timer(const struct emu_comch_ctrl *ctrl)
{
	return ctrl->timer_at != 0 && ctrl->timer_fd < 0;
}
/* Makes progress check the time at this moment (CLOCK_MONOTONIC ns) or earlier. */
EMU_LOCAL void emu_comch_ctrl_set_timer(struct emu_comch_ctrl *ctrl, uint64_t at);
EMU_LOCAL bool emu_comch_ctrl_add_fd(struct emu_comch_ctrl *ctrl, int fd, void *what);

/* Closes a connection's socket. Its end is reported later. */
EMU_LOCAL void emu_comch_ctrl_drop(struct doca_comch_connection *conn);
/* Removes a connection whose socket is closed. */
EMU_LOCAL void emu_comch_ctrl_forget(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn);
/* Ends an established connection from this side. Called with its lock. */
EMU_LOCAL void emu_comch_ctrl_disconnect(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn);
/* Closes the socket of such a connection once all is sent. Called with its lock. */
EMU_LOCAL void emu_comch_ctrl_finish_closing(struct doca_comch_connection *conn);

/* True if consumers or producers exist, also idle ones. */
EMU_LOCAL bool emu_comch_ctrl_has_endpoints(struct emu_comch_ctrl *ctrl);
/* Handles the end of a connection by the peer, which may have been killed. True: the program could see it. */
EMU_LOCAL bool emu_comch_ctrl_peer_ended(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn,
					 bool was_told);

#endif /* EMU_COMCH_CTRL_H_ */
