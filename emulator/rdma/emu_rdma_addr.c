/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "core/emu_dev.h"
#include "core/emu_log.h"

#include "emu_rdma_addr.h"
#include "emu_rdma_gid.h"

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static bool is_ipv4(const uint8_t ip[16])
{
	return memcmp(ip, mapped, sizeof(mapped)) == 0;
}

bool emu_rdma_addr_parse(enum doca_rdma_addr_type type, const char *text, uint8_t ip[16])
{
	switch (type) {
	case DOCA_RDMA_ADDR_TYPE_IPv4:
		memcpy(ip, mapped, sizeof(mapped));
		return inet_pton(AF_INET, text, ip + sizeof(mapped)) == 1;
	case DOCA_RDMA_ADDR_TYPE_IPv6:
	case DOCA_RDMA_ADDR_TYPE_GID: /* written as an IPv6 address */
		return inet_pton(AF_INET6, text, ip) == 1;
	default:
		return false;
	}
}

static void write_text(struct doca_rdma_addr *addr)
{
	if (is_ipv4(addr->ip)) {
		addr->type = DOCA_RDMA_ADDR_TYPE_IPv4;
		inet_ntop(AF_INET, addr->ip + sizeof(mapped), addr->text, sizeof(addr->text));
	} else {
		addr->type = DOCA_RDMA_ADDR_TYPE_IPv6;
		inet_ntop(AF_INET6, addr->ip, addr->text, sizeof(addr->text));
	}
}

struct doca_rdma_addr emu_rdma_addr_of_peer(int fd, const struct emu_rdma_hello *hello)
{
	struct doca_rdma_addr addr = {.is_of_connection = true};
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);

	if (fd >= 0 && getpeername(fd, (struct sockaddr *)&address, &len) == 0) {
		emu_rdma_addr_from_socket(&address, addr.ip, &addr.port);
	} else {
		memcpy(addr.ip, mapped, sizeof(mapped));
		memcpy(addr.ip + sizeof(mapped), hello->ipv4, sizeof(hello->ipv4));
	}
	write_text(&addr);
	return addr;
}

socklen_t emu_rdma_addr_to_socket(const uint8_t ip[16], uint16_t port, struct sockaddr_storage *address)
{
	memset(address, 0, sizeof(*address));
	if (is_ipv4(ip)) {
		struct sockaddr_in *v4 = (struct sockaddr_in *)address;

		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		memcpy(&v4->sin_addr, ip + sizeof(mapped), sizeof(v4->sin_addr));
		return sizeof(*v4);
	}
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;

	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	memcpy(&v6->sin6_addr, ip, sizeof(v6->sin6_addr));
	return sizeof(*v6);
}

void emu_rdma_addr_from_socket(const struct sockaddr_storage *address, uint8_t ip[16], uint16_t *port)
{
	memset(ip, 0, 16);
	*port = 0;
	if (address->ss_family == AF_INET) {
		const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;

		memcpy(ip, mapped, sizeof(mapped));
		memcpy(ip + sizeof(mapped), &v4->sin_addr, sizeof(v4->sin_addr));
		*port = ntohs(v4->sin_port);
	} else if (address->ss_family == AF_INET6) {
		const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;

		memcpy(ip, &v6->sin6_addr, 16);
		*port = ntohs(v6->sin6_port);
	}
}

static bool is_loopback(const uint8_t ip[16])
{
	static const uint8_t loopback[16] = {[15] = 1};

	return (is_ipv4(ip) && ip[sizeof(mapped)] == 127) || memcmp(ip, loopback, sizeof(loopback)) == 0;
}

bool emu_rdma_addr_is_ours(const uint8_t ip[16])
{
	struct ifaddrs *list;
	bool is_found = is_loopback(ip);

	if (is_found || getifaddrs(&list) != 0)
		return is_found;
	for (const struct ifaddrs *one = list; one != NULL && !is_found; one = one->ifa_next) {
		struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
		uint8_t own[16];
		uint16_t port;

		if (one->ifa_addr == NULL ||
		    (one->ifa_addr->sa_family != AF_INET && one->ifa_addr->sa_family != AF_INET6))
			continue;
		memcpy(&address, one->ifa_addr,
		       one->ifa_addr->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
		emu_rdma_addr_from_socket(&address, own, &port);
		is_found = memcmp(own, ip, sizeof(own)) == 0;
	}
	freeifaddrs(list);
	return is_found;
}

const struct emu_function *emu_rdma_addr_function(const uint8_t ip[16])
{
	for (size_t i = 0; i < EMU_NUM_FUNCTIONS; i++) {
		for (uint32_t index = 0; index < EMU_RDMA_GID_TABLE_SIZE; index++) {
			uint8_t gid[16];

			emu_rdma_gid(&emu_functions[i], index, gid);
			if (memcmp(gid, ip, sizeof(gid)) == 0)
				return &emu_functions[i];
		}
	}
	return NULL;
}

enum emu_rdma_network emu_rdma_addr_network(uint8_t ip[16])
{
	const char *text = getenv("DOCA_EMU_RDMA_ADDRESS");

	memset(ip, 0, 16);
	if (text == NULL || text[0] == '\0')
		return EMU_RDMA_NETWORK_ANY;
	if (strcmp(text, "none") == 0)
		return EMU_RDMA_NETWORK_NONE;
	if (emu_rdma_addr_parse(DOCA_RDMA_ADDR_TYPE_IPv4, text, ip) ||
	    emu_rdma_addr_parse(DOCA_RDMA_ADDR_TYPE_IPv6, text, ip))
		return EMU_RDMA_NETWORK_ONE;
	EMU_LOG_ERR("rdma: DOCA_EMU_RDMA_ADDRESS is \"%s\": it must be an IPv4 or IPv6 address, or none; other hosts cannot "
		    "connect",
		    text);
	return EMU_RDMA_NETWORK_NONE;
}
