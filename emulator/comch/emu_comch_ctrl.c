/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/emu_clock.h"
#include "core/emu_ctx.h"
#include "core/emu_log.h"
#include "core/emu_peer_watch.h"
#include "emu_comch_conn.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_dir.h"
#include "emu_comch_frame.h"
#include "emu_comch_producer.h"
#include "emu_comch_wake.h"

/* If a server is lost because its process is ending, wait so long for the end. */
#define LOST_WAIT_MS 100

/* How long a side that closes waits for its peer to take what was sent before. */
#define CLOSE_TIMEOUT_NS EMU_NS_PER_S

bool emu_comch_ctrl_open_timer(struct emu_comch_ctrl *ctrl)
{
	if (ctrl->timer_fd >= 0)
		return true;
	ctrl->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (ctrl->timer_fd < 0)
		return false;
	if (emu_comch_ctrl_add_fd(ctrl, ctrl->timer_fd, &ctrl->timer_fd))
		return true;
	close(ctrl->timer_fd);
	ctrl->timer_fd = -1;
	return false;
}

void emu_comch_ctrl_set_timer(struct emu_comch_ctrl *ctrl, uint64_t at)
{
	struct itimerspec timer = {
		.it_value = {.tv_sec = (time_t)(at / EMU_NS_PER_S), .tv_nsec = (long)(at % EMU_NS_PER_S)},
	};

	if (ctrl->timer_at != 0 && ctrl->timer_at <= at)
		return;
	ctrl->timer_at = at;
	if (emu_comch_ctrl_open_timer(ctrl))
		timerfd_settime(ctrl->timer_fd, TFD_TIMER_ABSTIME, &timer, NULL);
}

bool emu_comch_ctrl_add_fd(struct emu_comch_ctrl *ctrl, int fd, void *what)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};

	return epoll_ctl(ctrl->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Ends of connections. */

void emu_comch_ctrl_drop(struct doca_comch_connection *conn)
{
	pthread_mutex_lock(&conn->lock);
	emu_comch_conn_drop(conn);
	pthread_mutex_unlock(&conn->lock);
}

void emu_comch_ctrl_forget(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn)
{
	ctrl->num_ended--;
	if (conn->is_ready) {
		struct doca_comch_connection **at = &ctrl->ready;
		struct doca_comch_connection *before = NULL;

		while (*at != conn) {
			before = *at;
			at = &before->ready_next;
		}
		*at = conn->ready_next;
		if (ctrl->ready_last == conn)
			ctrl->ready_last = before;
	}
	emu_comch_conn_leave(conn);
}

void emu_comch_ctrl_finish_closing(struct doca_comch_connection *conn)
{
	if (emu_comch_conn_state(conn) == EMU_COMCH_CLOSING && !conn->is_held &&
	    (conn->out == NULL || conn->is_broken))
		emu_comch_conn_drop(conn);
}

void emu_comch_ctrl_disconnect(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn)
{
	if (!emu_comch_conn_is_up(conn))
		return;
	emu_comch_conn_set_state(conn, EMU_COMCH_CLOSING);
	conn->end_out = (struct emu_comch_out){.type = EMU_COMCH_DISCONNECT};
	emu_comch_push(conn, &conn->end_out);
	emu_comch_flush(conn); /* messages that were waiting for credits are sent now */
	emu_comch_ctrl_finish_closing(conn);
	if (emu_comch_conn_state(conn) == EMU_COMCH_CLOSING) {
		conn->give_up_at = emu_clock_ns() + CLOSE_TIMEOUT_NS;
		emu_comch_ctrl_set_timer(ctrl, conn->give_up_at);
	}
	emu_comch_wake(ctrl);
}

bool emu_comch_ctrl_peer_ended(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, bool was_told)
{
	bool was_up = emu_comch_conn_is_up(conn);

	conn->was_lost = was_up && !was_told;
	emu_comch_ctrl_drop(conn);
	if (ctrl->is_server) /* which reports the end itself */
		return false;
	if (!was_told)
		emu_comch_dir_lost(ctrl->function, ctrl->name, emu_peer_is_ending(conn->peer_pid) ? LOST_WAIT_MS : 0);
	if (was_up) {
		emu_comch_producer_finish(&ctrl->ctx, conn);
		emu_ctx_fail(&ctrl->ctx);
		return true;
	}
	if (ctrl->ctx.state != DOCA_CTX_STATE_STARTING)
		return false;
	EMU_LOG_ERR("Comch: the server \"%s\" closed the connection", ctrl->name);
	emu_ctx_start_failed(&ctrl->ctx);
	return true;
}

bool emu_comch_ctrl_has_endpoints(struct emu_comch_ctrl *ctrl)
{
	bool found = false;

	for (struct doca_comch_connection *conn = ctrl->conns; conn != NULL && !found; conn = conn->next) {
		pthread_mutex_lock(&conn->lock);
		found = conn->num_endpoints != 0;
		pthread_mutex_unlock(&conn->lock);
	}
	return found;
}
