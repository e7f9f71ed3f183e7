/* SPDX-License-Identifier: Apache-2.0 */

/* Several threads on both sides: of the host, and of the DPA. */

#include <pthread.h>

#include "comch_msgq.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define NUM_MESSAGES 5000
#define NUM_ROUNDS 30
#else
#define NUM_MESSAGES 100000
#define NUM_ROUNDS 200
#endif

#define NUM_SIDES 2

struct message {
	uint32_t reply_to; /* the consumer of the sender */
	uint32_t number;
};

/* Answers each message to the one who has sent it. */
static void answer(uint64_t arg)
{
	const struct call *call = (const struct call *)arg;
	uint64_t element;

	while (dev->comch_consumer_get_completion(call->comp, &element)) {
		uint32_t len;
		const uint8_t *imm = dev->comch_consumer_get_completion_imm(element, &len);
		const struct message *message = (const struct message *)(const void *)imm;

		dev->comch_producer_post_send_imm_only(call->producer, message->reply_to, imm, len,
						       EMU_DPA_SUBMIT_FLUSH | EMU_DPA_SUBMIT_OPTIMIZE_REPORTS);
		dev->comch_consumer_completion_ack(call->comp, 1);
		dev->comch_consumer_ack(call->consumer, 1);
	}
	dev->comch_consumer_completion_request_notification(call->comp);
	dev->thread_reschedule();
}
THREAD_FUNC(answer)

/* Sends as long as the consumer has receives, a number of times. */
static void flood(uint64_t arg)
{
	struct call *call = (struct call *)arg;
	uint64_t element;

	while (dev->comch_consumer_get_completion(call->comp, &element)) {
		for (uint32_t i = 0; i < 64; i++) {
			if (!dev->comch_producer_is_consumer_empty(call->producer, call->id))
				dev->comch_producer_post_send_imm_only(call->producer, call->id, (const uint8_t *)&i,
								       sizeof(i), EMU_DPA_SUBMIT_FLUSH);
			while (dev->get_completion(call->send_comp, &element))
				dev->completion_ack(call->send_comp, 1);
		}
		dev->comch_consumer_completion_ack(call->comp, 1);
		dev->comch_consumer_ack(call->consumer, 1);
	}
	__atomic_add_fetch(&call->num, 1, __ATOMIC_RELEASE);
	dev->comch_consumer_completion_request_notification(call->comp);
	dev->thread_reschedule();
}
THREAD_FUNC(flood)

/* Takes messages, and does not know from which consumer. */
static void drain(uint64_t arg)
{
	const struct call *call = (const struct call *)arg;
	uint64_t element;

	while (dev->comch_consumer_get_completion(call->comp, &element))
		dev->comch_consumer_completion_ack(call->comp, 1);
	dev->comch_consumer_completion_request_notification(call->comp);
	dev->thread_reschedule();
}
THREAD_FUNC(drain)

/* Uses what belongs to another thread, in any order. */
static uint64_t meddle(uint64_t arg)
{
	const struct call *call = (const struct call *)arg;
	uint64_t element;
	uint32_t len;

	for (int i = 0; i < 2000; i++) {
		if (dev->comch_consumer_get_completion(call->comp, &element)) {
			(void)*(const volatile uint8_t *)dev->comch_consumer_get_completion_imm(element, &len);
			dev->comch_consumer_completion_ack(call->comp, 1);
			dev->comch_consumer_ack(call->consumer, 1);
		}
		dev->comch_producer_post_send_imm_only(call->producer, call->id, (const uint8_t *)&i, sizeof(i),
						       (uint32_t)(i % 3 == 0));
		if (dev->get_completion(call->send_comp, &element))
			dev->completion_ack(call->send_comp, 1);
	}
	return 0;
}
RPC_FUNC(meddle)

static const struct emu_dpa_func funcs[] = {FUNC_ENTRY(answer, 0), FUNC_ENTRY(flood, 0), FUNC_ENTRY(drain, 0),
					    FUNC_ENTRY(meddle, 1), COMMON_FUNCS};

static struct lab *make_lab(doca_dpa_func_t *func)
{
	return new_lab(funcs, sizeof(funcs) / sizeof(funcs[0]), func);
}

/* A thread of the DPA with a consumer and a producer of its own. */
struct answerer {
	struct doca_dpa_thread *thread;
	struct doca_comch_consumer_completion *comp;
	struct member *consumer, *producer;
	struct call call;
};

static void make_answerer(struct lab *lab, struct answerer *answerer)
{
	struct doca_comch_consumer_completion *of_lab = lab->comp;

	answerer->thread = new_thread(lab->dpa, FUNC(answer), &answerer->call);
	answerer->comp = new_comp(answerer->thread, &answerer->call.comp);
	lab->comp = answerer->comp;
	answerer->consumer = start_new_dpa_consumer(lab);
	lab->comp = of_lab;
	answerer->producer = start_new_dpa_producer(lab);
	answerer->call.consumer = answerer->consumer->handle;
	answerer->call.producer = answerer->producer->handle;
	MUST(doca_dpa_thread_run(answerer->thread));
	RPC(lab, consumer_ack, .consumer = answerer->consumer->handle, .num = NUM_RECV);
}

/* A thread of the host that sends to all threads of the DPA in turn. */
struct asker {
	struct lab *lab;
	struct answerer *answerers;
	uint32_t next[NUM_SIDES]; /* the number that each answers next */
	int num_answers;
	int num_wrong;
};

static void answered(struct member *member, struct doca_task *task)
{
	struct asker *asker = member->hook_data;
	struct message message;

	memcpy(&message, member->last, sizeof(message));
	for (int i = 0; i < NUM_SIDES; i++) {
		if (asker->answerers[i].producer->id != member->last_producer)
			continue;
		if (member->last_len != sizeof(message) || message.number != asker->next[i]++ ||
		    message.reply_to != member->id)
			asker->num_wrong++;
		asker->num_answers++;
	}
	MUST(doca_task_submit(task));
}

static void *ask(void *arg)
{
	struct asker *asker = arg;
	struct member *consumer = start_new_cpu_consumer(asker->lab->from_dpa);
	struct member *producer = start_new_cpu_producer(asker->lab->to_dpa);
	uint32_t sent[NUM_SIDES] = {0};

	consumer->on_done = answered;
	consumer->hook_data = asker;
	post_recvs(consumer, NUM_RECV);
	for (int i = 0; i < NUM_MESSAGES; i++) {
		int side = i % NUM_SIDES;
		struct message message = {.reply_to = consumer->id, .number = sent[side]++};

		/* A thread answers a message before it makes room for another one. */
		UNTIL(i - asker->num_answers < NUM_RECV / NUM_SIDES - 1);
		MUST(submit_send(producer, asker->answerers[side].consumer->id, &message, sizeof(message)));
	}
	UNTIL(asker->num_answers == NUM_MESSAGES);
	CHECK(asker->num_wrong == 0);
	delete_member(producer);
	delete_member(consumer);
	return NULL;
}

static void several(void)
{
	struct lab *lab = make_lab(FUNC(drain));
	struct answerer *answerers = calloc(NUM_SIDES, sizeof(*answerers));
	struct asker askers[NUM_SIDES];
	pthread_t threads[NUM_SIDES];

	for (int i = 0; i < NUM_SIDES; i++)
		make_answerer(lab, &answerers[i]);
	for (int i = 0; i < NUM_SIDES; i++) {
		askers[i] = (struct asker){.lab = lab, .answerers = answerers};
		pthread_create(&threads[i], NULL, ask, &askers[i]);
	}
	for (int i = 0; i < NUM_SIDES; i++)
		pthread_join(threads[i], NULL);
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(lab->dpa));
	for (int i = 0; i < NUM_SIDES; i++) {
		delete_member(answerers[i].producer);
		delete_member(answerers[i].consumer);
		delete_comp(answerers[i].comp);
		MUST(doca_dpa_thread_destroy(answerers[i].thread));
	}
	free(answerers);
	delete_lab(lab);
}

/* The host's consumer stops and starts while the DPA sends to it. */
static void stops_here(void)
{
	struct lab *lab = make_lab(FUNC(flood));
	struct member *trigger = start_new_cpu_producer(lab->to_dpa), *consumer = new_cpu_consumer(lab->from_dpa);
	struct member *dpa_consumer = start_new_dpa_consumer(lab), *producer = start_new_dpa_producer(lab);

	lab->call.consumer = dpa_consumer->handle;
	lab->call.id = consumer->id;
	RPC(lab, consumer_ack, .consumer = dpa_consumer->handle, .num = 1);
	for (int round = 0; round < NUM_ROUNDS; round++) {
		int enough = round % 20;
		uint32_t num;

		MUST(doca_comch_producer_get_dpa_handle(producer->producer, &lab->call.producer));
		if (round == 0)
			MUST(doca_dpa_thread_run(lab->thread));
		start_cpu_consumer(consumer);
		consumer->done = consumer->failed = 0;
		post_recvs(consumer, 40);
		num = __atomic_load_n(&lab->call.num, __ATOMIC_ACQUIRE);
		UNTIL(submit_send(trigger, dpa_consumer->id, NULL, 0) == DOCA_SUCCESS);
		UNTIL(consumer->done >= enough);
		stop_member(consumer);
		CHECK(consumer->done + consumer->failed == 40);
		UNTIL(__atomic_load_n(&lab->call.num, __ATOMIC_ACQUIRE) != num);
		stop_member(producer); /* which may have failed */
		MUST(doca_ctx_start(producer->ctx));
	}
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(lab->dpa));
	delete_member(trigger);
	delete_member(consumer);
	delete_member(dpa_consumer);
	delete_member(producer);
	delete_lab(lab);
}

/* The DPA's consumer stops and starts while a thread of the host sends to it. */
struct sender {
	struct lab *lab;
	uint32_t id;
	uint64_t num_sent; /* accessed with atomics */
	bool is_over;	   /* the same */
};

static void *send_always(void *arg)
{
	struct sender *sender = arg;
	struct member *producer = start_new_cpu_producer(sender->lab->to_dpa);
	uint64_t number = 0;

	while (!__atomic_load_n(&sender->is_over, __ATOMIC_ACQUIRE)) {
		doca_error_t result = submit_send(producer, sender->id, &number, sizeof(number));

		CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN || result == DOCA_ERROR_INVALID_VALUE);
		if (result == DOCA_SUCCESS)
			__atomic_add_fetch(&sender->num_sent, 1, __ATOMIC_RELEASE);
		drain_pe(producer->pe);
	}
	delete_member(producer);
	return NULL;
}

static void stops_there(void)
{
	struct lab *lab = make_lab(FUNC(drain));
	struct member *consumer = new_dpa_consumer(lab);
	struct sender sender = {.lab = lab, .id = consumer->id};
	pthread_t threads[NUM_SIDES];

	MUST(doca_dpa_thread_run(lab->thread));
	for (int i = 0; i < NUM_SIDES; i++)
		pthread_create(&threads[i], NULL, send_always, &sender);
	for (int round = 0; round < NUM_ROUNDS; round++) {
		uint64_t before = __atomic_load_n(&sender.num_sent, __ATOMIC_ACQUIRE);

		MUST(doca_ctx_start(consumer->ctx));
		MUST(doca_comch_consumer_get_dpa_handle(consumer->consumer, &consumer->handle));
		RPC(lab, consumer_ack, .consumer = consumer->handle, .num = NUM_RECV);
		if (round % 2 == 0)
			UNTIL(__atomic_load_n(&sender.num_sent, __ATOMIC_ACQUIRE) >= before + (uint64_t)(round % 32));
		stop_member(consumer);
	}
	__atomic_store_n(&sender.is_over, true, __ATOMIC_RELEASE);
	for (int i = 0; i < NUM_SIDES; i++)
		pthread_join(threads[i], NULL);
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(lab->dpa));
	delete_member(consumer);
	delete_lab(lab);
}

/* Code on the DPA that uses the same queues on several threads may have a fatal error, and nothing worse. */
static void *run_meddle(void *arg)
{
	struct lab *lab = arg;
	uint64_t result;
	doca_error_t status = doca_dpa_rpc(lab->dpa, FUNC(meddle), &result, (uint64_t)(uintptr_t)&lab->call);

	CHECK(status == DOCA_SUCCESS || status == DOCA_ERROR_DRIVER);
	return NULL;
}

static void receive_again(struct member *member, struct doca_task *task)
{
	if (ctx_state(member->ctx) == DOCA_CTX_STATE_RUNNING)
		MUST(doca_task_submit(task));
	else
		doca_task_free(task);
}

static void misuse(void)
{
#ifdef __SANITIZE_THREAD__
	return; /* it would find the races, which are those of the code on the DPA */
#endif
	for (int round = 0; round < 10; round++) {
		struct lab *lab = make_lab(FUNC(drain));
		struct member *consumer = start_new_cpu_consumer(lab->from_dpa), *dpa_consumer = start_new_dpa_consumer(lab);
		struct member *producer = start_new_cpu_producer(lab->to_dpa), *dpa_producer = start_new_dpa_producer(lab);
		pthread_t threads[3];

		lab->call.consumer = dpa_consumer->handle;
		lab->call.producer = dpa_producer->handle;
		lab->call.id = consumer->id;
		consumer->on_done = receive_again;
		post_recvs(consumer, NUM_RECV);
		RPC(lab, consumer_ack, .consumer = dpa_consumer->handle, .num = NUM_RECV / 2);
		for (int i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, run_meddle, lab);
		for (int i = 0; i < 5000 && ctx_state(producer->ctx) == DOCA_CTX_STATE_RUNNING; i++) {
			doca_error_t result = submit_send(producer, dpa_consumer->id, &i, sizeof(i));

			CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN ||
			      result == DOCA_ERROR_NOT_CONNECTED);
			progress_all();
		}
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		delete_member(producer);
		delete_member(consumer);
		delete_member(dpa_producer);
		delete_member(dpa_consumer);
		delete_lab(lab);
	}
}

TEST_MAIN(misuse, several, stops_here, stops_there, left_nothing)
