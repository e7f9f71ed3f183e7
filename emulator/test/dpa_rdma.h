/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_DPA_RDMA_H_
#define EMULATOR_TEST_DPA_RDMA_H_

/*
 * One end of RDMA connections whose data path is on a DPA. The functions below that post run as RPCs.
 */

#include <doca_rdma.h>

#include "dpa_call.h"
#include "rdma_fixture.h"

enum { SEND_OK = 0x0, RECV_WRITE_IMM = 0x1, RECV_SEND = 0x2, RECV_SEND_IMM = 0x3, SEND_ERR = 0xD, RECV_ERR = 0xE };
enum { NO_FLAG = 0, FLUSH = 1, SILENT = 2 };

#define UNIT_QUEUE 64

struct unit {
	struct doca_dev *dev;
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread; /* that completions wake, or NULL */
	struct job job;			/* of it */
	struct doca_dpa_completion *comp;
	doca_dpa_dev_completion_t comp_handle;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	doca_dpa_dev_rdma_t handle;
	uint8_t *memory; /* END_SIZE bytes */
	struct doca_mmap *mmap;
	doca_dpa_dev_mmap_t mmap_handle;
	struct doca_rdma_connection *conn;
	uint32_t id; /* of the connection */
	struct doca_mmap *peer;
	doca_dpa_dev_mmap_t peer_handle;
	uint8_t *peer_addr;
};

/* A context that is not started. If run is set, completions wake a DPA thread that calls it. */
static inline struct unit *unit_make_with(uint32_t permissions, void (*run)(void *arg), void *arg)
{
	struct unit *unit = calloc(1, sizeof(*unit));

	if (unit == NULL)
		exit(1);
	unit->dev = open_dev(DPU_0);
	unit->dpa = start_dpa(unit->dev);
	MUST(doca_dpa_completion_create(unit->dpa, UNIT_QUEUE, &unit->comp));
	if (run != NULL) {
		unit->job = (struct job){run, arg};
		MUST(doca_dpa_thread_create(unit->dpa, &unit->thread));
		MUST(doca_dpa_thread_set_func_arg(unit->thread, (doca_dpa_func_t *)(void *)call_thread,
						  (uint64_t)(uintptr_t)&unit->job));
		MUST(doca_dpa_thread_start(unit->thread));
		MUST(doca_dpa_completion_set_thread(unit->comp, unit->thread));
	}
	MUST(doca_dpa_completion_start(unit->comp));
	MUST(doca_dpa_completion_get_dpa_handle(unit->comp, &unit->comp_handle));
	unit->memory = aligned_alloc(4096, END_SIZE);
	memset(unit->memory, 0, END_SIZE);
	unit->mmap = make_mmap(unit->dev, unit->memory, END_SIZE, END_ALL);
	MUST(doca_mmap_dev_get_dpa_handle(unit->mmap, unit->dev, &unit->mmap_handle));
	MUST(doca_rdma_create(unit->dev, &unit->rdma));
	unit->ctx = doca_rdma_as_ctx(unit->rdma);
	MUST(doca_rdma_set_permissions(unit->rdma, permissions));
	MUST(doca_rdma_set_max_num_connections(unit->rdma, END_MAX_CONNS));
	MUST(doca_rdma_set_send_queue_size(unit->rdma, 16));
	MUST(doca_rdma_set_recv_queue_size(unit->rdma, 16));
	MUST(doca_ctx_set_datapath_on_dpa(unit->ctx, unit->dpa));
	MUST(doca_rdma_dpa_completion_attach(unit->rdma, unit->comp));
	return unit;
}

static inline struct unit *unit_make(uint32_t permissions)
{
	return unit_make_with(permissions, NULL, NULL);
}

static inline void unit_begin(struct unit *unit)
{
	MUST(doca_ctx_start(unit->ctx));
	MUST(doca_rdma_get_dpa_handle(unit->rdma, &unit->handle));
}

static inline struct unit *unit_start(void)
{
	struct unit *unit = unit_make(END_ALL);

	unit_begin(unit);
	return unit;
}

static inline void unit_destroy(struct unit *unit)
{
	EXPECT(SUCCESS, doca_ctx_stop(unit->ctx));
	MUST(doca_rdma_destroy(unit->rdma));
	MUST(doca_dpa_completion_destroy(unit->comp));
	if (unit->thread != NULL)
		MUST(doca_dpa_thread_destroy(unit->thread));
	if (unit->peer != NULL)
		MUST(doca_mmap_destroy(unit->peer));
	MUST(doca_mmap_destroy(unit->mmap));
	MUST(doca_dpa_destroy(unit->dpa));
	MUST(doca_dev_close(unit->dev));
	free(unit->memory);
	free(unit);
}

static inline struct details unit_export(struct unit *unit)
{
	struct details details = {.addr = (uintptr_t)unit->memory};
	const void *bytes;

	MUST(doca_rdma_export(unit->rdma, &bytes, &details.len, &unit->conn));
	MUST(doca_rdma_connection_get_id(unit->conn, &unit->id));
	memcpy(details.bytes, bytes, details.len);
	MUST(doca_mmap_export_rdma(unit->mmap, unit->dev, &bytes, &details.desc_len));
	memcpy(details.desc, bytes, details.desc_len);
	return details;
}

static inline void unit_connect(struct unit *unit, const struct details *peer)
{
	MUST(doca_rdma_connect(unit->rdma, peer->bytes, peer->len, unit->conn));
	MUST(doca_mmap_create_from_export(NULL, peer->desc, peer->desc_len, unit->dev, &unit->peer));
	MUST(doca_mmap_dev_get_dpa_handle(unit->peer, unit->dev, &unit->peer_handle));
	unit->peer_addr = (uint8_t *)(uintptr_t)peer->addr;
}

static inline void connect_units(struct unit *a, struct unit *b)
{
	struct details of_a = unit_export(a), of_b = unit_export(b);

	unit_connect(a, &of_b);
	unit_connect(b, &of_a);
}

/* What device code is to do. */
struct order {
	struct unit *unit;
	size_t local, remote, len; /* offsets */
	uint64_t value;
	uint32_t imm, flags;
	uint64_t event;
};

#define L(o) ((uintptr_t)(o)->unit->memory + (o)->local)
#define R(o) ((uintptr_t)(o)->unit->peer_addr + (o)->remote)
#define LM(o) ((o)->unit->mmap_handle)
#define RM(o) ((o)->unit->peer_handle)

#define ORDER(name, call)                                                                                              \
	static inline void name(void *arg)                                                                             \
	{                                                                                                              \
		struct order *o = arg;                                                                                 \
		const struct unit *u = o->unit;                                                                        \
                                                                                                                       \
		(void)u;                                                                                               \
		device->call;                                                                                          \
	}

ORDER(do_send, rdma_post_send(u->handle, u->id, LM(o), L(o), o->len, o->flags))
ORDER(do_send_imm, rdma_post_send_imm(u->handle, u->id, LM(o), L(o), o->len, o->imm, o->flags))
ORDER(do_write, rdma_post_write(u->handle, u->id, RM(o), R(o), LM(o), L(o), o->len, o->flags))
ORDER(do_write_imm, rdma_post_write_imm(u->handle, u->id, RM(o), R(o), LM(o), L(o), o->len, o->imm, o->flags))
ORDER(do_read, rdma_post_read(u->handle, u->id, LM(o), L(o), RM(o), R(o), o->len, o->flags))
ORDER(do_add, rdma_post_atomic_fetch_add(u->handle, u->id, RM(o), R(o), o->value, o->flags))
ORDER(do_receive, rdma_post_receive(u->handle, LM(o), L(o), o->len))
ORDER(do_ack, rdma_receive_ack(u->handle, (uint32_t)o->value))
ORDER(do_signal_set, rdma_signal_set(u->handle, u->id, o->event, o->value))
ORDER(do_signal_add, rdma_signal_add(u->handle, u->id, o->event, o->value))

/* ON(unit, do_send, .len = 8) */
#define ON(the_unit, what, ...) on_dpa((the_unit)->dpa, what, &(struct order){.unit = (the_unit), __VA_ARGS__})

/* A completion, and whether there was one. */
struct taken {
	const struct unit *unit;
	bool is_there;
	uint64_t element;
	int type;
	uint32_t imm, id, index;
};

static inline void do_take(void *arg)
{
	struct taken *taken = arg;

	taken->is_there = device->get_completion(taken->unit->comp_handle, &taken->element) == 1;
	if (!taken->is_there)
		return;
	taken->type = device->get_completion_type(taken->element);
	taken->id = device->get_completion_user_data(taken->element);
	taken->index = device->rdma_completion_get_wr_index(taken->element);
	if (taken->type == RECV_SEND_IMM || taken->type == RECV_WRITE_IMM)
		taken->imm = device->get_completion_immediate(taken->element);
	device->completion_ack(taken->unit->comp_handle, 1);
}

static inline bool has_completion(struct unit *unit, struct taken *taken)
{
	*taken = (struct taken){.unit = unit, .type = -1};
	on_dpa(unit->dpa, do_take, taken);
	return taken->is_there;
}

/* Waits for the next completion. */
static inline struct taken next_of(struct unit *unit)
{
	struct taken taken;

	WAIT_UNTIL(has_completion(unit, &taken));
	return taken;
}

/* Such a number of receives of len bytes each, one behind the other. */
static inline void post_receives(struct unit *unit, int num, size_t len)
{
	for (int i = 0; i < num; i++)
		on_dpa(unit->dpa, do_receive, &(struct order){.unit = unit, .local = (size_t)i * len, .len = len});
}

#endif /* EMULATOR_TEST_DPA_RDMA_H_ */
