/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/emu_notify.h"
#include "core/emu_task.h"
#include "emu_comch_conn.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_remote.h"

/* The connections of all contexts. A thread that makes a consumer or producer cannot know that another thread
 * has just lost the connection. */
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;
static struct doca_comch_connection *live;

struct doca_comch_connection *emu_comch_conn_new(struct emu_comch_ctrl *ctrl, int fd)
{
	struct doca_comch_connection *conn = calloc(1, sizeof(*conn));

	if (conn == NULL)
		return NULL;
	conn->ctrl = ctrl;
	conn->fd = fd;
	conn->refcount = 1;
	conn->serial = ++ctrl->next_serial;
	conn->state = EMU_COMCH_CONNECTING;
	pthread_mutex_init(&conn->lock, NULL);
	conn->next = ctrl->conns;
	if (ctrl->conns != NULL)
		ctrl->conns->prev = conn;
	ctrl->conns = conn;
	ctrl->num_conns++;

	pthread_mutex_lock(&live_lock);
	conn->live_next = live;
	if (live != NULL)
		live->live_prev = conn;
	live = conn;
	pthread_mutex_unlock(&live_lock);
	return conn;
}

struct doca_comch_connection *emu_comch_conn_get(struct doca_comch_connection *conn)
{
	struct doca_comch_connection *at;

	pthread_mutex_lock(&live_lock);
	for (at = live; at != NULL && at != conn; at = at->live_next)
		;
	if (at != NULL)
		__atomic_fetch_add(&at->refcount, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&live_lock);
	return at;
}

void emu_comch_conn_leave(struct doca_comch_connection *conn)
{
	struct emu_comch_ctrl *ctrl = conn->ctrl;

	if (conn->prev != NULL)
		conn->prev->next = conn->next;
	else
		ctrl->conns = conn->next;
	if (conn->next != NULL)
		conn->next->prev = conn->prev;
	ctrl->num_conns--;
	ctrl->num_silent -= conn->is_silent;

	pthread_mutex_lock(&live_lock);
	if (conn->live_prev != NULL)
		conn->live_prev->live_next = conn->live_next;
	else
		live = conn->live_next;
	if (conn->live_next != NULL)
		conn->live_next->live_prev = conn->live_prev;
	pthread_mutex_unlock(&live_lock);

	pthread_mutex_lock(&conn->lock);
	emu_comch_conn_set_state(conn, EMU_COMCH_GONE);
	__atomic_store_n(&conn->ctrl, NULL, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&conn->lock);
	emu_comch_conn_unref(conn);
}

void emu_comch_conn_unref(struct doca_comch_connection *conn)
{
	struct emu_comch_remote *remote;

	if (__atomic_fetch_sub(&conn->refcount, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	while ((remote = conn->remotes) != NULL) {
		conn->remotes = remote->next;
		emu_comch_remote_unref(remote);
	}
	pthread_mutex_destroy(&conn->lock);
	free(conn);
}

void emu_comch_conn_set_state(struct doca_comch_connection *conn, enum emu_comch_conn_state state)
{
	__atomic_store_n(&conn->state, state, __ATOMIC_RELEASE);
}

/* The end. */

/* Settles the result, which the engine reports. */
static void end_task(struct doca_task *task, doca_error_t status)
{
	if (task->state == EMU_TASK_QUEUED) {
		task->status = status;
		task->state = EMU_TASK_DECIDED;
	}
	emu_task_flush(task);
}

void emu_comch_conn_close(struct doca_comch_connection *conn)
{
	if (conn->fd < 0)
		return;
	/* Works even if a child of this process has a copy of it. */
	epoll_ctl(conn->ctrl->epoll_fd, EPOLL_CTL_DEL, conn->fd, NULL);
	shutdown(conn->fd, SHUT_RDWR);
	close(conn->fd);
	conn->fd = -1;
}

void emu_comch_conn_drop(struct doca_comch_connection *conn)
{
	struct emu_comch_out *out;
	struct doca_task *task;

	emu_comch_conn_close(conn);
	emu_comch_conn_set_state(conn, EMU_COMCH_ENDED);
	conn->ctrl->num_ended++;
	while ((out = conn->out) != NULL) {
		task = out->task;
		conn->out = out->next;
		if (out->type == EMU_COMCH_CONSUMER_REFUSED)
			conn->num_refusals--;
		if (out->is_freed)
			free(out);
		if (task != NULL)
			end_task(task, DOCA_ERROR_NOT_CONNECTED);
	}
	while ((task = emu_task_queue_pop(&conn->done)) != NULL)
		end_task(task, DOCA_SUCCESS);
	for (struct emu_comch_endpoint *endpoint = conn->endpoints; endpoint != NULL; endpoint = endpoint->next)
		emu_pe_signal(endpoint->ctx.pe);
}

void emu_comch_conn_cut(struct doca_comch_connection *conn)
{
	if (conn->fd >= 0)
		shutdown(conn->fd, SHUT_RDWR);
}

bool emu_comch_conn_peer_is_gone(struct doca_comch_connection *conn)
{
	struct pollfd end = {.fd = conn->fd, .events = 0};

	return conn->fd < 0 || (poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLERR)) != 0);
}

struct emu_comch_remote *emu_comch_conn_find_remote(struct doca_comch_connection *conn, uint32_t id)
{
	for (struct emu_comch_remote *remote = conn->remotes; remote != NULL; remote = remote->next) {
		if (remote->id == id) {
			__atomic_fetch_add(&remote->refcount, 1, __ATOMIC_RELAXED);
			return remote;
		}
	}
	return NULL;
}

