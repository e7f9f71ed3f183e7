/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA between contexts on a DPA of two hosts. */

#include "dpa_rdma.h"

/* No process and no address is of this host. */
bool __wrap_emu_rdma_addr_is_ours(const uint8_t ip[16]);
bool __wrap_emu_rdma_addr_is_ours(const uint8_t ip[16])
{
	(void)ip;
	return false;
}

bool __wrap_emu_host_is_this(const uint8_t id[16]);
bool __wrap_emu_host_is_this(const uint8_t id[16])
{
	(void)id;
	return false;
}

static void both_ways(void)
{
	struct unit *a = unit_start(), *b = unit_start();
	uint64_t *number = (uint64_t *)(void *)(b->memory + 8192);
	struct taken taken;

	connect_units(a, b);
	for (size_t i = 0; i < END_SIZE; i++)
		a->memory[i] = (uint8_t)(i * 7);
	ON(a, do_write, .len = END_SIZE, .flags = FLUSH);
	CHECK(next_of(a).type == SEND_OK);
	CHECK(memcmp(a->memory, b->memory, END_SIZE) == 0);
	memset(b->memory, 3, 300000);
	ON(a, do_read, .local = 100, .remote = 50, .len = 200000, .flags = FLUSH);
	CHECK(next_of(a).type == SEND_OK);
	CHECK(a->memory[99] == (uint8_t)(99 * 7) && a->memory[100] == 3 && a->memory[200099] == 3);
	*number = 40;
	ON(a, do_add, .remote = 8192, .value = 2, .flags = FLUSH);
	CHECK(next_of(a).type == SEND_OK);
	ON(a, do_read, .local = 0, .remote = 8192, .len = 8, .flags = FLUSH);
	CHECK(next_of(a).type == SEND_OK && *(uint64_t *)(void *)a->memory == 42);
	post_receives(b, 2, 300000);
	memset(a->memory, 8, 300000);
	ON(a, do_send, .len = 300000, .flags = FLUSH);
	memset(a->memory, 9, 300000);
	ON(a, do_write_imm, .len = 8, .remote = 900000, .imm = 6, .flags = FLUSH);
	CHECK(next_of(b).type == RECV_SEND && b->memory[299999] == 8);
	taken = next_of(b);
	CHECK(taken.type == RECV_WRITE_IMM && taken.imm == 6 && b->memory[900007] == 9);
	CHECK(next_of(a).type == SEND_OK && next_of(a).type == SEND_OK);
	unit_destroy(a);
	unit_destroy(b);
}

static void failures(void)
{
	struct unit *a = unit_start(), *b = unit_start();

	connect_units(a, b);
	ON(a, do_send, .len = 8, .flags = FLUSH); /* waits for a receive */
	MUST(doca_mmap_stop(b->mmap));
	ON(a, do_write, .len = 8, .flags = FLUSH); /* its turn does not come */
	EXPECT(SUCCESS, doca_ctx_stop(b->ctx));
	CHECK(next_of(a).type == SEND_ERR && next_of(a).type == SEND_ERR);
	unit_destroy(a);
	unit_destroy(b);

	a = unit_start();
	b = unit_start();
	connect_units(a, b);
	MUST(doca_mmap_stop(b->mmap));
	ON(a, do_write, .len = 8, .flags = FLUSH);
	CHECK(next_of(a).type == SEND_ERR);
	unit_destroy(a);
	unit_destroy(b);
}

__attribute__((constructor)) static void name_the_host(void)
{
	setenv("DOCA_EMU_RDMA_ADDRESS", "127.0.0.1", 1);
}

TEST_MAIN(both_ways, failures, left_nothing)
