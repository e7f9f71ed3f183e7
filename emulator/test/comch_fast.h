/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_COMCH_FAST_H_
#define EMULATOR_TEST_COMCH_FAST_H_

/* Consumers and producers for tests, each with an engine, memory and buffers of its own. */

#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include "comch_fixture.h"

#define PARTY_MEMORY (1u << 20)
#define PARTY_TASKS 16

struct party {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_ctx *ctx;
	uint32_t id;
	uint8_t *memory;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	int done, failed;
	doca_error_t last_error;
	char states[256];
	void (*on_done)(struct party *party, struct doca_task *task);
	void (*on_failed)(struct party *party, struct doca_task *task);
	void (*on_state)(struct party *party, enum doca_ctx_states state);
	void *hook_data;
	/* Of the last receive. */
	struct doca_buf *last_buf;
	uint32_t last_producer, last_imm_len;
	uint8_t last_imm[32];
};

static inline void party_state(union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
			       enum doca_ctx_states next)
{
	static const char *const names[] = {" idle", " starting", " running", " stopping"};
	struct party *party = data.ptr;

	CHECK(prev != next && ctx_state(ctx) == next);
	strncat(party->states, names[next], sizeof(party->states) - strlen(party->states) - 1);
	if (party->on_state != NULL)
		party->on_state(party, next);
}

static inline bool states_are(struct party *party, const char *expected)
{
	bool are = strcmp(party->states, expected) == 0;

	if (!are)
		fprintf(stderr, "states are \"%s\"\n", party->states);
	party->states[0] = '\0';
	return are;
}

static inline void party_received(struct doca_comch_consumer_task_post_recv *recv, union doca_data task_data,
				  union doca_data data)
{
	struct doca_task *task = doca_comch_consumer_task_post_recv_as_task(recv);
	struct party *party = data.ptr;
	const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(recv);

	(void)task_data;
	EXPECT(SUCCESS, doca_task_get_status(task));
	party->done++;
	party->last_buf = doca_comch_consumer_task_post_recv_get_buf(recv);
	party->last_producer = doca_comch_consumer_task_post_recv_get_producer_id(recv);
	party->last_imm_len = doca_comch_consumer_task_post_recv_get_imm_data_len(recv);
	CHECK((imm == NULL) == (party->last_imm_len == 0));
	if (imm != NULL)
		memcpy(party->last_imm, imm, party->last_imm_len);
	if (party->on_done != NULL)
		party->on_done(party, task);
	else
		doca_task_free(task);
}

static inline void party_failed(struct party *party, struct doca_task *task)
{
	party->failed++;
	party->last_error = doca_task_get_status(task);
	CHECK(party->last_error != DOCA_SUCCESS);
	if (party->on_failed != NULL)
		party->on_failed(party, task);
	else
		doca_task_free(task);
}

static inline void party_recv_failed(struct doca_comch_consumer_task_post_recv *recv, union doca_data task_data,
				     union doca_data data)
{
	(void)task_data;
	CHECK(doca_comch_consumer_task_post_recv_get_producer_id(recv) == 0);
	party_failed(data.ptr, doca_comch_consumer_task_post_recv_as_task(recv));
}

static inline void party_sent(struct doca_comch_producer_task_send *send, union doca_data task_data,
			      union doca_data data)
{
	struct doca_task *task = doca_comch_producer_task_send_as_task(send);
	struct party *party = data.ptr;

	(void)task_data;
	EXPECT(SUCCESS, doca_task_get_status(task));
	party->done++;
	if (party->on_done != NULL)
		party->on_done(party, task);
	else
		doca_task_free(task);
}

static inline void party_send_failed(struct doca_comch_producer_task_send *send, union doca_data task_data,
				     union doca_data data)
{
	(void)task_data;
	party_failed(data.ptr, doca_comch_producer_task_send_as_task(send));
}

static inline struct party *new_party(struct end *end, uint32_t permissions)
{
	struct party *party = calloc(1, sizeof(*party));

	party->dev = open_dev(end->is_server ? DPU_0 : HOST_0);
	party->memory = malloc(PARTY_MEMORY);
	for (size_t i = 0; i < PARTY_MEMORY; i++)
		party->memory[i] = (uint8_t)(i * 7 + i / 251);
	party->mmap = make_mmap(party->dev, party->memory, PARTY_MEMORY, permissions);
	party->inventory = make_inventory(64);
	MUST(doca_pe_create(&party->pe));
	drive(party->pe);
	return party;
}

static inline void set_up_party(struct party *party)
{
	MUST(doca_ctx_set_user_data(party->ctx, (union doca_data){.ptr = party}));
	MUST(doca_ctx_set_state_changed_cb(party->ctx, party_state));
	MUST(doca_pe_connect_ctx(party->pe, party->ctx));
}

/* Not started. */
static inline struct party *new_consumer(struct end *end)
{
	struct party *party = new_party(end, DOCA_ACCESS_FLAG_PCI_READ_WRITE);

	MUST(doca_comch_consumer_create(end->conn, party->mmap, &party->consumer));
	MUST(doca_comch_consumer_get_id(party->consumer, &party->id));
	party->ctx = doca_comch_consumer_as_ctx(party->consumer);
	MUST(doca_comch_consumer_task_post_recv_set_conf(party->consumer, party_received, party_recv_failed,
							 PARTY_TASKS));
	MUST(doca_comch_consumer_set_imm_data_len(party->consumer, 32));
	set_up_party(party);
	return party;
}

static inline struct party *new_producer(struct end *end)
{
	struct party *party = new_party(end, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);

	MUST(doca_comch_producer_create(end->conn, &party->producer));
	MUST(doca_comch_producer_get_id(party->producer, &party->id));
	party->ctx = doca_comch_producer_as_ctx(party->producer);
	MUST(doca_comch_producer_task_send_set_conf(party->producer, party_sent, party_send_failed, PARTY_TASKS));
	set_up_party(party);
	return party;
}

/* Running, and known to the peer: needs the control engines of both ends. */
static inline struct party *start_consumer(struct end *end, struct end *peer)
{
	struct party *party = new_consumer(end);
	int known = peer->num_consumers;

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(party->ctx));
	UNTIL(ctx_state(party->ctx) == DOCA_CTX_STATE_RUNNING && peer->num_consumers == known + 1);
	CHECK(peer->consumers[known] == party->id);
	return party;
}

static inline struct party *start_producer(struct end *end)
{
	struct party *party = new_producer(end);

	EXPECT(SUCCESS, doca_ctx_start(party->ctx));
	return party;
}

static inline void stop_party(struct party *party)
{
	doca_error_t result = doca_ctx_stop(party->ctx);

	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	while (ctx_state(party->ctx) != DOCA_CTX_STATE_IDLE) /* its own engine is enough */
		doca_pe_progress(party->pe);
}

static inline void delete_party(struct party *party)
{
	if (party->ctx != NULL) {
		stop_party(party);
		if (party->consumer != NULL)
			MUST(doca_comch_consumer_destroy(party->consumer));
		else
			MUST(doca_comch_producer_destroy(party->producer));
	}
	undrive(party->pe);
	MUST(doca_pe_destroy(party->pe));
	MUST(doca_buf_inventory_destroy(party->inventory));
	MUST(doca_mmap_destroy(party->mmap));
	MUST(doca_dev_close(party->dev));
	free(party->memory);
	free(party);
}

/* An empty buffer to receive into, and one with data to send. */
static inline struct doca_buf *room(struct party *party, size_t offset, size_t len)
{
	return dst_buf(party->inventory, party->mmap, party->memory + offset, len);
}

static inline struct doca_buf *data(struct party *party, size_t offset, size_t len)
{
	return src_buf(party->inventory, party->mmap, party->memory + offset, len);
}

static inline struct doca_task *make_recv(struct party *party, struct doca_buf *buf)
{
	struct doca_comch_consumer_task_post_recv *recv;

	MUST(doca_comch_consumer_task_post_recv_alloc_init(party->consumer, buf, &recv));
	return doca_comch_consumer_task_post_recv_as_task(recv);
}

static inline void post(struct party *party, struct doca_buf *buf)
{
	MUST(doca_task_submit(make_recv(party, buf)));
}

static inline struct doca_task *make_produce(struct party *party, const struct doca_buf *buf, const void *imm,
					     uint32_t imm_len, uint32_t consumer)
{
	struct doca_comch_producer_task_send *send;

	MUST(doca_comch_producer_task_send_alloc_init(party->producer, buf, (uint8_t *)(uintptr_t)imm, imm_len,
						      consumer, &send));
	return doca_comch_producer_task_send_as_task(send);
}

/* Submits; a task that is not accepted is freed. */
static inline doca_error_t produce(struct party *party, const struct doca_buf *buf, const void *imm, uint32_t imm_len,
				   uint32_t consumer)
{
	struct doca_task *task = make_produce(party, buf, imm, imm_len, consumer);
	doca_error_t result = doca_task_submit(task);

	if (result != DOCA_SUCCESS)
		doca_task_free(task);
	return result;
}

/* A connection with a consumer on one side and a producer on the other. */
struct fast {
	struct pair pair;
	struct party *consumer; /* the server's */
	struct party *producer; /* the client's */
};

static inline struct fast make_fast(const char *name)
{
	struct fast fast = {.pair = make_pair(name)};

	fast.consumer = start_consumer(fast.pair.server, fast.pair.client);
	fast.producer = start_producer(fast.pair.client);
	return fast;
}

static inline void delete_fast(struct fast *fast)
{
	delete_party(fast->producer);
	delete_party(fast->consumer);
	delete_pair(fast->pair);
}

#endif /* EMULATOR_TEST_COMCH_FAST_H_ */
