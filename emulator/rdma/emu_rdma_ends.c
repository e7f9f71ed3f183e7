/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/emu_clock.h"
#include "core/emu_log.h"

#include "emu_rdma.h"
#include "emu_rdma_ends.h"
#include "emu_rdma_link.h"

#define WAIT_NS EMU_NS_PER_S

/* True if the peer can access memory by itself. */
static bool is_near(const struct doca_rdma_connection *conn)
{
	return conn->link != NULL && !conn->link->is_network && conn->was_established;
}

void emu_rdma_ends_begin(struct emu_rdma_ends *ends, const struct doca_rdma *rdma)
{
	size_t num = 0;

	*ends = (struct emu_rdma_ends){.num = 0};
	for (const struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next)
		num += is_near(conn);
	if (num == 0)
		return;
	ends->sockets = calloc(num, sizeof(*ends->sockets));
	if (ends->sockets == NULL)
		return; /* without memory, nobody waits */
	for (const struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next) {
		int fd = is_near(conn) ? fcntl(conn->link->watch.fd, F_DUPFD_CLOEXEC, 0) : -1;

		if (fd >= 0)
			ends->sockets[ends->num++] = (struct pollfd){.fd = fd, .events = POLLIN};
	}
}

/* Reads what the peer still says, which nobody wants. False: it has not closed in time. */
static bool wait_for_end(struct pollfd *end, uint64_t deadline)
{
	static const struct timespec rest = {.tv_nsec = 50 * 1000};
	char bytes[4096];
	uint64_t now;

	while ((now = emu_clock_ns()) < deadline) {
		if (poll(end, 1, (int)((deadline - now) / (EMU_NS_PER_S / 1000)) + 1) <= 0)
			continue;
		if (end->revents & (POLLHUP | POLLERR))
			return true;
		if (recv(end->fd, bytes, sizeof(bytes), MSG_DONTWAIT) <= 0)
			nanosleep(&rest, NULL); /* it sends no more, but has not closed */
	}
	return false;
}

void emu_rdma_ends_wait(struct emu_rdma_ends *ends)
{
	uint64_t deadline = emu_clock_ns() + WAIT_NS;
	size_t num_open = 0;

	for (size_t i = 0; i < ends->num; i++) {
		num_open += !wait_for_end(&ends->sockets[i], deadline);
		close(ends->sockets[i].fd);
	}
	if (num_open > 0)
		EMU_LOG_WARN("rdma: %zu peers have not noticed that the context stops, and may still write to memory that is "
			     "exported; are their processes stopped?",
			     num_open);
	free(ends->sockets);
}
