/* SPDX-License-Identifier: Apache-2.0 */

/* Finished sends are reported before the events that the consumer, or the peer, has gone. */

#include "comch_fast.h"

/* A running producer on the engine of its end. */
static struct endpoint *make_producer(struct end *end)
{
	struct endpoint *endpoint = new_endpoint(end, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);

	MUST(doca_comch_producer_create(end->conn, &endpoint->producer));
	endpoint->ctx = doca_comch_producer_as_ctx(endpoint->producer);
	MUST(doca_comch_producer_task_send_set_conf(endpoint->producer, endpoint_sent, endpoint_send_failed,
						    ENDPOINT_TASKS));
	MUST(doca_ctx_set_user_data(endpoint->ctx, (union doca_data){.ptr = endpoint}));
	MUST(doca_pe_connect_ctx(end->pe, endpoint->ctx));
	MUST(doca_ctx_start(endpoint->ctx));
	return endpoint;
}

static void delete_producer(struct end *end, struct endpoint *endpoint)
{
	doca_error_t result = doca_ctx_stop(endpoint->ctx);

	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	while (ctx_state(endpoint->ctx) != DOCA_CTX_STATE_IDLE)
		doca_pe_progress(end->pe);
	MUST(doca_comch_producer_destroy(endpoint->producer));
	endpoint->ctx = NULL;
	delete_endpoint(endpoint);
}

static struct endpoint *producer_of_end;

/* The program's state goes with the event, and a send that is reported later would touch it. */
static void check_sends(void)
{
	CHECK(producer_of_end->done == 5 && producer_of_end->failed == 0);
}

static void on_consumer(struct end *end, struct doca_comch_connection *conn, uint32_t id, bool is_new)
{
	(void)end, (void)conn, (void)id;
	if (!is_new)
		check_sends();
}

static void on_disconnect(struct end *end, struct doca_comch_connection *conn)
{
	(void)end, (void)conn;
	check_sends();
}

static void on_state(struct end *end, enum doca_ctx_states state)
{
	(void)end;
	if (state == DOCA_CTX_STATE_STOPPING)
		check_sends();
}

/* The peer has all messages and has gone before this end's engine makes progress. */
static void gone(bool sender_is_server, bool consumer_only)
{
	struct pair pair = make_pair("order");
	struct end *sender = sender_is_server ? pair.server : pair.client;
	struct end *receiver = sender_is_server ? pair.client : pair.server;
	struct endpoint *consumer = start_consumer(receiver, sender);
	struct endpoint *producer = make_producer(sender);

	producer_of_end = producer;
	for (int i = 0; i < 5; i++) {
		post(consumer, NULL);
		EXPECT(SUCCESS, produce(producer, NULL, "x", 1, consumer->id));
	}
	undrive(sender->pe);
	while (consumer->done < 5)
		doca_pe_progress(consumer->pe);
	delete_endpoint(consumer);
	if (!consumer_only) {
		stop(receiver);
		for (int i = 0; i < 100; i++)
			doca_pe_progress(receiver->pe);
	}
	CHECK(producer->done == 0);
	sender->on_consumer = on_consumer;
	sender->on_disconnect = on_disconnect;
	sender->on_state = on_state;
	drive(sender->pe);
	UNTIL(sender->num_consumers == 0);
	if (!consumer_only)
		UNTIL(sender_is_server ? sender->disconnects == 1 : state_of(sender) != DOCA_CTX_STATE_RUNNING);
	check_sends();
	sender->on_consumer = NULL;
	sender->on_disconnect = NULL;
	sender->on_state = NULL;
	delete_producer(sender, producer);
	delete_pair(pair);
}

static void expired_at_the_server(void)
{
	gone(true, true);
}

static void expired_at_the_client(void)
{
	gone(false, true);
}

static void disconnected_from_the_server(void)
{
	gone(true, false);
}

static void disconnected_from_the_client(void)
{
	gone(false, false);
}

TEST_MAIN(expired_at_the_server, expired_at_the_client, disconnected_from_the_server, disconnected_from_the_client)
