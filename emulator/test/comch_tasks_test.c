/* SPDX-License-Identifier: Apache-2.0 */

/* The fast path: producers, and what may be posted and sent. */

#include "comch_fast.h"

static void capabilities(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint32_t value = 0;

	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_cap_is_supported(NULL));
	EXPECT(SUCCESS, doca_comch_producer_cap_is_supported(info));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_cap_get_max_num_tasks(NULL, &value));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_cap_get_max_num_tasks(info, NULL));
	EXPECT(SUCCESS, doca_comch_producer_cap_get_max_num_tasks(info, &value));
	CHECK(value >= 1024);
	EXPECT(SUCCESS, doca_comch_producer_cap_get_max_buf_size(info, &value));
	CHECK(value == 1u << 30);
	EXPECT(SUCCESS, doca_comch_producer_cap_get_max_buf_list_len(info, &value));
	CHECK(value == 1);
	EXPECT(SUCCESS, doca_comch_producer_cap_get_max_producers(info, &value));
	CHECK(value >= 16);
	MUST(doca_dev_close(dev));
}

static void producers(void)
{
	struct pair pair = make_pair("producers");
	struct doca_comch_connection *conn = pair.client->conn;
	struct doca_comch_producer *producer = NULL;
	struct doca_comch_producer_task_send *send;
	struct endpoint *endpoint;
	uint32_t value;

	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_create(NULL, &producer));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_create(conn, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_destroy(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_get_id(NULL, &value));
	CHECK(doca_comch_producer_as_ctx(NULL) == NULL && doca_comch_producer_task_send_as_task(NULL) == NULL);
	EXPECT(SUCCESS, doca_comch_producer_create(conn, &producer));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_get_id(producer, NULL));
	EXPECT(SUCCESS, doca_comch_producer_get_id(producer, &value));
	CHECK(value != 0);
	EXPECT(ERROR_NOT_CONNECTED, doca_ctx_start(doca_comch_producer_as_ctx(producer)));
	MUST(doca_pe_connect_ctx(pair.client->pe, doca_comch_producer_as_ctx(producer)));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(doca_comch_producer_as_ctx(producer)));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_producer_task_send_set_conf(NULL, endpoint_sent, endpoint_send_failed, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_task_send_set_conf(producer, NULL, endpoint_send_failed, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_task_send_set_conf(producer, endpoint_sent, NULL, 1));
	MUST(doca_comch_producer_cap_get_max_num_tasks(doca_dev_as_devinfo(pair.client->dev), &value));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_producer_task_send_set_conf(producer, endpoint_sent, endpoint_send_failed, value + 1));
	EXPECT(SUCCESS, doca_comch_producer_task_send_set_conf(producer, endpoint_sent, endpoint_send_failed, value));
	EXPECT(ERROR_BAD_STATE, doca_comch_producer_task_send_alloc_init(producer, NULL, NULL, 0, 1, &send));
	EXPECT(SUCCESS, doca_comch_producer_destroy(producer));

	endpoint = start_producer(pair.client);
	CHECK(states_are(endpoint, " running"));
	EXPECT(ERROR_BAD_STATE,
	       doca_comch_producer_task_send_set_conf(endpoint->producer, endpoint_sent, endpoint_send_failed, 1));
	EXPECT(ERROR_IN_USE, doca_comch_producer_destroy(endpoint->producer));
	EXPECT(SUCCESS, doca_ctx_stop(endpoint->ctx));
	EXPECT(SUCCESS, doca_ctx_start(endpoint->ctx));
	EXPECT(SUCCESS, doca_ctx_stop(endpoint->ctx));
	CHECK(states_are(endpoint, " idle running idle"));

	conn = pair.server->conn;
	stop(pair.server);
	UNTIL(pair.server->disconnects == 1 && state_of(pair.client) == DOCA_CTX_STATE_IDLE);
	EXPECT(ERROR_BAD_STATE, doca_comch_producer_create(conn, &producer)); /* the connection has ended */
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(endpoint->ctx));
	delete_endpoint(endpoint);
	delete_pair(pair);
}

static void fields_of_tasks(void)
{
	struct fast f = make_fast("fields");
	struct doca_comch_consumer_task_post_recv *recv;
	struct doca_comch_producer_task_send *send;
	struct doca_buf *buf = room(f.consumer, 0, 8), *src = data(f.producer, 0, 8);
	uint8_t imm[33] = {1, 2, 3};
	struct doca_task *tasks[ENDPOINT_TASKS];

	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_task_post_recv_alloc_init(NULL, buf, &recv));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_task_post_recv_alloc_init(f.consumer->consumer, buf, NULL));
	EXPECT(SUCCESS, doca_comch_consumer_task_post_recv_alloc_init(f.consumer->consumer, NULL, &recv));
	CHECK(doca_comch_consumer_task_post_recv_get_buf(recv) == NULL);
	doca_comch_consumer_task_post_recv_set_buf(recv, buf);
	CHECK(doca_comch_consumer_task_post_recv_get_buf(recv) == buf);
	CHECK(doca_comch_consumer_task_post_recv_get_producer_id(recv) == 0);
	CHECK(doca_comch_consumer_task_post_recv_get_imm_data(recv) == NULL);
	CHECK(doca_comch_consumer_task_post_recv_get_imm_data_len(recv) == 0);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(recv));

	EXPECT(ERROR_INVALID_VALUE, doca_comch_producer_task_send_alloc_init(NULL, src, imm, 3, 1, &send));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_producer_task_send_alloc_init(f.producer->producer, src, imm, 3, 1, NULL));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_producer_task_send_alloc_init(f.producer->producer, src, NULL, 3, 1, &send));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_producer_task_send_alloc_init(f.producer->producer, src, imm, 33, 1, &send));
	EXPECT(SUCCESS, doca_comch_producer_task_send_alloc_init(f.producer->producer, src, imm, 3, 77, &send));
	CHECK(doca_comch_producer_task_send_get_buf(send) == src);
	CHECK(doca_comch_producer_task_send_get_imm_data(send) == imm);
	CHECK(doca_comch_producer_task_send_get_imm_data_len(send) == 3);
	CHECK(doca_comch_producer_task_send_get_consumer_id(send) == 77);
	doca_comch_producer_task_send_set_buf(send, NULL);
	doca_comch_producer_task_send_set_imm_data(send, NULL, 0);
	doca_comch_producer_task_send_set_consumer_id(send, 78);
	CHECK(doca_comch_producer_task_send_get_buf(send) == NULL);
	CHECK(doca_comch_producer_task_send_get_imm_data_len(send) == 0);
	CHECK(doca_comch_producer_task_send_get_consumer_id(send) == 78);
	doca_task_free(doca_comch_producer_task_send_as_task(send));

	for (int i = 0; i < ENDPOINT_TASKS; i++)
		tasks[i] = make_recv(f.consumer, NULL);
	EXPECT(ERROR_NO_MEMORY, doca_comch_consumer_task_post_recv_alloc_init(f.consumer->consumer, NULL, &recv));
	for (int i = 0; i < ENDPOINT_TASKS; i++)
		doca_task_free(tasks[i]);
	for (int i = 0; i < ENDPOINT_TASKS; i++)
		tasks[i] = make_produce(f.producer, NULL, NULL, 0, 1);
	EXPECT(ERROR_NO_MEMORY, doca_comch_producer_task_send_alloc_init(f.producer->producer, NULL, NULL, 0, 1, &send));
	for (int i = 0; i < ENDPOINT_TASKS; i++)
		doca_task_free(tasks[i]);
	put_buf(buf);
	put_buf(src);
	delete_fast(&f);
}

/* Buffers that a consumer cannot post. */
static void what_may_be_posted(void)
{
	struct fast f = make_fast("post");
	struct endpoint *other = new_endpoint(f.pair.server, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_buf *bufs[5];
	uint8_t *end = f.consumer->memory + ENDPOINT_MEMORY;

	bufs[0] = room(other, 0, 8); /* a buffer of another map */
	bufs[1] = dst_buf(f.consumer->inventory, f.consumer->mmap, end - 4, 8); /* partly outside */
	bufs[2] = room(f.consumer, 0, 8);
	bufs[3] = room(f.consumer, 64, 8);
	MUST(doca_buf_chain_list(bufs[2], bufs[3]));
	bufs[4] = room(f.consumer, 0, 8);
	MUST(doca_buf_set_data(bufs[4], f.consumer->memory + 4, 5)); /* the data reaches beyond the buffer */
	for (int i = 0; i < 5; i++) {
		struct doca_task *task;

		if (i == 3)
			continue; /* chained to 2 */
		task = make_recv(f.consumer, bufs[i]);
		EXPECT(ERROR_INVALID_VALUE, doca_task_try_submit(task));
		EXPECT(ERROR_INVALID_VALUE, doca_task_submit(task));
		CHECK(num_inflight(f.consumer->ctx) == 0);
		doca_task_free(task);
		put_buf(bufs[i]);
	}
	EXPECT(ERROR_AGAIN, produce(f.producer, NULL, "x", 1, f.consumer->id)); /* none of them was posted */
	delete_endpoint(other);
	delete_fast(&f);
}

/* What a producer cannot send. */
static void what_may_be_sent(void)
{
	struct fast f = make_fast("send");
	struct endpoint *other = new_endpoint(f.pair.server, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct endpoint *small = start_consumer(f.pair.server, f.pair.client);
	struct doca_comch_producer_task_send *send;
	struct doca_buf *dst = room(f.consumer, 0, 8), *small_dst = room(small, 0, 8);
	struct doca_buf *fits = data(f.producer, 0, 8), *large = data(f.producer, 0, 9), *first, *foreign;
	uint8_t imm[40] = {0};

	stop_endpoint(small);
	MUST(doca_comch_consumer_set_imm_data_len(small->consumer, 4));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(small->ctx));
	UNTIL(f.pair.client->num_consumers == 2 && ctx_state(small->ctx) == DOCA_CTX_STATE_RUNNING);
	post(f.consumer, dst);
	post(small, small_dst);

	EXPECT(ERROR_INVALID_VALUE, produce(f.producer, large, NULL, 0, f.consumer->id));
	CHECK(data_len(large) == 9 && data_len(dst) == 0);
	EXPECT(ERROR_INVALID_VALUE, produce(f.producer, fits, NULL, 0, 0));
	EXPECT(ERROR_INVALID_VALUE, produce(f.producer, fits, NULL, 0, 12345));
	EXPECT(ERROR_INVALID_VALUE, produce(f.producer, fits, imm, 5, small->id)); /* the consumer takes 4 */
	first = data(f.producer, 0, 1);
	MUST(doca_buf_chain_list(first, data(f.producer, 8, 1)));
	EXPECT(ERROR_INVALID_VALUE, produce(f.producer, first, NULL, 0, f.consumer->id));
	put_buf(first);
	foreign = src_buf(f.producer->inventory, other->mmap, other->memory, 8); /* on the DPU's device */
	EXPECT(ERROR_INVALID_VALUE, produce(f.producer, foreign, NULL, 0, f.consumer->id));
	put_buf(foreign);
	foreign = src_buf(f.producer->inventory, f.producer->mmap, f.producer->memory + ENDPOINT_MEMORY - 4, 8);
	EXPECT(ERROR_INVALID_VALUE, produce(f.producer, foreign, NULL, 0, f.consumer->id));
	put_buf(foreign);
	MUST(doca_comch_producer_task_send_alloc_init(f.producer->producer, fits, imm, 4, f.consumer->id, &send));
	doca_comch_producer_task_send_set_imm_data(send, imm, 33);
	EXPECT(ERROR_INVALID_VALUE, doca_task_try_submit(doca_comch_producer_task_send_as_task(send)));
	EXPECT(ERROR_INVALID_VALUE, doca_task_submit(doca_comch_producer_task_send_as_task(send)));
	doca_comch_producer_task_send_set_imm_data(send, NULL, 1);
	EXPECT(ERROR_INVALID_VALUE, doca_task_submit(doca_comch_producer_task_send_as_task(send)));
	doca_task_free(doca_comch_producer_task_send_as_task(send));

	/* The posted buffer is still there. */
	EXPECT(SUCCESS, produce(f.producer, fits, imm, 32, f.consumer->id));
	EXPECT(SUCCESS, produce(f.producer, fits, imm, 4, small->id));
	UNTIL(f.consumer->done == 1 && small->done == 1 && f.producer->done == 2);
	CHECK(data_len(dst) == 8 && data_len(small_dst) == 8 && small->last_imm_len == 4);
	put_buf(dst);
	put_buf(small_dst);
	put_buf(fits);
	put_buf(large);
	delete_endpoint(other);
	delete_endpoint(small);
	delete_fast(&f);
}

TEST_MAIN(capabilities, producers, fields_of_tasks, what_may_be_posted, what_may_be_sent, left_nothing)
