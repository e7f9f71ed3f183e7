/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/emu_log.h"

#include "emu_rdma_addr.h"
#include "emu_rdma_guest.h"
#include "emu_rdma_service.h"
#include "emu_rdma_tcp.h"

/* How soon a host that does not answer any more counts as gone. */
#define KEEP_IDLE_S 10
#define KEEP_INTERVAL_S 2
#define KEEP_COUNT 5
#define USER_TIMEOUT_MS 20000

static void set_option(int fd, int level, int name, int value)
{
	(void)setsockopt(fd, level, name, &value, sizeof(value)); /* without it the connection works as well */
}

static void tune(int fd)
{
	set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE_S);
	set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEP_INTERVAL_S);
	set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEP_COUNT);
	set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, USER_TIMEOUT_MS);
}

int emu_rdma_tcp_connect(const uint8_t ip[16], uint16_t port)
{
	struct sockaddr_storage address;
	socklen_t len = emu_rdma_addr_to_socket(ip, port, &address);
	int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), error;

	if (fd < 0)
		return -errno;
	tune(fd);
	if (connect(fd, (struct sockaddr *)&address, len) == 0 || errno == EINPROGRESS)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

/* Ports. */

struct emu_rdma_port {
	struct emu_rdma_watch watch;
	struct doca_rdma *listening;
	uint16_t listening_port;
	int spare_fd; /* its number is for a peer that must be turned away */
};

static void admit(int fd, const struct sockaddr_storage *address, const struct emu_rdma_port *port)
{
	uint8_t ip[16];
	uint16_t number;

	emu_rdma_addr_from_socket(address, ip, &number);
	if (emu_rdma_addr_is_ours(ip)) {
		EMU_LOG_WARN("rdma: a TCP connection from this host was refused: processes of one host find each other by "
			     "the runtime directory");
		close(fd);
		return;
	}
	tune(fd);
	emu_rdma_greet(fd, 0, true, port->listening, port->listening_port);
}

static void port_ready(struct emu_rdma_watch *watch, uint32_t events)
{
	struct emu_rdma_port *port = (struct emu_rdma_port *)watch;
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	int fd;

	if (events == 0)
		return;
	while ((fd = accept4(watch->fd, (struct sockaddr *)&address, &len, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		admit(fd, &address, port);
		len = sizeof(address);
	}
	if (errno != EMFILE && errno != ENFILE)
		return;
	if (port->spare_fd >= 0)
		close(port->spare_fd);
	fd = accept(watch->fd, NULL, NULL);
	if (fd >= 0) {
		EMU_LOG_WARN("rdma: a peer was refused: this process may not open more file descriptors (see ulimit -n)");
		close(fd);
	}
	port->spare_fd = fcntl(watch->fd, F_DUPFD_CLOEXEC, 0);
}

static void free_port(struct emu_rdma_watch *watch)
{
	free((struct emu_rdma_port *)watch);
}

/* Returns a socket, or a negative errno. */
static int listen_at(const uint8_t ip[16], uint16_t port)
{
	static const uint8_t any_ipv4[16] = {[10] = 0xff, [11] = 0xff};
	struct sockaddr_storage address;
	socklen_t len = emu_rdma_addr_to_socket(ip, port, &address);
	int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), error;

	if (fd < 0) {
		error = errno;
		/* Hosts without IPv6 take IPv4 alone. */
		return error == EAFNOSUPPORT && memcmp(ip, any_ipv4, 10) == 0 && ip != any_ipv4 ? listen_at(any_ipv4, port) :
												-error;
	}
	set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (address.ss_family == AF_INET6)
		set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	if (bind(fd, (struct sockaddr *)&address, len) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

struct emu_rdma_port *emu_rdma_port_open(const uint8_t ip[16], uint16_t number, struct doca_rdma *listening,
					 uint16_t listening_port)
{
	struct emu_rdma_port *port = calloc(1, sizeof(*port));
	int fd;

	if (port == NULL)
		return NULL;
	fd = listen_at(ip, number);
	if (fd < 0) {
		EMU_LOG_WARN("rdma: other hosts cannot connect: cannot listen on TCP port %u: %s", number, strerror(-fd));
		free(port);
		return NULL;
	}
	port->watch.fd = fd;
	port->watch.ready = port_ready;
	port->watch.free = free_port;
	port->listening = listening;
	port->listening_port = listening_port;
	port->spare_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (!emu_rdma_watch(&port->watch)) {
		close(fd);
		if (port->spare_fd >= 0)
			close(port->spare_fd);
		free(port);
		return NULL;
	}
	return port;
}

void emu_rdma_port_close(struct emu_rdma_port *port)
{
	if (port->spare_fd >= 0)
		close(port->spare_fd);
	emu_rdma_unwatch(&port->watch);
}

void emu_rdma_port_address(const struct emu_rdma_port *port, uint8_t ip[16], uint16_t *number)
{
	struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
	socklen_t len = sizeof(address);

	(void)getsockname(port->watch.fd, (struct sockaddr *)&address, &len);
	emu_rdma_addr_from_socket(&address, ip, number);
}
