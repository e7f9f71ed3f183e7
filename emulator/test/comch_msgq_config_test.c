/* SPDX-License-Identifier: Apache-2.0 */

/* MsgQs, their consumers and producers, and consumer completion queues: creation, configuration, start and stop, and the
 * errors of each in the wrong state. */

#include "comch_fast.h"
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

static void queues(void)
{
	struct doca_dev *here = open_dev(DPU_0), *other = open_dev(DPU_1);
	struct doca_dpa *dpa = new_dpa(here, funcs, 1), *far = new_dpa(other, funcs, 1), *stopped;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_comch_msgq *msgq;

	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_create(NULL, &msgq));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_create(here, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_destroy(NULL));
	MUST(doca_comch_msgq_create(here, &msgq));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_start(msgq)); /* no direction */
	EXPECT(ERROR_BAD_STATE, doca_comch_msgq_stop(msgq));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_set_dpa_consumer(NULL, dpa));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_set_dpa_consumer(msgq, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_set_dpa_consumer(msgq, far)); /* another device */
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_set_dpa_producer(msgq, far));
	EXPECT(SUCCESS, doca_comch_msgq_set_dpa_consumer(msgq, dpa));
	EXPECT(SUCCESS, doca_comch_msgq_set_dpa_consumer(msgq, dpa));
	EXPECT(ERROR_BAD_STATE, doca_comch_msgq_set_dpa_producer(msgq, dpa)); /* one direction */
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_set_max_num_consumers(NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_set_max_num_consumers(msgq, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_set_max_num_consumers(msgq, 4097));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_set_max_num_producers(NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_set_max_num_producers(msgq, 0));
	EXPECT(SUCCESS, doca_comch_msgq_set_max_num_consumers(msgq, 4096));
	EXPECT(SUCCESS, doca_comch_msgq_set_max_num_producers(msgq, 2));
	EXPECT(ERROR_BAD_STATE, doca_comch_msgq_consumer_create(msgq, &consumer)); /* not started */
	EXPECT(ERROR_BAD_STATE, doca_comch_msgq_producer_create(msgq, &producer));
	EXPECT(ERROR_IN_USE, doca_dpa_destroy(dpa));

	EXPECT(SUCCESS, doca_comch_msgq_start(msgq));
	EXPECT(ERROR_BAD_STATE, doca_comch_msgq_start(msgq));
	EXPECT(ERROR_BAD_STATE, doca_comch_msgq_set_dpa_consumer(msgq, dpa));
	EXPECT(ERROR_BAD_STATE, doca_comch_msgq_set_max_num_consumers(msgq, 1));
	EXPECT(ERROR_BAD_STATE, doca_comch_msgq_set_max_num_producers(msgq, 1));
	EXPECT(ERROR_BAD_STATE, doca_comch_msgq_destroy(msgq));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_consumer_create(NULL, &consumer));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_consumer_create(msgq, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_producer_create(NULL, &producer));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_msgq_producer_create(msgq, NULL));
	EXPECT(SUCCESS, doca_comch_msgq_stop(msgq));
	EXPECT(ERROR_BAD_STATE, doca_comch_msgq_stop(msgq));
	EXPECT(SUCCESS, doca_comch_msgq_start(msgq)); /* again */
	EXPECT(SUCCESS, doca_comch_msgq_stop(msgq));
	EXPECT(SUCCESS, doca_comch_msgq_destroy(msgq));
	EXPECT(SUCCESS, doca_dpa_destroy(far));

	/* The DPA must be started. */
	MUST(doca_dpa_create(other, &stopped));
	MUST(doca_comch_msgq_create(other, &msgq));
	EXPECT(SUCCESS, doca_comch_msgq_set_dpa_producer(msgq, stopped));
	EXPECT(ERROR_BAD_STATE, doca_comch_msgq_start(msgq));
	EXPECT(SUCCESS, doca_comch_msgq_destroy(msgq));
	MUST(doca_dpa_destroy(stopped));
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(other));
	MUST(doca_dev_close(here));
}

/* As many as the queue may have, with ids from 1, which are used again as late as possible. */
static void membership(void)
{
	struct lab *lab = make_lab();
	struct member *members[MAX_ENDPOINTS], *producer;
	struct doca_comch_consumer *consumer;
	struct doca_comch_msgq *msgq;

	for (uint32_t i = 0; i < MAX_ENDPOINTS; i++) {
		members[i] = new_member(lab->to_dpa, true);
		CHECK(members[i]->id == i + 1);
	}
	EXPECT(ERROR_NO_MEMORY, doca_comch_msgq_consumer_create(lab->to_dpa, &consumer));
	producer = new_member(lab->to_dpa, false);
	CHECK(producer->id == 1); /* they count for themselves */
	EXPECT(ERROR_IN_USE, doca_comch_msgq_stop(lab->to_dpa));
	EXPECT(ERROR_BAD_STATE, doca_comch_msgq_destroy(lab->to_dpa));
	delete_member(members[1]);
	delete_member(members[0]);
	members[0] = new_member(lab->to_dpa, true);
	members[1] = new_member(lab->to_dpa, true);
	CHECK(members[0]->id + members[1]->id == 3);
	for (uint32_t i = 0; i < MAX_ENDPOINTS; i++)
		delete_member(members[i]);
	EXPECT(ERROR_IN_USE, doca_comch_msgq_stop(lab->to_dpa));
	delete_member(producer);

	/* One of each, if nothing else is said. */
	MUST(doca_comch_msgq_create(lab->dev, &msgq));
	MUST(doca_comch_msgq_set_dpa_consumer(msgq, lab->dpa));
	MUST(doca_comch_msgq_start(msgq));
	members[0] = new_member(msgq, true);
	EXPECT(ERROR_NO_MEMORY, doca_comch_msgq_consumer_create(msgq, &consumer));
	delete_member(members[0]);
	delete_msgq(msgq);
	delete_lab(lab);
}

static void completion_queues(void)
{
	struct lab *lab = make_lab();
	doca_dpa_dev_comch_consumer_completion_t handle;
	struct doca_comch_consumer_completion *comp;
	struct doca_dpa_thread *thread;
	uint32_t num = 0;

	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_create(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_destroy(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_start(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_stop(NULL));
	MUST(doca_comch_consumer_completion_create(&comp));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_set_dpa_thread(NULL, lab->thread));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_set_dpa_thread(comp, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_set_max_num_consumers(NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_set_max_num_consumers(comp, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_set_max_num_consumers(comp, 4097));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_get_max_num_consumers(NULL, &num));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_get_max_num_consumers(comp, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_set_max_num_recv(NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_set_max_num_recv(comp, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_set_max_num_recv(comp, UINT32_MAX));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_get_max_num_recv(NULL, &num));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_get_max_num_recv(comp, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_set_imm_data_len(NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_set_imm_data_len(comp, 33));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_get_imm_data_len(NULL, &num));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_get_imm_data_len(comp, NULL));

	/* Without each of its settings it does not start. */
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_start(comp));
	MUST(doca_dpa_thread_create(lab->dpa, &thread));
	MUST(doca_dpa_thread_set_func_arg(thread, FUNC(idle), 0));
	EXPECT(SUCCESS, doca_comch_consumer_completion_set_dpa_thread(comp, thread));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_start(comp));
	EXPECT(SUCCESS, doca_comch_consumer_completion_set_max_num_consumers(comp, 3));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_start(comp));
	EXPECT(SUCCESS, doca_comch_consumer_completion_set_max_num_recv(comp, 100));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_start(comp)); /* the thread is not started */
	MUST(doca_dpa_thread_start(thread));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_get_dpa_handle(comp, &handle));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_stop(comp));
	EXPECT(SUCCESS, doca_comch_consumer_completion_start(comp));

	/* Rounded up to powers of two. */
	EXPECT(SUCCESS, doca_comch_consumer_completion_get_max_num_consumers(comp, &num));
	CHECK(num == 4);
	EXPECT(SUCCESS, doca_comch_consumer_completion_get_max_num_recv(comp, &num));
	CHECK(num == 128);
	EXPECT(SUCCESS, doca_comch_consumer_completion_get_imm_data_len(comp, &num));
	CHECK(num == 32);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_get_dpa_handle(NULL, &handle));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_completion_get_dpa_handle(comp, NULL));
	EXPECT(SUCCESS, doca_comch_consumer_completion_get_dpa_handle(comp, &handle));
	CHECK(handle != 0 && handle != lab->call.comp);

	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_start(comp));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_set_dpa_thread(comp, thread));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_set_max_num_consumers(comp, 1));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_set_max_num_recv(comp, 1));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_set_imm_data_len(comp, 1));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_destroy(comp));
	CHECK(doca_dpa_thread_destroy(thread) != DOCA_SUCCESS); /* the queue names it */
	EXPECT(SUCCESS, doca_comch_consumer_completion_stop(comp));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_get_dpa_handle(comp, &handle));
	EXPECT(SUCCESS, doca_comch_consumer_completion_set_imm_data_len(comp, 0));
	EXPECT(SUCCESS, doca_comch_consumer_completion_set_dpa_thread(comp, lab->thread));
	EXPECT(SUCCESS, doca_dpa_thread_destroy(thread));
	EXPECT(SUCCESS, doca_comch_consumer_completion_start(comp));
	delete_comp(comp);
	delete_lab(lab);
}

static void dpa_consumers(void)
{
	struct lab *lab = make_lab();
	struct member *member = new_member(lab->to_dpa, true), *others[MAX_ENDPOINTS], *more;
	struct doca_comch_consumer_completion *comp;
	doca_dpa_dev_comch_consumer_t handle;
	struct doca_dev *other_dev = open_dev(DPU_1);
	struct doca_dpa *other_dpa = new_dpa(other_dev, funcs, sizeof(funcs) / sizeof(funcs[0]));
	struct doca_comch_msgq *msgq;
	uint32_t len = 0;

	/* The data path comes first. */
	EXPECT(ERROR_NOT_CONNECTED, doca_ctx_start(member->ctx));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_set_dev_max_num_recv(member->consumer, 1));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_set_completion(member->consumer, lab->comp, 0));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_get_dpa_handle(member->consumer, &handle));
	MUST(doca_ctx_set_datapath_on_dpa(member->ctx, lab->dpa));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(member->ctx));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_set_dev_max_num_recv(NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_set_dev_max_num_recv(member->consumer, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_set_dev_max_num_recv(member->consumer, UINT32_MAX));
	EXPECT(SUCCESS, doca_comch_consumer_set_dev_max_num_recv(member->consumer, 3 * NUM_RECV));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(member->ctx)); /* no completion queue */
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_set_completion(NULL, lab->comp, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_set_completion(member->consumer, NULL, 0));
	MUST(doca_comch_consumer_completion_create(&comp));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_set_completion(member->consumer, comp, 0)); /* not started */
	MUST(doca_comch_consumer_completion_destroy(comp));
	EXPECT(SUCCESS, doca_comch_consumer_set_completion(member->consumer, lab->comp, 0));
	EXPECT(SUCCESS, doca_comch_consumer_set_completion(member->consumer, lab->comp, 1)); /* the same again */
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_stop(lab->comp));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_completion_destroy(lab->comp));
	MUST(doca_ctx_set_datapath_on_dpa(member->ctx, other_dpa));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(member->ctx)); /* not the DPA of the MsgQ */
	MUST(doca_ctx_set_datapath_on_dpa(member->ctx, lab->dpa));
	EXPECT(SUCCESS, doca_comch_consumer_get_imm_data_len(member->consumer, &len));
	CHECK(len == 32);
	EXPECT(SUCCESS, doca_comch_consumer_set_imm_data_len(member->consumer, 16));
	EXPECT(SUCCESS, doca_ctx_start(member->ctx)); /* without an engine */
	CHECK(ctx_state(member->ctx) == DOCA_CTX_STATE_RUNNING);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_get_dpa_handle(NULL, &handle));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_get_dpa_handle(member->consumer, NULL));
	EXPECT(SUCCESS, doca_comch_consumer_get_dpa_handle(member->consumer, &handle));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_set_dev_max_num_recv(member->consumer, 1));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_set_completion(member->consumer, lab->comp, 0));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_set_imm_data_len(member->consumer, 1));
	EXPECT(ERROR_BAD_STATE, doca_ctx_start(member->ctx));
	EXPECT(ERROR_IN_USE, doca_comch_consumer_destroy(member->consumer));
	EXPECT(ERROR_IN_USE, doca_dpa_destroy(lab->dpa));

	/* 3 * NUM_RECV are 4 * NUM_RECV, which is all that the queue has. */
	others[0] = new_dpa_consumer(lab);
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(others[0]->ctx));
	EXPECT(SUCCESS, doca_ctx_stop(member->ctx));
	EXPECT(SUCCESS, doca_ctx_start(others[0]->ctx));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_get_dpa_handle(member->consumer, &handle));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(member->ctx));
	EXPECT(SUCCESS, doca_comch_consumer_set_dev_max_num_recv(member->consumer, NUM_RECV));
	EXPECT(SUCCESS, doca_ctx_start(member->ctx));

	/* As many consumers as the queue may have. */
	MUST(doca_comch_msgq_create(lab->dev, &msgq));
	MUST(doca_comch_msgq_set_dpa_consumer(msgq, lab->dpa));
	MUST(doca_comch_msgq_start(msgq));
	more = new_member(msgq, true);
	MUST(doca_ctx_set_datapath_on_dpa(more->ctx, lab->dpa));
	others[1] = new_dpa_consumer(lab);
	others[2] = new_dpa_consumer(lab);
	EXPECT(ERROR_NO_MEMORY, doca_comch_consumer_set_completion(more->consumer, lab->comp, 0));
	delete_member(others[2]);
	EXPECT(SUCCESS, doca_comch_consumer_set_completion(more->consumer, lab->comp, 0));
	delete_member(more);
	delete_msgq(msgq);
	delete_member(others[1]);
	delete_member(others[0]);
	delete_member(member);

	/* More immediate data than the queue takes. */
	delete_comp(lab->comp);
	MUST(doca_comch_consumer_completion_create(&lab->comp));
	MUST(doca_comch_consumer_completion_set_dpa_thread(lab->comp, lab->thread));
	MUST(doca_comch_consumer_completion_set_max_num_consumers(lab->comp, 1));
	MUST(doca_comch_consumer_completion_set_max_num_recv(lab->comp, NUM_RECV));
	MUST(doca_comch_consumer_completion_set_imm_data_len(lab->comp, 16));
	MUST(doca_comch_consumer_completion_start(lab->comp));
	member = new_dpa_consumer(lab);
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(member->ctx));
	EXPECT(SUCCESS, doca_comch_consumer_set_imm_data_len(member->consumer, 16));
	EXPECT(SUCCESS, doca_ctx_start(member->ctx));
	delete_member(member);
	MUST(doca_dpa_destroy(other_dpa));
	MUST(doca_dev_close(other_dev));
	delete_lab(lab);
}

static void dpa_producers(void)
{
	struct lab *lab = make_lab();
	struct member *member = new_member(lab->from_dpa, false);
	doca_dpa_dev_comch_producer_t handle;
	struct doca_dpa_completion *comp;

	EXPECT(ERROR_NOT_CONNECTED, doca_ctx_start(member->ctx));
	EXPECT(ERROR_BAD_STATE, doca_comch_producer_set_dev_max_num_send(member->producer, 1));
	EXPECT(ERROR_BAD_STATE, doca_comch_producer_dpa_completion_attach(member->producer, lab->send_comp));
	MUST(doca_ctx_set_datapath_on_dpa(member->ctx, lab->dpa));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(member->ctx));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_set_dev_max_num_send(NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_set_dev_max_num_send(member->producer, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_set_dev_max_num_send(member->producer, UINT32_MAX));
	EXPECT(SUCCESS, doca_comch_producer_set_dev_max_num_send(member->producer, 5));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(member->ctx)); /* no completion queue */
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_dpa_completion_attach(NULL, lab->send_comp));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_dpa_completion_attach(member->producer, NULL));
	MUST(doca_dpa_completion_create(lab->dpa, 4, &comp));
	EXPECT(SUCCESS, doca_comch_producer_dpa_completion_attach(member->producer, comp));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(member->ctx)); /* it is not started */
	EXPECT(SUCCESS, doca_comch_producer_dpa_completion_attach(member->producer, lab->send_comp));
	EXPECT(SUCCESS, doca_dpa_completion_destroy(comp));
	CHECK(doca_dpa_completion_destroy(lab->send_comp) != DOCA_SUCCESS); /* attached */
	EXPECT(ERROR_BAD_STATE, doca_comch_producer_get_dpa_handle(member->producer, &handle));
	EXPECT(SUCCESS, doca_ctx_start(member->ctx));
	CHECK(ctx_state(member->ctx) == DOCA_CTX_STATE_RUNNING);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_get_dpa_handle(NULL, &handle));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_get_dpa_handle(member->producer, NULL));
	EXPECT(SUCCESS, doca_comch_producer_get_dpa_handle(member->producer, &handle));
	EXPECT(ERROR_BAD_STATE, doca_comch_producer_set_dev_max_num_send(member->producer, 1));
	EXPECT(ERROR_BAD_STATE, doca_comch_producer_dpa_completion_attach(member->producer, lab->send_comp));
	EXPECT(ERROR_IN_USE, doca_comch_producer_destroy(member->producer));
	EXPECT(SUCCESS, doca_ctx_stop(member->ctx));
	EXPECT(SUCCESS, doca_ctx_start(member->ctx));
	delete_member(member);
	delete_lab(lab);
}

/* Each end of a queue is where its direction says. */
static void wrong_side(void)
{
	struct lab *lab = make_lab();
	struct member *consumer = new_cpu_consumer(lab->to_dpa), *producer = new_cpu_producer(lab->from_dpa);

	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(consumer->ctx));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(producer->ctx));
	delete_member(consumer);
	delete_member(producer);
	consumer = new_cpu_consumer(lab->from_dpa);
	producer = new_cpu_producer(lab->to_dpa);
	MUST(doca_ctx_set_datapath_on_dpa(consumer->ctx, lab->dpa));
	MUST(doca_ctx_set_datapath_on_dpa(producer->ctx, lab->dpa));
	EXPECT(ERROR_NOT_SUPPORTED, doca_ctx_start(consumer->ctx));
	EXPECT(ERROR_NOT_SUPPORTED, doca_ctx_start(producer->ctx));
	delete_member(consumer);
	delete_member(producer);

	consumer = new_member(lab->from_dpa, true); /* nothing is configured */
	producer = new_member(lab->to_dpa, false);
	EXPECT(ERROR_NOT_CONNECTED, doca_ctx_start(consumer->ctx));
	EXPECT(ERROR_NOT_CONNECTED, doca_ctx_start(producer->ctx));
	use_engine(consumer);
	use_engine(producer);
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(consumer->ctx));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(producer->ctx));
	delete_member(consumer);
	delete_member(producer);
	delete_lab(lab);
}

/* Those of a connection cannot go to the DPA. */
static void of_connections(void)
{
	struct lab *lab = make_lab();
	struct pair pair = make_pair("connections");
	struct endpoint *consumer = new_consumer(pair.server), *producer = new_producer(pair.server);
	doca_dpa_dev_comch_consumer_t handle;

	MUST(doca_ctx_set_datapath_on_dpa(consumer->ctx, lab->dpa));
	MUST(doca_ctx_set_datapath_on_dpa(producer->ctx, lab->dpa));
	EXPECT(ERROR_NOT_SUPPORTED, doca_comch_consumer_set_completion(consumer->consumer, lab->comp, 0));
	EXPECT(ERROR_NOT_SUPPORTED, doca_comch_consumer_set_dev_max_num_recv(consumer->consumer, 1));
	EXPECT(ERROR_NOT_SUPPORTED, doca_comch_producer_set_dev_max_num_send(producer->producer, 1));
	EXPECT(ERROR_NOT_SUPPORTED, doca_comch_producer_dpa_completion_attach(producer->producer, lab->send_comp));
	EXPECT(ERROR_NOT_SUPPORTED, doca_ctx_start(consumer->ctx));
	EXPECT(ERROR_NOT_SUPPORTED, doca_ctx_start(producer->ctx));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_get_dpa_handle(consumer->consumer, &handle));
	EXPECT(ERROR_BAD_STATE, doca_comch_producer_get_dpa_handle(producer->producer, &handle));
	delete_endpoint(consumer);
	delete_endpoint(producer);
	delete_pair(pair);
	delete_lab(lab);
}

TEST_MAIN(of_connections, queues, membership, completion_queues, dpa_consumers, dpa_producers, wrong_side, left_nothing)
