/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA on a DPA: mistakes, ends and failures. */

#include "core/emu_dev.h"
#include "dpa_rdma.h"

struct two {
	struct unit *a, *b;
};

static struct two start_two(void)
{
	struct two two = {unit_start(), unit_start()};

	connect_units(two.a, two.b);
	return two;
}

static void destroy_two(struct two *two)
{
	unit_destroy(two->a);
	unit_destroy(two->b);
}

/* The map of a unit, with other permissions. */
static void limit_map(struct unit *unit, uint32_t permissions)
{
	MUST(doca_mmap_destroy(unit->mmap));
	unit->mmap = make_mmap(unit->dev, unit->memory, END_SIZE, permissions);
	MUST(doca_mmap_dev_get_dpa_handle(unit->mmap, unit->dev, &unit->mmap_handle));
}

/* Requests that fail are completions with an error, and the connection is of no use afterwards. */

static const struct {
	void (*run)(void *arg);
	size_t local, remote, len;
	uint32_t local_permissions, peer_permissions, ctx_permissions;
} failing[] = {
	{do_send, END_SIZE - 4, 0, 5, END_ALL, END_ALL, END_ALL},
	{do_send, (size_t)-8, 0, 8, END_ALL, END_ALL, END_ALL},
	{do_write, 0, END_SIZE - 4, 5, END_ALL, END_ALL, END_ALL},
	{do_write, 0, (size_t)-8, 16, END_ALL, END_ALL, END_ALL},
	{do_read, END_SIZE - 4, 0, 5, END_ALL, END_ALL, END_ALL},
	{do_read, 0, END_SIZE, 1, END_ALL, END_ALL, END_ALL},
	{do_add, 0, END_SIZE - 4, 0, END_ALL, END_ALL, END_ALL},
	{do_add, 0, 4, 0, END_ALL, END_ALL, END_ALL}, /* not aligned */
	{do_read, 0, 0, 8, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY | DOCA_ACCESS_FLAG_RDMA_READ, END_ALL, END_ALL},
	{do_write, 0, 0, 8, END_ALL, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ, END_ALL},
	{do_write_imm, 0, 0, 8, END_ALL, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ, END_ALL},
	{do_read, 0, 0, 8, END_ALL, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE, END_ALL},
	{do_add, 0, 0, 0, END_ALL, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE, END_ALL},
	{do_write, 0, 0, 8, END_ALL, END_ALL, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE},
	{do_read, 0, 0, 8, END_ALL, END_ALL, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE},
	{do_add, 0, 0, 0, END_ALL, END_ALL, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE},
};

static void failing_requests(void)
{
	for (size_t i = 0; i < sizeof(failing) / sizeof(failing[0]); i++) {
		struct two two = {unit_start(), unit_make(failing[i].ctx_permissions)};
		struct taken taken;

		unit_begin(two.b);
		if (failing[i].local_permissions != END_ALL)
			limit_map(two.a, failing[i].local_permissions);
		if (failing[i].peer_permissions != END_ALL)
			limit_map(two.b, failing[i].peer_permissions);
		connect_units(two.a, two.b);
		post_receives(two.b, 2, 8);
		memset(two.a->memory, 6, END_SIZE);
		ON(two.a, failing[i].run, .local = failing[i].local, .remote = failing[i].remote, .len = failing[i].len,
		   .value = 1, .flags = FLUSH | SILENT); /* errors are reported always */
		taken = next_of(two.a);
		CHECK(taken.type == SEND_ERR && taken.id == two.a->id);
		ON(two.a, do_send, .len = 1, .flags = FLUSH);
		CHECK(next_of(two.a).type == SEND_ERR);
		/* The peer was lost, so nothing can arrive at the other side. */
		CHECK(next_of(two.b).type == RECV_ERR && next_of(two.b).type == RECV_ERR);
		for (size_t byte = 0; byte < 64; byte++)
			CHECK(two.b->memory[byte] == 0);
		EXPECT(SUCCESS, doca_dpa_peek_at_last_error(two.a->dpa));
		EXPECT(SUCCESS, doca_dpa_peek_at_last_error(two.b->dpa));
		destroy_two(&two);
	}
}

static void too_long(void)
{
	struct two two = start_two();

	post_receives(two.b, 1, 8);
	ON(two.a, do_send, .len = 9, .flags = FLUSH);
	CHECK(next_of(two.a).type == SEND_ERR);
	CHECK(next_of(two.b).type == RECV_ERR);
	CHECK(two.b->memory[0] == 0);
	destroy_two(&two);
}

/* A receive into memory that the device may not write, or whose map is gone when the message arrives. */
static void bad_receives(void)
{
	struct two two = start_two();
	struct doca_mmap *gone;
	doca_dpa_dev_mmap_t handle = two.b->mmap_handle;

	ON(two.b, do_receive, .local = END_SIZE - 4, .len = 8);
	ON(two.a, do_send, .len = 8, .flags = FLUSH);
	CHECK(next_of(two.a).type == SEND_ERR);
	CHECK(next_of(two.b).type == RECV_ERR);
	destroy_two(&two);

	two = start_two();
	handle = two.b->mmap_handle;
	gone = make_mmap(two.b->dev, two.b->memory, 64, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	MUST(doca_mmap_dev_get_dpa_handle(gone, two.b->dev, &two.b->mmap_handle));
	ON(two.b, do_receive, .len = 8);
	MUST(doca_mmap_destroy(gone));
	two.b->mmap_handle = handle;
	memset(two.a->memory, 1, 8);
	ON(two.a, do_send, .len = 8, .flags = FLUSH);
	CHECK(next_of(two.b).type == RECV_ERR);
	CHECK(two.b->memory[0] == 0);
	destroy_two(&two);
}

static void not_connected(void)
{
	struct two two = {unit_start(), unit_start()};
	struct details of_a = unit_export(two.a), of_b = unit_export(two.b);

	ON(two.a, do_send, .flags = FLUSH);
	CHECK(next_of(two.a).type == SEND_ERR);
	unit_connect(two.a, &of_b);
	ON(two.a, do_send_imm, .imm = 4, .flags = FLUSH); /* waits for the peer */
	ON(two.a, do_write, .len = 8, .flags = FLUSH);
	post_receives(two.b, 1, 8);
	unit_connect(two.b, &of_a);
	CHECK(next_of(two.a).type == SEND_OK && next_of(two.a).type == SEND_OK);
	CHECK(next_of(two.b).imm == 4);
	MUST(doca_rdma_connection_disconnect(two.a->conn));
	ON(two.a, do_send, .flags = FLUSH);
	CHECK(next_of(two.a).type == SEND_ERR);
	destroy_two(&two);
}

/* Mistakes that end the kernel. */

static void no_such_connection(void *arg)
{
	struct order *o = arg;

	device->rdma_post_send(o->unit->handle, 7, 0, 0, 0, FLUSH);
}

static void no_such_map(void *arg)
{
	struct order *o = arg;

	device->rdma_post_send(o->unit->handle, o->unit->id, o->unit->mmap_handle + 1000, 0, 8, FLUSH);
}

static void no_such_context(void *arg)
{
	struct order *o = arg;

	device->rdma_post_receive(o->unit->handle + 1, 0, 0, 0);
}

static void another_kind(void *arg)
{
	struct order *o = arg;

	device->rdma_receive_ack(o->unit->comp_handle, 0);
}

static void no_such_event(void *arg)
{
	struct order *o = arg;

	device->rdma_signal_set(o->unit->handle, o->unit->id, 12345, 1);
}

static void too_many_receives(void *arg)
{
	struct order *o = arg;

	for (int i = 0; i < 17; i++)
		device->rdma_post_receive(o->unit->handle, 0, 0, 0);
}

static void too_many_acks(void *arg)
{
	struct order *o = arg;

	device->rdma_post_receive(o->unit->handle, 0, 0, 0);
	device->rdma_receive_ack(o->unit->handle, 1);
}

static void too_big(void *arg)
{
	struct order *o = arg;

	device->rdma_post_send(o->unit->handle, o->unit->id, o->unit->mmap_handle, 0, (size_t)-1, FLUSH);
}

static void bad_buffer(void *arg)
{
	struct order *o = arg;

	device->rdma_post_buf_send(o->unit->handle, o->unit->id, 8, FLUSH); /* no address of anything */
}

static void no_completion(void *arg)
{
	struct order *o = arg;

	device->rdma_completion_get_wr_index(o->unit->comp_handle);
}

static void fatal_mistakes(void)
{
	static void (*const mistakes[])(void *arg) = {
		no_such_connection, no_such_map, no_such_context, another_kind, no_such_event,
		too_many_receives,  too_many_acks, too_big, bad_buffer, no_completion,
	};

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct two two = start_two();
		struct order order = {.unit = two.a};

		ON(two.a, do_send, .flags = FLUSH); /* it waits for a receive */
		IS_FATAL(two.a->dpa, mistakes[i], &order);
		ON(two.b, do_send, .flags = FLUSH); /* nobody will receive it */
		CHECK(next_of(two.b).type == SEND_ERR);
		EXPECT(SUCCESS, doca_dpa_peek_at_last_error(two.b->dpa));
		destroy_two(&two);
	}
}

static void handles_end(void)
{
	struct two two = start_two();

	EXPECT(SUCCESS, doca_ctx_stop(two.a->ctx));
	IS_FATAL(two.a->dpa, do_receive, (&(struct order){.unit = two.a}));
	destroy_two(&two);
}

/* A context goes on with another DPA after the first one has failed. */
static void another_dpa(void)
{
	struct two two = start_two();
	struct doca_dpa *failed = two.a->dpa;
	struct doca_dpa_completion *comp = two.a->comp;
	struct details of_a, of_b;

	IS_FATAL(failed, too_many_acks, (&(struct order){.unit = two.a}));
	EXPECT(SUCCESS, doca_ctx_stop(two.a->ctx));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(two.a->ctx));
	two.a->dpa = start_dpa(two.a->dev);
	MUST(doca_dpa_completion_create(two.a->dpa, UNIT_QUEUE, &two.a->comp));
	MUST(doca_dpa_completion_start(two.a->comp));
	MUST(doca_dpa_completion_get_dpa_handle(two.a->comp, &two.a->comp_handle));
	EXPECT(SUCCESS, doca_rdma_dpa_completion_attach(two.a->rdma, two.a->comp));
	EXPECT(SUCCESS, doca_ctx_set_datapath_on_dpa(two.a->ctx, two.a->dpa));
	MUST(doca_dpa_completion_destroy(comp));
	MUST(doca_dpa_destroy(failed));
	unit_begin(two.a);
	MUST(doca_mmap_destroy(two.a->peer));
	MUST(doca_mmap_destroy(two.b->peer));
	of_a = unit_export(two.a);
	of_b = unit_export(two.b);
	unit_connect(two.a, &of_b);
	unit_connect(two.b, &of_a);
	ON(two.a, do_write, .len = 8, .flags = FLUSH);
	CHECK(next_of(two.a).type == SEND_OK);
	destroy_two(&two);
}

/* Ends with requests in flight. */

static void peer_stops(void)
{
	struct two two = start_two();

	ON(two.a, do_send, .len = 8, .flags = FLUSH); /* nobody receives it */
	ON(two.a, do_write, .len = 8, .flags = FLUSH);
	ON(two.a, do_write, .len = 8, .flags = NO_FLAG); /* not even flushed */
	EXPECT(SUCCESS, doca_ctx_stop(two.b->ctx));
	for (int i = 0; i < 3; i++)
		CHECK(next_of(two.a).type == SEND_ERR);
	destroy_two(&two);
}

static void this_side_stops(void)
{
	struct two two = start_two();
	struct taken taken;

	post_receives(two.a, 3, 1000);
	ON(two.a, do_send, .len = 8, .flags = FLUSH);
	ON(two.a, do_read, .len = END_SIZE, .flags = FLUSH);
	ON(two.a, do_send, .len = 8, .flags = NO_FLAG);
	EXPECT(SUCCESS, doca_ctx_stop(two.a->ctx));
	CHECK(!has_completion(two.a, &taken)); /* code on the DPA could do nothing about them */
	destroy_two(&two);
}

/* Stops while code on the DPA posts: it ends with a fatal error when the handle is gone. */

static void post_for_ever(void *arg)
{
	struct order *o = arg;
	uint64_t element;

	while (true) {
		__atomic_store_n(&o->value, 1, __ATOMIC_SEQ_CST);
		device->rdma_post_write(o->unit->handle, o->unit->id, RM(o), R(o), LM(o), L(o), 4096, FLUSH);
		while (device->get_completion(o->unit->comp_handle, &element) == 1)
			device->completion_ack(o->unit->comp_handle, 1);
	}
}

static void stops_under_load(void)
{
	for (int i = 0; i < 10; i++) {
		struct two two = start_two();
		struct order order = {.unit = two.a};
		struct job job = {post_for_ever, &order};

		launch_on_dpa(two.a->dpa, &job);
		WAIT_UNTIL(__atomic_load_n(&order.value, __ATOMIC_SEQ_CST) == 1);
		usleep((useconds_t)(i * 300));
		EXPECT(SUCCESS, doca_ctx_stop(i % 2 == 0 ? two.a->ctx : two.b->ctx));
		if (i % 2 == 0)
			WAIT_UNTIL(doca_dpa_peek_at_last_error(two.a->dpa) == DOCA_ERROR_BAD_STATE);
		destroy_two(&two);
	}
}

static void never_ready(void)
{
	struct two two = {unit_make(END_ALL), unit_start()};

	MUST(doca_rdma_set_rnr_retry_count(two.a->rdma, 1));
	unit_begin(two.a);
	connect_units(two.a, two.b);
	ON(two.a, do_send, .flags = FLUSH);
	CHECK(next_of(two.a).type == SEND_ERR);
	destroy_two(&two);
}

static void lost_device(void)
{
	struct two two = start_two();

	emu_dev_lose(two.a->dev);
	CHECK(try_on_dpa(two.a->dpa, do_send, &(struct order){.unit = two.a, .len = 8, .flags = FLUSH}) != DOCA_SUCCESS ||
	      next_of(two.a).type == SEND_ERR);
	destroy_two(&two);
}

/* Connections by address are reported by an engine. */
static void by_address(void)
{
	struct unit *unit = unit_start();
	struct doca_rdma_addr *addr;

	MUST(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 13579, &addr));
	EXPECT(ERROR_NOT_SUPPORTED, doca_rdma_connect_to_addr(unit->rdma, addr, (union doca_data){.u64 = 0}));
	EXPECT(ERROR_NOT_SUPPORTED, doca_rdma_start_listen_to_port(unit->rdma, 13579));
	MUST(doca_rdma_addr_destroy(addr));
	unit_destroy(unit);
}

TEST_MAIN(failing_requests, too_long, bad_receives, not_connected, fatal_mistakes, handles_end, another_dpa, peer_stops,
	  this_side_stops, stops_under_load, never_ready, by_address, lost_device, left_nothing)
