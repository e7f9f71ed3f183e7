/* SPDX-License-Identifier: Apache-2.0 */
#include "comch_data_path_common.h"

#include <stdlib.h>
#include <string.h>

DOCA_LOG_REGISTER(COMCH_DATA_PATH_COMMON);

#define MEMORY_SIZE (1024 * 1024)

bool data_path_is(const uint8_t *message, uint32_t len, const char *text)
{
	return len == strlen(text) && memcmp(message, text, len) == 0;
}

doca_error_t data_path_check(const struct data_path *path)
{
	TRY(path->endpoint.result);
	REQUIRE(path->is_started && path->is_stopped);
	/* The peer's stop message follows everything that its consumer did. */
	REQUIRE(path->num_consumers_new == 1 && path->num_consumers_expired == 1);
	return DOCA_SUCCESS;
}

/* ---- The peer's consumers ---- */

void data_path_on_consumer_new(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			       uint32_t id)
{
	struct data_path *path = (struct data_path *)comch_endpoint_of(connection);

	(void)event;
	if (connection != path->endpoint.connection || id == 0 || id >= DATA_PATH_NO_CONSUMER)
		comch_keep_error(&path->endpoint, DOCA_ERROR_UNEXPECTED);
	path->remote_consumer_id = id;
	path->num_consumers_new++;
}

void data_path_on_consumer_expired(struct doca_comch_event_consumer *event,
				   struct doca_comch_connection *connection, uint32_t id)
{
	struct data_path *path = (struct data_path *)comch_endpoint_of(connection);

	(void)event;
	if (connection != path->endpoint.connection || id != path->remote_consumer_id)
		comch_keep_error(&path->endpoint, DOCA_ERROR_UNEXPECTED);
	path->remote_consumer_id = DATA_PATH_NO_CONSUMER;
	path->num_consumers_expired++;
}

/* ---- Callbacks of both phases ---- */

static void keep_error(struct data_path *path, doca_error_t result)
{
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("In a callback: %s", doca_error_get_descr(result));
	DOCA_ERROR_PROPAGATE(path->phase.result, result);
}

/* Ends the task of the phase: releases the buffer and the task, and stops the context. */
static void end_task(struct data_path *path, struct doca_task *task, struct doca_buf *buf)
{
	keep_error(path, doca_task_get_status(task));
	keep_error(path, doca_buf_dec_refcount(buf, NULL));
	doca_task_free(task);
	path->phase.is_done = true;
	if (doca_ctx_stop(path->phase.ctx) != DOCA_ERROR_IN_PROGRESS)
		keep_error(path, DOCA_ERROR_UNEXPECTED);
}

static void keep_state(struct data_path *path, struct doca_ctx *ctx, enum doca_ctx_states prev,
		       enum doca_ctx_states next)
{
	enum doca_ctx_states reported;

	keep_error(path, doca_ctx_get_state(ctx, &reported));
	if (ctx != path->phase.ctx || reported != next || prev != path->phase.state)
		keep_error(path, DOCA_ERROR_UNEXPECTED);
	path->phase.state = next;
}

/* ---- Producer ---- */

/* Runs in doca_ctx_start. The consumer may not have posted its buffer yet: retry without progress until it has. */
static doca_error_t submit_send(struct data_path *path)
{
	size_t len = strlen(path->text);
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf;
	doca_error_t result;

	memcpy(path->phase.memory, path->text, len);
	TRY(doca_buf_inventory_buf_get_by_data(path->phase.inventory, path->phase.mmap, path->phase.memory, len, &buf));
	TRY(doca_comch_producer_task_send_alloc_init(path->phase.producer, buf, NULL, 0, path->remote_consumer_id,
						     &task));
	do {
		result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
	} while (result == DOCA_ERROR_AGAIN);
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_producer_task_send_as_task(task));
	TRY(result);
	return DOCA_SUCCESS;
}

static void on_producer_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
			      enum doca_ctx_states next)
{
	struct data_path *path = user_data.ptr;

	keep_state(path, ctx, prev, next);
	if (next == DOCA_CTX_STATE_STARTING)
		keep_error(path, DOCA_ERROR_UNEXPECTED);
	else if (next == DOCA_CTX_STATE_RUNNING)
		keep_error(path, submit_send(path));
}

static void on_send_end(struct doca_comch_producer_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	(void)task_data;
	end_task(ctx_data.ptr, doca_comch_producer_task_send_as_task(task),
		 (struct doca_buf *)doca_comch_producer_task_send_get_buf(task));
}

static doca_error_t start_producer(struct data_path *path)
{
	union doca_data user_data = {.ptr = path};

	TRY(doca_comch_producer_create(path->endpoint.connection, &path->phase.producer));
	path->phase.ctx = doca_comch_producer_as_ctx(path->phase.producer);
	TRY(doca_pe_create(&path->phase.pe));
	TRY(doca_pe_connect_ctx(path->phase.pe, path->phase.ctx));
	TRY(doca_ctx_set_state_changed_cb(path->phase.ctx, on_producer_state));
	TRY(doca_comch_producer_task_send_set_conf(path->phase.producer, on_send_end, on_send_end,
						   DATA_PATH_NUM_TASKS));
	TRY(doca_ctx_set_user_data(path->phase.ctx, user_data));
	TRY(doca_ctx_start(path->phase.ctx));
	REQUIRE(path->phase.state == DOCA_CTX_STATE_RUNNING);
	return DOCA_SUCCESS;
}

/* ---- Consumer ---- */

static doca_error_t post_receive(struct data_path *path)
{
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_buf *buf;

	TRY(doca_buf_inventory_buf_get_by_addr(path->phase.inventory, path->phase.mmap, path->phase.memory,
					       MEMORY_SIZE, &buf));
	TRY(doca_comch_consumer_task_post_recv_alloc_init(path->phase.consumer, buf, &task));
	TRY(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	return DOCA_SUCCESS;
}

static void on_consumer_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
			      enum doca_ctx_states next)
{
	struct data_path *path = user_data.ptr;

	keep_state(path, ctx, prev, next);
	if (next == DOCA_CTX_STATE_RUNNING)
		keep_error(path, post_receive(path));
}

static void on_receive_end(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			   union doca_data ctx_data)
{
	struct data_path *path = ctx_data.ptr;
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	void *data = NULL;
	size_t len = 0;

	(void)task_data;
	if (doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task)) == DOCA_SUCCESS) {
		keep_error(path, doca_buf_get_data(buf, &data));
		keep_error(path, doca_buf_get_data_len(buf, &len));
		DOCA_LOG_INFO("Message received: '%.*s'", (int)len, (char *)data);
		if (doca_comch_consumer_task_post_recv_get_imm_data_len(task) != 0)
			keep_error(path, DOCA_ERROR_UNEXPECTED);
	}
	end_task(path, doca_comch_consumer_task_post_recv_as_task(task), buf);
}

static doca_error_t start_consumer(struct data_path *path)
{
	union doca_data user_data = {.ptr = path};
	doca_error_t result;

	TRY(doca_comch_consumer_create(path->endpoint.connection, path->phase.mmap, &path->phase.consumer));
	path->phase.ctx = doca_comch_consumer_as_ctx(path->phase.consumer);
	TRY(doca_pe_create(&path->phase.pe));
	TRY(doca_pe_connect_ctx(path->phase.pe, path->phase.ctx));
	TRY(doca_ctx_set_state_changed_cb(path->phase.ctx, on_consumer_state));
	TRY(doca_comch_consumer_task_post_recv_set_conf(path->phase.consumer, on_receive_end, on_receive_end,
							DATA_PATH_NUM_TASKS));
	TRY(doca_ctx_set_user_data(path->phase.ctx, user_data));
	result = doca_ctx_start(path->phase.ctx);
	REQUIRE(result == DOCA_ERROR_IN_PROGRESS);
	REQUIRE(path->phase.state == DOCA_CTX_STATE_STARTING);
	return DOCA_SUCCESS;
}

/* ---- A phase ---- */

static doca_error_t make_memory(struct data_path *path)
{
	struct data_path_phase *phase = &path->phase;

	phase->memory = malloc(MEMORY_SIZE);
	if (phase->memory == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TRY(doca_mmap_create(&phase->mmap));
	TRY(doca_mmap_set_permissions(phase->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	TRY(doca_mmap_set_memrange(phase->mmap, phase->memory, MEMORY_SIZE));
	TRY(doca_mmap_add_dev(phase->mmap, path->endpoint.dev));
	TRY(doca_mmap_start(phase->mmap));
	TRY(doca_buf_inventory_create(DATA_PATH_NUM_TASKS, &phase->inventory));
	TRY(doca_buf_inventory_start(phase->inventory));
	return DOCA_SUCCESS;
}

/* A server stops when it gets the client's last message, which may come before its own producer's task has
 * ended. */
static bool is_connected(const struct data_path *path)
{
	const struct comch_endpoint *endpoint = &path->endpoint;

	return endpoint->connection != NULL &&
	       (endpoint->server != NULL || endpoint->state == DOCA_CTX_STATE_RUNNING);
}

/* A context whose task has ended is idle; one that has failed is stopped here. */
static doca_error_t destroy_phase(struct data_path *path)
{
	struct data_path_phase *phase = &path->phase;
	doca_error_t result = DOCA_SUCCESS;

	if (phase->ctx != NULL && phase->state != DOCA_CTX_STATE_IDLE) {
		(void)doca_ctx_stop(phase->ctx);
		while (phase->state != DOCA_CTX_STATE_IDLE)
			sample_progress(phase->pe);
	}
	if (phase->consumer != NULL)
		CLEAN(result, doca_comch_consumer_destroy(phase->consumer));
	if (phase->producer != NULL)
		CLEAN(result, doca_comch_producer_destroy(phase->producer));
	if (phase->pe != NULL)
		CLEAN(result, doca_pe_destroy(phase->pe));
	if (phase->inventory != NULL) {
		CLEAN(result, doca_buf_inventory_stop(phase->inventory));
		CLEAN(result, doca_buf_inventory_destroy(phase->inventory));
	}
	if (phase->mmap != NULL)
		CLEAN(result, doca_mmap_destroy(phase->mmap));
	free(phase->memory);
	return result;
}

static doca_error_t run_phase(struct data_path *path, doca_error_t (*start)(struct data_path *path))
{
	doca_error_t result, destroyed;

	memset(&path->phase, 0, sizeof(path->phase));
	result = make_memory(path);
	if (result == DOCA_SUCCESS)
		result = start(path);
	while (result == DOCA_SUCCESS && path->phase.state != DOCA_CTX_STATE_IDLE) {
		sample_progress(path->endpoint.pe);
		sample_progress(path->phase.pe);
		if (path->phase.result != DOCA_SUCCESS)
			result = path->phase.result;
		else if (!is_connected(path))
			result = DOCA_ERROR_NOT_CONNECTED;
	}
	DOCA_ERROR_PROPAGATE(result, path->phase.result);
	if (result == DOCA_SUCCESS && !path->phase.is_done)
		result = DOCA_ERROR_UNEXPECTED;
	destroyed = destroy_phase(path);
	DOCA_ERROR_PROPAGATE(result, destroyed);
	return result;
}

doca_error_t data_path_send(struct data_path *path)
{
	while (path->remote_consumer_id == DATA_PATH_NO_CONSUMER && is_connected(path))
		sample_progress(path->endpoint.pe);
	REQUIRE(is_connected(path));
	TRY(run_phase(path, start_producer));
	return DOCA_SUCCESS;
}

doca_error_t data_path_receive(struct data_path *path)
{
	TRY(run_phase(path, start_consumer));
	return DOCA_SUCCESS;
}
