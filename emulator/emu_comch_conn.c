/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

/*
 * Connections: what is queued for the socket, credits, and who uses them.
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "emu_comch.h"
#include "emu_pe.h"

#define ID_WORDS (EMU_COMCH_MAX_PARTIES / 64)

struct doca_comch_connection *emu_comch_conn_new(struct emu_comch_ctrl *ctrl, int fd)
{
	struct doca_comch_connection *conn = calloc(1, sizeof(*conn));
	uint64_t *ids = calloc(2 * ID_WORDS, sizeof(*ids));

	if (conn == NULL || ids == NULL) {
		free(conn);
		free(ids);
		return NULL;
	}
	conn->consumer_ids = ids;
	conn->producer_ids = ids + ID_WORDS;
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
	return conn;
}

void emu_comch_conn_ref(struct doca_comch_connection *conn)
{
	__atomic_fetch_add(&conn->refcount, 1, __ATOMIC_RELAXED);
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
	free(conn->consumer_ids);
	free(conn);
}

void emu_comch_conn_set_state(struct doca_comch_connection *conn, enum emu_comch_conn_state state)
{
	__atomic_store_n(&conn->state, state, __ATOMIC_RELEASE);
}

/* Sending. */

static void watch_output(struct doca_comch_connection *conn, bool on)
{
	struct epoll_event event = {.events = EPOLLIN | (on ? EPOLLOUT : 0u), .data.ptr = conn};

	if (conn->watches_output == on || conn->ctrl == NULL)
		return;
	if (epoll_ctl(conn->ctrl->epoll_fd, EPOLL_CTL_MOD, conn->fd, &event) == 0)
		conn->watches_output = on;
}

/* 0, or a negative errno. */
static int send_frame(struct doca_comch_connection *conn, uint32_t type, const void *bytes, uint32_t len, const int *fds)
{
	struct emu_comch_frame frame = {.type = type, .len = len, .delivered = conn->delivered};
	struct iovec iov[2] = {
		{.iov_base = &frame, .iov_len = sizeof(frame)},
		{.iov_base = (void *)(uintptr_t)bytes, .iov_len = len},
	};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = len == 0 ? 1 : 2};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;

	if (fds != NULL) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(2 * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, 2 * sizeof(int));
	}
	while (sendmsg(conn->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	conn->told = conn->delivered;
	return 0;
}

static bool has_credit(const struct doca_comch_connection *conn)
{
	/* A side that closes does not wait for the peer to read: what the socket takes is sent. */
	return conn->sent - conn->peer_delivered < conn->peer_queue_size ||
	       emu_comch_conn_state(conn) == EMU_COMCH_CLOSING;
}

static void out_sent(struct doca_comch_connection *conn, struct emu_comch_out *out)
{
	if (out->type == EMU_COMCH_MSG) {
		conn->sent++;
		conn->counters[DOCA_COMCH_COUNTER_SENT_MESSAGES]++;
		conn->counters[DOCA_COMCH_COUNTER_SENT_BYTES] += out->len;
	}
	if (out->sent != NULL)
		*out->sent = true;
	if (out->task != NULL) {
		emu_task_queue_push(&conn->done, out->task);
		emu_comch_ctrl_wake(conn->ctrl);
	}
	if (out->is_freed)
		free(out);
}

void emu_comch_conn_flush(struct doca_comch_connection *conn)
{
	struct emu_comch_out *out;

	if (conn->is_held)
		return;
	while ((out = conn->out) != NULL && conn->fd >= 0 && !conn->is_broken) {
		int error;

		if (out->type == EMU_COMCH_MSG && !has_credit(conn))
			break;
		error = send_frame(conn, out->type, out->bytes, out->len, out->fds);
		if (error == -EAGAIN || error == -ENOBUFS || error == -ENOMEM) {
			watch_output(conn, true);
			return;
		}
		if (error != 0) { /* the peer has closed; what it sent before is still to be read */
			conn->is_broken = true;
			break;
		}
		conn->out = out->next;
		out_sent(conn, out);
	}
	watch_output(conn, false);
}

void emu_comch_conn_push(struct doca_comch_connection *conn, struct emu_comch_out *out)
{
	out->next = NULL;
	if (conn->out == NULL)
		conn->out = out;
	else
		conn->out_last->next = out;
	conn->out_last = out;
	if (conn->out == out)
		emu_comch_conn_flush(conn);
}

bool emu_comch_conn_withdraw(struct doca_comch_connection *conn, struct emu_comch_out *out)
{
	struct emu_comch_out *before = NULL;

	for (struct emu_comch_out *at = conn->out; at != NULL; before = at, at = at->next) {
		if (at != out)
			continue;
		if (before == NULL)
			conn->out = at->next;
		else
			before->next = at->next;
		if (conn->out_last == at)
			conn->out_last = before;
		return true;
	}
	return false;
}

void emu_comch_conn_give_credit(struct doca_comch_connection *conn)
{
	uint64_t owed = conn->delivered - conn->told;
	uint32_t queue_size = conn->ctrl->recv_queue_size;

	/* Not later than the peer may need it: half the queue is still free. If the socket is full the peer
	 * has enough to read, and the next frame tells it. */
	if (conn->fd >= 0 && !conn->is_broken && owed != 0 && owed >= queue_size / 2 &&
	    send_frame(conn, EMU_COMCH_CREDIT, NULL, 0, NULL) == -EAGAIN)
		watch_output(conn, true);
}

void emu_comch_conn_hear_credit(struct doca_comch_connection *conn, uint64_t delivered)
{
	if (delivered <= conn->peer_delivered || delivered > conn->sent)
		return;
	conn->peer_delivered = delivered;
	if (conn->out != NULL)
		emu_comch_conn_flush(conn);
}

/* Receiving. */

ssize_t emu_comch_recv(int fd, struct emu_comch_frame *frame, void *bytes, size_t size, int fds[2])
{
	struct iovec iov[2] = {
		{.iov_base = frame, .iov_len = sizeof(*frame)},
		{.iov_base = bytes, .iov_len = size},
	};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct msghdr msg = {
		.msg_iov = iov,
		.msg_iovlen = 2,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	bool was_reset = false;
	ssize_t n;

	fds[0] = fds[1] = -1;
	for (;;) {
		n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (n >= 0)
			break;
		/* Said once when the peer closed without reading everything; what it sent follows. */
		if (errno == ECONNRESET && !was_reset)
			was_reset = true;
		else if (errno != EINTR)
			return -errno;
	}
	if (n == 0)
		return 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c != NULL; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		    c->cmsg_len == CMSG_LEN(2 * sizeof(int)))
			memcpy(fds, CMSG_DATA(c), 2 * sizeof(int));
	}
	if ((msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || (size_t)n < sizeof(*frame) ||
	    (size_t)n - sizeof(*frame) != frame->len) {
		for (int i = 0; i < 2; i++) {
			if (fds[i] >= 0)
				close(fds[i]);
			fds[i] = -1;
		}
		return -EPROTO;
	}
	return n;
}

/* The end. */

/* Leaves it to the engine to report. */
static void end_task(struct doca_task *task, doca_error_t status)
{
	if (task->state == EMU_TASK_QUEUED) {
		task->status = status;
		task->state = EMU_TASK_DECIDED;
	}
	emu_task_flush(task);
}

void emu_comch_conn_drop(struct doca_comch_connection *conn)
{
	struct emu_comch_out *out;
	struct doca_task *task;

	if (conn->fd >= 0) {
		close(conn->fd); /* which also takes it out of the context's epoll set */
		conn->fd = -1;
	}
	emu_comch_conn_set_state(conn, EMU_COMCH_ENDED);
	conn->ctrl->num_ended++;
	while ((out = conn->out) != NULL) {
		task = out->task;
		conn->out = out->next;
		if (out->is_freed)
			free(out);
		if (task != NULL)
			end_task(task, DOCA_ERROR_NOT_CONNECTED);
	}
	while ((task = emu_task_queue_pop(&conn->done)) != NULL)
		end_task(task, DOCA_SUCCESS);
	for (struct emu_comch_party *party = conn->parties; party != NULL; party = party->next)
		emu_comch_signal_fd(party->wake_fd);
}

bool emu_comch_conn_peer_is_gone(struct doca_comch_connection *conn)
{
	struct pollfd end = {.fd = conn->fd, .events = 0};

	return conn->fd < 0 || (poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLERR)) != 0);
}

/* Consumers and producers. */

/* The two sides take ids in turns: an id of a consumer means the same on both. Ids are used again as late
 * as possible. */
uint32_t emu_comch_take_id(struct doca_comch_connection *conn, bool is_consumer)
{
	uint64_t *used = is_consumer ? conn->consumer_ids : conn->producer_ids;
	uint32_t *last = is_consumer ? &conn->last_consumer_id : &conn->last_producer_id;
	uint32_t *num = is_consumer ? &conn->num_consumers : &conn->num_producers;

	for (uint32_t i = 0; i < EMU_COMCH_MAX_PARTIES; i++) {
		uint32_t n = (*last + i) % EMU_COMCH_MAX_PARTIES;

		if (used[n / 64] & (UINT64_C(1) << (n % 64)))
			continue;
		used[n / 64] |= UINT64_C(1) << (n % 64);
		*last = n + 1;
		(*num)++;
		return 2 * n + (conn->ctrl != NULL && conn->ctrl->is_server ? 2 : 1);
	}
	return 0;
}

void emu_comch_put_id(struct doca_comch_connection *conn, bool is_consumer, uint32_t id)
{
	uint64_t *used = is_consumer ? conn->consumer_ids : conn->producer_ids;
	uint32_t n = (id - 1) / 2;

	used[n / 64] &= ~(UINT64_C(1) << (n % 64));
	if (is_consumer)
		conn->num_consumers--;
	else
		conn->num_producers--;
}

bool emu_comch_party_join(struct doca_comch_connection *conn, struct emu_comch_party *party)
{
	if (!emu_comch_conn_is_up(conn))
		return false;
	party->next = conn->parties;
	conn->parties = party;
	if (party->wants_announcement)
		emu_comch_ctrl_wake(conn->ctrl);
	return true;
}

void emu_comch_party_leave(struct doca_comch_connection *conn, struct emu_comch_party *party)
{
	struct emu_comch_party **at = &conn->parties;

	while (*at != NULL && *at != party)
		at = &(*at)->next;
	if (*at != NULL)
		*at = party->next;
	/* A stop that was refused on account of this one may go on. */
	if (conn->parties == NULL && conn->ctrl != NULL)
		emu_comch_ctrl_wake(conn->ctrl);
}

struct emu_comch_remote *emu_comch_remote_find(struct doca_comch_connection *conn, uint32_t id)
{
	for (struct emu_comch_remote *remote = conn->remotes; remote != NULL; remote = remote->next) {
		if (remote->id == id) {
			__atomic_fetch_add(&remote->refcount, 1, __ATOMIC_RELAXED);
			return remote;
		}
	}
	return NULL;
}

void emu_comch_signal_fd(int fd)
{
	const uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

void emu_comch_drain_fd(int fd)
{
	uint64_t count;

	while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}
