/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

/*
 * What is queued for the socket, and when it may be sent.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/emu_peer.h"
#include "core/emu_task.h"
#include "emu_comch_conn.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_frame.h"
#include "emu_comch_wake.h"

void emu_comch_close_fds(int *fds, size_t num)
{
	for (size_t i = 0; i < num; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
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

/* Returns 0 or a negative errno. */
static int send_frame(struct doca_comch_connection *conn, uint32_t type, const void *bytes, uint32_t len,
		      const int *fds)
{
	struct emu_comch_frame frame = {.type = type, .len = len, .delivered = conn->delivered};
	struct iovec iov[2] = {
		{.iov_base = &frame, .iov_len = sizeof(frame)},
		{.iov_base = (void *)(uintptr_t)bytes, .iov_len = len},
	};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = len == 0 ? 1 : 2};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(EMU_COMCH_MAX_FDS * sizeof(int))];
	} control;

	if (fds != NULL) {
		size_t num = 0;

		while (num < EMU_COMCH_MAX_FDS && fds[num] >= 0)
			num++;
		memset(&control, 0, sizeof(control));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(num * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(num * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, num * sizeof(int));
	}
	while (sendmsg(conn->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	conn->told = conn->delivered;
	return 0;
}

/* True if the socket or the system has no room for now. */
static bool must_wait(int error)
{
	return error == -EAGAIN || error == -ENOBUFS || error == -ENOMEM || error == -ETOOMANYREFS;
}

static bool has_credit(const struct doca_comch_connection *conn)
{
	/* A side that closes does not wait for credits: it sends what the socket takes. */
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
	if (out->spent_fds != NULL)
		emu_comch_close_fds(out->spent_fds, 2);
	if (out->task != NULL) {
		emu_task_queue_push(&conn->done, out->task);
		emu_comch_wake(conn->ctrl);
	}
	if (out->type == EMU_COMCH_CONSUMER_REFUSED)
		conn->num_refusals--;
	if (out->is_freed)
		free(out);
}

/* Tells the peer how many messages were delivered, while at least half of the queue is free. False: the socket
 * has no room. */
static bool give_credit(struct doca_comch_connection *conn)
{
	uint64_t owed = conn->delivered - conn->told;

	if (owed == 0 || !emu_comch_conn_is_up(conn) || owed < conn->ctrl->recv_queue_size / 2)
		return true;
	return !must_wait(send_frame(conn, EMU_COMCH_CREDIT, NULL, 0, NULL));
}

void emu_comch_flush(struct doca_comch_connection *conn)
{
	struct emu_comch_out *out;

	if (conn->is_held || conn->fd < 0)
		return;
	while ((out = conn->out) != NULL && !conn->is_broken) {
		int error;

		if (out->type == EMU_COMCH_MSG && !has_credit(conn))
			break;
		error = send_frame(conn, out->type, out->bytes, out->len, out->fds);
		if (must_wait(error)) {
			watch_output(conn, true);
			return;
		}
		if (error != 0) { /* the peer has closed, but what it sent before must still be read */
			conn->is_broken = true;
			break;
		}
		conn->out = out->next;
		out_sent(conn, out);
	}
	watch_output(conn, !conn->is_broken && !give_credit(conn));
}

void emu_comch_push(struct doca_comch_connection *conn, struct emu_comch_out *out)
{
	out->next = NULL;
	if (conn->out == NULL)
		conn->out = out;
	else
		conn->out_last->next = out;
	conn->out_last = out;
	if (conn->out == out)
		emu_comch_flush(conn);
}

bool emu_comch_withdraw(struct doca_comch_connection *conn, struct emu_comch_out *out)
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

void emu_comch_hear_credit(struct doca_comch_connection *conn, uint64_t delivered)
{
	if (delivered <= conn->peer_delivered || delivered > conn->sent)
		return;
	conn->peer_delivered = delivered;
	if (conn->out != NULL)
		emu_comch_flush(conn);
}

/* Receiving. */

ssize_t emu_comch_recv(int fd, struct emu_comch_frame *frame, void *bytes, size_t size,
		       int fds[EMU_COMCH_MAX_FDS])
{
	struct iovec iov[2] = {
		{.iov_base = frame, .iov_len = sizeof(*frame)},
		{.iov_base = bytes, .iov_len = size},
	};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(EMU_COMCH_MAX_FDS * sizeof(int))];
	} control;
	struct msghdr msg = {
		.msg_iov = iov,
		.msg_iovlen = 2,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;

	for (size_t i = 0; i < EMU_COMCH_MAX_FDS; i++)
		fds[i] = -1;
	n = emu_peer_receive(fd, &msg);
	if (n < 0)
		return n;
	emu_peer_take_fds(&msg, fds, EMU_COMCH_MAX_FDS);
	if ((msg.msg_flags & MSG_TRUNC) == 0 && (size_t)n >= sizeof(*frame) && (size_t)n - sizeof(*frame) == frame->len)
		return n;
	emu_comch_close_fds(fds, EMU_COMCH_MAX_FDS);
	return n == 0 ? 0 : -EPROTO; /* an empty message looks like the end, and may have descriptors */
}
