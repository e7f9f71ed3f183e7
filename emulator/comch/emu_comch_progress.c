/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <sys/epoll.h>

#include "core/emu_clock.h"
#include "core/emu_ctx.h"
#include "core/emu_fault.h"
#include "core/emu_log.h"
#include "core/emu_notify.h"
#include "core/emu_task.h"
#include "emu_comch_conn.h"
#include "emu_comch_connect.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_event.h"
#include "emu_comch_frame.h"
#include "emu_comch_producer.h"
#include "emu_comch_progress.h"
#include "emu_comch_wake.h"

/* The most frames that one call handles. Most show nothing, and a peer may never stop sending. */
#define MAX_FRAMES 64

/* True if the program could see it. */
static bool report_end(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn)
{
	bool is_visible = ctrl->is_server && conn->was_reported && ctrl->disconnect_cb != NULL;

	if (is_visible)
		emu_comch_producer_finish(&ctrl->ctx, conn);
	if (is_visible)
		ctrl->disconnect_cb(NULL, conn, !conn->was_lost);
	emu_comch_ctrl_forget(ctrl, conn);
	if (ctrl->stop_wanted) /* its consumers and producers block the stop no longer */
		emu_comch_wake(ctrl);
	return is_visible;
}

static bool report_ends(struct emu_comch_ctrl *ctrl)
{
	struct doca_comch_connection *conn = ctrl->conns;

	while (conn != NULL && ctrl->num_ended != 0) {
		struct doca_comch_connection *next = conn->next;

		if (emu_comch_conn_state(conn) == EMU_COMCH_ENDED && report_end(ctrl, conn))
			return true;
		conn = next;
	}
	return false;
}

static bool is_connecting(const struct emu_comch_ctrl *ctrl)
{
	return !ctrl->is_server && ctrl->conns != NULL &&
	       emu_comch_conn_state(ctrl->conns) == EMU_COMCH_CONNECTING;
}

/* True if the program could see it. */
static bool time_out(struct emu_comch_ctrl *ctrl)
{
	uint64_t now = emu_clock_ns(), due = ctrl->timer_at;

	if (ctrl->timer_fd >= 0)
		emu_comch_drain_fd(ctrl->timer_fd);
	ctrl->timer_at = 0;
	if (is_connecting(ctrl)) {
		/* A look that is late takes place: the program may have been stopped while its server started. */
		if (due >= ctrl->conns->give_up_at) {
			ctrl->start_error = DOCA_ERROR_CONNECTION_ABORTED;
			EMU_LOG_ERR("Comch: found no server \"%s\" for the clients on %s: Connection aborted",
				    ctrl->name, ctrl->function->pci_addr);
		} else if (emu_comch_connect_try(ctrl) == DOCA_SUCCESS) {
			return false;
		}
		emu_ctx_start_failed(&ctrl->ctx);
		return true;
	}
	if (ctrl->is_server)
		emu_comch_connect_time_out(ctrl, now);
	for (struct doca_comch_connection *conn = ctrl->conns; conn != NULL; conn = conn->next) {
		if (emu_comch_conn_state(conn) != EMU_COMCH_CLOSING)
			continue;
		if (now >= conn->give_up_at)
			emu_comch_ctrl_drop(conn);
		else
			emu_comch_ctrl_set_timer(ctrl, conn->give_up_at);
	}
	return false;
}

/* Does what the threads of consumers and producers have asked for. */
static bool attend(struct emu_comch_ctrl *ctrl)
{
	struct doca_task *task = NULL;

	__atomic_store_n(&ctrl->attention, false, __ATOMIC_SEQ_CST);
	for (struct doca_comch_connection *conn = ctrl->conns; conn != NULL && task == NULL; conn = conn->next) {
		pthread_mutex_lock(&conn->lock);
		for (struct emu_comch_endpoint *endpoint = conn->endpoints; endpoint != NULL;
		     endpoint = endpoint->next) {
			if (endpoint->wants_announcement && emu_comch_conn_is_up(conn)) {
				endpoint->wants_announcement = false;
				emu_comch_push(conn, &endpoint->announce);
				__atomic_store_n(&endpoint->is_registered, true, __ATOMIC_RELEASE);
				emu_pe_signal(endpoint->ctx.pe);
			}
		}
		emu_comch_ctrl_finish_closing(conn);
		task = emu_task_queue_pop(&conn->done);
		pthread_mutex_unlock(&conn->lock);
	}
	if (task != NULL) {
		emu_comch_wake(ctrl); /* there may be more */
		return emu_task_finish(task, DOCA_SUCCESS);
	}
	if (ctrl->stop_wanted && ctrl->ctx.state == DOCA_CTX_STATE_RUNNING && !emu_comch_ctrl_has_endpoints(ctrl)) {
		emu_ctx_fail(&ctrl->ctx);
		return true;
	}
	return false;
}

static void make_ready(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn)
{
	if (conn->is_ready)
		return;
	conn->is_ready = true;
	conn->ready_next = NULL;
	if (ctrl->ready == NULL)
		ctrl->ready = conn;
	else
		ctrl->ready_last->ready_next = conn;
	ctrl->ready_last = conn;
}

/* Checks all descriptors. That costs as much as receiving a message, so while connections have messages, not every call
 * does it. */
#define MESSAGES_PER_LOOK 16

static bool look(struct emu_comch_ctrl *ctrl)
{
	struct epoll_event events[16];
	int n = epoll_wait(ctrl->epoll_fd, events, 16, 0);
	bool is_timed_out = emu_comch_ctrl_lacks_timer(ctrl) && emu_clock_ns() >= ctrl->timer_at;

	for (int i = 0; i < n; i++) {
		struct doca_comch_connection *conn = events[i].data.ptr;

		if (events[i].data.ptr == &ctrl->timer_fd) {
			is_timed_out = true;
		} else if (events[i].data.ptr == &ctrl->listen_fd) {
			emu_comch_connect_accept(ctrl);
		} else {
			if (events[i].events & ~(uint32_t)EPOLLOUT)
				make_ready(ctrl, conn);
			if (events[i].events & EPOLLOUT) {
				pthread_mutex_lock(&conn->lock);
				emu_comch_flush(conn);
				emu_comch_ctrl_finish_closing(conn);
				pthread_mutex_unlock(&conn->lock);
			}
		}
	}
	return is_timed_out && time_out(ctrl);
}

static bool take_ready(struct emu_comch_ctrl *ctrl)
{
	struct doca_comch_connection *conn;

	for (int i = 0; i < MAX_FRAMES && (conn = ctrl->ready) != NULL; i++) {
		ctrl->ready = conn->ready_next;
		conn->is_ready = false;
		switch (emu_comch_receive(ctrl, conn)) {
		case EMU_COMCH_VISIBLE:
			return true;
		case EMU_COMCH_MESSAGE: /* often the next one is there already, or comes before the next call */
			if (conn->fd >= 0)
				make_ready(ctrl, conn);
			return true;
		case EMU_COMCH_INVISIBLE:
			make_ready(ctrl, conn);
			break;
		case EMU_COMCH_NO_FRAME:
			break;
		}
	}
	return false;
}

bool emu_comch_progress(struct doca_ctx *ctx)
{
	struct emu_comch_ctrl *ctrl = emu_comch_ctrl_of(ctx);

	if (EMU_UNLIKELY(__atomic_load_n(&ctrl->attention, __ATOMIC_ACQUIRE)) && attend(ctrl))
		return true;
	if (EMU_UNLIKELY(ctrl->num_ended != 0) && report_ends(ctrl))
		return true;
	if (++ctrl->num_since_look < MESSAGES_PER_LOOK && take_ready(ctrl))
		return true;
	ctrl->num_since_look = 0;
	if (look(ctrl) || take_ready(ctrl))
		return true;
	return ctrl->num_ended != 0 && report_ends(ctrl);
}

bool emu_comch_pending(const struct doca_ctx *ctx)
{
	const struct emu_comch_ctrl *ctrl = (const struct emu_comch_ctrl *)ctx;

	return ctrl->ready != NULL || ctrl->num_ended != 0 || emu_comch_ctrl_lacks_timer(ctrl) ||
	       __atomic_load_n(&ctrl->attention, __ATOMIC_SEQ_CST); /* after the engine is armed: see emu_comch_wake */
}
