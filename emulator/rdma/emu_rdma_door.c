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
#include "core/emu_dev.h"
#include "core/emu_host.h"
#include "core/emu_log.h"
#include "core/emu_peer.h"
#include "core/emu_rundir.h"

#include "emu_rdma.h"
#include "emu_rdma_addr.h"
#include "emu_rdma_conn.h"
#include "emu_rdma_door.h"
#include "emu_rdma_guest.h"
#include "emu_rdma_service.h"
#include "emu_rdma_tcp.h"

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

struct emu_rdma_door {
	struct emu_rdma_watch watch;
	struct emu_rdma_door *next; /* of the context */
	struct emu_rdma_port *network; /* NULL: for this host alone */
	char name[EMU_RUNDIR_NAME_SIZE];
	int spare_fd; /* its number is for a visitor that must be turned away */
	struct doca_rdma *listening; /* NULL: the door of the process */
	uint16_t port;
};

static struct visitor *visitors; /* the newest comes first */
static int num_visitors;

static struct emu_rdma_door *process_door;
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
		emu_rdma_greet(stream, visitor->pid, false, visitor->listening, visitor->port);
	}
	dismiss(visitor);
}

static void admit(int fd, const struct emu_rdma_door *door)
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

static void turn_away(struct emu_rdma_door *door)
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
	struct emu_rdma_door *door = (struct emu_rdma_door *)watch;
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
	free((struct emu_rdma_door *)watch);
}

static doca_error_t make_named_door(const char *name, struct doca_rdma *listening, uint16_t port,
				    struct emu_rdma_door **door)
{
	struct emu_rdma_door *made = calloc(1, sizeof(*made));
	doca_error_t result;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	memcpy(made->name, name, sizeof(made->name));
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

static doca_error_t make_door(const uint8_t id[EMU_RDMA_KEY_SIZE], struct doca_rdma *listening, uint16_t port,
			      struct emu_rdma_door **door)
{
	char name[EMU_RUNDIR_NAME_SIZE];

	emu_rundir_name(id, name);
	return make_named_door(name, listening, port, door);
}

static void close_door(struct emu_rdma_door *door)
{
	emu_rundir_unlisten(door->name);
	if (door->spare_fd >= 0)
		close(door->spare_fd);
	if (door->network != NULL)
		emu_rdma_port_close(door->network);
	for (struct visitor *visitor = visitors, *next; visitor != NULL; visitor = next) {
		next = visitor->next;
		if (visitor->listening == door->listening && visitor->port == door->port)
			dismiss(visitor);
	}
	emu_rdma_forget_guests(door->listening, door->port);
	emu_rdma_unwatch(&door->watch);
}

/* The door of the process. */

/* Other hosts may come in where DOCA_EMU_RDMA_ADDRESS says so. */
static doca_error_t open_to_network(struct emu_rdma_door *door)
{
	uint8_t ip[16];

	if (emu_rdma_addr_network(ip) != EMU_RDMA_NETWORK_ONE)
		return DOCA_SUCCESS;
	door->network = emu_rdma_port_open(ip, 0, NULL, 0);
	return door->network == NULL ? DOCA_ERROR_CONNECTION_ABORTED : DOCA_SUCCESS;
}

doca_error_t emu_rdma_door_open(struct emu_rdma_details *details)
{
	if (process_door == NULL) {
		doca_error_t result;

		if (getrandom(process_id, sizeof(process_id), 0) != (ssize_t)sizeof(process_id))
			return DOCA_ERROR_CONNECTION_ABORTED;
		result = make_door(process_id, NULL, 0, &process_door);
		if (result == DOCA_SUCCESS) {
			result = open_to_network(process_door);
			if (result != DOCA_SUCCESS) {
				close_door(process_door);
				process_door = NULL;
			}
		}
		if (result != DOCA_SUCCESS)
			return result == DOCA_ERROR_NO_MEMORY ? result : DOCA_ERROR_CONNECTION_ABORTED;
	}
	memcpy(details->process, process_id, sizeof(process_id));
	emu_host_id(details->host);
	if (process_door->network != NULL)
		emu_rdma_port_address(process_door->network, details->address, &details->port);
	return DOCA_SUCCESS;
}

void emu_rdma_door_close(void)
{
	if (process_door == NULL || emu_rdma_conn_contexts() != NULL)
		return;
	close_door(process_door);
	process_door = NULL;
}

void emu_rdma_doors_on_fork(void)
{
	if (process_door != NULL && process_door->spare_fd >= 0)
		close(process_door->spare_fd);
	for (struct doca_rdma *rdma = emu_rdma_conn_contexts(); rdma != NULL; rdma = rdma->next) {
		for (struct emu_rdma_door *door = rdma->doors; door != NULL; door = door->next) {
			if (door->spare_fd >= 0)
				close(door->spare_fd);
		}
		rdma->doors = NULL;
	}
	process_door = NULL;
	visitors = NULL;
	num_visitors = 0;
}

/* The doors of ports. */

void emu_rdma_door_name(const struct emu_function *function, uint16_t port, char name[EMU_RUNDIR_NAME_SIZE])
{
	uint8_t id[EMU_RDMA_KEY_SIZE] = {'D', 'O', 'C', 'A', 'R', 'D', 'M', 'A'};

	memcpy(id + 8, function->ipv4, sizeof(function->ipv4));
	id[12] = (uint8_t)(port >> 8);
	id[13] = (uint8_t)port;
	emu_rundir_name(id, name);
}

static struct emu_rdma_door **find_door(struct doca_rdma *rdma, uint16_t port)
{
	struct emu_rdma_door **at = &rdma->doors;

	while (*at != NULL && (*at)->port != port)
		at = &(*at)->next;
	return at;
}

doca_error_t emu_rdma_listen(struct doca_rdma *rdma, uint16_t port)
{
	const struct emu_function *function = rdma->ctx.dev->info.function;
	char name[EMU_RUNDIR_NAME_SIZE];
	struct emu_rdma_door *door;
	uint8_t ip[16];

	emu_rdma_door_name(function, port, name);
	switch (make_named_door(name, rdma, port, &door)) {
	case DOCA_SUCCESS:
		break;
	case DOCA_ERROR_ALREADY_EXIST:
		EMU_LOG_ERR("rdma: another context or process listens on port %u of %s", port, function->ibdev_name);
		return DOCA_ERROR_CONNECTION_ABORTED;
	default:
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
	door->next = rdma->doors;
	rdma->doors = door;
	if (emu_rdma_addr_network(ip) != EMU_RDMA_NETWORK_NONE)
		door->network = emu_rdma_port_open(ip, port, rdma, port); /* else, for this host alone; the log says why */
	return DOCA_SUCCESS;
}

doca_error_t emu_rdma_unlisten(struct doca_rdma *rdma, uint16_t port)
{
	struct emu_rdma_door **at = find_door(rdma, port), *door = *at;

	if (door == NULL)
		return DOCA_ERROR_CONNECTION_ABORTED;
	*at = door->next;
	close_door(door);
	return DOCA_SUCCESS;
}

void emu_rdma_unlisten_all(struct doca_rdma *rdma)
{
	while (rdma->doors != NULL)
		emu_rdma_unlisten(rdma, rdma->doors->port);
}
