/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA between two contexts of one process: every kind of task, in both directions. */

#include "rdma_fixture.h"

static void fill(uint8_t *bytes, size_t len, uint8_t seed)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 251 + seed);
}

static void messages(void)
{
	static const size_t lens[] = {0, 1, 100, 4096, 65535, 65536, 65537, 300000};
	struct end *a = end_start(), *b = end_start();

	connect_ends(a, b);
	fill(a->memory, END_SIZE, 3);
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		struct doca_buf *src = local_src(a, 5, lens[i]), *dst = local_dst(b, 11, 400000);
		int done = a->completions, received = b->receives;

		memset(b->memory, 0, END_SIZE);
		post_receive(b, dst);
		submit_send(a, src);
		DRIVE(a, b, a->completions == done + 1 && b->receives == received + 1);
		CHECK(b->result_len == lens[i] && b->opcode == DOCA_RDMA_OPCODE_RECV_SEND && b->from == b->conn);
		CHECK(data_len(dst) == lens[i]);
		CHECK(memcmp(b->memory + 11, a->memory + 5, lens[i]) == 0);
		CHECK(b->memory[11 + lens[i]] == 0);
		put_buf(src);
		put_buf(dst);
	}
	/* Nothing on either side, and immediate data. */
	post_receive(b, NULL);
	post_receive(b, NULL);
	submit_send(a, NULL);
	submit_send_imm(a, NULL, 0x01020304);
	DRIVE(a, b, b->receives == 10 && a->completions == 10);
	CHECK(b->opcode == DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM && b->imm == 0x01020304 && b->result_len == 0);
	CHECK(a->errors == 0 && b->receive_errors == 0);
	end_destroy(a);
	end_destroy(b);
}

static void writes_and_reads(void)
{
	static const size_t lens[] = {0, 1, 64, 4096, 65537, 1000000};
	struct end *a = end_start(), *b = end_start();

	connect_ends(a, b);
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		struct doca_buf *src = local_src(a, 0, lens[i]), *dst = remote_dst(a, 24, lens[i] + 8);
		int done = a->completions;

		fill(a->memory, END_SIZE, (uint8_t)i);
		memset(b->memory, 0, END_SIZE);
		submit_write(a, src, dst);
		DRIVE(a, a, a->completions == done + 1); /* the peer's program does nothing */
		CHECK(memcmp(b->memory + 24, a->memory, lens[i]) == 0 && b->memory[24 + lens[i]] == 0);
		put_buf(src);
		put_buf(dst);

		src = remote_src(a, 24, lens[i]);
		dst = local_dst(a, 8, lens[i] + 16);
		fill(b->memory, END_SIZE, (uint8_t)(i + 100));
		memset(a->memory, 0, END_SIZE);
		submit_read(a, src, dst);
		DRIVE(a, a, a->completions == done + 2);
		CHECK(data_len(dst) == lens[i]);
		CHECK(memcmp(a->memory + 8, b->memory + 24, lens[i]) == 0 && a->memory[8 + lens[i]] == 0);
		put_buf(src);
		put_buf(dst);
	}
	CHECK(a->errors == 0);
	end_destroy(a);
	end_destroy(b);
}

static void write_with_immediate(void)
{
	struct end *a = end_start(), *b = end_start();
	struct doca_buf *src, *dst, *received;

	connect_ends(a, b);
	fill(a->memory, 5000, 9);
	src = local_src(a, 0, 5000);
	dst = remote_dst(a, 0, 5000);
	received = local_dst(b, 10000, 100);
	submit_write_imm(a, src, dst, 7); /* before the receive */
	for (int i = 0; i < 50; i++) {
		doca_pe_progress(a->pe);
		usleep(100);
	}
	CHECK(a->completions == 0);
	post_receive(b, received);
	DRIVE(a, b, a->completions == 1 && b->receives == 1);
	CHECK(b->opcode == DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM && b->imm == 7 && b->result_len == 5000);
	CHECK(data_len(received) == 0);
	CHECK(memcmp(a->memory, b->memory, 5000) == 0);
	put_buf(src);
	put_buf(dst);
	put_buf(received);
	end_destroy(a);
	end_destroy(b);
}

static uint64_t word(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static void atomics(void)
{
	struct end *a = end_start(), *b = end_start();
	struct doca_buf *dst, *result;

	connect_ends(a, b);
	b->memory[16] = 40;
	dst = remote_dst(a, 16, 8);
	result = local_dst(a, 0, 8);
	submit_fetch_add(a, dst, result, 2);
	DRIVE(a, a, a->completions == 1);
	CHECK(word(a->memory) == 40 && word(b->memory + 16) == 42 && data_len(result) == 8);
	MUST(doca_buf_reset_data_len(result));
	submit_cmp_swp(a, dst, result, 41, 1); /* it is not 41 */
	DRIVE(a, a, a->completions == 2);
	CHECK(word(a->memory) == 42 && word(b->memory + 16) == 42);
	MUST(doca_buf_reset_data_len(result));
	submit_cmp_swp(a, dst, result, 42, UINT64_MAX);
	DRIVE(a, a, a->completions == 3);
	CHECK(word(a->memory) == 42 && word(b->memory + 16) == UINT64_MAX);
	put_buf(dst);
	put_buf(result);
	end_destroy(a);
	end_destroy(b);
}

/* Local lists are gathered and scattered. */
static void lists(void)
{
	struct end *a = end_start(), *b = end_start();
	struct doca_buf *src, *dst, *remote;

	connect_ends(a, b);
	fill(a->memory, 1000, 1);
	src = local_src(a, 0, 100);
	MUST(doca_buf_chain_list(src, local_src(a, 500, 300)));
	dst = local_dst(b, 0, 150);
	MUST(doca_buf_chain_list(dst, local_dst(b, 1000, 400)));
	post_receive(b, dst);
	submit_send(a, src);
	DRIVE(a, b, a->completions == 1 && b->receives == 1);
	CHECK(memcmp(b->memory, a->memory, 100) == 0 && memcmp(b->memory + 100, a->memory + 500, 50) == 0 &&
	      memcmp(b->memory + 1000, a->memory + 550, 250) == 0);
	CHECK(data_len(dst) == 150);
	remote = remote_dst(a, 3000, 400);
	submit_write(a, src, remote);
	DRIVE(a, a, a->completions == 2);
	CHECK(memcmp(b->memory + 3000, a->memory, 100) == 0 && memcmp(b->memory + 3100, a->memory + 500, 300) == 0);
	put_buf(src);
	put_buf(dst);
	put_buf(remote);
	end_destroy(a);
	end_destroy(b);
}

/* Tasks may come before the peer has connected, and before it has posted a receive. All of them are carried out in
 * order. */
static void early(void)
{
	struct end *a = end_start(), *b = end_start();
	struct details of_a = end_export(a), of_b = end_export(b);
	struct doca_buf *bufs[20];

	end_connect(a, &of_b);
	for (int i = 0; i < 20; i++) {
		a->memory[i] = (uint8_t)(i + 1);
		bufs[i] = local_src(a, (size_t)i, 1);
		submit_send(a, bufs[i]);
	}
	for (int i = 0; i < 50; i++) {
		CHECK(doca_pe_progress(a->pe) == 0);
		usleep(100);
	}
	end_connect(b, &of_a);
	for (int i = 0; i < 20; i++) {
		struct doca_buf *dst = local_dst(b, 0, 1);

		post_receive(b, dst);
		DRIVE(a, b, b->receives == i + 1);
		CHECK(b->memory[0] == i + 1);
		put_buf(dst);
	}
	DRIVE(a, b, a->completions == 20);
	for (int i = 0; i < 20; i++)
		put_buf(bufs[i]);
	end_destroy(a);
	end_destroy(b);
}

static void many_connections(void)
{
	struct end *server = end_start(), *clients[END_MAX_CONNS];
	struct doca_rdma_connection *of_client[END_MAX_CONNS];
	struct details extra;

	for (int i = 0; i < END_MAX_CONNS; i++) {
		struct details of_server, of_client_i;

		clients[i] = end_start();
		of_server = end_export(server);
		of_client[i] = server->conn;
		of_client_i = end_export(clients[i]);
		end_connect(server, &of_client_i);
		end_connect(clients[i], &of_server);
		end_import(clients[i], &of_server);
	}
	{
		struct doca_rdma_connection *conn;
		const void *bytes;

		EXPECT(ERROR_FULL, doca_rdma_export(server->rdma, &bytes, &extra.len, &conn));
	}
	for (int i = 0; i < END_MAX_CONNS; i++) {
		struct doca_buf *src = local_src(clients[i], 0, 4), *dst = local_dst(server, 0, 4);

		memset(clients[i]->memory, i, 4);
		post_receive(server, dst);
		submit_send(clients[i], src);
		DRIVE(server, clients[i], server->receives == i + 1 && clients[i]->completions == 1);
		CHECK(server->from == of_client[i] && server->memory[0] == i);
		put_buf(src);
		put_buf(dst);
	}
	for (int i = 0; i < END_MAX_CONNS; i++)
		end_destroy(clients[i]);
	end_destroy(server);
}

/* Tasks of one connection are carried out in order, whoever carries them out. */
static void order(void)
{
	struct end *a = end_start(), *b = end_start();
	struct doca_buf *src[40], *remote[40], *dst[40];
	int rounds = 40;

	connect_ends(a, b);
	for (int i = 0; i < rounds; i++) {
		src[i] = local_src(a, (size_t)i * 8, 8);
		remote[i] = remote_dst(a, 0, 8);
		dst[i] = local_dst(b, 100 + (size_t)i * 8, 8);
		memset(a->memory + i * 8, i + 1, 8);
		post_receive(b, dst[i]);
	}
	/* Each write is done when the message behind it arrives; none is done before the message in front of it. */
	for (int i = 0; i < rounds; i++) {
		submit_write(a, src[i], remote[i]);
		submit_send(a, src[i]);
	}
	for (int i = 0; i < rounds; i++) {
		DRIVE(a, a, a->completions >= 2 * i + 2);
		DRIVE(b, b, b->receives >= i + 1);
		CHECK(b->memory[100 + i * 8] == i + 1 && b->memory[0] >= i + 1);
	}
	CHECK(a->completions == 2 * rounds && b->receives == rounds && b->memory[0] == rounds);
	for (int i = 0; i < rounds; i++) {
		put_buf(src[i]);
		put_buf(remote[i]);
		put_buf(dst[i]);
	}
	end_destroy(a);
	end_destroy(b);
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(messages, writes_and_reads, write_with_immediate, atomics, lists, early, many_connections, order, nothing_is_left)
