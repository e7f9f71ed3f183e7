/* SPDX-License-Identifier: Apache-2.0 */
/* The producer and the consumer: created, driven and destroyed by their threads. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "secure_channel.h"

DOCA_LOG_REGISTER(SECURE_CHANNEL::THREADS);

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* ---- Memory ---- */

doca_error_t channel_make_memory(struct channel_thread *thread, uint32_t permissions, uint32_t num_bufs)
{
	struct channel_memory *memory = &thread->memory;
	size_t size;

	memory->num_bufs = num_bufs;
	memory->stride = ((size_t)thread->load.msg_size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	size = memory->stride * num_bufs;
	memory->addr = aligned_alloc(CACHE_LINE, size);
	if (memory->addr == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (size_t i = 0; i < size; i++)
		memory->addr[i] = (uint8_t)i;
	TRY(doca_mmap_create(&memory->mmap));
	TRY(doca_mmap_add_dev(memory->mmap, thread->channel->dev));
	TRY(doca_mmap_set_permissions(memory->mmap, permissions));
	TRY(doca_mmap_set_memrange(memory->mmap, memory->addr, size));
	TRY(doca_mmap_start(memory->mmap));
	TRY(doca_buf_inventory_create(num_bufs, &memory->inventory));
	TRY(doca_buf_inventory_start(memory->inventory));
	return DOCA_SUCCESS;
}

doca_error_t channel_destroy_memory(struct channel_memory *memory)
{
	doca_error_t result = DOCA_SUCCESS;

	if (memory->inventory != NULL) {
		CLEAN(result, doca_buf_inventory_stop(memory->inventory));
		CLEAN(result, doca_buf_inventory_destroy(memory->inventory));
	}
	if (memory->mmap != NULL) {
		CLEAN(result, doca_mmap_stop(memory->mmap));
		CLEAN(result, doca_mmap_destroy(memory->mmap));
	}
	free(memory->addr);
	return result;
}

/* ---- Both threads ---- */

static bool has_failed(const struct channel_thread *thread)
{
	return thread->result != DOCA_SUCCESS || __atomic_load_n(&thread->channel->has_failed, __ATOMIC_ACQUIRE);
}

static doca_error_t connect_context(struct channel_thread *thread)
{
	TRY(doca_pe_create(&thread->pe));
	TRY(doca_pe_connect_ctx(thread->pe, thread->ctx));
	TRY(doca_ctx_set_user_data(thread->ctx, (union doca_data){.ptr = thread}));
	return DOCA_SUCCESS;
}

/* Drives the thread's own engine, and no other. */
static doca_error_t stop_context(struct channel_thread *thread)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
	doca_error_t result = doca_ctx_stop(thread->ctx);

	if (result != DOCA_ERROR_IN_PROGRESS)
		TRY(result);
	TRY(doca_ctx_get_state(thread->ctx, &state));
	while (state != DOCA_CTX_STATE_IDLE) {
		sample_progress(thread->pe);
		TRY(doca_ctx_get_state(thread->ctx, &state));
	}
	return DOCA_SUCCESS;
}

static void end(struct channel_thread *thread, doca_error_t result)
{
	DOCA_ERROR_PROPAGATE(thread->result, result);
	if (thread->result != DOCA_SUCCESS)
		__atomic_store_n(&thread->channel->has_failed, true, __ATOMIC_RELEASE);
	__atomic_store_n(&thread->has_ended, true, __ATOMIC_RELEASE);
}

/* ---- Producer ---- */

/* The peer's consumer may have no buffer for the moment. It gets one without any progress here. A task that
 * cannot be submitted is freed. */
static doca_error_t submit_send(struct channel_thread *thread, struct doca_task *task)
{
	doca_error_t result;

	do {
		result = doca_task_submit(task);
	} while (result == DOCA_ERROR_AGAIN && !has_failed(thread));
	if (result == DOCA_SUCCESS)
		thread->num_submitted++;
	else
		doca_task_free(task);
	return result;
}

static void on_sent(struct doca_comch_producer_task_send *send, union doca_data task_data, union doca_data ctx_data)
{
	struct channel_thread *thread = ctx_data.ptr;
	struct doca_task *task = doca_comch_producer_task_send_as_task(send);
	doca_error_t result = DOCA_SUCCESS;

	(void)task_data;
	thread->num_done++;
	if (thread->num_submitted < thread->load.num_msgs && !has_failed(thread))
		result = submit_send(thread, task);
	else
		doca_task_free(task);
	DOCA_ERROR_PROPAGATE(thread->result, result);
}

static void on_send_failed(struct doca_comch_producer_task_send *send, union doca_data task_data,
			   union doca_data ctx_data)
{
	struct channel_thread *thread = ctx_data.ptr;
	struct doca_task *task = doca_comch_producer_task_send_as_task(send);

	(void)task_data;
	thread->num_done++;
	DOCA_LOG_ERR("A message was not sent: %s", doca_error_get_descr(doca_task_get_status(task)));
	DOCA_ERROR_PROPAGATE(thread->result, doca_task_get_status(task));
	doca_task_free(task);
}

static doca_error_t produce(struct channel_thread *thread, struct doca_buf *buf, uint32_t num_tasks)
{
	uint32_t consumer_id;
	double start;

	while ((consumer_id = __atomic_load_n(&thread->channel->consumer_id, __ATOMIC_ACQUIRE)) == 0) {
		sample_progress(thread->pe);
		if (has_failed(thread))
			return DOCA_ERROR_NOT_CONNECTED;
	}
	start = now();
	/* All tasks share one buffer. */
	for (uint32_t i = 0; i < num_tasks; i++) {
		struct doca_comch_producer_task_send *task;

		TRY(doca_comch_producer_task_send_alloc_init(thread->producer, buf, NULL, 0, consumer_id, &task));
		TRY(submit_send(thread, doca_comch_producer_task_send_as_task(task)));
	}
	while (thread->num_done < thread->load.num_msgs && !has_failed(thread))
		sample_progress(thread->pe);
	thread->milliseconds = now() - start;
	return thread->result;
}

static doca_error_t run_producer(struct channel_thread *thread)
{
	uint32_t max_tasks, num_tasks;
	struct doca_buf *buf;
	doca_error_t result;

	TRY(doca_comch_producer_cap_get_max_num_tasks(doca_dev_as_devinfo(thread->channel->dev), &max_tasks));
	num_tasks = least(least(CHANNEL_MAX_TASKS, max_tasks), thread->load.num_msgs);
	TRY(doca_comch_producer_create(thread->channel->connection, &thread->producer));
	thread->ctx = doca_comch_producer_as_ctx(thread->producer);
	TRY(connect_context(thread));
	TRY(doca_comch_producer_task_send_set_conf(thread->producer, on_sent, on_send_failed, num_tasks));
	TRY(doca_ctx_start(thread->ctx));
	TRY(doca_buf_inventory_buf_get_by_data(thread->memory.inventory, thread->memory.mmap, thread->memory.addr,
					       thread->load.msg_size, &buf));
	result = produce(thread, buf, num_tasks);
	CLEAN(result, stop_context(thread));
	CLEAN(result, doca_buf_dec_refcount(buf, NULL));
	CLEAN(result, doca_comch_producer_destroy(thread->producer));
	CLEAN(result, doca_pe_destroy(thread->pe));
	return result;
}

void *channel_producer(void *arg)
{
	end(arg, run_producer(arg));
	return NULL;
}

/* ---- Consumer ---- */

static doca_error_t take(struct channel_thread *thread, struct doca_comch_consumer_task_post_recv *post)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(post);
	uint8_t *data;
	size_t len;

	TRY(doca_buf_get_data(buf, (void **)&data));
	TRY(doca_buf_get_data_len(buf, &len));
	REQUIRE(len == thread->load.msg_size);
	REQUIRE(doca_comch_consumer_task_post_recv_get_producer_id(post) != 0);
	for (size_t i = 0; i < len; i++)
		REQUIRE(data[i] == (uint8_t)i);
	memset(data, 0, len);
	thread->num_done++;
	TRY(doca_buf_reset_data_len(buf));
	TRY(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(post)));
	return DOCA_SUCCESS;
}

static void on_filled(struct doca_comch_consumer_task_post_recv *post, union doca_data task_data,
		      union doca_data ctx_data)
{
	struct channel_thread *thread = ctx_data.ptr;
	doca_error_t result = take(thread, post);

	(void)task_data;
	DOCA_ERROR_PROPAGATE(thread->result, result);
}

static void on_post_failed(struct doca_comch_consumer_task_post_recv *post, union doca_data task_data,
			   union doca_data ctx_data)
{
	struct channel_thread *thread = ctx_data.ptr;

	(void)task_data;
	if (!thread->is_stopping)
		DOCA_ERROR_PROPAGATE(thread->result,
				     doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(post)));
}

static doca_error_t post_all(struct channel_thread *thread)
{
	for (uint32_t i = 0; i < thread->memory.num_bufs; i++) {
		struct doca_buf *buf;

		TRY(doca_buf_inventory_buf_get_by_addr(thread->memory.inventory, thread->memory.mmap,
						       thread->memory.addr + i * thread->memory.stride,
						       thread->load.msg_size, &buf));
		TRY(doca_comch_consumer_task_post_recv_alloc_init(thread->consumer, buf, &thread->posted[i]));
		thread->num_posted++;
		TRY(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(thread->posted[i])));
	}
	return DOCA_SUCCESS;
}

/* The consumer becomes RUNNING only while another thread progresses the control path. */
static doca_error_t consume(struct channel_thread *thread)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;
	double start;

	while (state != DOCA_CTX_STATE_RUNNING) {
		sample_progress(thread->pe);
		TRY(doca_ctx_get_state(thread->ctx, &state));
		if (state == DOCA_CTX_STATE_IDLE || has_failed(thread))
			return DOCA_ERROR_NOT_CONNECTED;
	}
	TRY(post_all(thread));
	start = now();
	while (thread->num_done < thread->load.num_msgs && !has_failed(thread))
		sample_progress(thread->pe);
	thread->milliseconds = now() - start;
	return thread->result;
}

/* All tasks are still posted. They and their buffers are released before the consumer stops. */
static doca_error_t end_consumer(struct channel_thread *thread)
{
	doca_error_t result = DOCA_SUCCESS;

	thread->is_stopping = true;
	for (uint32_t i = 0; i < thread->num_posted; i++) {
		CLEAN(result, doca_buf_dec_refcount(
				      doca_comch_consumer_task_post_recv_get_buf(thread->posted[i]), NULL));
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(thread->posted[i]));
	}
	CLEAN(result, stop_context(thread));
	CLEAN(result, doca_comch_consumer_destroy(thread->consumer));
	CLEAN(result, doca_pe_destroy(thread->pe));
	free(thread->posted);
	return result;
}

static doca_error_t run_consumer(struct channel_thread *thread)
{
	doca_error_t result;

	thread->posted = calloc(thread->memory.num_bufs, sizeof(struct doca_comch_consumer_task_post_recv *));
	if (thread->posted == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TRY(doca_comch_consumer_create(thread->channel->connection, thread->memory.mmap, &thread->consumer));
	thread->ctx = doca_comch_consumer_as_ctx(thread->consumer);
	TRY(connect_context(thread));
	TRY(doca_comch_consumer_task_post_recv_set_conf(thread->consumer, on_filled, on_post_failed,
							thread->memory.num_bufs));
	result = doca_ctx_start(thread->ctx);
	REQUIRE(result == DOCA_ERROR_IN_PROGRESS);
	result = consume(thread);
	CLEAN(result, end_consumer(thread));
	return result;
}

void *channel_consumer(void *arg)
{
	end(arg, run_consumer(arg));
	return NULL;
}
