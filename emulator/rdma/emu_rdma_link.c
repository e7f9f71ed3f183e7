/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/emu_clock.h"
#include "core/emu_log.h"

#include "emu_rdma_link.h"

/* How long a link that is closed waits for the peer. */
#define LINGER_NS (EMU_NS_PER_S)

#define MAX_FRAME (sizeof(struct emu_rdma_frame) + EMU_RDMA_MAX_PAYLOAD)
#define SCRATCH_SIZE (4 * MAX_FRAME)

/* Guarded by the lock, as everything here. */
static uint8_t in_scratch[SCRATCH_SIZE] __attribute__((aligned(8)));
static uint8_t out_scratch[SCRATCH_SIZE] __attribute__((aligned(8)));

static void free_link(struct emu_rdma_watch *watch)
{
	struct emu_rdma_link *link = (struct emu_rdma_link *)watch;

	free(link->in);
	free(link->out);
	free(link);
}

static void end(struct emu_rdma_link *link)
{
	if (link->is_closing)
		emu_rdma_service_linger(-1);
	emu_rdma_unwatch(&link->watch);
}

static void lose(struct emu_rdma_link *link)
{
	if (link->watch.is_dead)
		return;
	if (!link->is_closing)
		link->ops->lost(link);
	if (!link->watch.is_dead)
		end(link);
}

/* Sending. */

static void watch_for_room(struct emu_rdma_link *link, bool waits)
{
	if (link->waits_for_room == waits)
		return;
	link->waits_for_room = waits;
	emu_rdma_watch_for(&link->watch, EPOLLIN | (waits ? EPOLLOUT : 0u));
}

/* Keeps bytes for later. False: no memory. */
static bool keep(struct emu_rdma_link *link, const uint8_t *bytes, size_t len)
{
	size_t rest = link->out_len - link->out_done;
	uint8_t *made = malloc(rest + len);

	if (made == NULL)
		return false;
	if (rest > 0)
		memcpy(made, link->out + link->out_done, rest);
	memcpy(made + rest, bytes, len);
	free(link->out);
	link->out = made;
	link->out_done = 0;
	link->out_len = rest + len;
	return true;
}

/* Returns how many bytes the socket has taken, or -1 if the peer has gone. */
static ssize_t transmit(const struct emu_rdma_link *link, const uint8_t *bytes, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = send(link->watch.fd, bytes + done, len - done, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? (ssize_t)done : -1;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* Sends what was kept. False: there is still some. */
static bool send_kept(struct emu_rdma_link *link)
{
	ssize_t n;

	if (link->out == NULL)
		return true;
	n = transmit(link, link->out + link->out_done, link->out_len - link->out_done);
	if (n > 0)
		link->out_done += (size_t)n;
	if (n >= 0 && link->out_done < link->out_len) {
		watch_for_room(link, true);
		return false;
	}
	free(link->out);
	link->out = NULL;
	link->out_len = 0;
	link->out_done = 0;
	return true;
}

/* The thread notices that the peer has gone when it reads. */
static void send_or_keep(struct emu_rdma_link *link, const uint8_t *bytes, size_t len)
{
	ssize_t n = transmit(link, bytes, len);

	if (n < 0 || (size_t)n == len)
		return;
	if (!keep(link, bytes + n, len - (size_t)n)) {
		EMU_LOG_ERR("rdma: no memory to send");
		shutdown(link->watch.fd, SHUT_RDWR);
		return;
	}
	watch_for_room(link, true);
}

void emu_rdma_link_send(struct emu_rdma_link *link, const struct emu_rdma_frame *frame, const void *payload)
{
	memcpy(out_scratch, frame, sizeof(*frame));
	if (frame->len > 0)
		memcpy(out_scratch + sizeof(*frame), payload, frame->len);
	if (send_kept(link))
		send_or_keep(link, out_scratch, sizeof(*frame) + frame->len);
	else if (!keep(link, out_scratch, sizeof(*frame) + frame->len))
		shutdown(link->watch.fd, SHUT_RDWR);
}

void emu_rdma_link_flush(struct emu_rdma_link *link)
{
	if (!send_kept(link))
		return;
	watch_for_room(link, false);
	while (!link->is_closing && link->out == NULL) {
		size_t filled = 0, n;

		while (filled + MAX_FRAME <= SCRATCH_SIZE && (n = link->ops->produce(link, out_scratch + filled)) > 0)
			filled += n;
		if (filled == 0)
			return;
		send_or_keep(link, out_scratch, filled);
	}
}

/* Receiving. */

/* Handles whole frames. Returns how many bytes it has used, or -1 if the link is to be closed. */
static ssize_t handle_frames(struct emu_rdma_link *link, const uint8_t *bytes, size_t len)
{
	size_t used = 0;

	while (len - used >= sizeof(struct emu_rdma_frame)) {
		struct emu_rdma_frame frame;

		memcpy(&frame, bytes + used, sizeof(frame));
		if (frame.len > EMU_RDMA_MAX_PAYLOAD)
			return -1;
		if (len - used < sizeof(frame) + frame.len)
			break;
		if (!link->is_closing && !link->ops->frame(link, &frame, bytes + used + sizeof(frame)))
			return -1;
		if (link->watch.is_dead)
			return (ssize_t)len;
		used += sizeof(frame) + frame.len;
	}
	return (ssize_t)used;
}

/* False: the link is to be closed. */
static bool keep_input(struct emu_rdma_link *link, const uint8_t *bytes, size_t len)
{
	if (len > 0 && link->in == NULL)
		link->in = malloc(MAX_FRAME);
	if (len > 0 && link->in == NULL)
		return false;
	if (len > 0)
		memcpy(link->in, bytes, len);
	link->in_len = len;
	return true;
}

/* Receives at most what fits in the scratch memory, so that no peer keeps the thread. False: the link is to be closed. */
static bool receive(struct emu_rdma_link *link)
{
	size_t len = link->in_len;
	ssize_t n, used;

	if (len > 0)
		memcpy(in_scratch, link->in, len);
	do {
		n = recv(link->watch.fd, in_scratch + len, sizeof(in_scratch) - len, MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return true;
	if (n <= 0)
		return false;
	len += (size_t)n;
	used = handle_frames(link, in_scratch, len);
	if (used < 0)
		return false;
	return link->watch.is_dead || keep_input(link, in_scratch + used, len - (size_t)used);
}

static void finish_closing(struct emu_rdma_link *link)
{
	if (link->out == NULL)
		shutdown(link->watch.fd, SHUT_WR);
}

static void ready(struct emu_rdma_watch *watch, uint32_t events)
{
	struct emu_rdma_link *link = (struct emu_rdma_link *)watch;

	if (events == 0 && link->is_closing) {
		end(link);
		return;
	}
	if (events == 0)
		link->ops->timer(link);
	if (!watch->is_dead && (events & EPOLLOUT)) {
		emu_rdma_link_flush(link);
		if (link->is_closing)
			finish_closing(link);
	}
	if (!watch->is_dead && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) && !receive(link))
		lose(link);
}

void emu_rdma_link_wake_at(struct emu_rdma_link *link, uint64_t due)
{
	if (!link->is_closing)
		emu_rdma_watch_until(&link->watch, due);
}

/* Life. */

struct emu_rdma_link *emu_rdma_link_new(int fd, pid_t pid, bool is_network, const struct emu_rdma_link_ops *ops,
					void *owner)
{
	struct emu_rdma_link *link = calloc(1, sizeof(*link));

	if (link == NULL) {
		close(fd);
		return NULL;
	}
	link->watch.fd = fd;
	link->watch.ready = ready;
	link->watch.free = free_link;
	link->ops = ops;
	link->owner = owner;
	link->pid = pid;
	link->is_network = is_network;
	if (!emu_rdma_watch(&link->watch)) {
		close(fd);
		free(link);
		return NULL;
	}
	return link;
}

/* Between processes of one host the system keeps what was sent. On the network, closing a socket with unread input would
 * destroy it: so the thread reads until the peer has closed, too. */
void emu_rdma_link_close(struct emu_rdma_link *link)
{
	if (link->is_closing || link->watch.is_dead)
		return;
	if (link->out == NULL && !link->is_network) {
		end(link);
		return;
	}
	link->is_closing = true;
	link->owner = NULL;
	emu_rdma_service_linger(1);
	emu_rdma_watch_until(&link->watch, emu_clock_ns() + LINGER_NS);
	finish_closing(link);
}
