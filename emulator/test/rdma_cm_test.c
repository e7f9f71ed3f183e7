/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA connections by address: requests, answers, ends. */

#include "rdma_cm.h"

static void addresses(void)
{
	struct doca_rdma_addr *addr;
	enum doca_rdma_addr_type type;
	const char *text;
	uint16_t port;

	EXPECT(ERROR_INVALID_VALUE, doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, NULL, 1, &addr));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "1.2.3.4", 1, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "1.2.3.4", 0, &addr));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "1.2.3", 1, &addr));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "::1", 1, &addr));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv6, "1.2.3.4", 1, &addr));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_GID, "nobody", 1, &addr));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_addr_create((enum doca_rdma_addr_type)3, "::1", 1, &addr));
	EXPECT(SUCCESS, doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_GID, "fe80::1", 9, &addr));
	EXPECT(SUCCESS, doca_rdma_addr_get_params(addr, &type, &text, &port));
	CHECK(type == DOCA_RDMA_ADDR_TYPE_GID && strcmp(text, "fe80::1") == 0 && port == 9);
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_addr_get_params(addr, &type, &text, NULL));
	EXPECT(SUCCESS, doca_rdma_addr_destroy(addr));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_addr_destroy(NULL));
}

static void gid_text(const struct end *end, uint32_t index, char text[64])
{
	struct doca_rdma_gid gid;
	int at = 0;

	EXPECT(SUCCESS, doca_rdma_cap_get_gid(doca_dev_as_devinfo(end->dev), index, 1, &gid));
	for (int i = 0; i < 16; i++)
		at += snprintf(text + at, 64 - (size_t)at, "%s%02x", i > 0 && i % 2 == 0 ? ":" : "", gid.raw[i]);
}

static void every_type(void)
{
	struct end *server = cm_listen(), *client = cm_start(HOST_0);
	char gids[2][64];
	const struct {
		enum doca_rdma_addr_type type;
		const char *text;
	} ways[] = {
		{DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1"}, {DOCA_RDMA_ADDR_TYPE_IPv4, "10.0.0.2"},
		{DOCA_RDMA_ADDR_TYPE_IPv6, "::1"},	 {DOCA_RDMA_ADDR_TYPE_IPv6, "::ffff:10.0.0.2"},
		{DOCA_RDMA_ADDR_TYPE_GID, gids[0]},	 {DOCA_RDMA_ADDR_TYPE_GID, gids[1]},
	};

	gid_text(server, 0, gids[0]);
	gid_text(server, 3, gids[1]);
	for (int i = 0; i < 6; i++) {
		struct doca_rdma_addr *addr;
		enum doca_rdma_addr_type type;
		union doca_data data;
		const char *text;
		uint16_t port;

		cm_dial(client, ways[i].type, ways[i].text, (uint64_t)i + 100);
		DRIVE(client, server, client->num_established == i + 1 && server->num_established == i + 1);
		CHECK(client->established_data == (uint64_t)i + 100 && server->established_data == 77);
		CHECK(server->num_requests == i + 1 && client->num_requests == 0);
		EXPECT(SUCCESS, doca_rdma_connection_get_addr(client->conn, &addr));
		EXPECT(SUCCESS, doca_rdma_addr_get_params(addr, &type, &text, &port));
		CHECK(type == ways[i].type && strcmp(text, ways[i].text) == 0 && port == CM_PORT);
		EXPECT(ERROR_BAD_STATE, doca_rdma_addr_destroy(addr));
		EXPECT(SUCCESS, doca_rdma_connection_get_addr(server->conn, &addr));
		EXPECT(SUCCESS, doca_rdma_addr_get_params(addr, &type, &text, &port));
		CHECK(type == DOCA_RDMA_ADDR_TYPE_IPv4 && strcmp(text, "10.0.0.1") == 0);
		EXPECT(SUCCESS, doca_rdma_connection_get_user_data(client->conn, &data));
		CHECK(data.u64 == (uint64_t)i + 100);
		cm_send(client, server, 1000);
		cm_send(server, client, 70000);
		EXPECT(SUCCESS, doca_rdma_connection_disconnect(client->conn));
		EXPECT(SUCCESS, doca_rdma_connection_disconnect(client->conn));
		DRIVE(client, server, client->num_disconnected == i + 1 && server->num_disconnected == i + 1);
		CHECK(server->disconnected == server->conn && server->disconnected_data == 77);
		CHECK(client->disconnected == client->conn);
		EXPECT(ERROR_CONNECTION_ABORTED, doca_rdma_connection_disconnect(client->conn));
	}
	CHECK(ctx_state(client->ctx) == DOCA_CTX_STATE_RUNNING && ctx_state(server->ctx) == DOCA_CTX_STATE_RUNNING);
	end_destroy(client);
	end_destroy(server);
}

/* Dials. True: the server's program has seen the second request. False: the client has given up before, and the server knows it. */
static bool is_seen(struct end *server, struct end *client, int fds)
{
	int given_up = client->num_failures;

	cm_dial(client, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 4);
	DRIVE(client, server, server->num_requests == 2 || (client->num_failures > given_up && count_fds() <= fds));
	return server->num_requests == 2;
}

static void failures(void)
{
	struct end *server = cm_listen(), *client = cm_create(HOST_0), *other = cm_start(DPU_0), *patient = cm_start(HOST_0);
	struct doca_rdma_addr *addr;
	int fds, given_up;

	EXPECT(SUCCESS, doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", CM_PORT, &addr));
	EXPECT(ERROR_BAD_STATE, doca_rdma_connect_to_addr(client->rdma, addr, no_data));
	EXPECT(ERROR_BAD_STATE, doca_rdma_start_listen_to_port(client->rdma, CM_PORT));
	EXPECT(SUCCESS, doca_rdma_set_connection_request_timeout(client->rdma, 50));
	MUST(doca_ctx_start(client->ctx));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_connect_to_addr(client->rdma, NULL, no_data));
	EXPECT(SUCCESS, doca_rdma_addr_destroy(addr));

	/* One listener for each device and port. */
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_start_listen_to_port(other->rdma, 0));
	EXPECT(ERROR_CONNECTION_ABORTED, doca_rdma_start_listen_to_port(server->rdma, CM_PORT));
	EXPECT(ERROR_CONNECTION_ABORTED, doca_rdma_start_listen_to_port(other->rdma, CM_PORT));
	EXPECT(ERROR_CONNECTION_ABORTED, doca_rdma_stop_listen_to_port(other->rdma, CM_PORT));

	/* Rejected. */
	cm_answer = CM_REJECT;
	cm_dial(patient, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 3);
	DRIVE(patient, server, patient->num_failures == 1);
	CHECK(patient->failure_data == 3 && server->num_requests == 1 && server->num_established == 0);

	/* Not answered by the program: the client gives up, and the server learns it. */
	cm_answer = CM_WAIT;
	fds = count_fds();
	while (!is_seen(server, client, fds))
		;
	DRIVE(client, server, client->num_failures >= 1 && server->num_failures == 1);
	EXPECT(ERROR_CONNECTION_ABORTED, doca_rdma_connection_accept(server->requests[1], NULL, 0));

	/* Not even seen by the program. */
	given_up = client->num_failures;
	cm_dial(client, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 4);
	DRIVE(client, client, client->num_failures == given_up + 1);
	DRIVE(client, client, count_fds() <= fds); /* the server's side has noticed it */
	drain_pe(server->pe);
	CHECK(server->num_requests == 2 && server->num_failures == 1);

	/* Nobody listens: there, or any more. */
	cm_answer = CM_ACCEPT;
	cm_dial(patient, DOCA_RDMA_ADDR_TYPE_IPv4, "10.0.1.2", 4);
	DRIVE(patient, server, patient->num_failures == 2);
	cm_connect(patient, server);
	EXPECT(SUCCESS, doca_rdma_stop_listen_to_port(server->rdma, CM_PORT));
	cm_send(patient, server, 10); /* connections stay */
	cm_dial(patient, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 4);
	DRIVE(patient, server, patient->num_failures == 3);
	CHECK(patient->num_established == 1 && server->num_established == 1);
	end_destroy(client);
	end_destroy(patient);
	end_destroy(other);
	end_destroy(server);
}

/* The tasks of a connection that ends fail; the contexts and the other connections go on. */
static void ends(void)
{
	struct end *server = cm_listen(), *first = cm_start(HOST_0), *second = cm_start(DPU_1);
	struct doca_buf *src;

	cm_connect(first, server);
	cm_connect(second, server);
	src = local_src(first, 0, 100);
	for (int i = 0; i < 3; i++)
		submit_send(first, src); /* the server posts no receive */
	EXPECT(SUCCESS, doca_rdma_connection_disconnect(first->conn));
	DRIVE(first, server, first->num_disconnected == 1 && server->num_disconnected == 1);
	CHECK(first->errors == 3 && first->last_error == DOCA_ERROR_NOT_CONNECTED);
	CHECK(ctx_state(first->ctx) == DOCA_CTX_STATE_RUNNING);
	cm_send(second, server, 500);
	cm_connect(first, server); /* again */
	cm_send(first, server, 500);
	end_stop(first); /* as good as a disconnection */
	DRIVE(server, server, server->num_disconnected == 2);
	end_stop(server);
	DRIVE(second, second, second->num_disconnected == 1);
	submit_send(second, src);
	DRIVE(second, second, second->errors == 1);
	CHECK(second->last_error == DOCA_ERROR_NOT_CONNECTED && ctx_state(second->ctx) == DOCA_CTX_STATE_RUNNING);
	put_buf(src);
	end_destroy(first);
	end_destroy(second);
	end_destroy(server);
}

static void limits(void)
{
	struct end *server = cm_create(DPU_0), *clients[3];

	EXPECT(ERROR_INVALID_VALUE, doca_rdma_set_max_num_connections(server->rdma, 0));
	EXPECT(SUCCESS, doca_rdma_set_max_num_connections(server->rdma, 2));
	MUST(doca_ctx_start(server->ctx));
	EXPECT(SUCCESS, doca_rdma_start_listen_to_port(server->rdma, CM_PORT));
	for (int i = 0; i < 3; i++)
		clients[i] = cm_start(HOST_0);
	cm_connect(clients[0], server);
	cm_connect(clients[1], server);
	cm_dial(clients[2], DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 0);
	DRIVE(clients[2], server, clients[2]->num_failures == 1);
	EXPECT(SUCCESS, doca_rdma_connection_disconnect(clients[0]->conn));
	DRIVE(clients[0], server, server->num_disconnected == 1);
	cm_connect(clients[2], server);
	cm_send(clients[2], server, 8);
	for (int i = 0; i < 3; i++)
		end_destroy(clients[i]);
	end_destroy(server);
}

static void rounds(void)
{
	struct end *server = cm_listen(), *client = cm_start(HOST_0);
	int fds = 0;

	for (int i = 0; i < 1000; i++) {
		cm_connect(client, server);
		EXPECT(SUCCESS, doca_rdma_connection_disconnect(i % 2 == 0 ? client->conn : server->conn));
		DRIVE(client, server, client->num_disconnected == i + 1 && server->num_disconnected == i + 1);
		if (i == 10)
			fds = count_fds();
	}
	CHECK(count_fds() == fds);
	end_destroy(client);
	end_destroy(server);
}

/* A receive that is there already may take a message before the program has seen the connection. It is told first. */
static void known_before_its_messages(void)
{
	struct end *server = cm_listen(), *client = cm_start(HOST_0);
	struct doca_buf *src = local_src(client, 0, 100), *dst = local_dst(server, 0, 100);

	post_receive(server, dst);
	cm_dial(client, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 5);
	DRIVE(client, server, server->num_requests == 1);
	DRIVE(client, client, client->num_established == 1);
	submit_send(client, src);
	DRIVE(client, client, client->completions == 1);
	CHECK(doca_pe_progress(server->pe) == 1 && server->num_established == 1 && server->receives == 0);
	CHECK(doca_pe_progress(server->pe) == 1 && server->receives == 1);
	put_buf(src);
	put_buf(dst);
	end_destroy(client);
	end_destroy(server);
}

/* The program hears of connections in the order in which they were requested. */
static void in_their_order(void)
{
	struct end *server = cm_listen(), *client = cm_start(HOST_0);
	uint32_t ids[3];

	for (int i = 0; i < 3; i++)
		cm_dial(client, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 5);
	usleep(50000); /* they are there */
	DRIVE(server, server, server->num_requests == 3);
	DRIVE(client, server, client->num_established == 3 && server->num_established == 3);
	for (int i = 0; i < 3; i++)
		EXPECT(SUCCESS, doca_rdma_connection_get_id(server->requests[i], &ids[i]));
	CHECK(ids[0] < ids[1] && ids[1] < ids[2]);
	end_destroy(client);
	end_destroy(server);
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(addresses, every_type, failures, ends, limits, rounds, known_before_its_messages,
	  in_their_order, nothing_is_left)
