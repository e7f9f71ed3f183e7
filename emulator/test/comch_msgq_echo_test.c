/* SPDX-License-Identifier: Apache-2.0 */

/* Messages to the DPA and back through two MsgQs: in order, each once, and without an allocation for any of them. */

#include "comch_msgq.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define NUM_MESSAGES 50000u
#else
#define NUM_MESSAGES 1000000u
#endif

static unsigned long num_allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t num, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t num, size_t size);

void *__wrap_malloc(size_t size)
{
	__atomic_fetch_add(&num_allocations, 1, __ATOMIC_RELAXED);
	return __real_malloc(size);
}

void *__wrap_calloc(size_t num, size_t size)
{
	__atomic_fetch_add(&num_allocations, 1, __ATOMIC_RELAXED);
	return __real_calloc(num, size);
}

/* Sends all messages back that have arrived, and sleeps. */
static void echo(uint64_t arg)
{
	const struct call *call = (const struct call *)arg;
	uint64_t element;

	while (dev->comch_consumer_get_completion(call->comp, &element)) {
		uint32_t len;
		const uint8_t *imm = dev->comch_consumer_get_completion_imm(element, &len);

		dev->comch_producer_post_send_imm_only(call->producer, call->id, imm, len,
						       EMU_DPA_SUBMIT_FLUSH | EMU_DPA_SUBMIT_OPTIMIZE_REPORTS);
		dev->comch_consumer_completion_ack(call->comp, 1);
		dev->comch_consumer_ack(call->consumer, 1);
	}
	dev->comch_consumer_completion_request_notification(call->comp);
	dev->thread_reschedule();
}
THREAD_FUNC(echo)

static const struct emu_dpa_func funcs[] = {FUNC_ENTRY(echo, 0), COMMON_FUNCS};

struct message {
	uint64_t number;
	uint64_t parts[3]; /* derived from it */
};

static struct message message_of(uint64_t number)
{
	return (struct message){number, {~number, number * 31, number ^ 0x5555}};
}

struct echoer {
	struct lab *lab;
	struct member *producer, *dpa_consumer, *dpa_producer, *consumer;
	uint64_t num_sent, num_received;
	bool is_right;
};

static void received(struct member *member, struct doca_task *task)
{
	struct echoer *echoer = member->hook_data;
	struct message expected = message_of(echoer->num_received++);

	if (member->last_len != sizeof(expected) || memcmp(member->last, &expected, sizeof(expected)) != 0)
		echoer->is_right = false;
	MUST(doca_task_submit(task));
}

static struct echoer make_echoer(void)
{
	struct echoer echoer = {.is_right = true};
	struct lab *lab = new_lab(funcs, sizeof(funcs) / sizeof(funcs[0]), FUNC(echo));

	echoer.lab = lab;
	echoer.producer = start_new_cpu_producer(lab->to_dpa);
	echoer.dpa_consumer = start_new_dpa_consumer(lab);
	echoer.dpa_producer = start_new_dpa_producer(lab);
	echoer.consumer = start_new_cpu_consumer(lab->from_dpa);
	echoer.consumer->on_done = received;
	lab->call.consumer = echoer.dpa_consumer->handle;
	lab->call.producer = echoer.dpa_producer->handle;
	lab->call.id = echoer.consumer->id;
	MUST(doca_dpa_thread_run(lab->thread));
	return echoer;
}

static void delete_echoer(struct echoer *echoer)
{
	delete_member(echoer->producer);
	delete_member(echoer->consumer);
	delete_member(echoer->dpa_consumer);
	delete_member(echoer->dpa_producer);
	delete_lab(echoer->lab);
}

/* Up to window messages are on the way. */
static void run(struct echoer *echoer, uint64_t num, uint64_t window)
{
	uint64_t deadline = now_ms() + LONG_MS;

	echoer->num_sent = echoer->num_received = 0;
	while (echoer->num_received < num) {
		while (echoer->num_sent < num && echoer->num_sent - echoer->num_received < window) {
			struct message message = message_of(echoer->num_sent);
			doca_error_t result =
				submit_send(echoer->producer, echoer->dpa_consumer->id, &message, sizeof(message));

			if (result == DOCA_ERROR_AGAIN) /* the echo comes before its receive is posted again */
				break;
			MUST(result);
			echoer->num_sent++;
		}
		drain_pe(echoer->producer->pe);
		if (drain_pe(echoer->consumer->pe) > 0)
			deadline = now_ms() + LONG_MS;
		else
			never_after(deadline, __FILE__, __LINE__, "an echo");
	}
	CHECK(echoer->is_right);
	drain_pe(echoer->producer->pe);
	CHECK(num_inflight(echoer->producer->ctx) == 0);
}

static void many(void)
{
	struct echoer echoer = make_echoer();
	unsigned long before;

	echoer.consumer->hook_data = &echoer;
	post_recvs(echoer.consumer, NUM_RECV);
	RPC(echoer.lab, consumer_ack, .consumer = echoer.dpa_consumer->handle, .num = NUM_RECV);
	run(&echoer, 1000, NUM_RECV); /* uses each task, so that the pools have all of them */
	run(&echoer, 1000, 1);
	before = __atomic_load_n(&num_allocations, __ATOMIC_RELAXED);
	run(&echoer, NUM_MESSAGES, NUM_RECV);
	CHECK(__atomic_load_n(&num_allocations, __ATOMIC_RELAXED) == before);
	CHECK(echoer.producer->done == (int)NUM_MESSAGES + 2000);
	CHECK(echoer.consumer->done == (int)NUM_MESSAGES + 2000);
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(echoer.lab->dpa));
	delete_echoer(&echoer);
}

/* Both sides sleep before each message. */
static void asleep(void)
{
	struct echoer echoer = make_echoer();
	doca_notification_handle_t handle;
	struct doca_pe *pe = echoer.consumer->pe;

	echoer.consumer->hook_data = &echoer;
	post_recvs(echoer.consumer, 1);
	RPC(echoer.lab, consumer_ack, .consumer = echoer.dpa_consumer->handle, .num = 1);
	MUST(doca_pe_get_notification_handle(pe, &handle));
	for (uint64_t i = 0; i < 200; i++) {
		struct message message = message_of(i);

		drain_pe(pe);
		MUST(doca_pe_request_notification(pe));
		CHECK(!is_readable(handle, 0));
		UNTIL(submit_send(echoer.producer, echoer.dpa_consumer->id, &message, sizeof(message)) == DOCA_SUCCESS);
		CHECK(is_readable(handle, LONG_MS));
		MUST(doca_pe_clear_notification(pe, handle));
		UNTIL(echoer.num_received == i + 1);
	}
	CHECK(echoer.is_right);
	delete_echoer(&echoer);
}

/* In any order of stops, with messages on the way; and again from the start. */
static void again(void)
{
	for (int order = 0; order < 24; order++) {
		struct echoer echoer = make_echoer();
		struct member *members[] = {echoer.producer, echoer.dpa_consumer, echoer.dpa_producer, echoer.consumer};
		int left = order;

		echoer.consumer->hook_data = &echoer;
		echoer.consumer->on_done = NULL;
		post_recvs(echoer.consumer, NUM_RECV);
		RPC(echoer.lab, consumer_ack, .consumer = echoer.dpa_consumer->handle, .num = NUM_RECV);
		for (uint64_t i = 0; i < NUM_RECV; i++)
			MUST(submit_send(echoer.producer, echoer.dpa_consumer->id, &i, sizeof(i)));
		for (int num = 4; num > 0; num--) {
			int i = left % num;

			left /= num;
			delete_member(members[i]);
			members[i] = members[num - 1];
		}
		delete_lab(echoer.lab);
	}
}

TEST_MAIN(many, asleep, again, left_nothing)
