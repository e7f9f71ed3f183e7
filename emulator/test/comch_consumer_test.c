/* SPDX-License-Identifier: Apache-2.0 */

/* Consumers: creation, start and stop, and their events at the peer. */

#include "comch_fast.h"

static void capabilities(void)
{
	struct doca_dev *dev = open_dev(HOST_0);
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint32_t value = 0;

	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_cap_is_supported(NULL));
	EXPECT(SUCCESS, doca_comch_consumer_cap_is_supported(info));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_cap_get_max_num_tasks(NULL, &value));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_cap_get_max_num_tasks(info, NULL));
	EXPECT(SUCCESS, doca_comch_consumer_cap_get_max_num_tasks(info, &value));
	CHECK(value >= 1024);
	EXPECT(SUCCESS, doca_comch_consumer_cap_get_max_buf_size(info, &value));
	CHECK(value == 1u << 30);
	EXPECT(SUCCESS, doca_comch_consumer_cap_get_max_buf_list_len(info, &value));
	CHECK(value == 1);
	EXPECT(SUCCESS, doca_comch_consumer_cap_get_max_consumers(info, &value));
	CHECK(value >= 16);
	EXPECT(SUCCESS, doca_comch_consumer_cap_get_max_imm_data_len(info, &value));
	CHECK(value == 32);
	MUST(doca_dev_close(dev));
}

static void creation(void)
{
	struct pair pair = make_pair("creation");
	struct doca_comch_connection *conn = pair.client->conn;
	struct endpoint *spare = new_endpoint(pair.client, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct endpoint *local = new_endpoint(pair.client, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct endpoint *elsewhere = new_endpoint(pair.server, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_comch_consumer *consumer = NULL;
	struct endpoint *endpoint;
	struct doca_pe *pe = spare->pe;
	uint32_t value;

	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_create(NULL, spare->mmap, &consumer));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_create(conn, NULL, &consumer));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_create(conn, spare->mmap, NULL));
	/* The peer may not write. */
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_create(conn, local->mmap, &consumer));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_create(conn, elsewhere->mmap, &consumer));
	CHECK(consumer == NULL);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_destroy(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_get_id(NULL, &value));
	CHECK(doca_comch_consumer_as_ctx(NULL) == NULL);
	CHECK(doca_comch_consumer_task_post_recv_as_task(NULL) == NULL);

	EXPECT(SUCCESS, doca_comch_consumer_create(conn, spare->mmap, &consumer));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_get_id(consumer, NULL));
	EXPECT(SUCCESS, doca_comch_consumer_get_id(consumer, &value));
	CHECK(value != 0 && value < 0xffff);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_set_imm_data_len(NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_set_imm_data_len(consumer, 33));
	EXPECT(SUCCESS, doca_comch_consumer_set_imm_data_len(consumer, 32));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_get_imm_data_len(NULL, &value));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_get_imm_data_len(consumer, NULL));
	EXPECT(SUCCESS, doca_comch_consumer_get_imm_data_len(consumer, &value));
	CHECK(value == 32);
	EXPECT(ERROR_NOT_CONNECTED, doca_ctx_start(doca_comch_consumer_as_ctx(consumer)));
	MUST(doca_pe_connect_ctx(pe, doca_comch_consumer_as_ctx(consumer)));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(doca_comch_consumer_as_ctx(consumer)));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_consumer_task_post_recv_set_conf(NULL, endpoint_received, endpoint_recv_failed, 1));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_consumer_task_post_recv_set_conf(consumer, NULL, endpoint_recv_failed, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_consumer_task_post_recv_set_conf(consumer, endpoint_received, NULL, 1));
	EXPECT(SUCCESS, doca_comch_consumer_cap_get_max_num_tasks(doca_dev_as_devinfo(spare->dev), &value));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_consumer_task_post_recv_set_conf(consumer, endpoint_received, endpoint_recv_failed,
							   value + 1));
	EXPECT(SUCCESS,
	       doca_comch_consumer_task_post_recv_set_conf(consumer, endpoint_received, endpoint_recv_failed, value));
	EXPECT(SUCCESS, doca_comch_consumer_destroy(consumer));

	endpoint = start_consumer(pair.client, pair.server);
	EXPECT(ERROR_BAD_STATE,
	       doca_comch_consumer_task_post_recv_set_conf(endpoint->consumer, endpoint_received,
							   endpoint_recv_failed, 1));
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_set_imm_data_len(endpoint->consumer, 1));
	EXPECT(ERROR_IN_USE, doca_comch_consumer_destroy(endpoint->consumer));
	EXPECT(ERROR_BAD_STATE, doca_ctx_start(endpoint->ctx));
	delete_endpoint(endpoint);

	conn = pair.server->conn;
	stop(pair.client);
	UNTIL(pair.server->disconnects == 1);
	/* The connection has ended. */
	EXPECT(ERROR_BAD_STATE, doca_comch_consumer_create(conn, elsewhere->mmap, &consumer));
	delete_endpoint(spare);
	delete_endpoint(local);
	delete_endpoint(elsewhere);
	delete_pair(pair);
}

/* Ids are small, and unique within a connection across both sides. */
static void ids(void)
{
	enum { NUM = 12 };
	struct pair pair = make_pair("ids");
	struct endpoint *endpoints[NUM];
	struct doca_comch_consumer **more;
	uint32_t max, id;

	for (int i = 0; i < NUM; i++) { /* each side numbers its own from 1 */
		endpoints[i] = new_consumer(i % 2 == 0 ? pair.client : pair.server);
		CHECK(endpoints[i]->id == (uint32_t)i / 2 + 1);
	}
	for (int i = 1; i < NUM; i++)
		delete_endpoint(endpoints[i]);

	MUST(doca_comch_consumer_cap_get_max_consumers(doca_dev_as_devinfo(pair.client->dev), &max));
	more = calloc(max, sizeof(*more));
	for (uint32_t i = 1; i < max; i++) { /* as many as the device promises, and no more */
		MUST(doca_comch_consumer_create(pair.client->conn, endpoints[0]->mmap, &more[i]));
		MUST(doca_comch_consumer_get_id(more[i], &id));
		CHECK(id >= 1 && id < 0xffff && id != endpoints[0]->id);
	}
	EXPECT(ERROR_NO_MEMORY, doca_comch_consumer_create(pair.client->conn, endpoints[0]->mmap, &more[0]));
	for (uint32_t i = 1; i < max; i++)
		MUST(doca_comch_consumer_destroy(more[i]));
	free(more);
	delete_endpoint(endpoints[0]);
	delete_pair(pair);
}

/* A start needs progress of the control path and of the consumer; a stop needs only that of the consumer. */
static void start_and_stop(void)
{
	struct pair pair = make_pair("start");
	struct endpoint *endpoint = new_consumer(pair.client);
	char plus[16], both[32];

	snprintf(plus, sizeof(plus), "+%u", endpoint->id);
	snprintf(both, sizeof(both), "+%u -%u", endpoint->id, endpoint->id);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(endpoint->ctx));
	drain_pe(endpoint->pe);
	drain_pe(pair.server->pe);
	CHECK(states_are(endpoint, " starting"));
	drain_pe(pair.client->pe);
	CHECK(ctx_state(endpoint->ctx) == DOCA_CTX_STATE_STARTING);
	CHECK(drain_pe(endpoint->pe) == 1);
	CHECK(states_are(endpoint, " running"));
	CHECK(log_is(pair.server, ""));
	CHECK(drain_pe(pair.server->pe) == 1);
	CHECK(log_is(pair.server, plus));
	stop_endpoint(endpoint);
	pair.server->log[0] = '\0';
	drain_pe(pair.server->pe);
	plus[0] = '-';
	CHECK(log_is(pair.server, plus));
	settle();
	CHECK(log_is(pair.server, "") && log_is(pair.client, "")); /* its own side gets no event */

	for (int i = 0; i < 2; i++) { /* again, the same id */
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(endpoint->ctx));
		UNTIL(pair.server->num_consumers == 1 && ctx_state(endpoint->ctx) == DOCA_CTX_STATE_RUNNING);
		stop_endpoint(endpoint);
		UNTIL(pair.server->num_consumers == 0);
		CHECK(log_is(pair.server, both));
	}

	/* A consumer that stops before the peer could be told. */
	endpoint->states[0] = '\0';
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(endpoint->ctx));
	stop_endpoint(endpoint);
	CHECK(states_are(endpoint, " starting stopping idle"));
	settle();
	CHECK(log_is(pair.server, ""));
	/* A consumer that stops just when the peer is to be told. */
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(endpoint->ctx));
	drain_pe(pair.client->pe);
	stop_endpoint(endpoint);
	settle();
	CHECK(log_is(pair.server, both));
	delete_endpoint(endpoint);
	delete_pair(pair);
}

/* An announcement that waits in the queue behind messages without credit. */
static void announced_in_order(void)
{
	struct end *server = new_server("order"), *client = start_client("order");
	struct endpoint *first, *second, *third, *last;
	char expected[128];

	MUST(doca_comch_server_set_recv_queue_size(server->server, 1));
	MUST(doca_ctx_start(server->ctx));
	connect_ends(server, client);
	first = new_consumer(client);
	second = new_consumer(client);
	third = new_consumer(client);
	last = new_consumer(client);
	for (int i = 0; i < 3; i++)
		say(client, "m");
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(first->ctx));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(second->ctx));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(third->ctx));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(last->ctx));
	drain_pe(client->pe);
	stop_endpoint(last); /* the last frame in the queue */
	say(client, "n");
	stop_endpoint(second); /* the peer never gets an event */
	say(client, "o");
	UNTIL(server->messages == 5 && client->sent == 5);
	snprintf(expected, sizeof(expected), "m m m +%u +%u n o", first->id, third->id);
	CHECK(log_is(server, expected));
	delete_endpoint(first);
	delete_endpoint(second);
	delete_endpoint(third);
	delete_endpoint(last);
	delete_end(client);
	delete_end(server);
}

/* If a program stops a consumer and then sends a message, the peer gets both in that order. */
static void expired_before_messages(void)
{
	struct pair pair = make_pair("expired");

	for (int i = 0; i < 20; i++) {
		struct endpoint *first = start_consumer(pair.server, pair.client);
		struct endpoint *second = start_consumer(pair.server, pair.client);
		char expected[128];

		pair.client->log[0] = '\0';
		say(pair.server, "before");
		stop_endpoint(second);
		say(pair.server, "between");
		stop_endpoint(first);
		say(pair.server, "after");
		UNTIL(pair.client->messages == 3 * (i + 1));
		snprintf(expected, sizeof(expected), "before -%u between -%u after", second->id, first->id);
		CHECK(log_is(pair.client, expected));
		delete_endpoint(first);
		delete_endpoint(second);
	}
	delete_pair(pair);
}

/* Servers, clients and connections that are in use. */
static void in_use(void)
{
	for (int i = 0; i < 4; i++) {
		struct pair pair = make_pair("use");
		struct end *end = i % 2 == 0 ? pair.server : pair.client, *peer = i % 2 == 0 ? pair.client : pair.server;
		struct endpoint *endpoint = i < 2 ? start_consumer(end, peer) : start_producer(end);
		struct endpoint *idle = i % 2 == 0 ? new_consumer(end) : new_producer(end);

		EXPECT(ERROR_IN_USE, doca_ctx_stop(end->ctx));
		CHECK(state_of(end) == DOCA_CTX_STATE_RUNNING);
		if (end->is_server)
			EXPECT(ERROR_IN_USE, doca_comch_server_disconnect(end->server, end->conn));
		settle();
		CHECK(state_of(end) == DOCA_CTX_STATE_RUNNING && ctx_state(endpoint->ctx) == DOCA_CTX_STATE_RUNNING);
		stop_endpoint(endpoint);
		delete_endpoint(endpoint);
		settle();
		CHECK(state_of(end) == DOCA_CTX_STATE_RUNNING); /* an idle one prevents the stop as well */
		EXPECT(ERROR_IN_USE, doca_ctx_stop(end->ctx));
		delete_endpoint(idle);
		/* A program that has called stop once need not call it again. */
		UNTIL(state_of(end) == DOCA_CTX_STATE_IDLE);
		UNTIL(peer->is_server ? peer->disconnects == 1 : state_of(peer) == DOCA_CTX_STATE_IDLE);
		delete_pair(pair);
	}
}

static void disconnect_after_use(void)
{
	struct pair pair = make_pair("after");
	struct endpoint *endpoint = start_consumer(pair.server, pair.client);

	EXPECT(ERROR_IN_USE, doca_comch_server_disconnect(pair.server->server, pair.server->conn));
	delete_endpoint(endpoint);
	EXPECT(SUCCESS, doca_comch_server_disconnect(pair.server->server, pair.server->conn));
	UNTIL(state_of(pair.client) == DOCA_CTX_STATE_IDLE);
	CHECK(state_of(pair.server) == DOCA_CTX_STATE_RUNNING);
	delete_pair(pair);
}

/* The peer ends while consumers and producers use the connection: they stop. */
static void peer_leaves(void)
{
	for (int i = 0; i < 2; i++) {
		struct pair pair = make_pair("leaves");
		struct end *end = i == 0 ? pair.server : pair.client, *peer = i == 0 ? pair.client : pair.server;
		struct endpoint *consumer = start_consumer(end, peer), *producer = start_producer(end);
		struct endpoint *starting = new_consumer(end);
		struct doca_buf *buf = room(consumer, 0, 100);

		post(consumer, buf);
		post(consumer, NULL);
		consumer->states[0] = producer->states[0] = '\0';
		stop(peer);
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(starting->ctx));
		UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_IDLE && ctx_state(producer->ctx) == DOCA_CTX_STATE_IDLE);
		UNTIL(ctx_state(starting->ctx) == DOCA_CTX_STATE_IDLE);
		CHECK(states_are(consumer, " stopping idle") && states_are(producer, " stopping idle"));
		CHECK(consumer->failed == 2 && consumer->last_error == DOCA_ERROR_NOT_CONNECTED);
		CHECK(data_len(buf) == 0);
		put_buf(buf);
		delete_endpoint(consumer);
		delete_endpoint(producer);
		delete_endpoint(starting);
		delete_pair(pair);
	}
}

static void destroy_consumer(struct endpoint *endpoint, enum doca_ctx_states state)
{
	if (state != DOCA_CTX_STATE_IDLE)
		return;
	MUST(doca_comch_consumer_destroy(endpoint->consumer));
	endpoint->ctx = NULL;
}

static void destroyed_at_idle(void)
{
	struct pair pair = make_pair("idle");
	struct endpoint *at_once = start_consumer(pair.client, pair.server);
	struct endpoint *later = start_consumer(pair.client, pair.server);

	at_once->on_state = later->on_state = destroy_consumer;
	EXPECT(SUCCESS, doca_ctx_stop(at_once->ctx));
	CHECK(at_once->ctx == NULL);
	post(later, NULL);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(later->ctx));
	drain_pe(later->pe);
	CHECK(later->ctx == NULL && later->failed == 1);
	UNTIL(pair.server->num_consumers == 0);
	delete_endpoint(at_once);
	delete_endpoint(later);
	delete_pair(pair);
}

/* Without the event registered, the peer's consumers cannot be announced, and nothing breaks. */
static void no_consumer_events(void)
{
	struct end *server = start_server("no events"), *client = calloc(1, sizeof(*client));
	struct endpoint *endpoint;

	client->dev = open_dev(HOST_0);
	MUST(doca_pe_create(&client->pe));
	drive(client->pe);
	MUST(doca_comch_client_create(client->dev, "no events", &client->client));
	client->ctx = doca_comch_client_as_ctx(client->client);
	MUST(doca_ctx_set_user_data(client->ctx, (union doca_data){.ptr = client}));
	MUST(doca_ctx_set_state_changed_cb(client->ctx, end_state));
	MUST(doca_pe_connect_ctx(client->pe, client->ctx));
	MUST(doca_comch_client_task_send_set_conf(client->client, end_sent, end_failed, END_TASKS));
	MUST(doca_comch_client_event_msg_recv_register(client->client, end_message));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	connect_ends(server, client);
	endpoint = new_consumer(server);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(endpoint->ctx));
	UNTIL(ctx_state(endpoint->ctx) == DOCA_CTX_STATE_RUNNING);
	say(server, "hello");
	UNTIL(client->messages == 1);
	CHECK(log_is(client, "hello"));
	delete_endpoint(endpoint);
	delete_end(client);
	delete_end(server);
}

TEST_MAIN(capabilities, creation, ids, start_and_stop, announced_in_order, expired_before_messages, in_use,
	  disconnect_after_use, peer_leaves, destroyed_at_idle, no_consumer_events, left_nothing)
