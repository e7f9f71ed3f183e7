/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA between a context on a DPA and one on a CPU. */

#include <endian.h>

#include "dpa_rdma.h"

static void connect_to_end(struct unit *unit, struct end *end)
{
	struct details of_unit = unit_export(unit), of_end = end_export(end);

	unit_connect(unit, &of_end);
	end_connect(end, &of_unit);
	end_import(end, &of_unit);
}

static void both_ways(void)
{
	struct unit *unit = unit_start();
	struct end *end = end_start();
	struct doca_buf *buf;

	connect_to_end(unit, end);
	/* To the CPU. */
	buf = local_dst(end, 0, 100);
	post_receive(end, buf);
	memset(unit->memory, 3, 100);
	ON(unit, do_send_imm, .len = 100, .imm = 0x01020304, .flags = FLUSH);
	DRIVE(end, end, end->receives == 1);
	CHECK(end->memory[0] == 3 && end->memory[99] == 3 && end->memory[100] == 0);
	CHECK(end->imm == htobe32(0x01020304) && end->from == end->conn);
	CHECK(next_of(unit).type == SEND_OK);
	put_buf(buf);
	/* From the CPU. */
	post_receives(unit, 2, 100);
	buf = local_src(end, 0, 100);
	memset(end->memory, 4, 100);
	submit_send(end, buf);
	CHECK(next_of(unit).type == RECV_SEND);
	CHECK(unit->memory[0] == 4 && unit->memory[99] == 4);
	DRIVE(end, end, end->completions == 1);
	put_buf(buf);
	/* Memory, both ways. */
	ON(unit, do_write, .len = END_SIZE, .flags = FLUSH);
	CHECK(next_of(unit).type == SEND_OK);
	CHECK(memcmp(unit->memory, end->memory, END_SIZE) == 0);
	end_destroy(end);
	unit_destroy(unit);
}

/* With an engine for its connections, a context on a DPA connects by address, too. */

#define PORT 13601

static void accept_request(struct doca_rdma_connection *conn, union doca_data ctx_user_data)
{
	struct end *end = ctx_user_data.ptr;

	end->num_requests++;
	MUST(doca_rdma_connection_accept(conn, NULL, 0));
}

static void on_established(struct doca_rdma_connection *conn, union doca_data user_data, union doca_data ctx_user_data)
{
	struct end *end = ctx_user_data.ptr;

	(void)user_data;
	end->conn = conn;
	end->num_established++;
}

static void on_failure(struct doca_rdma_connection *conn, union doca_data user_data, union doca_data ctx_user_data)
{
	struct end *end = ctx_user_data.ptr;

	(void)conn;
	(void)user_data;
	end->num_failures++;
}

static void on_disconnection(struct doca_rdma_connection *conn, union doca_data user_data, union doca_data ctx_user_data)
{
	struct end *end = ctx_user_data.ptr;

	(void)conn;
	(void)user_data;
	end->num_disconnected++;
}

static void by_address(void)
{
	struct unit *unit = unit_make(END_ALL);
	struct end *end = end_create(), reports = {.rdma = unit->rdma};
	struct doca_rdma_addr *addr;
	struct doca_buf *buf;

	MUST(doca_pe_create(&reports.pe));
	MUST(doca_pe_connect_ctx(reports.pe, unit->ctx));
	MUST(doca_ctx_set_user_data(unit->ctx, (union doca_data){.ptr = &reports}));
	MUST(doca_rdma_set_connection_state_callbacks(unit->rdma, accept_request, on_established, on_failure,
						      on_disconnection));
	unit_begin(unit);
	MUST(doca_rdma_set_connection_state_callbacks(end->rdma, accept_request, on_established, on_failure,
						      on_disconnection));
	MUST(doca_ctx_start(end->ctx));
	EXPECT(SUCCESS, doca_rdma_start_listen_to_port(unit->rdma, PORT));
	MUST(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", PORT, &addr));
	MUST(doca_rdma_connect_to_addr(end->rdma, addr, no_data));
	DRIVE(end, &reports, end->num_established == 1 && reports.num_established == 1);
	MUST(doca_rdma_connection_get_id(reports.conn, &unit->id));
	CHECK(unit->id == 0);
	post_receives(unit, 1, 8);
	memset(end->memory, 3, 8);
	buf = local_src(end, 0, 8);
	submit_send(end, buf);
	DRIVE(end, end, end->completions == 1);
	CHECK(next_of(unit).type == RECV_SEND && unit->memory[7] == 3);
	put_buf(buf);
	MUST(doca_rdma_connection_disconnect(end->conn));
	DRIVE(end, &reports, reports.num_disconnected == 1);
	ON(unit, do_send, .len = 8, .flags = FLUSH);
	CHECK(next_of(unit).type == SEND_ERR);
	MUST(doca_rdma_connection_disconnect(reports.conn));
	MUST(doca_rdma_addr_destroy(addr));
	end_destroy(end);
	unit_destroy(unit);
	MUST(doca_pe_destroy(reports.pe));
}

TEST_MAIN(both_ways, by_address, left_nothing)
