/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends messages to a thread on the DPA through one MsgQ and gets them back through another. All must come back, in order,
 * each once. With -c the thread copies bytes of the host's memory before it answers. The last line is the rate.
 */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <doca_argp.h>
#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>

#include "dpa_common.h"
#include "msgq_echo_args.h"

DOCA_LOG_REGISTER(MSGQ_ECHO::MAIN);

#define WINDOW 64
#define MESSAGE 32

extern struct doca_dpa_app *dpa_sample_app;
extern doca_dpa_func_t echo;
extern doca_dpa_func_t echo_ready;

/* A message has its number in its first word, and a mark in all the others. */
struct message {
	uint64_t number;
	uint64_t marks[3];
};

struct host {
	uint64_t total;
	uint64_t next_sent; /* number of the next message to send */
	uint64_t next_back;
	uint32_t copy_len;
	doca_error_t result;
	bool busy[WINDOW]; /* the slot's message is being sent */

	struct doca_pe *pe;
	struct doca_comch_msgq *to_dpa, *from_dpa;
	struct doca_comch_producer *producer;
	struct doca_comch_consumer *consumer;
	struct message messages[WINDOW];
	struct doca_comch_producer_task_send *sends[WINDOW];
	struct doca_comch_consumer_task_post_recv *receives[WINDOW];
	struct dpa_memory source, destination;

	struct doca_comch_consumer *dpa_consumer;
	struct doca_comch_producer *dpa_producer;
	struct doca_comch_consumer_completion *dpa_consumer_comp;
	struct doca_dpa_completion *dpa_producer_comp;
	struct doca_dpa_thread *thread;
	doca_dpa_dev_uintptr_t arg;
	struct echo_args args;
};

static uint64_t mark(uint64_t number, unsigned int i)
{
	return (number + 1) * 0x9e3779b97f4a7c15u + i;
}

static void fail(struct host *host, doca_error_t result)
{
	DOCA_ERROR_PROPAGATE(host->result, result);
}

/* AGAIN: the thread has not made room yet. */
static doca_error_t send_next(struct host *host)
{
	const uint32_t slot = (uint32_t)(host->next_sent % WINDOW);
	struct message *message = &host->messages[slot];
	uint32_t *bytes = host->source.addr;
	doca_error_t result;

	message->number = host->next_sent;
	for (unsigned int i = 0; i < 3; i++)
		message->marks[i] = mark(message->number, i);
	if (host->copy_len != 0)
		bytes[message->number % WINDOW * host->copy_len / 4] = (uint32_t)message->number;
	host->busy[slot] = true;
	result = doca_task_submit(doca_comch_producer_task_send_as_task(host->sends[slot]));
	if (result == DOCA_SUCCESS)
		host->next_sent++;
	else
		host->busy[slot] = false;
	return result;
}

static void sent(struct doca_comch_producer_task_send *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)task;
	((struct host *)ctx_user_data.ptr)->busy[user_data.u64] = false;
}

static void send_failed(struct doca_comch_producer_task_send *task, union doca_data user_data, union doca_data ctx_user_data)
{
	struct host *host = ctx_user_data.ptr;

	host->busy[user_data.u64] = false;
	fail(host, doca_task_get_status(doca_comch_producer_task_send_as_task(task)));
}

static doca_error_t take(struct host *host, struct doca_comch_consumer_task_post_recv *task)
{
	const struct message *message = (const void *)doca_comch_consumer_task_post_recv_get_imm_data(task);
	const uint64_t number = host->next_back;
	const uint32_t *bytes = host->destination.addr;

	REQUIRE(doca_comch_consumer_task_post_recv_get_imm_data_len(task) == MESSAGE);
	REQUIRE(message->number == number);
	for (unsigned int i = 0; i < 3; i++)
		REQUIRE(message->marks[i] == mark(number, i));
	if (host->copy_len != 0)
		REQUIRE(bytes[number % WINDOW * host->copy_len / 4] == (uint32_t)number);
	host->next_back++;
	return DOCA_SUCCESS;
}

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data user_data,
		     union doca_data ctx_user_data)
{
	struct host *host = ctx_user_data.ptr;

	(void)user_data;
	fail(host, take(host, task));
	fail(host, doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

static void receive_failed(struct doca_comch_consumer_task_post_recv *task, union doca_data user_data,
			   union doca_data ctx_user_data)
{
	struct host *host = ctx_user_data.ptr;

	(void)user_data;
	if (host->next_back < host->total) /* else it is the end: the consumer stops */
		fail(host, doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task)));
}

/* Both queues, and the CPU's end of each. */
static doca_error_t create_cpu_ends(struct dpa_resources *resources, struct host *host)
{
	const union doca_data user_data = {.ptr = host};

	TRY(doca_pe_create(&host->pe));
	TRY(doca_comch_msgq_create(resources->dev, &host->to_dpa));
	TRY(doca_comch_msgq_set_dpa_consumer(host->to_dpa, resources->dpa));
	TRY(doca_comch_msgq_set_max_num_consumers(host->to_dpa, 1));
	TRY(doca_comch_msgq_set_max_num_producers(host->to_dpa, 1));
	TRY(doca_comch_msgq_start(host->to_dpa));
	TRY(doca_comch_msgq_create(resources->dev, &host->from_dpa));
	TRY(doca_comch_msgq_set_dpa_producer(host->from_dpa, resources->dpa));
	TRY(doca_comch_msgq_set_max_num_consumers(host->from_dpa, 1));
	TRY(doca_comch_msgq_set_max_num_producers(host->from_dpa, 1));
	TRY(doca_comch_msgq_start(host->from_dpa));

	TRY(doca_comch_msgq_producer_create(host->to_dpa, &host->producer));
	TRY(doca_comch_producer_task_send_set_conf(host->producer, sent, send_failed, WINDOW));
	TRY(doca_ctx_set_user_data(doca_comch_producer_as_ctx(host->producer), user_data));
	TRY(doca_pe_connect_ctx(host->pe, doca_comch_producer_as_ctx(host->producer)));
	TRY(doca_ctx_start(doca_comch_producer_as_ctx(host->producer)));

	TRY(doca_comch_msgq_consumer_create(host->from_dpa, &host->consumer));
	TRY(doca_comch_consumer_set_imm_data_len(host->consumer, MESSAGE));
	TRY(doca_comch_consumer_task_post_recv_set_conf(host->consumer, received, receive_failed, WINDOW));
	TRY(doca_ctx_set_user_data(doca_comch_consumer_as_ctx(host->consumer), user_data));
	TRY(doca_pe_connect_ctx(host->pe, doca_comch_consumer_as_ctx(host->consumer)));
	doca_error_t started = doca_ctx_start(doca_comch_consumer_as_ctx(host->consumer));
	REQUIRE(started == DOCA_SUCCESS || started == DOCA_ERROR_IN_PROGRESS);
	for (enum doca_ctx_states state = DOCA_CTX_STATE_STARTING; state != DOCA_CTX_STATE_RUNNING;) {
		sample_progress(host->pe);
		TRY(doca_ctx_get_state(doca_comch_consumer_as_ctx(host->consumer), &state));
	}
	return DOCA_SUCCESS;
}

static doca_error_t create_dpa_ends(struct dpa_resources *resources, struct host *host)
{
	TRY(dpa_thread_create(resources, &echo, sizeof(host->args), &host->thread, &host->arg));

	TRY(doca_comch_consumer_completion_create(&host->dpa_consumer_comp));
	TRY(doca_comch_consumer_completion_set_dpa_thread(host->dpa_consumer_comp, host->thread));
	TRY(doca_comch_consumer_completion_set_max_num_consumers(host->dpa_consumer_comp, 1));
	TRY(doca_comch_consumer_completion_set_max_num_recv(host->dpa_consumer_comp, WINDOW));
	TRY(doca_comch_consumer_completion_set_imm_data_len(host->dpa_consumer_comp, MESSAGE));
	TRY(doca_comch_consumer_completion_start(host->dpa_consumer_comp));
	TRY(doca_comch_msgq_consumer_create(host->to_dpa, &host->dpa_consumer));
	TRY(doca_ctx_set_datapath_on_dpa(doca_comch_consumer_as_ctx(host->dpa_consumer), resources->dpa));
	TRY(doca_comch_consumer_set_imm_data_len(host->dpa_consumer, MESSAGE));
	TRY(doca_comch_consumer_set_completion(host->dpa_consumer, host->dpa_consumer_comp, 0));
	TRY(doca_comch_consumer_set_dev_max_num_recv(host->dpa_consumer, WINDOW));
	TRY(doca_ctx_start(doca_comch_consumer_as_ctx(host->dpa_consumer)));

	TRY(doca_dpa_completion_create(resources->dpa, WINDOW, &host->dpa_producer_comp));
	TRY(doca_dpa_completion_start(host->dpa_producer_comp));
	TRY(doca_comch_msgq_producer_create(host->from_dpa, &host->dpa_producer));
	TRY(doca_ctx_set_datapath_on_dpa(doca_comch_producer_as_ctx(host->dpa_producer), resources->dpa));
	TRY(doca_comch_producer_set_dev_max_num_send(host->dpa_producer, WINDOW));
	TRY(doca_comch_producer_dpa_completion_attach(host->dpa_producer, host->dpa_producer_comp));
	TRY(doca_ctx_start(doca_comch_producer_as_ctx(host->dpa_producer)));
	return DOCA_SUCCESS;
}

static doca_error_t tell(struct dpa_resources *resources, struct host *host)
{
	uint64_t zero;

	TRY(doca_comch_consumer_get_dpa_handle(host->dpa_consumer, &host->args.consumer));
	TRY(doca_comch_consumer_completion_get_dpa_handle(host->dpa_consumer_comp, &host->args.consumer_comp));
	TRY(doca_comch_producer_get_dpa_handle(host->dpa_producer, &host->args.producer));
	TRY(doca_dpa_completion_get_dpa_handle(host->dpa_producer_comp, &host->args.producer_comp));
	TRY(doca_comch_consumer_get_id(host->consumer, &host->args.consumer_id));
	host->args.copy_len = host->copy_len;
	host->args.slots = WINDOW;
	if (host->copy_len != 0) {
		TRY(dpa_memory_create(resources, (size_t)WINDOW * host->copy_len, &host->source));
		TRY(dpa_memory_create(resources, (size_t)WINDOW * host->copy_len, &host->destination));
		host->args.source = (uintptr_t)host->source.addr;
		host->args.source_mmap = host->source.handle;
		host->args.destination = (uintptr_t)host->destination.addr;
		host->args.destination_mmap = host->destination.handle;
	}
	TRY(doca_dpa_h2d_memcpy(resources->dpa, host->arg, &host->args, sizeof(host->args)));
	TRY(doca_dpa_thread_run(host->thread));
	TRY(doca_dpa_rpc(resources->dpa, &echo_ready, &zero, host->arg, WINDOW));
	return DOCA_SUCCESS;
}

static bool can_send(const struct host *host)
{
	return host->next_sent < host->total && host->next_sent - host->next_back < WINDOW &&
	       !host->busy[host->next_sent % WINDOW];
}

static doca_error_t exchange(struct host *host)
{
	uint32_t dpa_consumer;

	TRY(doca_comch_consumer_get_id(host->dpa_consumer, &dpa_consumer));
	for (uint32_t i = 0; i < WINDOW; i++) {
		TRY(doca_comch_consumer_task_post_recv_alloc_init(host->consumer, NULL, &host->receives[i]));
		TRY(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(host->receives[i])));
		TRY(doca_comch_producer_task_send_alloc_init(host->producer, NULL, (uint8_t *)&host->messages[i], MESSAGE,
							     dpa_consumer, &host->sends[i]));
		doca_task_set_user_data(doca_comch_producer_task_send_as_task(host->sends[i]), (union doca_data){.u64 = i});
	}
	while (host->next_back < host->total && host->result == DOCA_SUCCESS) {
		doca_error_t sending = DOCA_SUCCESS;

		while (can_send(host) && sending == DOCA_SUCCESS)
			sending = send_next(host);
		REQUIRE(sending == DOCA_SUCCESS || sending == DOCA_ERROR_AGAIN);
		doca_pe_progress(host->pe);
	}
	return host->result;
}

static doca_error_t run(struct dpa_resources *resources, struct host *host)
{
	struct timespec begin, end;
	double seconds;

	TRY(create_cpu_ends(resources, host));
	TRY(create_dpa_ends(resources, host));
	TRY(tell(resources, host));
	clock_gettime(CLOCK_MONOTONIC, &begin);
	TRY(exchange(host));
	clock_gettime(CLOCK_MONOTONIC, &end);
	TRY(doca_dpa_peek_at_last_error(resources->dpa));
	TRY(doca_dpa_d2h_memcpy(resources->dpa, &host->args, host->arg, sizeof(host->args)));
	REQUIRE(host->args.errors == 0);
	seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
	DOCA_LOG_INFO("%lu messages there and back, %.0f a second", (unsigned long)host->total, (double)host->total / seconds);
	return DOCA_SUCCESS;
}

/* Lets the engine work until the context has no task in flight. */
static doca_error_t drain(struct host *host, struct doca_ctx *ctx)
{
	size_t in_flight = 1;

	while (in_flight > 0) {
		sample_progress(host->pe);
		TRY(doca_ctx_get_num_inflight_tasks(ctx, &in_flight));
	}
	return DOCA_SUCCESS;
}

/* Stops a context of the CPU with its receives in flight, frees its tasks, and waits until it is idle. */
static doca_error_t stop(struct host *host, struct doca_ctx *ctx, struct doca_task **tasks)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
	doca_error_t result = doca_ctx_stop(ctx);

	if (result == DOCA_ERROR_IN_PROGRESS)
		result = drain(host, ctx);
	for (int i = 0; i < WINDOW; i++)
		if (tasks[i] != NULL)
			doca_task_free(tasks[i]);
	TRY(result);
	while (state != DOCA_CTX_STATE_IDLE) {
		sample_progress(host->pe);
		TRY(doca_ctx_get_state(ctx, &state));
	}
	return DOCA_SUCCESS;
}

static doca_error_t destroy_cpu_ends(struct host *host)
{
	struct doca_task *tasks[WINDOW] = {NULL};
	doca_error_t result = DOCA_SUCCESS;

	if (host->producer != NULL) {
		for (int i = 0; i < WINDOW && host->sends[i] != NULL; i++)
			tasks[i] = doca_comch_producer_task_send_as_task(host->sends[i]);
		CLEAN(result, stop(host, doca_comch_producer_as_ctx(host->producer), tasks));
		CLEAN(result, doca_comch_producer_destroy(host->producer));
	}
	memset(tasks, 0, sizeof(tasks));
	if (host->consumer != NULL) {
		for (int i = 0; i < WINDOW && host->receives[i] != NULL; i++)
			tasks[i] = doca_comch_consumer_task_post_recv_as_task(host->receives[i]);
		CLEAN(result, stop(host, doca_comch_consumer_as_ctx(host->consumer), tasks));
		CLEAN(result, doca_comch_consumer_destroy(host->consumer));
	}
	return result;
}

static doca_error_t destroy_dpa_ends(struct dpa_resources *resources, struct host *host)
{
	doca_error_t result = DOCA_SUCCESS;

	if (host->dpa_producer != NULL) {
		CLEAN(result, doca_ctx_stop(doca_comch_producer_as_ctx(host->dpa_producer)));
		CLEAN(result, doca_comch_producer_destroy(host->dpa_producer));
	}
	if (host->dpa_producer_comp != NULL)
		CLEAN(result, doca_dpa_completion_destroy(host->dpa_producer_comp));
	if (host->dpa_consumer != NULL) {
		CLEAN(result, doca_ctx_stop(doca_comch_consumer_as_ctx(host->dpa_consumer)));
		CLEAN(result, doca_comch_consumer_destroy(host->dpa_consumer));
	}
	if (host->dpa_consumer_comp != NULL) {
		CLEAN(result, doca_comch_consumer_completion_stop(host->dpa_consumer_comp));
		CLEAN(result, doca_comch_consumer_completion_destroy(host->dpa_consumer_comp));
	}
	if (host->thread != NULL)
		CLEAN(result, doca_dpa_thread_destroy(host->thread));
	if (host->arg != 0)
		CLEAN(result, doca_dpa_mem_free(resources->dpa, host->arg));
	return result;
}

static doca_error_t destroy(struct dpa_resources *resources, struct host *host)
{
	doca_error_t result = destroy_cpu_ends(host);

	CLEAN(result, destroy_dpa_ends(resources, host));
	for (int i = 0; i < 2; i++) {
		struct doca_comch_msgq *queue = i == 0 ? host->to_dpa : host->from_dpa;

		if (queue != NULL) {
			CLEAN(result, doca_comch_msgq_stop(queue));
			CLEAN(result, doca_comch_msgq_destroy(queue));
		}
	}
	CLEAN(result, dpa_memory_destroy(&host->source));
	CLEAN(result, dpa_memory_destroy(&host->destination));
	if (host->pe != NULL)
		CLEAN(result, doca_pe_destroy(host->pe));
	return result;
}

/* The number of messages and the bytes to copy are in the environment: the parameters are those of all the samples. */
static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	static struct host host;
	struct dpa_resources resources;
	doca_error_t result = dpa_begin("msgq_echo", dpa_sample_app, argc, argv, &resources);

	host.total = setting("MSGQ_MESSAGES", 100000);
	host.copy_len = (uint32_t)setting("MSGQ_COPY", 0) / 4 * 4;
	if (result == DOCA_SUCCESS)
		result = run(&resources, &host);
	CLEAN(result, destroy(&resources, &host));
	return sample_finish(dpa_end(&resources, result));
}
