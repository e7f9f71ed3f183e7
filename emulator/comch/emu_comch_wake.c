/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/emu_notify.h"
#include "core/emu_pe.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_wake.h"

/* The most rings that are taken at once: a peer may never stop. */
#define MAX_RINGS 64

void emu_comch_wake(struct emu_comch_ctrl *ctrl)
{
	/* An engine that is armed later finds the attention: see emu_comch_pending. */
	if (!__atomic_exchange_n(&ctrl->attention, true, __ATOMIC_SEQ_CST) && emu_pe_is_armed(ctrl->ctx.pe))
		emu_pe_signal(ctrl->ctx.pe);
}

void emu_comch_drain_fd(int fd)
{
	uint64_t count;

	while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

bool emu_comch_doorbell_new(int *end, int *bell)
{
	int fds[2];

	/* Datagrams: nothing that the peer does to its end closes this one. */
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0)
		return false;
	*end = fds[0];
	*bell = fds[1];
	return true;
}

bool emu_comch_is_bell(int fd)
{
	int domain, type;
	socklen_t len = sizeof(int);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 && domain == AF_UNIX &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_DGRAM;
}

void emu_comch_ring_bell(int bell)
{
	/* EAGAIN means that the consumer's end is full: it is readable anyway. */
	while (send(bell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

void emu_comch_hush(int end)
{
	char byte;

	for (int i = 0; i < MAX_RINGS; i++) {
		if (recv(end, &byte, 1, MSG_DONTWAIT) < 0 && errno != EINTR)
			return;
	}
}
