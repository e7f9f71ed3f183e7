/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "emu_clock.h"
#include "emu_peer.h"
#include "emu_remote_socket.h"

/* How long the exporting process may take to answer. It answers whatever its program does, unless it is stopped. */
#define ANSWER_S 10

uint64_t emu_remote_deadline(void)
{
	return emu_clock_ns() + ANSWER_S * EMU_NS_PER_S;
}

/* Waits until the exporter has received or sent something. False with errno EAGAIN: it took too long. */
static bool wait_for(int fd, short events, uint64_t deadline)
{
	struct pollfd ready = {.fd = fd, .events = events};
	uint64_t now = emu_clock_ns();

	if (now < deadline &&
	    (poll(&ready, 1, (int)((deadline - now) / (EMU_NS_PER_S / 1000)) + 1) > 0 || errno == EINTR))
		return true;
	errno = EAGAIN;
	return false;
}

bool emu_remote_is_for_now(int error)
{
	return error == EAGAIN || error == EINTR;
}

ssize_t emu_remote_receive(int fd, struct msghdr *msg)
{
	uint64_t deadline = emu_remote_deadline();
	ssize_t n;

	do {
		n = emu_peer_receive(fd, msg);
	} while (n < 0 && emu_remote_is_for_now((int)-n) && wait_for(fd, POLLIN, deadline));
	if (n >= 0)
		return n;
	errno = (int)-n;
	return -1;
}

ssize_t emu_remote_transmit(int fd, const struct msghdr *msg)
{
	uint64_t deadline = emu_remote_deadline();
	ssize_t n;

	do {
		n = sendmsg(fd, msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (n < 0 && emu_remote_is_for_now(errno) && wait_for(fd, POLLOUT, deadline));
	return n;
}
