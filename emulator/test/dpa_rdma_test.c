/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA between contexts whose data path is on a DPA, in one process. */

#include "dpa_rdma.h"
#include "sync_event_fixture.h"

static void states(void)
{
	struct unit *unit = unit_make(END_ALL);
	struct doca_dpa *stopped;
	struct doca_rdma *other;
	doca_dpa_dev_rdma_t handle;
	uint32_t id;
	struct details details;

	EXPECT(ERROR_INVALID_VALUE, doca_ctx_set_datapath_on_dpa(unit->ctx, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_dpa_completion_attach(NULL, unit->comp));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_dpa_completion_attach(unit->rdma, NULL));
	EXPECT(SUCCESS, doca_rdma_dpa_completion_attach(unit->rdma, unit->comp)); /* once more */
	EXPECT(ERROR_BAD_STATE, doca_rdma_get_dpa_handle(unit->rdma, &handle));
	EXPECT(SUCCESS, doca_ctx_start(unit->ctx)); /* without an engine */
	CHECK(ctx_state(unit->ctx) == DOCA_CTX_STATE_RUNNING);
	EXPECT(ERROR_BAD_STATE, doca_ctx_set_datapath_on_dpa(unit->ctx, unit->dpa));
	EXPECT(ERROR_BAD_STATE, doca_rdma_dpa_completion_attach(unit->rdma, unit->comp));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_get_dpa_handle(NULL, &handle));
	EXPECT(ERROR_INVALID_VALUE, doca_rdma_get_dpa_handle(unit->rdma, NULL));
	EXPECT(SUCCESS, doca_rdma_get_dpa_handle(unit->rdma, &handle));
	CHECK(handle != 0);
	EXPECT(ERROR_IN_USE, doca_dpa_destroy(unit->dpa));
	for (uint32_t i = 0; i < 3; i++) { /* numbers from 0, in the order of creation */
		details = unit_export(unit);
		CHECK(details.len > 0);
		EXPECT(SUCCESS, doca_rdma_connection_get_id(unit->conn, &id));
		CHECK(id == i);
	}
	EXPECT(SUCCESS, doca_ctx_stop(unit->ctx));
	EXPECT(ERROR_BAD_STATE, doca_rdma_get_dpa_handle(unit->rdma, &handle));
	EXPECT(SUCCESS, doca_ctx_start(unit->ctx));
	details = unit_export(unit);
	CHECK(unit->id == 0);

	/* A DPA that is not started, and a context of another kind. */
	MUST(doca_dpa_create(unit->dev, &stopped));
	MUST(doca_rdma_create(unit->dev, &other));
	EXPECT(ERROR_NOT_CONNECTED, doca_ctx_start(doca_rdma_as_ctx(other)));
	EXPECT(ERROR_BAD_STATE, doca_rdma_get_dpa_handle(other, &handle));
	EXPECT(SUCCESS, doca_ctx_set_datapath_on_dpa(doca_rdma_as_ctx(other), stopped));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(doca_rdma_as_ctx(other)));
	MUST(doca_rdma_destroy(other));
	MUST(doca_dpa_destroy(stopped));
	unit_destroy(unit);
}

static void messages(void)
{
	struct unit *a = unit_start(), *b = unit_start();
	struct taken taken;

	connect_units(a, b);
	memset(a->memory, 1, 100);
	post_receives(b, 3, 200);
	ON(a, do_send, .len = 100, .flags = FLUSH);
	ON(a, do_send_imm, .len = 50, .imm = 0x01020304, .flags = FLUSH);
	ON(a, do_write_imm, .len = 10, .remote = 1000, .imm = 5, .flags = FLUSH);
	for (uint32_t i = 0; i < 3; i++) {
		taken = next_of(a);
		CHECK(taken.type == SEND_OK && taken.id == a->id && taken.index == i);
	}
	taken = next_of(b);
	CHECK(taken.type == RECV_SEND && taken.id == b->id && taken.index == 0);
	taken = next_of(b);
	CHECK(taken.type == RECV_SEND_IMM && taken.imm == 0x01020304 && taken.index == 1);
	taken = next_of(b);
	CHECK(taken.type == RECV_WRITE_IMM && taken.imm == 5 && taken.index == 2);
	CHECK(b->memory[0] == 1 && b->memory[99] == 1 && b->memory[100] == 0);
	CHECK(b->memory[200] == 1 && b->memory[249] == 1 && b->memory[250] == 0);
	CHECK(b->memory[400] == 0); /* a write with immediate data does not use it */
	CHECK(b->memory[1000] == 1 && b->memory[1009] == 1 && b->memory[1010] == 0);
	CHECK(!has_completion(a, &taken) && !has_completion(b, &taken));
	/* Empty ones need no memory. */
	ON(b, do_ack, .value = 3);
	on_dpa(b->dpa, do_receive, &(struct order){.unit = b});
	ON(a, do_send_imm, .imm = 9, .flags = FLUSH);
	CHECK(next_of(a).type == SEND_OK);
	taken = next_of(b);
	CHECK(taken.type == RECV_SEND_IMM && taken.imm == 9);
	unit_destroy(a);
	unit_destroy(b);
}

static void memory(void)
{
	struct unit *a = unit_start(), *b = unit_start();
	uint64_t *number;

	connect_units(a, b);
	for (size_t i = 0; i < END_SIZE; i++)
		a->memory[i] = (uint8_t)(i * 7);
	ON(a, do_write, .len = END_SIZE, .flags = FLUSH);
	CHECK(next_of(a).type == SEND_OK);
	CHECK(memcmp(a->memory, b->memory, END_SIZE) == 0);
	memset(b->memory, 3, 5000);
	ON(a, do_read, .local = 100, .remote = 50, .len = 4000, .flags = FLUSH);
	CHECK(next_of(a).type == SEND_OK);
	CHECK(a->memory[99] == (uint8_t)(99 * 7) && a->memory[100] == 3 && a->memory[4099] == 3 &&
	      a->memory[4100] == (uint8_t)(4100 * 7));
	number = (uint64_t *)(void *)(b->memory + 8192);
	*number = 40;
	ON(a, do_add, .remote = 8192, .value = 2, .flags = FLUSH);
	CHECK(next_of(a).type == SEND_OK);
	CHECK(*number == 42);
	ON(a, do_write, .len = 0, .flags = FLUSH);
	ON(a, do_read, .len = 0, .flags = FLUSH);
	CHECK(next_of(a).type == SEND_OK && next_of(a).type == SEND_OK);
	unit_destroy(a);
	unit_destroy(b);
}

/* The same with buffers. */

struct buffers {
	struct unit *a, *b;
	struct doca_dpa_dev_buf_like {
		uint64_t addr, len;
		uint32_t mmap;
		uint8_t reserved[12];
	} __attribute__((packed)) local, remote, number, in;
};

#define BUF(buf) ((uint64_t)(uintptr_t)&(buf))

static void post_buffers(void *arg)
{
	struct buffers *s = arg;
	struct unit *a = s->a;

	device->rdma_post_buf_send(a->handle, a->id, BUF(s->local), FLUSH);
	device->rdma_post_buf_send_imm(a->handle, a->id, BUF(s->local), 11, FLUSH);
	device->rdma_post_buf_write(a->handle, a->id, BUF(s->remote), BUF(s->local), FLUSH);
	device->rdma_post_buf_write_imm(a->handle, a->id, BUF(s->remote), BUF(s->local), 12, FLUSH);
	device->rdma_post_buf_atomic_fetch_add(a->handle, a->id, BUF(s->number), 5, FLUSH);
	device->rdma_post_buf_read(a->handle, a->id, BUF(s->in), BUF(s->number), FLUSH);
}

static void receive_buffers(void *arg)
{
	struct buffers *s = arg;

	for (int i = 0; i < 3; i++)
		device->rdma_post_buf_receive(s->b->handle, BUF(s->in));
}

static void buffers(void)
{
	struct buffers s = {.a = unit_start(), .b = unit_start()};

	connect_units(s.a, s.b);
	memset(s.a->memory, 4, 64);
	s.in.addr = (uintptr_t)s.b->memory + 256;
	s.in.len = 64;
	s.in.mmap = s.b->mmap_handle;
	on_dpa(s.b->dpa, receive_buffers, &s);
	s.local.addr = (uintptr_t)s.a->memory;
	s.local.len = 64;
	s.local.mmap = s.a->mmap_handle;
	s.remote.addr = (uintptr_t)s.a->peer_addr;
	s.remote.len = 64;
	s.remote.mmap = s.a->peer_handle;
	s.number = s.remote;
	s.number.addr += 512;
	s.number.len = 8;
	s.in.addr = (uintptr_t)s.a->memory + 1024;
	s.in.len = 8;
	s.in.mmap = s.a->mmap_handle;
	on_dpa(s.a->dpa, post_buffers, &s);
	for (int i = 0; i < 6; i++)
		CHECK(next_of(s.a).type == SEND_OK);
	CHECK(next_of(s.b).type == RECV_SEND);
	CHECK(next_of(s.b).imm == 11);
	CHECK(next_of(s.b).imm == 12);
	CHECK(s.b->memory[0] == 4 && s.b->memory[63] == 4 && s.b->memory[64] == 0 && s.b->memory[256] == 4);
	CHECK(s.b->memory[512] == 5 && s.a->memory[1024] == 5);
	unit_destroy(s.a);
	unit_destroy(s.b);
}

/* Four messages for one receive, which is posted again. What is sent is what was there at the post. */
static void not_ready(void)
{
	struct unit *a = unit_start(), *b = unit_start();
	struct taken taken;

	connect_units(a, b);
	post_receives(b, 1, 8);
	for (uint8_t i = 1; i <= 4; i++) {
		a->memory[0] = i;
		ON(a, do_send, .len = 1, .flags = FLUSH);
	}
	a->memory[0] = 99;
	for (uint8_t i = 1; i <= 4; i++) {
		CHECK(next_of(b).type == RECV_SEND);
		CHECK(b->memory[0] == i);
		CHECK(next_of(a).type == SEND_OK);
		CHECK(!has_completion(a, &taken));
		ON(b, do_ack, .value = 1);
		if (i < 4)
			post_receives(b, 1, 8);
	}
	/* The same for a write. */
	a->memory[0] = 50;
	ON(a, do_write, .len = 1, .remote = 100, .flags = NO_FLAG);
	a->memory[0] = 51;
	ON(a, do_write, .len = 1, .remote = 101, .flags = FLUSH);
	CHECK(next_of(a).type == SEND_OK && next_of(a).type == SEND_OK);
	CHECK(b->memory[100] == 50 && b->memory[101] == 51);
	unit_destroy(a);
	unit_destroy(b);
}

static void flags(void)
{
	struct unit *a = unit_start(), *b = unit_start();
	struct taken taken;

	connect_units(a, b);
	post_receives(b, 4, 8);
	ON(a, do_send_imm, .imm = 1, .flags = NO_FLAG);
	ON(a, do_send_imm, .imm = 2, .flags = SILENT);
	usleep(20000);
	CHECK(!has_completion(a, &taken) && !has_completion(b, &taken)); /* they wait for a flush */
	ON(a, do_send_imm, .imm = 3, .flags = FLUSH | SILENT);
	ON(a, do_send_imm, .imm = 4, .flags = FLUSH);
	for (uint32_t i = 1; i <= 4; i++)
		CHECK(next_of(b).imm == i);
	CHECK(next_of(a).index == 0);
	CHECK(next_of(a).index == 3);
	CHECK(!has_completion(a, &taken));
	unit_destroy(a);
	unit_destroy(b);
}

/* More requests than the send queue holds: the post waits, and flushes what fills the queue. */

static void post_many(void *arg)
{
	struct order *o = arg;

	for (uint32_t i = 0; i < 100; i++)
		device->rdma_post_send_imm(o->unit->handle, o->unit->id, 0, 0, 0, i, i == 99 ? FLUSH : SILENT);
}

static void receive_many(void *arg)
{
	struct order *o = arg;

	for (uint32_t i = 0; i < 100; i++) {
		uint64_t element;

		device->rdma_post_receive(o->unit->handle, 0, 0, 0);
		while (device->get_completion(o->unit->comp_handle, &element) == 0)
			device->yield();
		o->value += device->get_completion_immediate(element) == i;
		device->completion_ack(o->unit->comp_handle, 1);
		device->rdma_receive_ack(o->unit->handle, 1);
	}
}

static void full_queues(void)
{
	struct unit *a = unit_start(), *b = unit_start();
	struct order sends = {.unit = a}, receives = {.unit = b};
	struct job job = {post_many, &sends};
	struct taken taken;

	connect_units(a, b);
	launch_on_dpa(a->dpa, &job);
	on_dpa(b->dpa, receive_many, &receives);
	CHECK(receives.value == 100);
	taken = next_of(a);
	CHECK(taken.type == SEND_OK && taken.index == 99 % 16);
	unit_destroy(a);
	unit_destroy(b);
}

static void signals(void)
{
	struct unit *a = unit_start(), *b = unit_start();
	struct doca_sync_event *event = make_shared_event(b->dev);
	struct doca_sync_event_remote_net *remote;
	doca_dpa_dev_sync_event_remote_net_t handle, again;
	const uint8_t *blob;
	struct taken taken;
	size_t len;

	connect_units(a, b);
	MUST(doca_sync_event_start(event));
	MUST(doca_sync_event_export_to_remote_net(event, &blob, &len));
	MUST(doca_sync_event_remote_net_create_from_export(a->dev, blob, len, &remote));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_remote_net_get_dpa_handle(NULL, a->dpa, &handle));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_remote_net_get_dpa_handle(remote, NULL, &handle));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_remote_net_get_dpa_handle(remote, a->dpa, NULL));
	EXPECT(SUCCESS, doca_sync_event_remote_net_get_dpa_handle(remote, a->dpa, &handle));
	EXPECT(SUCCESS, doca_sync_event_remote_net_get_dpa_handle(remote, a->dpa, &again));
	CHECK(handle == again);
	EXPECT(ERROR_NOT_SUPPORTED, doca_sync_event_remote_net_get_dpa_handle(remote, b->dpa, &again));
	ON(a, do_signal_set, .event = handle, .value = 300);
	MUST(doca_sync_event_wait_eq(event, 300, ~UINT64_C(0)));
	ON(a, do_signal_add, .event = handle, .value = 7);
	MUST(doca_sync_event_wait_eq(event, 307, ~UINT64_C(0)));
	CHECK(!has_completion(a, &taken));
	MUST(doca_sync_event_destroy(event));
	ON(a, do_signal_add, .event = handle, .value = 7); /* it is gone */
	CHECK(next_of(a).type == SEND_ERR);
	MUST(doca_sync_event_remote_net_destroy(remote));
	IS_FATAL(a->dpa, do_signal_add, (&(struct order){.unit = a, .event = handle}));
	unit_destroy(a);
	unit_destroy(b);
}

/* Several connections of one context share its receives. */
static void connections(void)
{
	struct unit *hub = unit_start(), *ends[3];
	uint32_t ids[3], seen = 0;

	for (int i = 0; i < 3; i++) {
		struct details of_hub, of_end;

		ends[i] = unit_start();
		of_hub = unit_export(hub);
		of_end = unit_export(ends[i]);
		ids[i] = hub->id;
		unit_connect(hub, &of_end);
		unit_connect(ends[i], &of_hub);
		MUST(doca_mmap_destroy(hub->peer));
		hub->peer = NULL;
	}
	post_receives(hub, 3, 8);
	for (int i = 0; i < 3; i++) {
		CHECK(ids[i] == (uint32_t)i && ends[i]->id == 0);
		ON(ends[i], do_send_imm, .imm = (uint32_t)i, .flags = FLUSH);
	}
	for (int i = 0; i < 3; i++) {
		struct taken taken = next_of(hub);

		CHECK(taken.imm == taken.id);
		seen |= 1u << taken.id;
	}
	CHECK(seen == 7);
	for (int i = 2; i >= 0; i--)
		unit_destroy(ends[i]);
	unit_destroy(hub);
}

/* A DPA thread that is woken by completions answers each message, as NVIDIA's ping-pong does. */

#define PINGS 200

struct pinger {
	struct unit *unit;
	uint32_t num; /* accessed with atomics */
	bool is_bad;
};

static void on_ping(void *arg)
{
	struct pinger *p = arg;
	struct unit *u = p->unit;
	uint64_t element;

	while (device->get_completion(u->comp_handle, &element) == 1) {
		uint32_t num = __atomic_add_fetch(&p->num, 1, __ATOMIC_SEQ_CST);

		p->is_bad |= device->get_completion_type(element) != RECV_SEND;
		device->completion_ack(u->comp_handle, 1);
		device->rdma_receive_ack(u->handle, 1);
		if (num > PINGS)
			continue;
		device->rdma_post_receive(u->handle, u->mmap_handle, (uintptr_t)u->memory, 8);
		device->rdma_post_send(u->handle, 0, u->mmap_handle, (uintptr_t)u->memory + 64, 8, FLUSH | SILENT);
	}
	device->completion_request_notification(u->comp_handle);
	device->thread_reschedule();
}

static void threads(void)
{
	struct pinger a = {.num = 0}, b = {.num = 0};

	a.unit = unit_make_with(END_ALL, on_ping, &a);
	b.unit = unit_make_with(END_ALL, on_ping, &b);
	unit_begin(a.unit);
	unit_begin(b.unit);
	connect_units(a.unit, b.unit);
	post_receives(a.unit, 1, 8);
	post_receives(b.unit, 1, 8);
	MUST(doca_dpa_thread_run(a.unit->thread));
	MUST(doca_dpa_thread_run(b.unit->thread));
	ON(a.unit, do_send, .len = 8, .flags = FLUSH | SILENT);
	WAIT_UNTIL(__atomic_load_n(&a.num, __ATOMIC_SEQ_CST) >= PINGS && __atomic_load_n(&b.num, __ATOMIC_SEQ_CST) >= PINGS);
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(a.unit->dpa));
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(b.unit->dpa));
	unit_destroy(a.unit);
	unit_destroy(b.unit);
	CHECK(!a.is_bad && !b.is_bad);
}

/* The threads of a kernel post at once: writes, which this process carries out, and messages, which the peer does. */

#define WORKERS 8
#define POSTS 50

struct workers {
	struct unit *unit;
	uint32_t num; /* of threads; accessed with atomics */
};

static void post_mixed(void *arg)
{
	struct workers *w = arg;
	struct unit *u = w->unit;
	uint32_t me = __atomic_fetch_add(&w->num, 1, __ATOMIC_SEQ_CST);
	uint64_t at = (uintptr_t)u->peer_addr + me * 8;

	for (uint32_t i = 0; i < POSTS; i++) {
		device->rdma_post_write(u->handle, u->id, u->peer_handle, at, u->mmap_handle,
					(uintptr_t)u->memory + me * 8, 8, FLUSH | SILENT);
		device->rdma_post_atomic_fetch_add(u->handle, u->id, u->peer_handle, at, 1, FLUSH | SILENT);
		device->rdma_post_read(u->handle, u->id, u->mmap_handle, (uintptr_t)u->memory + 4096 + me * 8,
				       u->peer_handle, at, 8, i == POSTS - 1 ? FLUSH : FLUSH | SILENT);
	}
}

static void many_threads(void)
{
	struct workers w = {.unit = unit_start()};
	struct unit *b = unit_start();
	struct job job = {post_mixed, &w};

	connect_units(w.unit, b);
	for (uint64_t i = 0; i < WORKERS; i++)
		((uint64_t *)(void *)w.unit->memory)[i] = i * 100;
	MUST(doca_dpa_kernel_launch_update_set(w.unit->dpa, NULL, 0, NULL, 0, WORKERS,
					       (doca_dpa_func_t *)(void *)call_kernel, (uint64_t)(uintptr_t)&job));
	for (int i = 0; i < WORKERS; i++)
		CHECK(next_of(w.unit).type == SEND_OK);
	for (uint64_t i = 0; i < WORKERS; i++)
		CHECK(((uint64_t *)(void *)(w.unit->memory + 4096))[i] == i * 100 + 1);
	unit_destroy(w.unit);
	unit_destroy(b);
}

/* A context without a completion queue reports nothing. */
static void no_queue(void)
{
	struct unit *a = unit_make(END_ALL), *b = unit_start();
	struct taken taken;

	MUST(doca_rdma_destroy(a->rdma));
	MUST(doca_rdma_create(a->dev, &a->rdma));
	a->ctx = doca_rdma_as_ctx(a->rdma);
	MUST(doca_ctx_set_datapath_on_dpa(a->ctx, a->dpa));
	unit_begin(a);
	connect_units(a, b);
	post_receives(b, 1, 8);
	ON(a, do_send_imm, .imm = 3, .flags = FLUSH);
	CHECK(next_of(b).imm == 3);
	ON(a, do_write, .len = END_SIZE + 1, .flags = FLUSH); /* nor an error */
	CHECK(!has_completion(a, &taken));
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(a->dpa));
	unit_destroy(a);
	unit_destroy(b);
}

/* A context on a second device is on an extension of the DPA. */

struct extended {
	doca_dpa_dev_t dpa;
	struct unit *unit;
	struct doca_mmap *mmap;
	doca_dpa_dev_mmap_t handle;
	uint32_t num;
};

static void use_extended(void *arg)
{
	struct extended *e = arg;
	struct unit *u = e->unit;
	uint64_t element = 0;

	device->device_set(e->dpa);
	device->rdma_post_send_imm(u->handle, u->id, e->handle, (uintptr_t)u->memory, 8, 3, FLUSH);
	while (device->get_completion(u->comp_handle, &element) == 0)
		;
	e->num = device->get_completion_type(element) == SEND_OK;
}

static void extended_dpa(void)
{
	struct unit *unit = unit_make(END_ALL), *b = unit_start();
	struct doca_dpa *base = unit->dpa;
	struct doca_dev *other = open_dev(DPU_1);
	struct extended e = {.unit = unit};
	struct doca_dpa_completion *old = unit->comp;
	struct details of_b, of_unit;
	const void *bytes;

	MUST(doca_rdma_destroy(unit->rdma));
	MUST(doca_dpa_device_extend(base, other, &unit->dpa));
	MUST(doca_dpa_get_dpa_handle(unit->dpa, &e.dpa));
	MUST(doca_rdma_create(other, &unit->rdma));
	unit->ctx = doca_rdma_as_ctx(unit->rdma);
	MUST(doca_ctx_set_datapath_on_dpa(unit->ctx, base));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(unit->ctx)); /* the base is of another device */
	MUST(doca_ctx_set_datapath_on_dpa(unit->ctx, unit->dpa));
	MUST(doca_rdma_dpa_completion_attach(unit->rdma, old));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(unit->ctx)); /* and so is the queue */
	MUST(doca_dpa_completion_create(unit->dpa, UNIT_QUEUE, &unit->comp));
	MUST(doca_dpa_completion_start(unit->comp));
	MUST(doca_dpa_completion_get_dpa_handle(unit->comp, &unit->comp_handle));
	MUST(doca_rdma_dpa_completion_attach(unit->rdma, unit->comp));
	unit_begin(unit);
	e.mmap = make_mmap(other, unit->memory, END_SIZE, END_ALL);
	MUST(doca_mmap_dev_get_dpa_handle(e.mmap, other, &e.handle));
	of_b = unit_export(b);
	MUST(doca_rdma_export(unit->rdma, &bytes, &of_unit.len, &unit->conn));
	memcpy(of_unit.bytes, bytes, of_unit.len);
	MUST(doca_rdma_connection_get_id(unit->conn, &unit->id));
	MUST(doca_rdma_connect(unit->rdma, of_b.bytes, of_b.len, unit->conn));
	MUST(doca_rdma_connect(b->rdma, of_unit.bytes, of_unit.len, b->conn));
	post_receives(b, 1, 8);
	on_dpa(base, use_extended, &e);
	CHECK(e.num == 1);
	CHECK(next_of(b).imm == 3);
	EXPECT(SUCCESS, doca_ctx_stop(unit->ctx));
	MUST(doca_rdma_destroy(unit->rdma));
	MUST(doca_dpa_completion_destroy(unit->comp));
	MUST(doca_dpa_completion_destroy(old));
	MUST(doca_dpa_destroy(unit->dpa));
	MUST(doca_mmap_destroy(e.mmap));
	MUST(doca_mmap_destroy(unit->mmap));
	MUST(doca_dpa_destroy(base));
	MUST(doca_dev_close(other));
	MUST(doca_dev_close(unit->dev));
	free(unit->memory);
	free(unit);
	unit_destroy(b);
}

TEST_MAIN(states, messages, memory, buffers, not_ready, flags, full_queues, signals, connections, threads, many_threads,
	  no_queue, extended_dpa, left_nothing)
