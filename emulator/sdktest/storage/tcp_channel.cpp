/* SPDX-License-Identifier: Apache-2.0 */
#include "tcp_channel.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(STORAGE::TCP);

namespace storage {

namespace {

[[noreturn]] void fail(const std::string &what)
{
	throw failure{DOCA_ERROR_OPERATING_SYSTEM, what + " (" + std::strerror(errno) + ")"};
}

void shut(int &fd)
{
	if (fd >= 0)
		(void)close(fd);
	fd = -1;
}

sockaddr_in address_of(uint32_t address, uint16_t port)
{
	sockaddr_in addr{};

	addr.sin_family = AF_INET;
	addr.sin_addr.s_addr = address;
	addr.sin_port = htons(port);
	return addr;
}

} /* namespace */

tcp_channel::~tcp_channel()
{
	shut(m_listener);
	shut(m_socket);
}

void tcp_channel::listen(uint16_t port)
{
	const sockaddr_in addr = address_of(htonl(INADDR_ANY), port);
	const int on = 1;

	m_listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (m_listener < 0 || setsockopt(m_listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0)
		fail("Creating the listening socket");
	if (bind(m_listener, reinterpret_cast<const sockaddr *>(&addr), sizeof(addr)) != 0 || ::listen(m_listener, 1) != 0)
		fail("Listening on port " + std::to_string(port));
}

void tcp_channel::connect(const std::string &server)
{
	const size_t colon = server.rfind(':');
	in_addr address{};
	unsigned long port = 0;

	if (colon != std::string::npos)
		port = std::strtoul(server.c_str() + colon + 1, nullptr, 10);
	if (colon == std::string::npos || inet_pton(AF_INET, server.substr(0, colon).c_str(), &address) != 1 || port == 0 ||
	    port > UINT16_MAX)
		throw failure{DOCA_ERROR_INVALID_VALUE, "The storage server is not address:port but " + server};
	m_address = address.s_addr;
	m_port = static_cast<uint16_t>(port);
	begin_connect();
}

void tcp_channel::begin_connect()
{
	const sockaddr_in addr = address_of(m_address, m_port);

	shut(m_socket);
	m_socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (m_socket < 0)
		fail("Creating a socket");
	if (::connect(m_socket, reinterpret_cast<const sockaddr *>(&addr), sizeof(addr)) == 0)
		open();
	else if (errno == ECONNREFUSED)
		shut(m_socket);
	else if (errno != EINPROGRESS)
		fail("Connecting to the storage server");
}

bool tcp_channel::finish_connect()
{
	pollfd waiting{m_socket, POLLOUT, 0};
	int error = 0;
	socklen_t len = sizeof(error);

	if (m_socket < 0) {
		begin_connect();
		return false;
	}
	if (poll(&waiting, 1, 0) <= 0)
		return false;
	if (getsockopt(m_socket, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
		fail("Connecting to the storage server");
	if (error == ECONNREFUSED) {
		shut(m_socket);
		return false;
	}
	errno = error;
	if (error != 0)
		fail("Connecting to the storage server");
	open();
	return true;
}

void tcp_channel::open()
{
	const int on = 1;

	(void)setsockopt(m_socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	m_is_connected = true;
	DOCA_LOG_INFO("The TCP connection is established");
}

bool tcp_channel::progress()
{
	uint8_t data[4096];

	if (is_lost())
		return false;
	if (!m_is_connected) {
		if (m_listener < 0)
			return finish_connect();
		m_socket = accept4(m_listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (m_socket < 0) {
			if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
				fail("Accepting a connection");
			return false;
		}
		shut(m_listener);
		open();
		return true;
	}
	const ssize_t len = recv(m_socket, data, sizeof(data), 0);
	if (len > 0)
		arrived(data, static_cast<size_t>(len));
	else if (len == 0 || (errno != EAGAIN && errno != EINTR))
		lost();
	else
		return false;
	return true;
}

void tcp_channel::send(const bytes &message)
{
	size_t sent = 0;

	wait_until(
		"the TCP connection to take a message", std::chrono::seconds{5},
		[&] {
			const ssize_t len = ::send(m_socket, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);

			if (len < 0 && errno != EAGAIN && errno != EINTR)
				fail("Sending a control message");
			sent += len > 0 ? static_cast<size_t>(len) : 0;
			return len > 0;
		},
		[&] { return sent == message.size(); });
}

} /* namespace storage */
