/* SPDX-License-Identifier: Apache-2.0 */

/* The host's consumers and producers of MsgQs: tasks, credits, limits, notification, stops. */

#include "comch_msgq.h"

static void idle(uint64_t arg)
{
	(void)arg;
	dev->thread_reschedule();
}
THREAD_FUNC(idle)

static const struct emu_dpa_func funcs[] = {FUNC_ENTRY(idle, 0), COMMON_FUNCS};

static struct lab *make_lab(void)
{
	return new_lab(funcs, sizeof(funcs) / sizeof(funcs[0]), FUNC(idle));
}

static void send_from_dpa(struct lab *lab, struct member *producer, uint32_t id, uint64_t number)
{
	RPC(lab, post_send, .producer = producer->handle, .id = id, .imm = (const uint8_t *)&number,
	    .len = sizeof(number), .flags = EMU_DPA_SUBMIT_FLUSH | EMU_DPA_SUBMIT_OPTIMIZE_REPORTS);
}

/* A message can be sent for each receive, at once and without progress on any side. */
static void credits(void)
{
	struct lab *lab = make_lab();
	struct member *consumer = start_new_dpa_consumer(lab), *producer = start_new_cpu_producer(lab->to_dpa);

	EXPECT(ERROR_AGAIN, submit_send(producer, consumer->id, "x", 1));
	RPC(lab, consumer_ack, .consumer = consumer->handle, .num = 2);
	EXPECT(SUCCESS, submit_send(producer, consumer->id, "a", 1));
	EXPECT(SUCCESS, submit_send(producer, consumer->id, "b", 1));
	EXPECT(ERROR_AGAIN, submit_send(producer, consumer->id, "c", 1));
	CHECK(num_inflight(producer->ctx) == 2);
	RPC(lab, consumer_ack, .consumer = consumer->handle, .num = 1);
	EXPECT(SUCCESS, submit_send(producer, consumer->id, "c", 1));
	UNTIL(producer->done == 3);
	for (int i = 0; i < 3; i++) {
		struct call call = lab->call;

		CHECK(rpc(lab, FUNC(take), &call) == 1);
		CHECK(call.len == 1 && call.bytes[0] == "abc"[i] && call.id == producer->id);
	}
	CHECK(RPC(lab, take, .comp = lab->call.comp) == 0);
	delete_member(producer);
	delete_member(consumer);
	delete_lab(lab);
}

/* Sends that are refused. */
static void limits(void)
{
	struct lab *lab = make_lab();
	struct member *consumer = new_dpa_consumer(lab), *producer = start_new_cpu_producer(lab->to_dpa);
	struct doca_comch_producer_task_send *send;
	struct doca_buf_inventory *inventory = make_inventory(1);
	uint8_t bytes[64] = {0};
	struct doca_mmap *mmap = make_mmap(lab->dev, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_buf *buf = src_buf(inventory, mmap, bytes, 8);
	struct doca_task *task;

	EXPECT(ERROR_INVALID_VALUE, submit_send(producer, consumer->id, "x", 1)); /* not started */
	MUST(doca_comch_consumer_set_imm_data_len(consumer->consumer, 16));
	MUST(doca_ctx_start(consumer->ctx));
	MUST(doca_comch_consumer_get_dpa_handle(consumer->consumer, &consumer->handle));
	RPC(lab, consumer_ack, .consumer = consumer->handle, .num = 8);
	EXPECT(ERROR_INVALID_VALUE, submit_send(producer, 0, "x", 1));
	EXPECT(ERROR_INVALID_VALUE, submit_send(producer, consumer->id + 1, "x", 1));
	EXPECT(ERROR_INVALID_VALUE, submit_send(producer, MAX_ENDPOINTS + 1, "x", 1));
	EXPECT(ERROR_INVALID_VALUE, submit_send(producer, UINT32_MAX, "x", 1));
	EXPECT(ERROR_INVALID_VALUE, submit_send(producer, consumer->id, bytes, 17));
	EXPECT(SUCCESS, submit_send(producer, consumer->id, bytes, 16));
	EXPECT(SUCCESS, submit_send(producer, consumer->id, NULL, 0)); /* nothing is a message, too */
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_task_send_alloc_init(producer->producer, NULL, bytes, 33,
									     consumer->id, &send));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_task_send_alloc_init(producer->producer, NULL, NULL, 1,
									     consumer->id, &send));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_task_send_alloc_init(producer->producer, buf, NULL, 0,
									     consumer->id, &send));
	MUST(doca_comch_producer_task_send_alloc_init(producer->producer, NULL, bytes, 8, consumer->id, &send));
	task = doca_comch_producer_task_send_as_task(send);
	doca_comch_producer_task_send_set_buf(send, buf);
	EXPECT(ERROR_INVALID_VALUE, doca_task_submit(task));
	EXPECT(ERROR_INVALID_VALUE, doca_task_try_submit(task));
	doca_comch_producer_task_send_set_buf(send, NULL);
	doca_comch_producer_task_send_set_imm_data(send, bytes, 33);
	EXPECT(ERROR_INVALID_VALUE, doca_task_submit(task));
	EXPECT(ERROR_INVALID_VALUE, doca_task_try_submit(task));
	doca_comch_producer_task_send_set_imm_data(send, bytes, 8);
	EXPECT(SUCCESS, doca_task_try_submit(task));
	UNTIL(producer->done == 3);
	stop_member(consumer);
	EXPECT(ERROR_INVALID_VALUE, submit_send(producer, consumer->id, "x", 1));
	delete_member(producer);
	delete_member(consumer);
	put_buf(buf);
	MUST(doca_buf_inventory_destroy(inventory));
	MUST(doca_mmap_destroy(mmap));
	delete_lab(lab);
}

/* A batch of receives, filled in the order in which they were posted. */
static uint64_t in_order;

static void next_in_order(struct member *member, struct doca_task *task)
{
	CHECK(doca_task_get_user_data(task).u64 == in_order);
	CHECK(member->last_len == sizeof(in_order) && memcmp(member->last, &in_order, sizeof(in_order)) == 0);
	in_order++;
	doca_task_free(task);
}

static void receives(void)
{
	struct lab *lab = make_lab();
	struct member *consumer = start_new_cpu_consumer(lab->from_dpa), *producer = start_new_dpa_producer(lab);
	struct doca_comch_consumer_task_post_recv *recv;
	struct doca_buf_inventory *inventory = make_inventory(1);
	uint8_t bytes[64];
	struct doca_mmap *mmap = make_mmap(lab->dev, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_buf *buf = dst_buf(inventory, mmap, bytes, 8);

	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_task_post_recv_alloc_init(consumer->consumer, buf, &recv));
	MUST(doca_comch_consumer_task_post_recv_alloc_init(consumer->consumer, NULL, &recv));
	doca_comch_consumer_task_post_recv_set_buf(recv, buf);
	EXPECT(ERROR_INVALID_VALUE, doca_task_submit(doca_comch_consumer_task_post_recv_as_task(recv)));
	EXPECT(ERROR_INVALID_VALUE, doca_task_try_submit(doca_comch_consumer_task_post_recv_as_task(recv)));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(recv));

	consumer->on_done = next_in_order;
	in_order = 0;
	for (uint64_t round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < NUM_RECV; i++) {
			MUST(doca_comch_consumer_task_post_recv_alloc_init(consumer->consumer, NULL, &recv));
			doca_task_set_user_data(doca_comch_consumer_task_post_recv_as_task(recv),
						(union doca_data){.u64 = round * NUM_RECV + i});
			MUST(doca_task_submit_ex(doca_comch_consumer_task_post_recv_as_task(recv),
						 i + 1 == NUM_RECV ? DOCA_TASK_SUBMIT_FLAG_FLUSH :
								     DOCA_TASK_SUBMIT_FLAG_NONE));
		}
		EXPECT(ERROR_NO_MEMORY,
		       doca_comch_consumer_task_post_recv_alloc_init(consumer->consumer, NULL, &recv));
		CHECK(drain_pe(consumer->pe) == 0);
		for (uint64_t i = 0; i < NUM_RECV; i++)
			send_from_dpa(lab, producer, consumer->id, round * NUM_RECV + i);
		UNTIL(in_order == (round + 1) * NUM_RECV);
		CHECK(consumer->last_producer == producer->id);
	}
	delete_member(producer);
	delete_member(consumer);
	put_buf(buf);
	MUST(doca_buf_inventory_destroy(inventory));
	MUST(doca_mmap_destroy(mmap));
	delete_lab(lab);
}

/* What comes before and after an engine falls asleep wakes it. */
static void notification(void)
{
	struct lab *lab = make_lab();
	struct member *consumer = new_cpu_consumer(lab->from_dpa), *producer = start_new_dpa_producer(lab);
	doca_notification_handle_t handle;

	MUST(doca_pe_get_notification_handle(consumer->pe, &handle));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	MUST(doca_pe_request_notification(consumer->pe));
	CHECK(is_readable(handle, 0)); /* the start is to be reported */
	CHECK(doca_pe_progress(consumer->pe) == 0);
	MUST(doca_pe_clear_notification(consumer->pe, handle));
	CHECK(drain_pe(consumer->pe) == 1 && ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
	post_recvs(consumer, 3);
	MUST(doca_pe_request_notification(consumer->pe));
	CHECK(!is_readable(handle, 0));
	send_from_dpa(lab, producer, consumer->id, 1);
	CHECK(is_readable(handle, LONG_MS));
	MUST(doca_pe_clear_notification(consumer->pe, handle));
	send_from_dpa(lab, producer, consumer->id, 2);
	CHECK(doca_pe_progress(consumer->pe) == 1);
	MUST(doca_pe_request_notification(consumer->pe)); /* with a message that is there */
	CHECK(is_readable(handle, 0));
	MUST(doca_pe_clear_notification(consumer->pe, handle));
	CHECK(drain_pe(consumer->pe) == 1);
	MUST(doca_pe_request_notification(consumer->pe));
	CHECK(!is_readable(handle, 0));
	MUST(doca_pe_clear_notification(consumer->pe, handle));

	/* In the mode that makes progress while it is armed, later messages wake, too. */
	MUST(doca_pe_set_event_mode(consumer->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	post_recvs(consumer, 2);
	for (uint64_t i = 0; i < 2; i++) {
		MUST(doca_pe_request_notification(consumer->pe));
		CHECK(!is_readable(handle, 0));
		CHECK(drain_pe(consumer->pe) == 0);
		send_from_dpa(lab, producer, consumer->id, i);
		CHECK(is_readable(handle, LONG_MS));
		CHECK(drain_pe(consumer->pe) == 1);
	}
	delete_member(consumer);
	delete_member(producer);
	delete_lab(lab);
}

/* A stop fails the receives that nobody has claimed, and a message that was sent is received. */
static void stopped_consumer(void)
{
	struct lab *lab = make_lab();
	struct member *consumer = start_new_cpu_consumer(lab->from_dpa), *producer = start_new_dpa_producer(lab);

	EXPECT(SUCCESS, doca_ctx_stop(consumer->ctx)); /* at once if nothing is posted */
	for (int round = 0; round < 3; round++) {
		start_cpu_consumer(consumer);
		consumer->done = consumer->failed = 0;
		post_recvs(consumer, 5);
		send_from_dpa(lab, producer, consumer->id, 1);
		send_from_dpa(lab, producer, consumer->id, 2);
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(consumer->ctx));
		CHECK(RPC(lab, is_empty, .producer = producer->handle, .id = consumer->id) == 1);
		UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_IDLE);
		CHECK(consumer->done == 2 && consumer->failed == 3 && consumer->last_error == DOCA_ERROR_IO_FAILED);
	}
	/* Freed while posted. */
	start_cpu_consumer(consumer);
	{
		struct doca_comch_consumer_task_post_recv *recv;

		MUST(doca_comch_consumer_task_post_recv_alloc_init(consumer->consumer, NULL, &recv));
		MUST(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(recv)));
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(recv));
	}
	stop_member(consumer);
	CHECK(consumer->done == 2 && consumer->failed == 3);
	delete_member(consumer);
	delete_member(producer);
	delete_lab(lab);
}

/* A producer that stops has sent what it has submitted. */
static void stopped_producer(void)
{
	struct lab *lab = make_lab();
	struct member *consumer = start_new_dpa_consumer(lab), *producer = start_new_cpu_producer(lab->to_dpa);
	struct call call = lab->call;
	uint64_t number = 5;

	RPC(lab, consumer_ack, .consumer = consumer->handle, .num = 2);
	MUST(submit_send(producer, consumer->id, &number, sizeof(number)));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(producer->ctx));
	EXPECT(ERROR_IN_USE, doca_comch_producer_destroy(producer->producer));
	UNTIL(ctx_state(producer->ctx) == DOCA_CTX_STATE_IDLE);
	CHECK(producer->done == 1 && producer->failed == 0);
	CHECK(rpc(lab, FUNC(take), &call) == 1 && memcmp(call.bytes, &number, sizeof(number)) == 0);

	/* A message outlives its consumer in the completion queue, and a new one begins without receives. */
	MUST(doca_ctx_start(producer->ctx));
	MUST(submit_send(producer, consumer->id, &number, sizeof(number)));
	RPC(lab, consumer_ack, .consumer = consumer->handle, .num = 9);
	stop_member(consumer);
	MUST(doca_ctx_start(consumer->ctx));
	MUST(doca_comch_consumer_get_dpa_handle(consumer->consumer, &consumer->handle));
	EXPECT(ERROR_AGAIN, submit_send(producer, consumer->id, &number, sizeof(number)));
	CHECK(rpc(lab, FUNC(take), &call) == 1 && rpc(lab, FUNC(take), &call) == 0);
	delete_member(producer);
	delete_member(consumer);
	delete_lab(lab);
}

TEST_MAIN(credits, limits, receives, notification, stopped_consumer, stopped_producer, left_nothing)
