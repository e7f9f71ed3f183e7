/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/emu_dev.h"
#include "core/emu_host.h"
#include "core/emu_peer.h"
#include "core/emu_rundir.h"

#include "emu_rdma_addr.h"
#include "emu_rdma_dial.h"
#include "emu_rdma_door.h"
#include "emu_rdma_tcp.h"

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

	*pid = 0;
	*is_network = details->port != 0 && !emu_host_is_this(details->host);
	if (*is_network)
		return emu_rdma_tcp_connect(details->address, details->port);
	emu_rundir_name(details->process, name);
	fd = dial_name(name, pid);
	if (fd == -ECONNREFUSED)
		emu_rundir_lost(name, 0);
	return fd;
}

static bool is_absent(int fd)
{
	return fd == -ENOENT || fd == -ECONNREFUSED;
}

int emu_rdma_dial_addr(const struct doca_rdma_addr *addr, pid_t *pid, bool *is_network)
{
	const struct emu_function *only = emu_rdma_addr_function(addr->ip);
	int fd = -ECONNREFUSED;

	*pid = 0;
	*is_network = only == NULL && !emu_rdma_addr_is_ours(addr->ip);
	if (*is_network)
		return emu_rdma_tcp_connect(addr->ip, addr->port);
	for (size_t i = 0; i < EMU_NUM_FUNCTIONS && is_absent(fd); i++) {
		char name[EMU_RUNDIR_NAME_SIZE];

		if (only != NULL && only != &emu_functions[i])
			continue;
		emu_rdma_door_name(&emu_functions[i], addr->port, name);
		fd = dial_name(name, pid);
	}
	return fd;
}
