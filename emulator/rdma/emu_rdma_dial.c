/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/emu_clock.h"
#include "core/emu_host.h"
#include "core/emu_log.h"
#include "core/emu_peer.h"
#include "core/emu_rundir.h"

#include "emu_rdma.h"
#include "emu_rdma_conn.h"
#include "emu_rdma_dial.h"
#include "emu_rdma_service.h"

/* Visitors: processes of this host that have come to a door and have not handed over their socket. */
#define VISIT_NS (5 * EMU_NS_PER_S)
#define MAX_VISITORS 64

struct visitor {
	struct emu_rdma_watch watch;
	struct visitor *next;
	struct doca_rdma *listening;
	uint16_t port;
	pid_t pid;
};

struct door {
	struct emu_rdma_watch watch;
	char name[EMU_RUNDIR_NAME_SIZE];
	int spare_fd; /* its number is for a visitor that must be turned away */
	struct doca_rdma *listening; /* NULL: the door of the process */
	uint16_t port;
};

static struct visitor *visitors; /* the newest comes first */
static int num_visitors;

static struct door *process_door;
static uint8_t process_id[EMU_RDMA_KEY_SIZE];

static void free_visitor(struct emu_rdma_watch *watch)
{
	free((struct visitor *)watch);
}

static void dismiss(struct visitor *visitor)
{
	struct visitor **at = &visitors;

	while (*at != visitor)
		at = &(*at)->next;
	*at = visitor->next;
	num_visitors--;
	emu_rdma_unwatch(&visitor->watch);
}

/* Takes the stream that a DOOR message brings, or returns -1. */
static int take_stream(int fd)
{
	char text[sizeof(EMU_RDMA_DOOR)];
	struct iovec iov = {.iov_base = text, .iov_len = sizeof(text)};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int stream = -1, domain = 0, type = 0;
	socklen_t len = sizeof(int);

	if (n < 0)
		return -1;
	emu_peer_take_fds(&msg, &stream, 1);
	if (stream >= 0 && n == (ssize_t)sizeof(text) && memcmp(text, EMU_RDMA_DOOR, sizeof(text)) == 0 &&
	    getsockopt(stream, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 && domain == AF_UNIX &&
	    getsockopt(stream, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_STREAM)
		return stream;
	if (stream >= 0)
		close(stream);
	return -1;
}

static void visitor_ready(struct emu_rdma_watch *watch, uint32_t events)
{
	struct visitor *visitor = (struct visitor *)watch;
	int stream = events == 0 ? -1 : take_stream(watch->fd);

	if (stream >= 0) {
		emu_peer_allow(visitor->pid);
		emu_rdma_conn_greet(stream, visitor->pid, false, visitor->listening, visitor->port);
	}
	dismiss(visitor);
}

static void admit(int fd, const struct door *door)
{
	struct visitor *visitor = calloc(1, sizeof(*visitor));

	if (visitor == NULL || !emu_peer_is_ours(fd, &visitor->pid)) {
		if (visitor != NULL)
			EMU_LOG_WARN("rdma: a process of another user was refused");
		free(visitor);
		close(fd);
		return;
	}
	visitor->watch.fd = fd;
	visitor->watch.ready = visitor_ready;
	visitor->watch.free = free_visitor;
	visitor->listening = door->listening;
	visitor->port = door->port;
	if (!emu_rdma_watch(&visitor->watch)) {
		close(fd);
		free(visitor);
		return;
	}
	emu_rdma_watch_until(&visitor->watch, emu_clock_ns() + VISIT_NS);
	visitor->next = visitors;
	visitors = visitor;
	if (++num_visitors > MAX_VISITORS) {
		while (visitor->next != NULL)
			visitor = visitor->next;
		dismiss(visitor);
	}
}

static void turn_away(struct door *door)
{
	int fd;

	if (door->spare_fd >= 0)
		close(door->spare_fd);
	fd = accept4(door->watch.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0) {
		EMU_LOG_WARN("rdma: a peer was refused: this process may not open more file descriptors (see ulimit -n)");
		close(fd);
	}
	door->spare_fd = fcntl(door->watch.fd, F_DUPFD_CLOEXEC, 0);
}

static void door_ready(struct emu_rdma_watch *watch, uint32_t events)
{
	struct door *door = (struct door *)watch;
	int fd;

	if (events == 0)
		return;
	while ((fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
		admit(fd, door);
	if (errno == EMFILE || errno == ENFILE)
		turn_away(door);
}

static void free_door(struct emu_rdma_watch *watch)
{
	free((struct door *)watch);
}

static doca_error_t make_door(const uint8_t id[EMU_RDMA_KEY_SIZE], struct doca_rdma *listening, uint16_t port,
			      struct door **door)
{
	struct door *made = calloc(1, sizeof(*made));
	doca_error_t result;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	emu_rundir_name(id, made->name);
	result = emu_rundir_listen(made->name, &made->watch.fd);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	made->watch.ready = door_ready;
	made->watch.free = free_door;
	made->listening = listening;
	made->port = port;
	made->spare_fd = fcntl(made->watch.fd, F_DUPFD_CLOEXEC, 0);
	if (!emu_rdma_watch(&made->watch)) {
		emu_rundir_unlisten(made->name);
		close(made->watch.fd);
		free(made);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	*door = made;
	return DOCA_SUCCESS;
}

static void close_door(struct door *door)
{
	emu_rundir_unlisten(door->name);
	if (door->spare_fd >= 0)
		close(door->spare_fd);
	for (struct visitor *visitor = visitors, *next; visitor != NULL; visitor = next) {
		next = visitor->next;
		if (visitor->listening == door->listening && visitor->port == door->port)
			dismiss(visitor);
	}
	emu_rdma_conn_forget_guests(door->listening, door->port);
	emu_rdma_unwatch(&door->watch);
}

/* The door of the process. */

doca_error_t emu_rdma_door_open(struct emu_rdma_details *details)
{
	if (process_door == NULL) {
		doca_error_t result;

		if (getrandom(process_id, sizeof(process_id), 0) != (ssize_t)sizeof(process_id))
			return DOCA_ERROR_CONNECTION_ABORTED;
		result = make_door(process_id, NULL, 0, &process_door);
		if (result == DOCA_ERROR_NO_MEMORY)
			return result;
		if (result != DOCA_SUCCESS)
			return DOCA_ERROR_CONNECTION_ABORTED;
	}
	memcpy(details->process, process_id, sizeof(process_id));
	emu_host_id(details->host);
	return DOCA_SUCCESS;
}

void emu_rdma_door_close(void)
{
	if (process_door == NULL || emu_rdma_conn_contexts() != NULL)
		return;
	close_door(process_door);
	process_door = NULL;
}

void emu_rdma_door_forget(void)
{
	if (process_door != NULL && process_door->spare_fd >= 0)
		close(process_door->spare_fd);
	process_door = NULL;
	visitors = NULL;
	num_visitors = 0;
}

/* Dialling. */

/* Hands one end of a pair of streams to whoever has the socket of that name. */
static int dial_name(const char *name, pid_t *pid)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = {0}};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)EMU_RDMA_DOOR, .iov_len = sizeof(EMU_RDMA_DOOR)};
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	int fd = emu_rundir_connect(name), pair[2], error = 0;

	if (fd < 0)
		return fd;
	if (!emu_peer_is_ours(fd, pid)) {
		close(fd);
		return -EACCES;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0) {
		error = errno;
		close(fd);
		return -error;
	}
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &pair[1], sizeof(int));
	if (sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		error = errno;
	close(fd);
	close(pair[1]);
	if (error != 0) {
		close(pair[0]);
		return -error;
	}
	emu_peer_allow(*pid);
	return pair[0];
}

int emu_rdma_dial_process(const struct emu_rdma_details *details, pid_t *pid, bool *is_network)
{
	char name[EMU_RUNDIR_NAME_SIZE];
	int fd;

	*is_network = false;
	emu_rundir_name(details->process, name);
	fd = dial_name(name, pid);
	if (fd == -ECONNREFUSED)
		emu_rundir_lost(name, 0);
	return fd;
}
