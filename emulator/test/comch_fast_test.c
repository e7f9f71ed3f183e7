/* SPDX-License-Identifier: Apache-2.0 */

/* The fast path: what arrives, when, and what is left at the end. */

#include "core/emu_fault.h"

#include "comch_fast.h"

/* A send needs a posted buffer and does not wait for one. A producer sees new buffers at once. */
static void again_without_buffers(void)
{
	struct fast f = make_fast("again");
	struct doca_buf *src = data(f.producer, 0, 16);
	struct doca_task *task = make_produce(f.producer, src, NULL, 0, f.consumer->id);
	struct doca_buf *dst = room(f.consumer, 0, 16);

	for (int i = 0; i < 5000; i++)
		EXPECT(ERROR_AGAIN, doca_task_submit(task));
	CHECK(num_inflight(f.producer->ctx) == 0);
	post(f.consumer, dst);
	settle();
	CHECK(f.consumer->done == 0 && num_inflight(f.consumer->ctx) == 1); /* posting alone completes nothing */
	EXPECT(SUCCESS, doca_task_submit(task));
	CHECK(num_inflight(f.producer->ctx) == 1);
	EXPECT(ERROR_AGAIN, produce(f.producer, src, NULL, 0, f.consumer->id));
	CHECK(drain_pe(f.consumer->pe) == 1 && f.consumer->done == 1);
	CHECK(drain_pe(f.producer->pe) == 1 && f.producer->done == 1);
	CHECK(memcmp(f.consumer->memory, f.producer->memory, 16) == 0);
	put_buf(src);
	put_buf(dst);
	delete_fast(&f);
}

/* Data is appended to what the buffer holds. After reset_data_len there is room again. */
static void appended_at_the_tail(void)
{
	struct fast f = make_fast("tail");
	struct doca_buf *dst = room(f.consumer, 0, 100), *src = data(f.producer, 10, 30);
	struct doca_buf *middle;
	void *start;

	memset(f.consumer->memory, 0xaa, 128);
	for (int i = 1; i <= 3; i++) {
		post(f.consumer, dst);
		EXPECT(SUCCESS, produce(f.producer, src, NULL, 0, f.consumer->id));
		UNTIL(f.consumer->done == i);
		CHECK(data_len(dst) == (size_t)i * 30);
		CHECK(memcmp(f.consumer->memory + (i - 1) * 30, f.producer->memory + 10, 30) == 0);
	}
	post(f.consumer, dst);
	EXPECT(ERROR_INVALID_VALUE, produce(f.producer, src, NULL, 0, f.consumer->id)); /* 10 bytes are left */
	CHECK(f.consumer->memory[90] == 0xaa);
	put_buf(src);
	src = data(f.producer, 0, 10);
	EXPECT(SUCCESS, produce(f.producer, src, NULL, 0, f.consumer->id));
	UNTIL(f.consumer->done == 4);
	CHECK(data_len(dst) == 100 && f.consumer->memory[100] == 0xaa);
	MUST(doca_buf_reset_data_len(dst));
	post(f.consumer, dst);
	EXPECT(SUCCESS, produce(f.producer, src, NULL, 0, f.consumer->id));
	UNTIL(f.consumer->done == 5);
	CHECK(data_len(dst) == 10);
	put_buf(dst);

	middle = room(f.consumer, 200, 100); /* data that does not begin at the head */
	MUST(doca_buf_set_data(middle, f.consumer->memory + 240, 5));
	post(f.consumer, middle);
	EXPECT(SUCCESS, produce(f.producer, src, NULL, 0, f.consumer->id));
	UNTIL(f.consumer->done == 6);
	MUST(doca_buf_get_data(middle, &start));
	CHECK(start == f.consumer->memory + 240 && data_len(middle) == 15);
	CHECK(memcmp(f.consumer->memory + 245, f.producer->memory, 10) == 0);
	put_buf(middle);
	put_buf(src);
	delete_fast(&f);
}

/* Immediate data of every length, with and without data; copied at submission. */
static void immediate_data(void)
{
	struct fast f = make_fast("immediate");
	struct doca_buf *dst = room(f.consumer, 0, 64), *src = data(f.producer, 0, 3);
	uint8_t imm[32];

	for (uint32_t len = 1; len <= 32; len++) {
		struct doca_buf *into = len % 2 == 0 ? dst : NULL;

		for (uint32_t i = 0; i < len; i++)
			imm[i] = (uint8_t)(len + i);
		MUST(doca_buf_reset_data_len(dst));
		post(f.consumer, into);
		EXPECT(SUCCESS, produce(f.producer, NULL, imm, len, f.consumer->id));
		memset(imm, 0, sizeof(imm));
		UNTIL(f.consumer->done == (int)len);
		CHECK(f.consumer->last_imm_len == len && f.consumer->last_buf == into && data_len(dst) == 0);
		CHECK(f.consumer->last_producer == f.producer->id);
		for (uint32_t i = 0; i < len; i++)
			CHECK(f.consumer->last_imm[i] == (uint8_t)(len + i));
	}
	post(f.consumer, NULL);
	EXPECT(ERROR_INVALID_VALUE, produce(f.producer, src, "x", 1, f.consumer->id)); /* no buffer for data */
	EXPECT(SUCCESS, produce(f.producer, NULL, NULL, 0, f.consumer->id));
	UNTIL(f.consumer->done == 33);
	CHECK(f.consumer->last_imm_len == 0); /* not what the task had before */
	post(f.consumer, dst);
	EXPECT(SUCCESS, produce(f.producer, src, "both", 4, f.consumer->id));
	UNTIL(f.consumer->done == 34);
	CHECK(data_len(dst) == 3 && memcmp(f.consumer->last_imm, "both", 4) == 0);
	put_buf(dst);
	put_buf(src);
	delete_fast(&f);
}

struct fifo {
	struct doca_task *posted[ENDPOINT_TASKS];
	int next;
};

static void check_fifo(struct endpoint *endpoint, struct doca_task *task)
{
	struct fifo *fifo = endpoint->hook_data;

	CHECK(task == fifo->posted[fifo->next++ % ENDPOINT_TASKS]);
	if (endpoint->done <= 200 - ENDPOINT_TASKS)
		MUST(doca_task_submit(task)); /* again */
	else
		doca_task_free(task);
}

/* Buffers are used, and tasks complete, in the order of posting. One source may be in many sends. */
static void first_in_first_out(void)
{
	struct fast f = make_fast("fifo");
	struct fifo fifo = {.next = 0};
	struct doca_buf *src = data(f.producer, 0, 300);
	int sent = 0;

	f.consumer->hook_data = &fifo;
	f.consumer->on_done = check_fifo;
	for (int i = 0; i < ENDPOINT_TASKS; i++) {
		fifo.posted[i] = make_recv(f.consumer, NULL);
		MUST(doca_task_submit(fifo.posted[i]));
	}
	for (int round = 0; f.consumer->done < 200 - ENDPOINT_TASKS; round++) {
		uint8_t number = (uint8_t)sent;
		doca_error_t result = produce(f.producer, NULL, &number, 1, f.consumer->id);

		CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN);
		if (result == DOCA_SUCCESS)
			sent++;
		if (result == DOCA_ERROR_AGAIN || round % 3 == 0 || num_inflight(f.producer->ctx) == ENDPOINT_TASKS) {
			progress_all();
			CHECK(f.consumer->done == 0 || f.consumer->last_imm[0] == (uint8_t)(f.consumer->done - 1));
		}
	}
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f.consumer->ctx));
	UNTIL(ctx_state(f.consumer->ctx) == DOCA_CTX_STATE_IDLE);
	CHECK(f.consumer->done == sent); /* what was sent is received, also while the consumer stops */
	CHECK(f.consumer->done + f.consumer->failed >= 200);
	f.consumer->on_done = NULL;

	f.consumer->done = f.producer->done = 0;
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(f.consumer->ctx));
	UNTIL(ctx_state(f.consumer->ctx) == DOCA_CTX_STATE_RUNNING && f.pair.client->num_consumers == 1);
	settle();
	f.producer->done = 0;
	for (int i = 0; i < ENDPOINT_TASKS; i++)
		post(f.consumer, room(f.consumer, (size_t)i * 512, 512));
	for (int i = 0; i < ENDPOINT_TASKS; i++)
		EXPECT(SUCCESS, produce(f.producer, src, NULL, 0, f.consumer->id));
	while (f.consumer->done < ENDPOINT_TASKS) {
		int done = f.consumer->done;

		UNTIL(f.consumer->done == done + 1);
		CHECK(memcmp(f.consumer->memory + done * 512, f.producer->memory, 300) == 0);
		put_buf(f.consumer->last_buf);
	}
	UNTIL(f.producer->done == ENDPOINT_TASKS);
	put_buf(src);
	delete_fast(&f);
}

/* A consumer that has stopped, before and after its peer knows. */
static void expired_consumer(void)
{
	struct fast f = make_fast("expired");

	post(f.consumer, NULL);
	stop_endpoint(f.consumer);
	CHECK(f.consumer->failed == 1);
	CHECK(f.pair.client->num_consumers == 1);
	EXPECT(ERROR_INVALID_VALUE, produce(f.producer, NULL, "x", 1, f.consumer->id));
	UNTIL(f.pair.client->num_consumers == 0);
	EXPECT(ERROR_INVALID_VALUE, produce(f.producer, NULL, "x", 1, f.consumer->id));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(f.consumer->ctx)); /* the same id, started again */
	UNTIL(ctx_state(f.consumer->ctx) == DOCA_CTX_STATE_RUNNING && f.pair.client->num_consumers == 1);
	EXPECT(ERROR_AGAIN, produce(f.producer, NULL, "x", 1, f.consumer->id));
	post(f.consumer, NULL);
	EXPECT(SUCCESS, produce(f.producer, NULL, "x", 1, f.consumer->id));
	UNTIL(f.consumer->done == 1);
	delete_fast(&f);
}

/* Posted tasks that a stop ends come back as failed, with their buffers unchanged. */
static void flushed_at_stop(void)
{
	struct fast f = make_fast("flush");
	struct doca_buf *bufs[4], *src = data(f.producer, 0, 8);
	struct doca_task *unposted = make_recv(f.consumer, NULL);

	for (int i = 0; i < 4; i++) {
		bufs[i] = room(f.consumer, (size_t)i * 16, 16);
		post(f.consumer, bufs[i]);
	}
	EXPECT(SUCCESS, produce(f.producer, src, NULL, 0, f.consumer->id));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f.consumer->ctx));
	EXPECT(ERROR_BAD_STATE, doca_task_submit(unposted));
	drain_pe(f.consumer->pe);
	CHECK(f.consumer->done == 1 && f.consumer->failed == 3);
	CHECK(f.consumer->last_error == DOCA_ERROR_IO_FAILED);
	CHECK(data_len(bufs[0]) == 8 && data_len(bufs[1]) == 0 && data_len(bufs[3]) == 0);
	CHECK(ctx_state(f.consumer->ctx) == DOCA_CTX_STATE_STOPPING); /* a task is not freed */
	doca_task_free(unposted);
	CHECK(drain_pe(f.consumer->pe) == 1 && ctx_state(f.consumer->ctx) == DOCA_CTX_STATE_IDLE);
	for (int i = 0; i < 4; i++)
		put_buf(bufs[i]);
	put_buf(src);
	delete_fast(&f);
}

/* Programs release buffers and free tasks that are still posted, and then stop. */
static void freed_while_posted(void)
{
	struct fast f = make_fast("freed");
	struct doca_task *tasks[ENDPOINT_TASKS];
	struct doca_buf *buf, *src = data(f.producer, 0, 300);

	for (int i = 0; i < ENDPOINT_TASKS; i++) {
		buf = room(f.consumer, (size_t)i * 512, 512);
		tasks[i] = make_recv(f.consumer, buf);
		MUST(doca_task_submit(tasks[i]));
		put_buf(buf);
	}
	for (int i = 0; i < ENDPOINT_TASKS; i++)
		doca_task_free(tasks[i]);
	EXPECT(SUCCESS, produce(f.producer, src, NULL, 0, f.consumer->id)); /* nobody uses it any more */
	drain_pe(f.consumer->pe);
	stop_endpoint(f.consumer);
	CHECK(f.consumer->done == 0 && f.consumer->failed == 0);

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(f.consumer->ctx));
	UNTIL(ctx_state(f.consumer->ctx) == DOCA_CTX_STATE_RUNNING && f.pair.client->num_consumers == 1);
	tasks[0] = make_recv(f.consumer, NULL);
	MUST(doca_task_submit(tasks[0]));
	post(f.consumer, NULL);
	doca_task_free(tasks[0]);
	EXPECT(SUCCESS, produce(f.producer, NULL, "1", 1, f.consumer->id)); /* goes to the freed task */
	EXPECT(SUCCESS, produce(f.producer, NULL, "2", 1, f.consumer->id));
	UNTIL(f.consumer->done == 1 && f.consumer->last_imm[0] == '2');
	CHECK(num_inflight(f.consumer->ctx) == 0);
	put_buf(src);
	delete_fast(&f);
}

/* A stop in a completion callback completes later. */
static void stop_in_callback(struct endpoint *endpoint, struct doca_task *task)
{
	doca_task_free(task);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(endpoint->ctx));
	CHECK(ctx_state(endpoint->ctx) == DOCA_CTX_STATE_STOPPING);
}

static void stopped_in_callbacks(void)
{
	struct fast f = make_fast("callbacks");

	f.consumer->on_done = f.producer->on_done = stop_in_callback;
	post(f.consumer, NULL);
	EXPECT(SUCCESS, produce(f.producer, NULL, "x", 1, f.consumer->id));
	UNTIL(ctx_state(f.consumer->ctx) == DOCA_CTX_STATE_IDLE && ctx_state(f.producer->ctx) == DOCA_CTX_STATE_IDLE);
	CHECK(f.consumer->done == 1 && f.producer->done == 1);
	delete_fast(&f);
}

/* A producer that only retries notices that its peer has ended, without any progress. */
static void peer_leaves(void)
{
	struct fast f = make_fast("leaves");
	struct doca_buf *src = data(f.producer, 0, 1000);
	struct doca_task *task = make_produce(f.producer, src, NULL, 0, f.consumer->id);
	struct doca_comch_producer *new_producer;
	struct doca_comch_consumer *new_consumer;
	doca_error_t result;

	stop_endpoint(f.consumer);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(f.consumer->ctx)); /* open, with nothing posted */
	UNTIL(ctx_state(f.consumer->ctx) == DOCA_CTX_STATE_RUNNING && f.pair.client->num_consumers == 1);
	EXPECT(ERROR_AGAIN, doca_task_submit(task));
	MUST(emu_fault_set("lose-device=1", NULL, 0)); /* the device of the server */
	say(f.pair.server, "x");
	EXPECT(ERROR_INITIALIZATION, doca_comch_producer_create(f.pair.server->conn, &new_producer));
	EXPECT(ERROR_INITIALIZATION, doca_comch_consumer_create(f.pair.server->conn, f.consumer->mmap, &new_consumer));
	UNTIL(state_of(f.pair.server) == DOCA_CTX_STATE_IDLE || f.pair.client->messages == 1);
	emu_fault_clear();
	while (f.pair.server->disconnects == 0) {
		doca_pe_progress(f.pair.server->pe);
		doca_pe_progress(f.consumer->pe);
	}
	do {
		result = doca_task_submit(task);
	} while (result == DOCA_ERROR_AGAIN);
	CHECK(result == DOCA_ERROR_NOT_CONNECTED || result == DOCA_ERROR_INVALID_VALUE);
	doca_task_free(task);
	UNTIL(ctx_state(f.producer->ctx) == DOCA_CTX_STATE_IDLE && state_of(f.pair.client) == DOCA_CTX_STATE_IDLE);
	put_buf(src);
	delete_fast(&f);
}

static void failing_tasks(void)
{
	struct fast f = make_fast("faults");
	struct doca_buf *dst = room(f.consumer, 0, 8);
	uint64_t start;

	MUST(emu_fault_set("fail-task=1,fail-task=3:TIME_OUT", NULL, 0));
	post(f.consumer, dst);
	post(f.consumer, dst);
	EXPECT(SUCCESS, produce(f.producer, NULL, "x", 1, f.consumer->id));
	settle();
	emu_fault_clear();
	CHECK(f.consumer->failed == 1 && f.consumer->last_error == DOCA_ERROR_IO_FAILED && f.consumer->done == 0);
	CHECK(f.producer->failed == 1 && f.producer->last_error == DOCA_ERROR_TIME_OUT);
	EXPECT(SUCCESS, produce(f.producer, NULL, "x", 1, f.consumer->id)); /* nothing has stopped */
	UNTIL(f.consumer->done == 1 && f.producer->done == 1);
	MUST(emu_fault_set("delay=20ms", NULL, 0));
	start = now_ms();
	post(f.consumer, dst);
	EXPECT(SUCCESS, produce(f.producer, NULL, "y", 1, f.consumer->id));
	UNTIL(f.consumer->done == 2 && f.producer->done == 2);
	CHECK(now_ms() - start >= 19);
	emu_fault_clear();
	put_buf(dst);
	delete_fast(&f);
}

TEST_MAIN(again_without_buffers, appended_at_the_tail, immediate_data, first_in_first_out, expired_consumer,
	  flushed_at_stop, freed_while_posted, stopped_in_callbacks, peer_leaves, failing_tasks, left_nothing)
