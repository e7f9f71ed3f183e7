/* SPDX-License-Identifier: Apache-2.0 */

/* The functions of doca_dpa_dev_comch_msgq.h: what they do, and what they do with arguments that are wrong. */

#include <pthread.h>
#include <sys/mman.h>

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

#define FLUSH EMU_DPA_SUBMIT_FLUSH
#define QUIET EMU_DPA_SUBMIT_OPTIMIZE_REPORTS

/* The type of the next completion of a producer; -1: there is none. */
static int next_sent(struct lab *lab, uint32_t *user_data)
{
	struct call call = lab->call;

	if (rpc(lab, FUNC(take_sent), &call) == 0)
		return -1;
	if (user_data != NULL)
		*user_data = call.user_data;
	return (int)call.type;
}

static void is_consumer_empty(void)
{
	struct lab *lab = make_lab();
	struct member *producer = start_new_dpa_producer(lab), *consumer = new_cpu_consumer(lab->from_dpa);
	struct call call = {.producer = producer->handle, .id = consumer->id};

	CHECK(rpc(lab, FUNC(is_empty), &call) == 1); /* not started */
	start_cpu_consumer(consumer);
	CHECK(rpc(lab, FUNC(is_empty), &call) == 1);
	post_recvs(consumer, 2);
	CHECK(rpc(lab, FUNC(is_empty), &call) == 0);
	RPC(lab, post_send, .producer = producer->handle, .id = consumer->id, .flags = FLUSH);
	CHECK(rpc(lab, FUNC(is_empty), &call) == 0);
	RPC(lab, post_send, .producer = producer->handle, .id = consumer->id, .flags = FLUSH);
	CHECK(rpc(lab, FUNC(is_empty), &call) == 1);
	call.id = consumer->id + 1; /* does not exist, but might */
	CHECK(rpc(lab, FUNC(is_empty), &call) == 1);
	UNTIL(consumer->done == 2);
	CHECK(consumer->last_len == 0);
	delete_member(consumer);
	delete_member(producer);
	delete_lab(lab);
}

/* Each send has a completion with the producer's user data, unless it says otherwise. */
static void reports(void)
{
	struct lab *lab = make_lab();
	struct member *a = start_new_dpa_producer(lab), *b = start_new_dpa_producer(lab);
	struct member *consumer = start_new_cpu_consumer(lab->from_dpa);
	uint32_t user_data = 0;

	post_recvs(consumer, 4);
	RPC(lab, post_send, .producer = a->handle, .id = consumer->id, .flags = FLUSH);
	RPC(lab, post_send, .producer = b->handle, .id = consumer->id, .flags = FLUSH | QUIET);
	RPC(lab, post_send, .producer = b->handle, .id = consumer->id, .flags = FLUSH);
	CHECK(next_sent(lab, &user_data) == EMU_DPA_COMP_SEND && user_data == 0x5a0000 + a->id);
	CHECK(next_sent(lab, &user_data) == EMU_DPA_COMP_SEND && user_data == 0x5a0000 + b->id);
	CHECK(next_sent(lab, NULL) == -1);
	UNTIL(consumer->done == 3);
	CHECK(consumer->last_producer == b->id);

	/* 24 bits of the user data. */
	stop_member(a);
	MUST(doca_ctx_set_user_data(a->ctx, (union doca_data){.u64 = UINT64_C(0xff12345678)}));
	MUST(doca_ctx_start(a->ctx));
	MUST(doca_comch_producer_get_dpa_handle(a->producer, &a->handle));
	RPC(lab, post_send, .producer = a->handle, .id = consumer->id, .flags = FLUSH);
	CHECK(next_sent(lab, &user_data) == EMU_DPA_COMP_SEND && user_data == 0x345678);
	delete_member(a);
	delete_member(b);
	delete_member(consumer);
	delete_lab(lab);
}

/* A send without the flag waits for one with it. */
static void flushes(void)
{
	struct lab *lab = make_lab();
	struct member *producer = start_new_dpa_producer(lab), *consumer = start_new_cpu_consumer(lab->from_dpa);

	post_recvs(consumer, NUM_RECV);
	for (int round = 0; round < 3; round++) {
		consumer->done = 0;
		for (uint32_t i = 0; i < 3; i++)
			RPC(lab, post_send, .producer = producer->handle, .id = consumer->id, .imm = (uint8_t *)&i,
			    .len = sizeof(i));
		drain_pe(consumer->pe);
		CHECK(consumer->done == 0 && next_sent(lab, NULL) == -1);
		RPC(lab, post_send, .producer = producer->handle, .id = consumer->id, .imm = (const uint8_t *)"last",
		    .len = 4, .flags = FLUSH);
		UNTIL(consumer->done == 4);
		CHECK(consumer->last_len == 4 && memcmp(consumer->last, "last", 4) == 0);
		for (int i = 0; i < 4; i++)
			CHECK(next_sent(lab, NULL) == EMU_DPA_COMP_SEND);
	}
	/* Those that were not flushed end with the producer. */
	RPC(lab, post_send, .producer = producer->handle, .id = consumer->id);
	stop_member(producer);
	MUST(doca_ctx_start(producer->ctx));
	MUST(doca_comch_producer_get_dpa_handle(producer->producer, &producer->handle));
	RPC(lab, post_send, .producer = producer->handle, .id = consumer->id, .flags = FLUSH);
	UNTIL(consumer->done == 5);
	CHECK(drain_pe(consumer->pe) == 0);

	/* As many as the producer may have. */
	for (int i = 0; i < NUM_RECV; i++)
		RPC(lab, post_send, .producer = producer->handle, .id = consumer->id);
	MUST_BE_FATAL(lab, post_send, .producer = producer->handle, .id = consumer->id);
	delete_member(producer);
	delete_member(consumer);
	delete_lab(lab);
}

/* A send that fails has a completion that says so, also one without reports, and so have all that follow. */
static void failing(struct lab *lab, struct member *producer, struct call call)
{
	uint32_t user_data = 0;

	call.producer = producer->handle;
	rpc(lab, call.size != 0 ? FUNC(dma_copy) : FUNC(post_send), &call);
	CHECK(next_sent(lab, &user_data) == EMU_DPA_COMP_SEND_ERR && user_data == 0x5a0000 + producer->id);
	RPC(lab, post_send, .producer = producer->handle, .id = call.id, .flags = FLUSH | QUIET);
	CHECK(next_sent(lab, NULL) == EMU_DPA_COMP_SEND_ERR);
	CHECK(next_sent(lab, NULL) == -1);
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(lab->dpa));
	stop_member(producer);
	MUST(doca_ctx_start(producer->ctx));
	MUST(doca_comch_producer_get_dpa_handle(producer->producer, &producer->handle));
}

static void errors(void)
{
	struct lab *lab = make_lab();
	struct member *producer = start_new_dpa_producer(lab), *consumer = new_cpu_consumer(lab->from_dpa);
	uint8_t bytes[32] = {0};

	failing(lab, producer, (struct call){.id = consumer->id, .flags = FLUSH}); /* not started */
	failing(lab, producer, (struct call){.id = consumer->id + 1, .flags = FLUSH | QUIET});
	MUST(doca_comch_consumer_set_imm_data_len(consumer->consumer, 16));
	start_cpu_consumer(consumer);
	failing(lab, producer, (struct call){.id = consumer->id, .flags = FLUSH}); /* no receive */
	post_recvs(consumer, 1);
	failing(lab, producer, (struct call){.id = consumer->id, .imm = bytes, .len = 17, .flags = FLUSH});
	RPC(lab, post_send, .producer = producer->handle, .id = consumer->id, .imm = bytes, .len = 16, .flags = FLUSH);
	CHECK(next_sent(lab, NULL) == EMU_DPA_COMP_SEND);
	UNTIL(consumer->done == 1);
	delete_member(producer);
	delete_member(consumer);
	delete_lab(lab);
}

/* Posts a receive while the DPA waits for one. */
static void *post_soon(void *member)
{
	usleep(2000);
	post_recvs(member, 1);
	return NULL;
}

static void late_receive(void)
{
	struct lab *lab = make_lab();
	struct member *producer = start_new_dpa_producer(lab), *consumer = start_new_cpu_consumer(lab->from_dpa);
	pthread_t thread;

	pthread_create(&thread, NULL, post_soon, consumer);
	RPC(lab, post_send, .producer = producer->handle, .id = consumer->id, .flags = FLUSH);
	pthread_join(thread, NULL);
	CHECK(next_sent(lab, NULL) == EMU_DPA_COMP_SEND);
	UNTIL(consumer->done == 1);
	delete_member(producer);
	delete_member(consumer);
	delete_lab(lab);
}

/* Memory maps for copies. */

static doca_dpa_dev_mmap_t handle_of(struct lab *lab, struct doca_mmap *mmap)
{
	doca_dpa_dev_mmap_t handle;

	MUST(doca_mmap_dev_get_dpa_handle(mmap, lab->dev, &handle));
	return handle;
}

static void copies(void)
{
	struct lab *lab = make_lab();
	struct member *producer = start_new_dpa_producer(lab), *consumer = start_new_cpu_consumer(lab->from_dpa);
	uint8_t from[4096], to[4096], read_only[64];
	struct doca_mmap *from_map = make_mmap(lab->dev, from, sizeof(from), DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	struct doca_mmap *to_map = make_mmap(lab->dev, to, sizeof(to), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_mmap *other_map = make_mmap(lab->dev, read_only, sizeof(read_only), DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	struct call call = {.producer = producer->handle, .id = consumer->id, .flags = FLUSH, .imm = (const uint8_t *)"hi",
			    .len = 2, .size = 1000};

	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i * 7 + 1);
	memset(to, 0, sizeof(to));
	post_recvs(consumer, 8);
	call.src_mmap = handle_of(lab, from_map);
	call.dst_mmap = handle_of(lab, to_map);
	call.src = (uintptr_t)from + 100;
	call.dst = (uintptr_t)to + 200;
	rpc(lab, FUNC(dma_copy), &call);
	UNTIL(consumer->done == 1);
	CHECK(consumer->last_len == 2 && memcmp(consumer->last, "hi", 2) == 0);
	CHECK(memcmp(to + 200, from + 100, 1000) == 0 && to[199] == 0 && to[1200] == 0);
	CHECK(next_sent(lab, NULL) == EMU_DPA_COMP_SEND);

	/* Without the flag, it waits with its memory. */
	memset(to, 0, sizeof(to));
	call.flags = 0;
	rpc(lab, FUNC(dma_copy), &call);
	CHECK(to[200] == 0 && next_sent(lab, NULL) == -1);
	RPC(lab, post_send, .producer = producer->handle, .id = consumer->id, .flags = FLUSH);
	CHECK(memcmp(to + 200, from + 100, 1000) == 0);
	UNTIL(consumer->done == 3);
	CHECK(next_sent(lab, NULL) == EMU_DPA_COMP_SEND && next_sent(lab, NULL) == EMU_DPA_COMP_SEND);

	/* Outside of the maps, against their permissions, or onto itself: nothing is copied or sent. */
	memset(to, 0, sizeof(to));
	call.flags = FLUSH;
	call.src = (uintptr_t)from + sizeof(from) - 999;
	failing(lab, producer, call);
	call.src = (uintptr_t)from - 1;
	failing(lab, producer, call);
	call.src = UINT64_MAX - 10;
	failing(lab, producer, call);
	call.src = (uintptr_t)from;
	call.size = SIZE_MAX;
	failing(lab, producer, call);
	call.size = 64;
	call.dst = (uintptr_t)to + sizeof(to) - 63;
	failing(lab, producer, call);
	call.dst_mmap = handle_of(lab, other_map);
	call.dst = (uintptr_t)read_only;
	failing(lab, producer, call);
	call.src_mmap = call.dst_mmap = handle_of(lab, to_map);
	call.src = (uintptr_t)to;
	call.dst = (uintptr_t)to + 63;
	failing(lab, producer, call);
	call.src = (uintptr_t)to + 63;
	call.dst = (uintptr_t)to;
	failing(lab, producer, call);
	for (size_t i = 0; i < sizeof(to); i++)
		CHECK(to[i] == 0);
	CHECK(drain_pe(consumer->pe) == 0);
	call.producer = producer->handle;
	call.src = (uintptr_t)to + 64; /* beside it */
	rpc(lab, FUNC(dma_copy), &call);
	CHECK(next_sent(lab, NULL) == EMU_DPA_COMP_SEND);

	/* A map that has ended. */
	call.src_mmap = handle_of(lab, from_map);
	call.src = (uintptr_t)from;
	MUST(doca_mmap_destroy(from_map));
	must_be_fatal(lab, FUNC(dma_copy), &call);
	delete_member(producer);
	delete_member(consumer);
	MUST(doca_mmap_destroy(to_map));
	MUST(doca_mmap_destroy(other_map));
	delete_lab(lab);
}

/* The consumers of a completion queue share its places. */
static void shared_queue(void)
{
	struct lab *lab = make_lab();
	struct member *consumers[MAX_ENDPOINTS], *producers[2];
	struct call call = lab->call;
	uint64_t elements[MAX_ENDPOINTS * NUM_RECV];
	const uint8_t *imm;
	uint32_t num = 0;

	for (uint32_t i = 0; i < MAX_ENDPOINTS; i++) {
		consumers[i] = start_new_dpa_consumer(lab);
		RPC(lab, consumer_ack, .consumer = consumers[i]->handle, .num = NUM_RECV);
	}
	producers[0] = start_new_cpu_producer(lab->to_dpa);
	producers[1] = start_new_cpu_producer(lab->to_dpa);
	for (uint32_t i = 0; i < MAX_ENDPOINTS * NUM_RECV; i++) {
		MUST(submit_send(producers[i % 2], consumers[i % MAX_ENDPOINTS]->id, &i, sizeof(i)));
		drain_pe(producers[i % 2]->pe);
	}
	/* Receives are not enough: the queue is full until completions are acknowledged. */
	for (uint32_t i = 0; i < MAX_ENDPOINTS * NUM_RECV; i++) {
		CHECK(rpc(lab, FUNC(take), &call) == 1);
		CHECK(call.len == sizeof(i) && memcmp(call.bytes, &i, sizeof(i)) == 0 && call.id == producers[i % 2]->id);
		elements[num++] = call.element;
	}
	CHECK(rpc(lab, FUNC(take), &call) == 0);
	RPC(lab, consumer_ack, .consumer = consumers[0]->handle, .num = NUM_RECV);
	EXPECT(ERROR_AGAIN, submit_send(producers[0], consumers[0]->id, &num, sizeof(num)));
	EXPECT(ERROR_AGAIN, submit_send(producers[0], consumers[0]->id, &num, sizeof(num)));
	for (uint32_t i = 0; i < num; i++) { /* the data stays until then */
		call.element = elements[i];
		imm = (const uint8_t *)(uintptr_t)rpc(lab, FUNC(element_imm), &call);
		CHECK(memcmp(imm, &i, sizeof(i)) == 0);
	}
	RPC(lab, completion_ack, .comp = lab->call.comp, .num = 1);
	EXPECT(SUCCESS, submit_send(producers[0], consumers[0]->id, &num, sizeof(num)));
	EXPECT(ERROR_AGAIN, submit_send(producers[0], consumers[0]->id, &num, sizeof(num)));
	RPC(lab, completion_ack, .comp = lab->call.comp, .num = num - 1);
	for (uint32_t i = 0; i < NUM_RECV - 1; i++) { /* no receive was lost */
		EXPECT(SUCCESS, submit_send(producers[0], consumers[0]->id, &num, sizeof(num)));
		drain_pe(producers[0]->pe);
	}
	EXPECT(ERROR_AGAIN, submit_send(producers[0], consumers[0]->id, &num, sizeof(num)));
	delete_member(producers[0]);
	delete_member(producers[1]);
	for (uint32_t i = 0; i < MAX_ENDPOINTS; i++)
		delete_member(consumers[i]);
	delete_lab(lab);
}

/* Each of these ends the kernel and makes the context fatal. */
static void wrong_arguments(void)
{
	static uint8_t bytes[64];
	void *no_memory = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0;; i++) {
		struct lab *lab = make_lab();
		struct member *consumer = start_new_dpa_consumer(lab), *to_dpa = start_new_cpu_producer(lab->to_dpa);
		struct member *producer = start_new_dpa_producer(lab), *here = start_new_cpu_consumer(lab->from_dpa);
		struct call call = {.consumer = consumer->handle, .comp = lab->call.comp, .producer = producer->handle,
				    .id = here->id, .imm = bytes, .len = 8, .num = 1, .flags = FLUSH};
		struct call taken = lab->call;
		doca_dpa_func_t *func;

		post_recvs(here, 2);
		RPC(lab, consumer_ack, .consumer = consumer->handle, .num = 4);
		MUST(submit_send(to_dpa, consumer->id, "x", 1));
		CHECK(rpc(lab, FUNC(take), &taken) == 1);
		call.element = taken.element;
		switch (i) {
		case 0: /* more receives than the consumer may have */
			func = FUNC(consumer_ack);
			call.num = NUM_RECV - 2;
			break;
		case 1:
			func = FUNC(consumer_ack);
			call.num = UINT32_MAX;
			break;
		case 2: /* handles of other things */
			func = FUNC(consumer_ack);
			call.consumer = producer->handle;
			break;
		case 3:
			func = FUNC(consumer_ack);
			call.consumer = 0;
			break;
		case 4:
			func = FUNC(take);
			call.comp = lab->call.send_comp;
			break;
		case 5:
			func = FUNC(post_send);
			call.producer = UINT64_MAX;
			break;
		case 6: /* freed handles */
			func = FUNC(consumer_ack);
			stop_member(consumer);
			break;
		case 7:
			func = FUNC(post_send);
			stop_member(producer);
			break;
		case 8:
			func = FUNC(is_empty);
			stop_member(producer);
			MUST(doca_ctx_start(producer->ctx)); /* which has another handle */
			break;
		case 9: /* more completions than were taken */
			func = FUNC(completion_ack);
			call.num = 2;
			break;
		case 10:
			func = FUNC(completion_ack);
			call.num = UINT32_MAX;
			break;
		case 11: /* elements */
			func = FUNC(element_imm);
			call.element++;
			break;
		case 12:
			func = FUNC(element_imm);
			call.element = 0;
			break;
		case 13:
			func = FUNC(element_imm);
			RPC(lab, completion_ack, .comp = lab->call.comp, .num = 1);
			break;
		case 14:
			func = FUNC(element_imm);
			call.element = lab->call.comp;
			break;
		case 15: /* ids */
			func = FUNC(is_empty);
			call.id = 0;
			break;
		case 16:
			func = FUNC(is_empty);
			call.id = MAX_ENDPOINTS + 1;
			break;
		case 17:
			func = FUNC(post_send);
			call.id = UINT32_MAX;
			break;
		case 18: /* immediate data */
			func = FUNC(post_send);
			call.len = 33;
			break;
		case 19:
			func = FUNC(post_send);
			call.len = UINT32_MAX;
			break;
		case 20:
			func = FUNC(post_send);
			call.imm = no_memory;
			break;
		case 21:
			func = FUNC(dma_copy);
			call.len = 33;
			break;
		case 22:
			func = FUNC(dma_copy);
			call.imm = no_memory;
			break;
		case 23: /* no memory maps */
			func = FUNC(dma_copy);
			break;
		case 24:
			func = FUNC(dma_copy);
			call.dst_mmap = call.src_mmap = UINT32_MAX;
			break;
		default:
			func = NULL;
		}
		if (func != NULL)
			must_be_fatal(lab, func, &call);
		delete_member(here);
		delete_member(producer);
		delete_member(to_dpa);
		delete_member(consumer);
		delete_lab(lab);
		if (func == NULL)
			break;
	}
	munmap(no_memory, 4096);
}

TEST_MAIN(is_consumer_empty, reports, flushes, errors, late_receive, copies, shared_queue, wrong_arguments, left_nothing)
