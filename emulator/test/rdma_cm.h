/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_RDMA_CM_H_
#define EMULATOR_TEST_RDMA_CM_H_

/*
 * Connections by address: ends whose callbacks record what happens. They accept every request, unless told otherwise.
 */

#include "rdma_fixture.h"

/* One of this process alone: tests of several programs may run at once. */
static uint16_t cm_port;

__attribute__((constructor)) static void choose_port(void)
{
	cm_port = (uint16_t)(20000 + getpid() % 12000);
}

#define CM_PORT cm_port

enum cm_answer { CM_ACCEPT, CM_REJECT, CM_WAIT };

static enum cm_answer cm_answer;
static bool cm_answers_disconnection = true;
static bool cm_peers_die; /* a request may be reported after the peer's end was seen */

/* The context's user data is the end, but the callbacks of connections get it as a parameter. */
static inline void cm_requested(struct doca_rdma_connection *conn, union doca_data ctx_user_data)
{
	struct end *end = ctx_user_data.ptr;

	end->requests[end->num_requests % END_MAX_CONNS] = conn;
	end->num_requests++;
	if (cm_answer == CM_ACCEPT) {
		doca_error_t result = doca_rdma_connection_accept(conn, NULL, 0);

		CHECK(result == DOCA_SUCCESS || (cm_peers_die && result == DOCA_ERROR_CONNECTION_ABORTED));
		EXPECT(SUCCESS, doca_rdma_connection_set_user_data(conn, (union doca_data){.u64 = 77}));
	} else if (cm_answer == CM_REJECT) {
		EXPECT(SUCCESS, doca_rdma_connection_reject(conn));
		EXPECT(ERROR_CONNECTION_ABORTED, doca_rdma_connection_reject(conn));
		EXPECT(ERROR_CONNECTION_ABORTED, doca_rdma_connection_accept(conn, NULL, 0));
	}
}

static inline void cm_established(struct doca_rdma_connection *conn, union doca_data user_data,
				  union doca_data ctx_user_data)
{
	struct end *end = ctx_user_data.ptr;

	end->established[end->num_established % END_MAX_CONNS] = conn;
	end->num_established++;
	end->established_data = user_data.u64;
	end->conn = conn;
}

static inline void cm_failed(struct doca_rdma_connection *conn, union doca_data user_data, union doca_data ctx_user_data)
{
	struct end *end = ctx_user_data.ptr;

	end->num_failures++;
	end->failed = conn;
	end->failure_data = user_data.u64;
}

static inline void cm_disconnected(struct doca_rdma_connection *conn, union doca_data user_data,
				   union doca_data ctx_user_data)
{
	struct end *end = ctx_user_data.ptr;

	end->num_disconnected++;
	end->disconnected = conn;
	end->disconnected_data = user_data.u64;
	if (cm_answers_disconnection)
		doca_rdma_connection_disconnect(conn); /* this side may have ended it itself */
}

static inline struct end *cm_create(const char *dev)
{
	struct end *end = end_create_on(dev, END_ALL);

	EXPECT(SUCCESS, doca_rdma_set_connection_state_callbacks(end->rdma, cm_requested, cm_established, cm_failed,
								 cm_disconnected));
	return end;
}

static inline struct end *cm_start(const char *dev)
{
	struct end *end = cm_create(dev);

	MUST(doca_ctx_start(end->ctx));
	return end;
}

static inline struct end *cm_listen(void)
{
	struct end *end = cm_start(DPU_0);

	EXPECT(SUCCESS, doca_rdma_start_listen_to_port(end->rdma, CM_PORT));
	return end;
}

static inline void cm_dial(struct end *end, enum doca_rdma_addr_type type, const char *text, uint64_t user_data)
{
	struct doca_rdma_addr *addr;

	EXPECT(SUCCESS, doca_rdma_addr_create(type, text, CM_PORT, &addr));
	EXPECT(SUCCESS, doca_rdma_connect_to_addr(end->rdma, addr, (union doca_data){.u64 = user_data}));
	EXPECT(SUCCESS, doca_rdma_addr_destroy(addr));
}

static inline void cm_connect(struct end *client, struct end *server)
{
	int of_client = client->num_established, of_server = server->num_established;

	cm_dial(client, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 5);
	DRIVE(client, server, client->num_established > of_client && server->num_established > of_server);
}

/* Sends a message from one end to the other on their latest connections. */
static inline void cm_send(struct end *from, struct end *to, size_t len)
{
	struct doca_buf *src = local_src(from, 0, len), *dst = local_dst(to, 0, len);
	int done = from->completions, received = to->receives;

	for (size_t i = 0; i < len; i++)
		from->memory[i] = (uint8_t)(i * 3 + len);
	post_receive(to, dst);
	submit_send(from, src);
	DRIVE(from, to, from->completions == done + 1 && to->receives == received + 1);
	CHECK(memcmp(from->memory, to->memory, len) == 0);
	put_buf(src);
	put_buf(dst);
}

#endif /* EMULATOR_TEST_RDMA_CM_H_ */
