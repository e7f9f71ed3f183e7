/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA between hosts: each process takes all others, and itself, for processes of another host. */

#include <sys/socket.h>

#include "rdma_cm.h"

bool __wrap_emu_host_is_this(const uint8_t id[16]);
bool __wrap_emu_host_is_this(const uint8_t id[16])
{
	(void)id;
	return false;
}

bool __wrap_emu_rdma_addr_is_ours(const uint8_t ip[16]);
bool __wrap_emu_rdma_addr_is_ours(const uint8_t ip[16])
{
	(void)ip;
	return false;
}

static bool uses_tcp(void)
{
	struct sockaddr_storage address;
	bool is_found = false;

	for (int fd = 3; fd < 200; fd++) {
		socklen_t len = sizeof(address);

		is_found |= getpeername(fd, (struct sockaddr *)&address, &len) == 0 &&
			    (address.ss_family == AF_INET || address.ss_family == AF_INET6);
	}
	return is_found;
}

static void by_address(void)
{
	struct end *server = cm_listen(), *client = cm_start(HOST_0);
	struct doca_rdma_addr *addr;
	enum doca_rdma_addr_type type;
	const char *text;
	uint16_t port;

	for (int i = 0; i < 20; i++) {
		cm_dial(client, i % 2 == 0 ? DOCA_RDMA_ADDR_TYPE_IPv4 : DOCA_RDMA_ADDR_TYPE_IPv6,
			i % 2 == 0 ? "127.0.0.1" : "::1", 5);
		DRIVE(client, server, client->num_established == i + 1 && server->num_established == i + 1);
		CHECK(uses_tcp());
		EXPECT(SUCCESS, doca_rdma_connection_get_addr(server->conn, &addr));
		EXPECT(SUCCESS, doca_rdma_addr_get_params(addr, &type, &text, &port));
		CHECK(strcmp(text, i % 2 == 0 ? "127.0.0.1" : "::1") == 0 && port != 0);
		cm_send(client, server, 1000);
		cm_send(server, client, 1000000);
		EXPECT(SUCCESS, doca_rdma_connection_disconnect(i % 3 == 0 ? client->conn : server->conn));
		DRIVE(client, server, client->num_disconnected == i + 1 && server->num_disconnected == i + 1);
	}
	EXPECT(SUCCESS, doca_rdma_stop_listen_to_port(server->rdma, CM_PORT));
	cm_dial(client, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 5);
	DRIVE(client, server, client->num_failures == 1);
	end_destroy(client);
	end_destroy(server);
}

/* Memory of another host: the responder carries out what the initiator asks. */
static void by_details(void)
{
	struct end *a = end_start(), *b = end_start();
	struct doca_buf *src, *dst, *result;
	struct details of_a, of_b;

	of_a = end_export(a);
	of_b = end_export(b);
	end_connect(a, &of_b);
	end_connect(b, &of_a);
	CHECK(uses_tcp());
	end_import(a, &of_b);
	for (size_t i = 0; i < END_SIZE; i++)
		a->memory[i] = (uint8_t)(i * 5 + i / 253);
	src = local_src(a, 0, END_SIZE);
	dst = remote_dst(a, 0, END_SIZE);
	submit_write(a, src, dst);
	DRIVE(a, a, a->completions == 1);
	CHECK(memcmp(a->memory, b->memory, END_SIZE) == 0);
	put_buf(src);
	put_buf(dst);
	memset(a->memory, 0, END_SIZE);
	src = remote_src(a, 1000, END_SIZE - 1000);
	dst = local_dst(a, 0, END_SIZE);
	submit_read(a, src, dst);
	DRIVE(a, a, a->completions == 2);
	CHECK(memcmp(a->memory, b->memory + 1000, END_SIZE - 1000) == 0 && data_len(dst) == END_SIZE - 1000);
	put_buf(src);
	put_buf(dst);
	memset(b->memory, 0, 8);
	dst = remote_dst(a, 0, 8);
	result = local_dst(a, 0, 8);
	submit_fetch_add(a, dst, result, 3);
	DRIVE(a, a, a->completions == 3);
	CHECK(b->memory[0] == 3 && a->memory[0] == 0);
	put_buf(result);
	put_buf(dst);

	/* Beyond what the peer has exported: the initiator sees that itself, and stops as hardware would. */
	src = local_src(a, 0, 16);
	dst = remote_dst(a, END_SIZE - 8, 16);
	submit_write(a, src, dst);
	DRIVE(a, a, a->errors == 1 && is_idle(a));
	CHECK(a->last_error == DOCA_ERROR_IO_FAILED);
	put_buf(src);
	put_buf(dst);
	end_destroy(a);
	end_destroy(b);
}

/* The export has ended: only the responder knows. */
static void ended_export(void)
{
	struct end *a = end_start(), *b = end_start();
	struct doca_buf *src, *dst;

	connect_ends(a, b);
	MUST(doca_mmap_stop(b->mmap));
	src = local_src(a, 0, 16);
	dst = remote_dst(a, 0, 16);
	submit_write(a, src, dst);
	DRIVE(a, b, a->errors == 1 && is_idle(a));
	CHECK(b->memory[0] == 0);
	put_buf(src);
	put_buf(dst);
	end_destroy(a);
	end_destroy(b);
}

/* "none" closes the host to others. */
static void closed(void)
{
	struct end *server, *client = cm_start(HOST_0);

	setenv("DOCA_EMU_RDMA_ADDRESS", "none", 1);
	server = cm_listen();
	cm_dial(client, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 5);
	DRIVE(client, server, client->num_failures == 1);
	end_destroy(client);
	end_destroy(server);
}

static void nothing_is_left(void)
{
	left_nothing();
}

static void everywhere(void)
{
	setenv("DOCA_EMU_RDMA_ADDRESS", "127.0.0.1", 1);
}

static void at_all_addresses(void)
{
	unsetenv("DOCA_EMU_RDMA_ADDRESS");
}

TEST_MAIN(at_all_addresses, by_address, everywhere, by_details, ended_export, closed, nothing_is_left)
