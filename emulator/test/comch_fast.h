/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_COMCH_FAST_H_
#define EMULATOR_TEST_COMCH_FAST_H_

/* Consumers and producers for tests, each with an engine, memory and buffers of its own. */

#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include "comch_fixture.h"

#define ENDPOINT_MEMORY (1u << 20)
#define ENDPOINT_TASKS 16

struct endpoint {
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
	void (*on_done)(struct endpoint *endpoint, struct doca_task *task);
	void (*on_failed)(struct endpoint *endpoint, struct doca_task *task);
	void (*on_state)(struct endpoint *endpoint, enum doca_ctx_states state);
	void *hook_data;
	/* Of the last receive. */
	struct doca_buf *last_buf;
	uint32_t last_producer, last_imm_len;
	uint8_t last_imm[32];
};

static inline void endpoint_state(union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
			       enum doca_ctx_states next)
{
	static const char *const names[] = {" idle", " starting", " running", " stopping"};
	struct endpoint *endpoint = data.ptr;

	CHECK(prev != next && ctx_state(ctx) == next);
	strncat(endpoint->states, names[next], sizeof(endpoint->states) - strlen(endpoint->states) - 1);
	if (endpoint->on_state != NULL)
		endpoint->on_state(endpoint, next);
}

static inline bool states_are(struct endpoint *endpoint, const char *expected)
{
	bool are = strcmp(endpoint->states, expected) == 0;

	if (!are)
		fprintf(stderr, "states are \"%s\"\n", endpoint->states);
	endpoint->states[0] = '\0';
	return are;
}

static inline void endpoint_received(struct doca_comch_consumer_task_post_recv *recv, union doca_data task_data,
				  union doca_data data)
{
	struct doca_task *task = doca_comch_consumer_task_post_recv_as_task(recv);
	struct endpoint *endpoint = data.ptr;
	const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(recv);

	(void)task_data;
	EXPECT(SUCCESS, doca_task_get_status(task));
	endpoint->done++;
	endpoint->last_buf = doca_comch_consumer_task_post_recv_get_buf(recv);
	endpoint->last_producer = doca_comch_consumer_task_post_recv_get_producer_id(recv);
	endpoint->last_imm_len = doca_comch_consumer_task_post_recv_get_imm_data_len(recv);
	CHECK((imm == NULL) == (endpoint->last_imm_len == 0));
	if (imm != NULL)
		memcpy(endpoint->last_imm, imm, endpoint->last_imm_len);
	if (endpoint->on_done != NULL)
		endpoint->on_done(endpoint, task);
	else
		doca_task_free(task);
}

static inline void endpoint_failed(struct endpoint *endpoint, struct doca_task *task)
{
	endpoint->failed++;
	endpoint->last_error = doca_task_get_status(task);
	CHECK(endpoint->last_error != DOCA_SUCCESS);
	if (endpoint->on_failed != NULL)
		endpoint->on_failed(endpoint, task);
	else
		doca_task_free(task);
}

static inline void endpoint_recv_failed(struct doca_comch_consumer_task_post_recv *recv, union doca_data task_data,
				     union doca_data data)
{
	(void)task_data;
	CHECK(doca_comch_consumer_task_post_recv_get_producer_id(recv) == 0);
	endpoint_failed(data.ptr, doca_comch_consumer_task_post_recv_as_task(recv));
}

static inline void endpoint_sent(struct doca_comch_producer_task_send *send, union doca_data task_data,
			      union doca_data data)
{
	struct doca_task *task = doca_comch_producer_task_send_as_task(send);
	struct endpoint *endpoint = data.ptr;

	(void)task_data;
	EXPECT(SUCCESS, doca_task_get_status(task));
	endpoint->done++;
	if (endpoint->on_done != NULL)
		endpoint->on_done(endpoint, task);
	else
		doca_task_free(task);
}

static inline void endpoint_send_failed(struct doca_comch_producer_task_send *send, union doca_data task_data,
				     union doca_data data)
{
	(void)task_data;
	endpoint_failed(data.ptr, doca_comch_producer_task_send_as_task(send));
}

/* The memory of endpoints, if it is to be other memory than that of malloc, and its release. */
static uint8_t *(*endpoint_memory)(void);
static void (*endpoint_memory_free)(uint8_t *memory);

static inline struct endpoint *new_endpoint(struct end *end, uint32_t permissions)
{
	struct endpoint *endpoint = calloc(1, sizeof(*endpoint));

	endpoint->dev = open_dev(end->is_server ? DPU_0 : HOST_0);
	endpoint->memory = endpoint_memory != NULL ? endpoint_memory() : malloc(ENDPOINT_MEMORY);
	for (size_t i = 0; i < ENDPOINT_MEMORY; i++)
		endpoint->memory[i] = (uint8_t)(i * 7 + i / 251);
	endpoint->mmap = make_mmap(endpoint->dev, endpoint->memory, ENDPOINT_MEMORY, permissions);
	endpoint->inventory = make_inventory(64);
	MUST(doca_pe_create(&endpoint->pe));
	drive(endpoint->pe);
	return endpoint;
}

static inline void set_up_endpoint(struct endpoint *endpoint)
{
	MUST(doca_ctx_set_user_data(endpoint->ctx, (union doca_data){.ptr = endpoint}));
	MUST(doca_ctx_set_state_changed_cb(endpoint->ctx, endpoint_state));
	MUST(doca_pe_connect_ctx(endpoint->pe, endpoint->ctx));
}

/* Not started. */
static inline struct endpoint *new_consumer(struct end *end)
{
	struct endpoint *endpoint = new_endpoint(end, DOCA_ACCESS_FLAG_PCI_READ_WRITE);

	MUST(doca_comch_consumer_create(end->conn, endpoint->mmap, &endpoint->consumer));
	MUST(doca_comch_consumer_get_id(endpoint->consumer, &endpoint->id));
	endpoint->ctx = doca_comch_consumer_as_ctx(endpoint->consumer);
	MUST(doca_comch_consumer_task_post_recv_set_conf(endpoint->consumer, endpoint_received, endpoint_recv_failed,
							 ENDPOINT_TASKS));
	MUST(doca_comch_consumer_set_imm_data_len(endpoint->consumer, 32));
	set_up_endpoint(endpoint);
	return endpoint;
}

static inline struct endpoint *new_producer(struct end *end)
{
	struct endpoint *endpoint = new_endpoint(end, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);

	MUST(doca_comch_producer_create(end->conn, &endpoint->producer));
	MUST(doca_comch_producer_get_id(endpoint->producer, &endpoint->id));
	endpoint->ctx = doca_comch_producer_as_ctx(endpoint->producer);
	MUST(doca_comch_producer_task_send_set_conf(endpoint->producer, endpoint_sent, endpoint_send_failed,
						    ENDPOINT_TASKS));
	set_up_endpoint(endpoint);
	return endpoint;
}

/* Makes a running consumer that the peer knows. Needs the control engines of both ends. */
static inline struct endpoint *start_consumer(struct end *end, struct end *peer)
{
	struct endpoint *endpoint = new_consumer(end);
	int known = peer->num_consumers;

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(endpoint->ctx));
	UNTIL(ctx_state(endpoint->ctx) == DOCA_CTX_STATE_RUNNING && peer->num_consumers == known + 1);
	CHECK(peer->consumers[known] == endpoint->id);
	return endpoint;
}

static inline struct endpoint *start_producer(struct end *end)
{
	struct endpoint *endpoint = new_producer(end);

	EXPECT(SUCCESS, doca_ctx_start(endpoint->ctx));
	return endpoint;
}

static inline void stop_endpoint(struct endpoint *endpoint)
{
	doca_error_t result = doca_ctx_stop(endpoint->ctx);

	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	while (ctx_state(endpoint->ctx) != DOCA_CTX_STATE_IDLE) /* its own engine is enough */
		doca_pe_progress(endpoint->pe);
}

static inline void delete_endpoint(struct endpoint *endpoint)
{
	if (endpoint->ctx != NULL) {
		stop_endpoint(endpoint);
		if (endpoint->consumer != NULL)
			MUST(doca_comch_consumer_destroy(endpoint->consumer));
		else
			MUST(doca_comch_producer_destroy(endpoint->producer));
	}
	undrive(endpoint->pe);
	MUST(doca_pe_destroy(endpoint->pe));
	MUST(doca_buf_inventory_destroy(endpoint->inventory));
	MUST(doca_mmap_destroy(endpoint->mmap));
	MUST(doca_dev_close(endpoint->dev));
	if (endpoint_memory_free != NULL)
		endpoint_memory_free(endpoint->memory);
	else
		free(endpoint->memory);
	free(endpoint);
}

/* An empty buffer to receive into, and one with data to send. */
static inline struct doca_buf *room(struct endpoint *endpoint, size_t offset, size_t len)
{
	return dst_buf(endpoint->inventory, endpoint->mmap, endpoint->memory + offset, len);
}

static inline struct doca_buf *data(struct endpoint *endpoint, size_t offset, size_t len)
{
	return src_buf(endpoint->inventory, endpoint->mmap, endpoint->memory + offset, len);
}

static inline struct doca_task *make_recv(struct endpoint *endpoint, struct doca_buf *buf)
{
	struct doca_comch_consumer_task_post_recv *recv;

	MUST(doca_comch_consumer_task_post_recv_alloc_init(endpoint->consumer, buf, &recv));
	return doca_comch_consumer_task_post_recv_as_task(recv);
}

static inline void post(struct endpoint *endpoint, struct doca_buf *buf)
{
	MUST(doca_task_submit(make_recv(endpoint, buf)));
}

static inline struct doca_task *make_produce(struct endpoint *endpoint, const struct doca_buf *buf, const void *imm,
					     uint32_t imm_len, uint32_t consumer)
{
	struct doca_comch_producer_task_send *send;

	MUST(doca_comch_producer_task_send_alloc_init(endpoint->producer, buf, (uint8_t *)(uintptr_t)imm, imm_len,
						      consumer, &send));
	return doca_comch_producer_task_send_as_task(send);
}

/* Submits a task. Frees it if it was not accepted. */
static inline doca_error_t produce(struct endpoint *endpoint, const struct doca_buf *buf, const void *imm,
				   uint32_t imm_len, uint32_t consumer)
{
	struct doca_task *task = make_produce(endpoint, buf, imm, imm_len, consumer);
	doca_error_t result = doca_task_submit(task);

	if (result != DOCA_SUCCESS)
		doca_task_free(task);
	return result;
}

/* A connection with a consumer on one side and a producer on the other. */
struct fast {
	struct pair pair;
	struct endpoint *consumer; /* the server's */
	struct endpoint *producer; /* the client's */
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
	delete_endpoint(fast->producer);
	delete_endpoint(fast->consumer);
	delete_pair(fast->pair);
}

#endif /* EMULATOR_TEST_COMCH_FAST_H_ */
