/* SPDX-License-Identifier: Apache-2.0 */

/* A DPA that has a fatal error under its MsgQs, and everything that can be destroyed in the wrong order. */

#include "comch_msgq.h"

static void idle(uint64_t arg)
{
	(void)arg;
	dev->thread_reschedule();
}
THREAD_FUNC(idle)

/* Polls for ever. */
static void spin(uint64_t arg)
{
	const struct call *call = (const struct call *)arg;

	while (dev->comch_producer_is_consumer_empty(call->producer, call->id))
		;
	dev->thread_reschedule();
}
THREAD_FUNC(spin)

/* Reads a message until its memory is gone. */
static void cling(uint64_t arg)
{
	struct call *call = (struct call *)arg;
	uint64_t element;
	uint32_t len;
	const volatile uint8_t *imm;

	if (!dev->comch_consumer_get_completion(call->comp, &element))
		return;
	imm = dev->comch_consumer_get_completion_imm(element, &len);
	__atomic_store_n(&call->num, 1, __ATOMIC_RELEASE);
	while (imm[0] == 'x')
		;
}
THREAD_FUNC(cling)

static const struct emu_dpa_func funcs[] = {FUNC_ENTRY(idle, 0), FUNC_ENTRY(spin, 0), FUNC_ENTRY(cling, 0), COMMON_FUNCS};

static struct lab *make_lab(doca_dpa_func_t *func)
{
	return new_lab(funcs, sizeof(funcs) / sizeof(funcs[0]), func);
}

static void fail_dpa(struct lab *lab)
{
	MUST_BE_FATAL(lab, consumer_ack, .consumer = 1);
}

/* Contexts of the host stop by themselves, also those that sleep. */
static void contexts_of_the_host(void)
{
	struct lab *lab = make_lab(FUNC(idle));
	struct member *consumer = start_new_cpu_consumer(lab->from_dpa), *producer = start_new_cpu_producer(lab->to_dpa);
	struct member *dpa_consumer = start_new_dpa_consumer(lab), *dpa_producer = start_new_dpa_producer(lab);
	doca_notification_handle_t handle, other;
	struct doca_comch_msgq *msgq;

	RPC(lab, consumer_ack, .consumer = dpa_consumer->handle, .num = 8);
	post_recvs(consumer, 3);
	MUST(submit_send(producer, dpa_consumer->id, "x", 1));
	drain_pe(producer->pe);
	MUST(doca_pe_get_notification_handle(consumer->pe, &handle));
	MUST(doca_pe_get_notification_handle(producer->pe, &other));
	MUST(doca_pe_request_notification(consumer->pe));
	MUST(doca_pe_request_notification(producer->pe));
	CHECK(!is_readable(handle, 0) && !is_readable(other, 0));
	fail_dpa(lab);
	EXPECT(ERROR_NOT_CONNECTED, submit_send(producer, dpa_consumer->id, "x", 1));
	CHECK(is_readable(handle, LONG_MS) && is_readable(other, LONG_MS));
	MUST(doca_pe_clear_notification(consumer->pe, handle));
	MUST(doca_pe_clear_notification(producer->pe, other));
	UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_IDLE);
	UNTIL(ctx_state(producer->ctx) == DOCA_CTX_STATE_IDLE);
	CHECK(consumer->done == 0 && consumer->failed == 3 && consumer->last_error == DOCA_ERROR_NOT_CONNECTED);
	CHECK(producer->done == 1 && producer->failed == 0);

	/* Nothing starts on it any more, and everything stops. */
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(consumer->ctx));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(producer->ctx));
	EXPECT(SUCCESS, doca_ctx_stop(dpa_consumer->ctx));
	EXPECT(SUCCESS, doca_ctx_stop(dpa_producer->ctx));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(dpa_consumer->ctx));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(dpa_producer->ctx));
	MUST(doca_comch_msgq_create(lab->dev, &msgq));
	MUST(doca_comch_msgq_set_dpa_consumer(msgq, lab->dpa));
	EXPECT(ERROR_DRIVER, doca_comch_msgq_start(msgq));
	MUST(doca_comch_msgq_destroy(msgq));
	delete_member(consumer);
	delete_member(producer);
	delete_member(dpa_consumer);
	delete_member(dpa_producer);
	delete_lab(lab);

	lab = make_lab(FUNC(idle)); /* again, on the same device */
	consumer = start_new_cpu_consumer(lab->from_dpa);
	dpa_producer = start_new_dpa_producer(lab);
	post_recvs(consumer, 1);
	RPC(lab, post_send, .producer = dpa_producer->handle, .id = consumer->id, .flags = EMU_DPA_SUBMIT_FLUSH);
	UNTIL(consumer->done == 1);
	delete_member(consumer);
	delete_member(dpa_producer);
	delete_lab(lab);
}

/* A thread that polls for ever ends with what it uses. */
static void endless_thread(void)
{
	for (int fatal = 0; fatal < 2; fatal++) {
		struct lab *lab = make_lab(FUNC(spin));
		struct member *consumer = start_new_cpu_consumer(lab->from_dpa), *producer = start_new_dpa_producer(lab);
		struct member *dpa_consumer = start_new_dpa_consumer(lab), *trigger = start_new_cpu_producer(lab->to_dpa);

		lab->call.producer = producer->handle;
		lab->call.id = consumer->id;
		MUST(doca_dpa_thread_run(lab->thread));
		RPC(lab, consumer_ack, .consumer = dpa_consumer->handle, .num = 1);
		MUST(submit_send(trigger, dpa_consumer->id, NULL, 0)); /* wakes the thread */
		UNTIL(trigger->done == 1);
		usleep(1000);
		if (fatal)
			fail_dpa(lab);
		delete_member(trigger);
		delete_member(dpa_consumer);
		delete_member(consumer);
		delete_member(producer); /* its handle is wrong now, which is fatal if the thread polls with it */
		delete_lab(lab);
	}
}

/* A message that is used after the end of its completion queue crashes the kernel alone. */
static void message_of_the_past(void)
{
	struct lab *lab = make_lab(FUNC(cling));
	struct member *consumer = start_new_dpa_consumer(lab), *producer = start_new_cpu_producer(lab->to_dpa);

	MUST(doca_dpa_thread_run(lab->thread));
	RPC(lab, consumer_ack, .consumer = consumer->handle, .num = 1);
	MUST(submit_send(producer, consumer->id, "x", 1));
	UNTIL(__atomic_load_n(&lab->call.num, __ATOMIC_ACQUIRE) == 1);
	delete_member(producer);
	delete_member(consumer);
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(lab->dpa));
	MUST(doca_comch_consumer_completion_stop(lab->comp));
	UNTIL(doca_dpa_peek_at_last_error(lab->dpa) == DOCA_ERROR_BAD_STATE);
	MUST(doca_comch_consumer_completion_destroy(lab->comp));
	lab->comp = NULL;
	delete_msgq(lab->to_dpa);
	delete_msgq(lab->from_dpa);
	MUST(doca_dpa_completion_destroy(lab->send_comp));
	MUST(doca_dpa_thread_destroy(lab->thread));
	MUST(doca_dpa_destroy(lab->dpa));
	MUST(doca_dev_close(lab->dev));
	free(lab);
}

/* What others use cannot be destroyed, before a fatal error and after one. */
static void wrong_order(void)
{
	for (int fatal = 0; fatal < 2; fatal++) {
		struct lab *lab = make_lab(FUNC(idle));
		struct member *consumer = start_new_dpa_consumer(lab), *producer = start_new_dpa_producer(lab);

		if (fatal)
			fail_dpa(lab);
		EXPECT(ERROR_IN_USE, doca_dpa_stop(lab->dpa));
		EXPECT(ERROR_IN_USE, doca_dpa_destroy(lab->dpa));
		CHECK(doca_dpa_thread_destroy(lab->thread) != DOCA_SUCCESS);
		CHECK(doca_dpa_completion_destroy(lab->send_comp) != DOCA_SUCCESS);
		EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_stop(lab->comp));
		EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_destroy(lab->comp));
		EXPECT(ERROR_IN_USE, doca_comch_msgq_stop(lab->to_dpa));
		EXPECT(ERROR_IN_USE, doca_comch_msgq_stop(lab->from_dpa));
		EXPECT(ERROR_IN_USE, doca_comch_consumer_destroy(consumer->consumer));
		EXPECT(ERROR_IN_USE, doca_comch_producer_destroy(producer->producer));
		EXPECT(ERROR_IN_USE, doca_dev_close(lab->dev));
		stop_member(consumer); /* it still names the queue */
		EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_stop(lab->comp));
		EXPECT(ERROR_IN_USE, doca_comch_msgq_stop(lab->to_dpa));
		delete_member(consumer);
		EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_destroy(lab->comp));
		delete_member(producer);
		delete_lab(lab);
	}
}

TEST_MAIN(contexts_of_the_host, endless_thread, message_of_the_past, wrong_order, left_nothing)
