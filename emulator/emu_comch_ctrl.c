/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

/*
 * What servers and clients have in common: the life of the context, and the frames that arrive.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "emu_clock.h"
#include "emu_comch.h"
#include "emu_log.h"
#include "emu_pe.h"

/* A client tries to connect this often, and this long unless DOCA_EMU_COMCH_CONNECT_TIMEOUT gives another
 * number of milliseconds: its server may be starting, too. */
#define RETRY_NS (10 * EMU_NS_PER_S / 1000)
#define CONNECT_TIMEOUT_MS 2000

/* A side that closes gives its peer this long to take what was sent before. */
#define CLOSE_TIMEOUT_NS EMU_NS_PER_S

#define MIN_RECV_BUF 512

static struct emu_comch_ctrl *of(struct doca_ctx *ctx)
{
	return (struct emu_comch_ctrl *)ctx;
}

/* Send tasks. */

static doca_error_t send_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_task_send *task = (struct doca_comch_task_send *)base;
	struct emu_comch_ctrl *ctrl = of(base->ctx);
	struct doca_comch_connection *conn = ctrl->conns;
	uint32_t index = (uint32_t)(((uint8_t *)base - ctrl->pool.tasks) / sizeof(*task));
	uint8_t *copy = ctrl->send_bufs + (size_t)index * ctrl->max_msg_size;
	doca_error_t result = DOCA_ERROR_NOT_CONNECTED;

	(void)flags;
	while (conn != NULL && (conn != task->peer || conn->serial != task->serial))
		conn = conn->next;
	if (conn == NULL)
		return result;
	pthread_mutex_lock(&conn->lock);
	if (emu_comch_conn_is_up(conn)) {
		bool sent = false;

		task->out = (struct emu_comch_out){
			.type = EMU_COMCH_MSG, .len = task->len, .bytes = task->msg, .sent = &sent};
		emu_comch_conn_push(conn, &task->out);
		if (sent) {
			base->status = DOCA_SUCCESS;
			base->state = EMU_TASK_DECIDED;
		} else {
			/* The program may change its message from now on. */
			memcpy(copy, task->msg, task->len);
			task->out.bytes = copy;
			task->out.task = base;
			task->out.sent = NULL;
		}
		result = DOCA_SUCCESS;
	}
	pthread_mutex_unlock(&conn->lock);
	return result;
}

static void send_notify(struct doca_task *base, doca_error_t status)
{
	struct emu_comch_ctrl *ctrl = of(base->ctx);
	doca_comch_task_send_completion_cb_t cb = status == DOCA_SUCCESS ? ctrl->completion_cb : ctrl->error_cb;

	cb((struct doca_comch_task_send *)base, base->user_data, ctrl->ctx.user_data);
}

static const struct emu_task_ops send_ops = {.submit = send_submit, .notify = send_notify};

/* Waking, and time. */

void emu_comch_ctrl_wake(struct emu_comch_ctrl *ctrl)
{
	if (!__atomic_exchange_n(&ctrl->attention, true, __ATOMIC_SEQ_CST))
		emu_comch_signal_fd(ctrl->wake_fd);
}

/* Fires once, after ns; 0 disarms. */
static void set_timer(struct emu_comch_ctrl *ctrl, uint64_t ns)
{
	struct itimerspec timer = {
		.it_value = {.tv_sec = (time_t)(ns / EMU_NS_PER_S), .tv_nsec = (long)(ns % EMU_NS_PER_S)},
	};

	timerfd_settime(ctrl->timer_fd, 0, &timer, NULL);
}

static bool add_fd(struct emu_comch_ctrl *ctrl, int fd, void *what)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};

	return epoll_ctl(ctrl->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Ends of connections. */

static void drop(struct doca_comch_connection *conn)
{
	pthread_mutex_lock(&conn->lock);
	emu_comch_conn_drop(conn);
	pthread_mutex_unlock(&conn->lock);
}

/* Forgets a connection that has ended. */
static void forget(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn)
{
	if (conn->prev != NULL)
		conn->prev->next = conn->next;
	else
		ctrl->conns = conn->next;
	if (conn->next != NULL)
		conn->next->prev = conn->prev;
	ctrl->num_conns--;
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
	pthread_mutex_lock(&conn->lock);
	emu_comch_conn_set_state(conn, EMU_COMCH_GONE);
	conn->ctrl = NULL;
	pthread_mutex_unlock(&conn->lock);
	emu_comch_conn_unref(conn);
}

/* Reports the end of one connection: true if the program could see it. */
static bool report_end(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn)
{
	bool is_visible = ctrl->is_server && conn->was_reported && ctrl->disconnect_cb != NULL;

	if (is_visible)
		ctrl->disconnect_cb(NULL, conn, 1);
	forget(ctrl, conn);
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

/* The peer has ended the connection, or is no more. */
static bool peer_ended(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, bool was_told)
{
	bool was_up = emu_comch_conn_is_up(conn);

	drop(conn);
	if (ctrl->is_server)
		return report_end(ctrl, conn);
	if (!was_told)
		emu_comch_dir_lost(ctrl->function, ctrl->name, conn->peer_pid == getpid() ? 0 : 100);
	if (was_up) {
		emu_ctx_fail(&ctrl->ctx);
		return true;
	}
	if (ctrl->ctx.state != DOCA_CTX_STATE_STARTING)
		return false;
	EMU_LOG_ERR("Comch: server \"%s\" has closed the connection", ctrl->name);
	emu_ctx_start_failed(&ctrl->ctx);
	return true;
}

/* What is left of a connection that this side ends. */
static void finish_closing(struct doca_comch_connection *conn)
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
	emu_comch_conn_push(conn, &conn->end_out);
	emu_comch_conn_flush(conn); /* messages that waited for credit go now */
	finish_closing(conn);
	if (emu_comch_conn_state(conn) == EMU_COMCH_CLOSING) {
		ctrl->give_up_at = emu_clock_ns() + CLOSE_TIMEOUT_NS;
		set_timer(ctrl, CLOSE_TIMEOUT_NS);
	}
	emu_comch_ctrl_wake(ctrl);
}

/* Connecting. */

static void greet(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, enum emu_comch_frame_type type)
{
	conn->hello = (struct emu_comch_hello){
		.version = EMU_COMCH_VERSION,
		.max_msg_size = ctrl->max_msg_size,
		.recv_queue_size = ctrl->recv_queue_size,
	};
	memcpy(conn->hello.name, ctrl->name, sizeof(conn->hello.name));
	conn->hello_out = (struct emu_comch_out){.type = type, .len = sizeof(conn->hello), .bytes = &conn->hello};
	emu_comch_conn_push(conn, &conn->hello_out);
}

static bool is_connecting(const struct emu_comch_ctrl *ctrl)
{
	return !ctrl->is_server && ctrl->conns != NULL &&
	       emu_comch_conn_state(ctrl->conns) == EMU_COMCH_CONNECTING;
}

/* One attempt of a client; if there is no server yet, the timer makes the next one. */
static void try_connect(struct emu_comch_ctrl *ctrl)
{
	struct doca_comch_connection *conn = ctrl->conns;
	int fd = emu_comch_dir_connect(ctrl->function, ctrl->name);

	if (fd >= 0 && !emu_comch_peer_is_ours(fd, &conn->peer_pid)) {
		EMU_LOG_ERR("Comch: server \"%s\" belongs to another user", ctrl->name);
		close(fd);
		fd = -EACCES;
	}
	if (fd < 0) {
		set_timer(ctrl, RETRY_NS);
		return;
	}
	pthread_mutex_lock(&conn->lock);
	conn->fd = fd;
	if (add_fd(ctrl, fd, conn)) {
		emu_comch_conn_set_state(conn, EMU_COMCH_GREETED);
		greet(ctrl, conn, EMU_COMCH_HELLO);
	} else {
		close(fd);
		conn->fd = -1;
		set_timer(ctrl, RETRY_NS);
	}
	pthread_mutex_unlock(&conn->lock);
}

static bool time_out(struct emu_comch_ctrl *ctrl)
{
	bool is_late = emu_clock_ns() >= ctrl->give_up_at;

	emu_comch_drain_fd(ctrl->timer_fd);
	if (is_connecting(ctrl)) {
		if (!is_late) {
			try_connect(ctrl);
			return false;
		}
		EMU_LOG_ERR("Comch: no server \"%s\" for the clients of %s", ctrl->name, ctrl->function->pci_addr);
		emu_ctx_start_failed(&ctrl->ctx);
		return true;
	}
	for (struct doca_comch_connection *conn = ctrl->conns; is_late && conn != NULL; conn = conn->next) {
		if (emu_comch_conn_state(conn) == EMU_COMCH_CLOSING)
			drop(conn);
	}
	return false;
}

static void accept_all(struct emu_comch_ctrl *ctrl)
{
	int fd;

	while ((fd = accept4(ctrl->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct doca_comch_connection *conn;
		pid_t pid;

		if (!emu_comch_peer_is_ours(fd, &pid)) {
			EMU_LOG_WARN("Comch: server \"%s\" refused a client of another user", ctrl->name);
			close(fd);
			continue;
		}
		conn = emu_comch_conn_new(ctrl, fd);
		if (conn == NULL) {
			close(fd);
			return;
		}
		conn->peer_pid = pid;
		if (!add_fd(ctrl, fd, conn))
			drop(conn);
	}
}

/* Why a client cannot be served; NULL: it can. */
static const char *objection(const struct emu_comch_ctrl *ctrl, const struct emu_comch_hello *hello, size_t len)
{
	if (len != sizeof(*hello) || hello->version != EMU_COMCH_VERSION)
		return "it speaks another version";
	if (memcmp(hello->name, ctrl->name, sizeof(hello->name)) != 0)
		return "it wants a server of another name";
	if (hello->max_msg_size != ctrl->max_msg_size)
		return "client and server have different maximum message sizes";
	if (ctrl->num_conns > EMU_COMCH_MAX_CLIENTS)
		return "the server has no room for another client";
	return NULL;
}

static void send_refusal(struct doca_comch_connection *conn, const char *why)
{
	struct emu_comch_out refusal = {.type = EMU_COMCH_REFUSE, .len = (uint32_t)strlen(why), .bytes = why};

	pthread_mutex_lock(&conn->lock);
	conn->out = NULL;
	emu_comch_conn_push(conn, &refusal);
	conn->out = NULL; /* a client that does not even read this learns it from the end of the socket */
	emu_comch_conn_drop(conn);
	pthread_mutex_unlock(&conn->lock);
}

static bool hello(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len)
{
	const struct emu_comch_hello *hello = (const struct emu_comch_hello *)(const void *)ctrl->recv_buf;
	const char *why = objection(ctrl, hello, len);
	bool was_rejected;

	if (why != NULL) {
		EMU_LOG_WARN("Comch: server \"%s\" refused a client: %s", ctrl->name, why);
		send_refusal(conn, why);
		ctrl->connect_cb(NULL, conn, 0);
		return true;
	}
	pthread_mutex_lock(&conn->lock);
	conn->peer_queue_size = hello->recv_queue_size;
	emu_comch_conn_set_state(conn, EMU_COMCH_ESTABLISHED);
	conn->is_held = true; /* the callback may reject the client: it should not see a connection then */
	greet(ctrl, conn, EMU_COMCH_ACCEPT);
	pthread_mutex_unlock(&conn->lock);

	conn->was_reported = true;
	ctrl->connect_cb(NULL, conn, 1);

	pthread_mutex_lock(&conn->lock);
	conn->is_held = false;
	was_rejected = emu_comch_conn_state(conn) == EMU_COMCH_CLOSING && conn->hello_out.next == &conn->end_out;
	if (!was_rejected) {
		emu_comch_conn_flush(conn);
		finish_closing(conn);
	}
	pthread_mutex_unlock(&conn->lock);
	if (was_rejected)
		send_refusal(conn, "the server has rejected the connection");
	return true;
}

static bool accepted(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len)
{
	const struct emu_comch_hello *hello = (const struct emu_comch_hello *)(const void *)ctrl->recv_buf;

	if (len != sizeof(*hello))
		return peer_ended(ctrl, conn, false);
	set_timer(ctrl, 0);
	pthread_mutex_lock(&conn->lock);
	conn->peer_queue_size = hello->recv_queue_size;
	emu_comch_conn_set_state(conn, EMU_COMCH_ESTABLISHED);
	pthread_mutex_unlock(&conn->lock);
	emu_ctx_started(&ctrl->ctx);
	return true;
}

static bool refused(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len)
{
	EMU_LOG_ERR("Comch: server \"%s\" refused the connection: %.*s", ctrl->name, (int)len,
		    (const char *)ctrl->recv_buf);
	drop(conn);
	emu_ctx_start_failed(&ctrl->ctx);
	return true;
}

/* Frames of established connections. */

static bool message(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, uint32_t len)
{
	pthread_mutex_lock(&conn->lock);
	conn->counters[DOCA_COMCH_COUNTER_RECV_MESSAGES]++;
	conn->counters[DOCA_COMCH_COUNTER_RECV_BYTES] += len;
	pthread_mutex_unlock(&conn->lock);

	ctrl->msg_recv_cb(NULL, ctrl->recv_buf, len, conn);

	pthread_mutex_lock(&conn->lock);
	conn->delivered++;
	if (emu_comch_conn_is_up(conn))
		emu_comch_conn_give_credit(conn);
	pthread_mutex_unlock(&conn->lock);
	return true;
}

static bool consumer_new(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len, int fds[2])
{
	const struct emu_comch_announce *announce = (const struct emu_comch_announce *)(const void *)ctrl->recv_buf;
	struct emu_comch_remote *remote = NULL;
	uint32_t id = announce->id;

	if (len == sizeof(*announce))
		remote = emu_comch_remote_new(announce, fds);
	if (remote == NULL) {
		EMU_LOG_ERR("Comch: a consumer of the peer of \"%s\" cannot be used", ctrl->name);
		return false;
	}
	fds[0] = fds[1] = -1;
	pthread_mutex_lock(&conn->lock);
	remote->next = conn->remotes;
	conn->remotes = remote;
	pthread_mutex_unlock(&conn->lock);
	if (ctrl->new_consumer_cb == NULL)
		return false;
	ctrl->new_consumer_cb(NULL, conn, id);
	return true;
}

static bool consumer_expired(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len)
{
	struct emu_comch_remote **at, *remote;
	uint32_t id;

	if (len != sizeof(id))
		return false;
	memcpy(&id, ctrl->recv_buf, sizeof(id));
	pthread_mutex_lock(&conn->lock);
	at = &conn->remotes;
	while (*at != NULL && (*at)->id != id)
		at = &(*at)->next;
	remote = *at;
	if (remote != NULL)
		*at = remote->next;
	pthread_mutex_unlock(&conn->lock);
	if (remote == NULL)
		return false;
	__atomic_store_n(&remote->expired, true, __ATOMIC_RELEASE);
	emu_comch_remote_unref(remote);
	if (ctrl->expired_consumer_cb == NULL)
		return false;
	ctrl->expired_consumer_cb(NULL, conn, id);
	return true;
}

static bool established_frame(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn,
			      const struct emu_comch_frame *frame, int fds[2])
{
	pthread_mutex_lock(&conn->lock);
	emu_comch_conn_hear_credit(conn, frame->delivered);
	pthread_mutex_unlock(&conn->lock);
	switch (frame->type) {
	case EMU_COMCH_CREDIT:
		return false;
	case EMU_COMCH_MSG:
		if (frame->len > ctrl->max_msg_size)
			break;
		return message(ctrl, conn, frame->len);
	case EMU_COMCH_CONSUMER_NEW:
		return consumer_new(ctrl, conn, frame->len, fds);
	case EMU_COMCH_CONSUMER_EXPIRED:
		return consumer_expired(ctrl, conn, frame->len);
	case EMU_COMCH_DISCONNECT:
		return peer_ended(ctrl, conn, true);
	}
	EMU_LOG_ERR("Comch: the peer of \"%s\" has sent something that is no frame", ctrl->name);
	return peer_ended(ctrl, conn, false);
}

/* Takes one frame from a connection. */
static bool receive(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn)
{
	size_t size = ctrl->max_msg_size > MIN_RECV_BUF ? ctrl->max_msg_size : MIN_RECV_BUF;
	struct emu_comch_frame frame;
	int fds[2];
	bool is_visible;
	ssize_t n;

	if (conn->fd < 0)
		return false;
	n = emu_comch_recv(conn->fd, &frame, ctrl->recv_buf, size, fds);
	if (n == -EAGAIN)
		return false;
	if (n <= 0)
		return peer_ended(ctrl, conn, false);
	switch (emu_comch_conn_state(conn)) {
	case EMU_COMCH_ESTABLISHED:
		is_visible = established_frame(ctrl, conn, &frame, fds);
		break;
	case EMU_COMCH_CONNECTING:
		is_visible = frame.type == EMU_COMCH_HELLO ? hello(ctrl, conn, frame.len) :
							     peer_ended(ctrl, conn, false);
		break;
	case EMU_COMCH_GREETED:
		is_visible = frame.type == EMU_COMCH_ACCEPT ? accepted(ctrl, conn, frame.len) :
			     frame.type == EMU_COMCH_REFUSE ? refused(ctrl, conn, frame.len) :
							      peer_ended(ctrl, conn, false);
		break;
	default: /* this side ends it and no longer listens */
		is_visible = false;
	}
	for (int i = 0; i < 2; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return is_visible;
}

/* Progress. */

static bool has_parties(struct emu_comch_ctrl *ctrl)
{
	bool found = false;

	for (struct doca_comch_connection *conn = ctrl->conns; conn != NULL && !found; conn = conn->next) {
		pthread_mutex_lock(&conn->lock);
		found = conn->parties != NULL;
		pthread_mutex_unlock(&conn->lock);
	}
	return found;
}

/* Does what threads of consumers and producers cannot do by themselves. */
static bool attend(struct emu_comch_ctrl *ctrl)
{
	struct doca_task *task = NULL;

	emu_comch_drain_fd(ctrl->wake_fd);
	__atomic_store_n(&ctrl->attention, false, __ATOMIC_SEQ_CST);
	for (struct doca_comch_connection *conn = ctrl->conns; conn != NULL && task == NULL; conn = conn->next) {
		pthread_mutex_lock(&conn->lock);
		for (struct emu_comch_party *party = conn->parties; party != NULL; party = party->next) {
			if (party->wants_announcement && emu_comch_conn_is_up(conn)) {
				party->wants_announcement = false;
				emu_comch_conn_push(conn, &party->announce);
				__atomic_store_n(&party->is_registered, true, __ATOMIC_RELEASE);
				emu_comch_signal_fd(party->wake_fd);
			}
		}
		finish_closing(conn);
		task = emu_task_queue_pop(&conn->done);
		pthread_mutex_unlock(&conn->lock);
	}
	if (task != NULL) {
		emu_comch_ctrl_wake(ctrl); /* there may be more */
		return emu_task_finish(task, DOCA_SUCCESS);
	}
	if (ctrl->stop_wanted && ctrl->ctx.state == DOCA_CTX_STATE_RUNNING && !has_parties(ctrl)) {
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

/* Finds out what has happened. */
static bool look(struct emu_comch_ctrl *ctrl)
{
	struct epoll_event events[16];
	int n = epoll_wait(ctrl->epoll_fd, events, 16, 0);
	bool is_timed_out = false;

	for (int i = 0; i < n; i++) {
		struct doca_comch_connection *conn = events[i].data.ptr;

		if (events[i].data.ptr == &ctrl->wake_fd) {
			/* attention says it, too */
		} else if (events[i].data.ptr == &ctrl->timer_fd) {
			is_timed_out = true;
		} else if (events[i].data.ptr == &ctrl->listen_fd) {
			accept_all(ctrl);
		} else {
			if (events[i].events & ~(uint32_t)EPOLLOUT)
				make_ready(ctrl, conn);
			if (events[i].events & EPOLLOUT) {
				pthread_mutex_lock(&conn->lock);
				emu_comch_conn_flush(conn);
				emu_comch_conn_give_credit(conn);
				finish_closing(conn);
				pthread_mutex_unlock(&conn->lock);
			}
		}
	}
	return is_timed_out && time_out(ctrl);
}

static bool take_ready(struct emu_comch_ctrl *ctrl)
{
	struct doca_comch_connection *conn;

	while ((conn = ctrl->ready) != NULL) {
		ctrl->ready = conn->ready_next;
		conn->is_ready = false;
		if (receive(ctrl, conn))
			return true;
	}
	return false;
}

static bool step(struct emu_comch_ctrl *ctrl)
{
	if (EMU_UNLIKELY(__atomic_load_n(&ctrl->attention, __ATOMIC_ACQUIRE)) && attend(ctrl))
		return true;
	if (EMU_UNLIKELY(ctrl->num_ended != 0) && report_ends(ctrl))
		return true;
	if (take_ready(ctrl) || look(ctrl) || take_ready(ctrl))
		return true;
	return ctrl->num_ended != 0 && report_ends(ctrl);
}

static bool ctrl_progress(struct doca_ctx *ctx)
{
	struct emu_comch_ctrl *ctrl = of(ctx);
	bool is_visible;

	ctrl->in_progress = true;
	is_visible = step(ctrl);
	ctrl->in_progress = false;
	return is_visible;
}

static bool ctrl_pending(const struct doca_ctx *ctx)
{
	const struct emu_comch_ctrl *ctrl = (const struct emu_comch_ctrl *)ctx;

	return ctrl->ready != NULL || ctrl->num_ended != 0 || __atomic_load_n(&ctrl->attention, __ATOMIC_ACQUIRE);
}

/* Start and stop. */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void ctrl_idle(struct doca_ctx *ctx)
{
	struct emu_comch_ctrl *ctrl = of(ctx);

	while (ctrl->conns != NULL) { /* of a start that failed */
		if (emu_comch_conn_state(ctrl->conns) != EMU_COMCH_ENDED)
			drop(ctrl->conns);
		forget(ctrl, ctrl->conns);
	}
	if (ctrl->listen_fd >= 0)
		emu_comch_dir_unlisten(ctrl->function, ctrl->name);
	close_fd(&ctrl->listen_fd);
	if (ctrl->epoll_fd >= 0)
		emu_pe_remove_fd(ctx->pe, ctrl->epoll_fd);
	close_fd(&ctrl->epoll_fd);
	close_fd(&ctrl->wake_fd);
	close_fd(&ctrl->timer_fd);
	free(ctrl->recv_buf);
	free(ctrl->send_bufs);
	ctrl->recv_buf = ctrl->send_bufs = NULL;
	ctrl->ready = NULL;
	ctrl->stop_wanted = false;
	__atomic_store_n(&ctrl->attention, false, __ATOMIC_SEQ_CST);
}

static doca_error_t open_all(struct emu_comch_ctrl *ctrl)
{
	size_t size = ctrl->max_msg_size > MIN_RECV_BUF ? ctrl->max_msg_size : MIN_RECV_BUF;

	if (emu_task_pool_start(&ctrl->pool, &ctrl->ctx, &send_ops, sizeof(struct doca_comch_task_send),
				ctrl->num_tasks) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	ctrl->recv_buf = malloc(size);
	ctrl->send_bufs = malloc((size_t)ctrl->num_tasks * ctrl->max_msg_size);
	ctrl->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	ctrl->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	ctrl->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (ctrl->recv_buf == NULL || ctrl->send_bufs == NULL || ctrl->epoll_fd < 0 ||
	    !add_fd(ctrl, ctrl->wake_fd, &ctrl->wake_fd) || !add_fd(ctrl, ctrl->timer_fd, &ctrl->timer_fd))
		return DOCA_ERROR_INITIALIZATION;
	return emu_pe_add_fd(ctrl->ctx.pe, ctrl->epoll_fd) == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_INITIALIZATION;
}

static doca_error_t start_server(struct emu_comch_ctrl *ctrl)
{
	doca_error_t result = emu_comch_dir_listen(ctrl->function, ctrl->name, &ctrl->listen_fd);

	if (result == DOCA_ERROR_ALREADY_EXIST) {
		EMU_LOG_ERR("Comch: there is a server \"%s\" for the clients of %s already", ctrl->name,
			    ctrl->function->pci_addr);
		return result;
	}
	if (result != DOCA_SUCCESS || !add_fd(ctrl, ctrl->listen_fd, &ctrl->listen_fd))
		return DOCA_ERROR_INITIALIZATION;
	return DOCA_SUCCESS;
}

static uint64_t connect_timeout_ns(void)
{
	const char *text = getenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT");
	char *end;
	uint64_t ms;

	if (text == NULL || text[0] < '0' || text[0] > '9')
		return CONNECT_TIMEOUT_MS * (EMU_NS_PER_S / 1000);
	ms = strtoull(text, &end, 10);
	return (*end == '\0' ? ms : CONNECT_TIMEOUT_MS) * (EMU_NS_PER_S / 1000);
}

static doca_error_t start_client(struct emu_comch_ctrl *ctrl)
{
	if (emu_comch_conn_new(ctrl, -1) == NULL)
		return DOCA_ERROR_INITIALIZATION;
	ctrl->give_up_at = emu_clock_ns() + connect_timeout_ns();
	try_connect(ctrl);
	return DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t ctrl_start(struct doca_ctx *ctx)
{
	struct emu_comch_ctrl *ctrl = of(ctx);
	doca_error_t result;

	if (ctrl->num_tasks == 0 || ctrl->msg_recv_cb == NULL || (ctrl->is_server && ctrl->connect_cb == NULL))
		return DOCA_ERROR_INITIALIZATION;
	result = open_all(ctrl);
	if (result == DOCA_SUCCESS)
		result = ctrl->is_server ? start_server(ctrl) : start_client(ctrl);
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
		ctrl_idle(ctx);
	return result;
}

static doca_error_t ctrl_may_stop(struct doca_ctx *ctx)
{
	struct emu_comch_ctrl *ctrl = of(ctx);

	if (!has_parties(ctrl))
		return DOCA_SUCCESS;
	/* Programs take this answer for the begin of a stop, and wait for its end. */
	ctrl->stop_wanted = true;
	return DOCA_ERROR_IN_USE;
}

static bool ctrl_stop(struct doca_ctx *ctx)
{
	struct emu_comch_ctrl *ctrl = of(ctx);

	if (ctrl->listen_fd >= 0) {
		emu_comch_dir_unlisten(ctrl->function, ctrl->name);
		close_fd(&ctrl->listen_fd);
	}
	for (struct doca_comch_connection *conn = ctrl->conns; conn != NULL; conn = conn->next) {
		pthread_mutex_lock(&conn->lock);
		if (emu_comch_conn_is_up(conn))
			emu_comch_ctrl_disconnect(ctrl, conn);
		else if (emu_comch_conn_state(conn) < EMU_COMCH_ESTABLISHED)
			emu_comch_conn_drop(conn);
		pthread_mutex_unlock(&conn->lock);
	}
	if (ctrl->num_ended != 0)
		emu_comch_ctrl_wake(ctrl);
	return ctrl->conns == NULL && !ctrl->in_progress;
}

static bool ctrl_drained(const struct doca_ctx *ctx)
{
	return ((const struct emu_comch_ctrl *)ctx)->conns == NULL;
}

static const struct emu_ctx_ops ctrl_ops = {
	.start = ctrl_start,
	.may_stop = ctrl_may_stop,
	.stop = ctrl_stop,
	.drained = ctrl_drained,
	.progress = ctrl_progress,
	.pending = ctrl_pending,
	.idle = ctrl_idle,
};

doca_error_t emu_comch_ctrl_init(struct emu_comch_ctrl *ctrl, struct doca_dev *dev, const char *name)
{
	ctrl->epoll_fd = ctrl->wake_fd = ctrl->timer_fd = ctrl->listen_fd = -1;
	ctrl->max_msg_size = EMU_COMCH_MAX_MSG_SIZE;
	ctrl->recv_queue_size = EMU_COMCH_DEFAULT_RECV_QUEUE_SIZE;
	memcpy(ctrl->name, name, strlen(name));
	return emu_ctx_init(&ctrl->ctx, &ctrl_ops, dev);
}

doca_error_t emu_comch_ctrl_fini(struct emu_comch_ctrl *ctrl)
{
	doca_error_t result = emu_ctx_fini(&ctrl->ctx);

	if (result != DOCA_SUCCESS)
		return result;
	emu_task_pool_destroy(&ctrl->pool);
	free(ctrl);
	return DOCA_SUCCESS;
}
