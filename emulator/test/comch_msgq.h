/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_COMCH_MSGQ_H_
#define EMULATOR_TEST_COMCH_MSGQ_H_

/*
 * MsgQs for tests. The device code of a test is in the test itself: it calls device functions through the pointer dev, as
 * the device library does, and its kernels are in a registry like those that dpacc makes. A kernel gets the address of
 * memory of the test.
 */

#include <stdarg.h>
#include <stdbool.h>

#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_dpa.h>

#include "comch_fixture.h"
#include "dpacore/emu_dpa_app.h"
#include "dpacore/emu_dpa_completion.h"
#include "dpacore/emu_dpa_dev_ops.h"

/* Device code. */

static const struct emu_dpa_dev_ops *dev;

static inline void collect_arg(void *args, va_list *ap)
{
	*(uint64_t *)args = va_arg(*ap, uint64_t);
}

/* Defines the entry of a thread's function, or of one that returns a value. */
#define THREAD_FUNC(name)                                                                                              \
	static uint64_t call_##name(const void *args)                                                                  \
	{                                                                                                              \
		name(*(const uint64_t *)args);                                                                         \
		return 0;                                                                                              \
	}
#define RPC_FUNC(name)                                                                                                 \
	static uint64_t call_##name(const void *args)                                                                  \
	{                                                                                                              \
		return name(*(const uint64_t *)args);                                                                  \
	}

#define FUNC(name) ((doca_dpa_func_t *)(void *)(name))
#define FUNC_ENTRY(function, rpc)                                                                                      \
	{                                                                                                              \
		.name = #function, .func = FUNC(function), .is_rpc = (rpc), .is_thread = !(rpc),                       \
		.args_size = sizeof(uint64_t), .collect = collect_arg, .call = call_##function,                        \
	}

/* What a function of the device gets and answers. */
struct call {
	uint64_t consumer, comp, producer, send_comp;
	uint32_t id, num, flags, len;
	const uint8_t *imm;
	uint32_t dst_mmap, src_mmap;
	uint64_t dst, src, size;
	/* Results. */
	uint64_t element;
	uint8_t bytes[32];
	uint32_t type, user_data;
};

static uint64_t consumer_ack(uint64_t arg)
{
	const struct call *call = (const struct call *)arg;

	dev->comch_consumer_ack(call->consumer, call->num);
	return 0;
}
RPC_FUNC(consumer_ack)

/* Takes a message. 0: there is none. */
static uint64_t take(uint64_t arg)
{
	struct call *call = (struct call *)arg;
	const uint8_t *imm;

	if (!dev->comch_consumer_get_completion(call->comp, &call->element))
		return 0;
	imm = dev->comch_consumer_get_completion_imm(call->element, &call->len);
	memcpy(call->bytes, imm, call->len);
	call->id = dev->comch_consumer_get_completion_producer_id(call->element);
	return 1;
}
RPC_FUNC(take)

static uint64_t completion_ack(uint64_t arg)
{
	const struct call *call = (const struct call *)arg;

	dev->comch_consumer_completion_ack(call->comp, call->num);
	return 0;
}
RPC_FUNC(completion_ack)

static uint64_t element_imm(uint64_t arg)
{
	struct call *call = (struct call *)arg;

	return (uintptr_t)dev->comch_consumer_get_completion_imm(call->element, &call->len);
}
RPC_FUNC(element_imm)

static uint64_t is_empty(uint64_t arg)
{
	const struct call *call = (const struct call *)arg;

	return (uint64_t)dev->comch_producer_is_consumer_empty(call->producer, call->id);
}
RPC_FUNC(is_empty)

static uint64_t post_send(uint64_t arg)
{
	const struct call *call = (const struct call *)arg;

	dev->comch_producer_post_send_imm_only(call->producer, call->id, call->imm, call->len, call->flags);
	return 0;
}
RPC_FUNC(post_send)

static uint64_t dma_copy(uint64_t arg)
{
	const struct call *call = (const struct call *)arg;

	dev->comch_producer_dma_copy(call->producer, call->id, call->dst_mmap, call->dst, call->src_mmap, call->src,
				     call->size, call->imm, call->len, call->flags);
	return 0;
}
RPC_FUNC(dma_copy)

/* Takes a completion of a producer. 0: there is none. */
static uint64_t take_sent(uint64_t arg)
{
	struct call *call = (struct call *)arg;
	uint64_t element;

	if (!dev->get_completion(call->send_comp, &element))
		return 0;
	call->type = (uint32_t)dev->get_completion_type(element);
	call->user_data = dev->get_completion_user_data(element);
	dev->completion_ack(call->send_comp, 1);
	return 1;
}
RPC_FUNC(take_sent)

#define COMMON_FUNCS                                                                                                   \
	FUNC_ENTRY(consumer_ack, 1), FUNC_ENTRY(take, 1), FUNC_ENTRY(completion_ack, 1), FUNC_ENTRY(element_imm, 1),   \
		FUNC_ENTRY(is_empty, 1), FUNC_ENTRY(post_send, 1), FUNC_ENTRY(dma_copy, 1), FUNC_ENTRY(take_sent, 1)

/* The DPA, with a thread and completion queues. */

#define MAX_ENDPOINTS 4
#define NUM_RECV 64

struct lab {
	struct doca_dev *dev;
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread;
	struct doca_dpa_completion *send_comp;
	struct doca_comch_consumer_completion *comp;
	struct doca_comch_msgq *to_dpa, *from_dpa;
	struct call call; /* with the handles of the queues */
};

static inline struct doca_dpa *new_dpa(struct doca_dev *device, const struct emu_dpa_func *funcs, size_t num)
{
	static struct doca_dpa_app app;
	struct doca_dpa *dpa;

	app = (struct doca_dpa_app){
		.abi = EMU_DPA_APP_ABI, .num_funcs = (uint32_t)num, .name = "msgq", .funcs = funcs, .ops = &dev};
	MUST(doca_dpa_create(device, &dpa));
	MUST(doca_dpa_set_app(dpa, &app));
	MUST(doca_dpa_start(dpa));
	return dpa;
}

static inline struct doca_dpa_thread *new_thread(struct doca_dpa *dpa, doca_dpa_func_t *func, void *arg)
{
	struct doca_dpa_thread *thread;

	MUST(doca_dpa_thread_create(dpa, &thread));
	MUST(doca_dpa_thread_set_func_arg(thread, func, (uintptr_t)arg));
	MUST(doca_dpa_thread_start(thread));
	return thread;
}

static inline struct doca_dpa_completion *new_send_comp(struct doca_dpa *dpa, uint64_t *handle)
{
	struct doca_dpa_completion *comp;

	MUST(doca_dpa_completion_create(dpa, 256, &comp));
	MUST(doca_dpa_completion_start(comp));
	MUST(doca_dpa_completion_get_dpa_handle(comp, handle));
	return comp;
}

static inline struct doca_comch_consumer_completion *new_comp(struct doca_dpa_thread *thread, uint64_t *handle)
{
	struct doca_comch_consumer_completion *comp;

	MUST(doca_comch_consumer_completion_create(&comp));
	MUST(doca_comch_consumer_completion_set_dpa_thread(comp, thread));
	MUST(doca_comch_consumer_completion_set_max_num_consumers(comp, MAX_ENDPOINTS));
	MUST(doca_comch_consumer_completion_set_max_num_recv(comp, MAX_ENDPOINTS * NUM_RECV));
	MUST(doca_comch_consumer_completion_start(comp));
	MUST(doca_comch_consumer_completion_get_dpa_handle(comp, handle));
	return comp;
}

static inline struct doca_comch_msgq *new_msgq(struct doca_dev *device, struct doca_dpa *dpa, bool leads_to_dpa)
{
	struct doca_comch_msgq *msgq;

	MUST(doca_comch_msgq_create(device, &msgq));
	MUST(leads_to_dpa ? doca_comch_msgq_set_dpa_consumer(msgq, dpa) : doca_comch_msgq_set_dpa_producer(msgq, dpa));
	MUST(doca_comch_msgq_set_max_num_consumers(msgq, MAX_ENDPOINTS));
	MUST(doca_comch_msgq_set_max_num_producers(msgq, MAX_ENDPOINTS));
	MUST(doca_comch_msgq_start(msgq));
	return msgq;
}

/* func gets the address of the lab's call. */
static inline struct lab *new_lab(const struct emu_dpa_func *funcs, size_t num, doca_dpa_func_t *func)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	lab->dev = open_dev(DPU_0);
	lab->dpa = new_dpa(lab->dev, funcs, num);
	lab->thread = new_thread(lab->dpa, func, &lab->call);
	lab->send_comp = new_send_comp(lab->dpa, &lab->call.send_comp);
	lab->comp = new_comp(lab->thread, &lab->call.comp);
	lab->to_dpa = new_msgq(lab->dev, lab->dpa, true);
	lab->from_dpa = new_msgq(lab->dev, lab->dpa, false);
	return lab;
}

static inline void delete_msgq(struct doca_comch_msgq *msgq)
{
	MUST(doca_comch_msgq_stop(msgq));
	MUST(doca_comch_msgq_destroy(msgq));
}

static inline void delete_comp(struct doca_comch_consumer_completion *comp)
{
	MUST(doca_comch_consumer_completion_stop(comp));
	MUST(doca_comch_consumer_completion_destroy(comp));
}

static inline void delete_lab(struct lab *lab)
{
	delete_msgq(lab->to_dpa);
	delete_msgq(lab->from_dpa);
	delete_comp(lab->comp);
	MUST(doca_dpa_completion_destroy(lab->send_comp));
	MUST(doca_dpa_thread_destroy(lab->thread));
	MUST(doca_dpa_destroy(lab->dpa));
	MUST(doca_dev_close(lab->dev));
	free(lab);
}

/* Runs a function on the DPA, and returns what it returns. */
static inline uint64_t rpc(struct lab *lab, doca_dpa_func_t *func, struct call *call)
{
	uint64_t result = 0;

	MUST(doca_dpa_rpc(lab->dpa, func, &result, (uint64_t)(uintptr_t)call));
	return result;
}

#define RPC(lab, name, ...) rpc(lab, FUNC(name), &(struct call){__VA_ARGS__})

/* A function that has a fatal error. */
static inline void must_be_fatal(struct lab *lab, doca_dpa_func_t *func, struct call *call)
{
	uint64_t result;

	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(lab->dpa));
	EXPECT(ERROR_DRIVER, doca_dpa_rpc(lab->dpa, func, &result, (uint64_t)(uintptr_t)call));
	EXPECT(ERROR_BAD_STATE, doca_dpa_peek_at_last_error(lab->dpa));
}

#define MUST_BE_FATAL(lab, name, ...) must_be_fatal(lab, FUNC(name), &(struct call){__VA_ARGS__})

/* Consumers and producers. */

struct member {
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_ctx *ctx;
	struct doca_pe *pe; /* NULL: on the DPA */
	uint32_t id;
	uint64_t handle; /* on the DPA */
	int done, failed;
	doca_error_t last_error;
	bool keeps_tasks;
	void (*on_done)(struct member *member, struct doca_task *task);
	void *hook_data;
	/* Of the last receive. */
	uint32_t last_producer, last_len;
	uint8_t last[32];
};

/* Not configured. */
static inline struct member *new_member(struct doca_comch_msgq *msgq, bool is_consumer)
{
	struct member *member = calloc(1, sizeof(*member));

	if (is_consumer) {
		MUST(doca_comch_msgq_consumer_create(msgq, &member->consumer));
		MUST(doca_comch_consumer_get_id(member->consumer, &member->id));
		member->ctx = doca_comch_consumer_as_ctx(member->consumer);
	} else {
		MUST(doca_comch_msgq_producer_create(msgq, &member->producer));
		MUST(doca_comch_producer_get_id(member->producer, &member->id));
		member->ctx = doca_comch_producer_as_ctx(member->producer);
	}
	MUST(doca_ctx_set_user_data(member->ctx, (union doca_data){.ptr = member}));
	return member;
}

static inline void member_done(struct member *member, struct doca_task *task)
{
	EXPECT(SUCCESS, doca_task_get_status(task));
	member->done++;
	if (member->on_done != NULL)
		member->on_done(member, task);
	else if (!member->keeps_tasks)
		doca_task_free(task);
}

static inline void member_received(struct doca_comch_consumer_task_post_recv *recv, union doca_data task_data,
				   union doca_data data)
{
	struct member *member = data.ptr;
	const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(recv);

	(void)task_data;
	member->last_producer = doca_comch_consumer_task_post_recv_get_producer_id(recv);
	member->last_len = doca_comch_consumer_task_post_recv_get_imm_data_len(recv);
	if (imm != NULL)
		memcpy(member->last, imm, member->last_len);
	member_done(member, doca_comch_consumer_task_post_recv_as_task(recv));
}

static inline void member_failed(struct member *member, struct doca_task *task)
{
	member->failed++;
	member->last_error = doca_task_get_status(task);
	CHECK(member->last_error != DOCA_SUCCESS);
	doca_task_free(task);
}

static inline void member_recv_failed(struct doca_comch_consumer_task_post_recv *recv, union doca_data task_data,
				      union doca_data data)
{
	(void)task_data;
	member_failed(data.ptr, doca_comch_consumer_task_post_recv_as_task(recv));
}

static inline void member_sent(struct doca_comch_producer_task_send *send, union doca_data task_data, union doca_data data)
{
	(void)task_data;
	member_done(data.ptr, doca_comch_producer_task_send_as_task(send));
}

static inline void member_send_failed(struct doca_comch_producer_task_send *send, union doca_data task_data,
				      union doca_data data)
{
	(void)task_data;
	member_failed(data.ptr, doca_comch_producer_task_send_as_task(send));
}

/* Those of this process, with an engine of their own. */

static inline void use_engine(struct member *member)
{
	MUST(doca_pe_create(&member->pe));
	MUST(doca_pe_connect_ctx(member->pe, member->ctx));
	drive(member->pe);
}

/* Not started. */
static inline struct member *new_cpu_consumer(struct doca_comch_msgq *msgq)
{
	struct member *member = new_member(msgq, true);

	MUST(doca_comch_consumer_task_post_recv_set_conf(member->consumer, member_received, member_recv_failed, NUM_RECV));
	use_engine(member);
	return member;
}

static inline void start_cpu_consumer(struct member *member)
{
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(member->ctx));
	CHECK(ctx_state(member->ctx) == DOCA_CTX_STATE_STARTING);
	UNTIL(ctx_state(member->ctx) == DOCA_CTX_STATE_RUNNING);
}

static inline struct member *start_new_cpu_consumer(struct doca_comch_msgq *msgq)
{
	struct member *member = new_cpu_consumer(msgq);

	start_cpu_consumer(member);
	return member;
}

static inline void post_recvs(struct member *member, int num)
{
	struct doca_comch_consumer_task_post_recv *recv;

	for (int i = 0; i < num; i++) {
		MUST(doca_comch_consumer_task_post_recv_alloc_init(member->consumer, NULL, &recv));
		MUST(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(recv)));
	}
}

/* Not started. */
static inline struct member *new_cpu_producer(struct doca_comch_msgq *msgq)
{
	struct member *member = new_member(msgq, false);

	MUST(doca_comch_producer_task_send_set_conf(member->producer, member_sent, member_send_failed, NUM_RECV));
	use_engine(member);
	return member;
}

static inline struct member *start_new_cpu_producer(struct doca_comch_msgq *msgq)
{
	struct member *member = new_cpu_producer(msgq);

	MUST(doca_ctx_start(member->ctx));
	return member;
}

static inline doca_error_t submit_send(struct member *member, uint32_t id, const void *imm, uint32_t len)
{
	struct doca_comch_producer_task_send *send;
	doca_error_t result;

	MUST(doca_comch_producer_task_send_alloc_init(member->producer, NULL, (uint8_t *)(uintptr_t)imm, len, id, &send));
	result = doca_task_submit(doca_comch_producer_task_send_as_task(send));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_producer_task_send_as_task(send));
	return result;
}

/* Those on the DPA. */

/* Not started. */
static inline struct member *new_dpa_consumer(struct lab *lab)
{
	struct member *member = new_member(lab->to_dpa, true);

	MUST(doca_ctx_set_datapath_on_dpa(member->ctx, lab->dpa));
	MUST(doca_comch_consumer_set_completion(member->consumer, lab->comp, 7));
	MUST(doca_comch_consumer_set_dev_max_num_recv(member->consumer, NUM_RECV));
	return member;
}

static inline struct member *start_new_dpa_consumer(struct lab *lab)
{
	struct member *member = new_dpa_consumer(lab);

	MUST(doca_ctx_start(member->ctx));
	MUST(doca_comch_consumer_get_dpa_handle(member->consumer, &member->handle));
	return member;
}

/* Not started. */
static inline struct member *new_dpa_producer(struct lab *lab)
{
	struct member *member = new_member(lab->from_dpa, false);

	MUST(doca_ctx_set_user_data(member->ctx, (union doca_data){.u64 = 0x5a0000 + member->id}));
	MUST(doca_ctx_set_datapath_on_dpa(member->ctx, lab->dpa));
	MUST(doca_comch_producer_set_dev_max_num_send(member->producer, NUM_RECV));
	MUST(doca_comch_producer_dpa_completion_attach(member->producer, lab->send_comp));
	return member;
}

static inline struct member *start_new_dpa_producer(struct lab *lab)
{
	struct member *member = new_dpa_producer(lab);

	MUST(doca_ctx_start(member->ctx));
	MUST(doca_comch_producer_get_dpa_handle(member->producer, &member->handle));
	return member;
}

static inline void stop_member(struct member *member)
{
	doca_error_t result = doca_ctx_stop(member->ctx);

	CHECK(result == DOCA_SUCCESS || (member->pe != NULL && result == DOCA_ERROR_IN_PROGRESS));
	if (member->pe != NULL)
		UNTIL(ctx_state(member->ctx) == DOCA_CTX_STATE_IDLE);
}

static inline void delete_member(struct member *member)
{
	stop_member(member);
	MUST(member->consumer != NULL ? doca_comch_consumer_destroy(member->consumer) :
					doca_comch_producer_destroy(member->producer));
	if (member->pe != NULL) {
		undrive(member->pe);
		MUST(doca_pe_destroy(member->pe));
	}
	free(member);
}

#endif /* EMULATOR_TEST_COMCH_MSGQ_H_ */
