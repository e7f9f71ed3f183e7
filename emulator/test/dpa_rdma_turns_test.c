/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA on a DPA whose code posts without a pause: everybody else in the process has a turn, too. */

#include "dpa_rdma.h"

#define POSTERS 2
#define ROUNDS 20

struct flood {
	struct unit *unit;
	uint32_t conn;
	uint32_t num_running; /* accessed with atomics, as is */
	bool ends;
};

/* Long reads: a kernel posts them faster than they can be carried out. */
static void post_until_told(void *arg)
{
	struct flood *f = arg;
	const struct unit *u = f->unit;

	__atomic_fetch_add(&f->num_running, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&f->ends, __ATOMIC_SEQ_CST))
		device->rdma_post_read(u->handle, f->conn, u->mmap_handle, (uintptr_t)u->memory, u->peer_handle,
				       (uintptr_t)u->peer_addr, END_SIZE / 2, FLUSH | SILENT);
	__atomic_fetch_sub(&f->num_running, 1, __ATOMIC_SEQ_CST);
}

/* Its queue takes a while to empty, so it never does while the posters run. */
static struct unit *start_with_long_queue(void)
{
	struct unit *unit = unit_make(END_ALL);

	MUST(doca_rdma_set_send_queue_size(unit->rdma, 256));
	unit_begin(unit);
	return unit;
}

static void begin_flood(struct flood *f, struct job *job)
{
	MUST(doca_dpa_kernel_launch_update_set(f->unit->dpa, NULL, 0, NULL, 0, POSTERS,
					       (doca_dpa_func_t *)(void *)call_kernel, (uint64_t)(uintptr_t)job));
	WAIT_UNTIL(__atomic_load_n(&f->num_running, __ATOMIC_SEQ_CST) == POSTERS);
}

static void end_flood(struct flood *f)
{
	__atomic_store_n(&f->ends, true, __ATOMIC_SEQ_CST);
	WAIT_UNTIL(__atomic_load_n(&f->num_running, __ATOMIC_SEQ_CST) == 0);
}

static void connect_to_end(struct unit *unit, struct end *end)
{
	struct details of_unit = unit_export(unit), of_end = end_export(end);

	unit_connect(unit, &of_end);
	end_connect(end, &of_unit);
}

/* Messages of other contexts arrive. */
static void other_messages(void)
{
	struct unit *unit = start_with_long_queue();
	struct end *peer = end_start(), *a = end_start(), *b = end_start();
	struct flood flood = {.unit = unit};
	struct job job = {post_until_told, &flood};

	connect_ends(a, b);
	connect_to_end(unit, peer);
	begin_flood(&flood, &job);
	for (int i = 1; i <= ROUNDS; i++) {
		post_receive(b, NULL);
		submit_send(a, NULL);
		DRIVE(a, b, a->completions == i && b->receives == i);
	}
	end_flood(&flood);
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(unit->dpa));
	unit_destroy(unit);
	end_destroy(peer);
	end_destroy(a);
	end_destroy(b);
}

/* So do the requests of other connections, of the same context and of another one. */
static void other_connections(void)
{
	struct unit *other = unit_start(), *unit = start_with_long_queue();
	struct end *peer = end_start(), *second = end_start(), *third = end_start();
	struct flood flood = {.unit = unit, .conn = 1};
	struct job job = {post_until_told, &flood};
	struct doca_rdma_connection *conn;
	struct details of_second = end_export(second), of_unit = {.len = 0};
	const void *bytes;

	connect_to_end(other, third);
	connect_to_end(unit, peer);
	MUST(doca_rdma_export(unit->rdma, &bytes, &of_unit.len, &conn));
	memcpy(of_unit.bytes, bytes, of_unit.len);
	MUST(doca_rdma_connect(unit->rdma, of_second.bytes, of_second.len, conn));
	end_connect(second, &of_unit);
	begin_flood(&flood, &job);
	for (int i = 1; i <= ROUNDS; i++) {
		memset(unit->memory + END_SIZE - 8, i, 8);
		ON(unit, do_write, .local = END_SIZE - 8, .remote = END_SIZE - 8, .len = 8, .flags = FLUSH);
		CHECK(next_of(unit).type == SEND_OK && peer->memory[END_SIZE - 1] == i);
		other->memory[0] = (uint8_t)i;
		ON(other, do_write, .len = 1, .flags = FLUSH);
		CHECK(next_of(other).type == SEND_OK && third->memory[0] == i);
	}
	end_flood(&flood);
	unit_destroy(unit);
	unit_destroy(other);
	end_destroy(peer);
	end_destroy(second);
	end_destroy(third);
}

TEST_MAIN(other_messages, other_connections)
