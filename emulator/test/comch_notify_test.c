/* SPDX-License-Identifier: Apache-2.0 */

/* Sleeping on the notification handles of servers, clients, consumers and producers: whatever must wake them
 * does, and nothing keeps them awake. */

#include <pthread.h>

#include "comch_fast.h"
#include "comch/emu_comch_ctrl.h"
#include "core/emu_notify.h"

static int handle_of(struct doca_pe *pe)
{
	doca_notification_handle_t handle;

	MUST(doca_pe_get_notification_handle(pe, &handle));
	return handle;
}

static bool arm(struct doca_pe *pe)
{
	MUST(doca_pe_request_notification(pe));
	return is_readable(handle_of(pe), 0);
}

static void clear(struct doca_pe *pe)
{
	MUST(doca_pe_clear_notification(pe, handle_of(pe)));
}

/* Sleeps until the handle is readable, and handles the event. */
static int sleep_once(struct doca_pe *pe)
{
	int num;

	MUST(doca_pe_request_notification(pe));
	CHECK(is_readable(handle_of(pe), LONG_MS));
	clear(pe);
	num = drain_pe(pe);
	return num;
}

#define SLEEP_UNTIL(pe, condition)                                                                         \
	do {                                                                                               \
		for (int naps_ = 0; !(condition) && naps_ < 1000; naps_++)                                 \
			sleep_once(pe);                                                                    \
		CHECK(condition);                                                                          \
	} while (0)

/* Idle engines fall asleep: late wake-ups end after a few rounds. */
static bool falls_asleep(struct doca_pe *pe)
{
	for (int i = 0; i < 5; i++) {
		drain_pe(pe);
		if (!arm(pe)) {
			clear(pe);
			return true;
		}
		clear(pe);
	}
	return false;
}

static void connecting(void)
{
	struct end *server = start_server("connecting"), *client;

	CHECK(falls_asleep(server->pe));
	CHECK(!arm(server->pe));
	client = start_client("connecting");
	CHECK(is_readable(handle_of(server->pe), LONG_MS));
	CHECK(doca_pe_progress(server->pe) == 0); /* not before the notification is cleared */
	clear(server->pe);
	SLEEP_UNTIL(server->pe, server->connects == 1);
	SLEEP_UNTIL(client->pe, state_of(client) == DOCA_CTX_STATE_RUNNING);
	CHECK(falls_asleep(server->pe) && falls_asleep(client->pe));
	delete_end(client);
	delete_end(server);
}

/* A client that waits for its server sleeps, and so does one that fails to start. */
static void waiting_for_a_server(void)
{
	struct end *client = start_client("waiting"), *server;

	for (int i = 0; i < 3; i++)
		sleep_once(client->pe); /* the attempts to connect */
	CHECK(state_of(client) == DOCA_CTX_STATE_STARTING);
	server = start_server("waiting");
	sleep_once(client->pe);
	SLEEP_UNTIL(server->pe, server->connects == 1);
	SLEEP_UNTIL(client->pe, state_of(client) == DOCA_CTX_STATE_RUNNING);
	delete_end(client);
	delete_end(server);
	setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "30", 1);
	client = start_client("waiting");
	SLEEP_UNTIL(client->pe, state_of(client) == DOCA_CTX_STATE_IDLE);
	setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", "600000", 1);
	CHECK(falls_asleep(client->pe));
	delete_end(client);
}

static void messages(void)
{
	struct end *server = new_server("messages"), *client = start_client("messages");

	MUST(doca_comch_server_set_recv_queue_size(server->server, 1));
	MUST(doca_ctx_start(server->ctx));
	connect_ends(server, client);
	CHECK(falls_asleep(client->pe) && falls_asleep(server->pe));
	CHECK(!arm(server->pe));
	say(client, "one");
	say(client, "two"); /* must wait for a credit */
	CHECK(is_readable(handle_of(server->pe), LONG_MS));
	SLEEP_UNTIL(client->pe, client->sent == 1);
	CHECK(falls_asleep(client->pe)); /* with a message that is waiting */
	CHECK(!arm(client->pe));
	clear(server->pe);
	SLEEP_UNTIL(server->pe, server->messages == 1);
	CHECK(is_readable(handle_of(client->pe), LONG_MS)); /* the credit */
	clear(client->pe);
	SLEEP_UNTIL(client->pe, client->sent == 2);
	SLEEP_UNTIL(server->pe, server->messages == 2);
	CHECK(falls_asleep(client->pe) && falls_asleep(server->pe));
	CHECK(!arm(client->pe));
	say(server, "three"); /* what arrived before arming wakes, too */
	say(server, "four");
	CHECK(is_readable(handle_of(client->pe), LONG_MS));
	clear(client->pe);
	CHECK(doca_pe_progress(client->pe) == 1);
	CHECK(arm(client->pe));
	clear(client->pe);
	CHECK(drain_pe(client->pe) == 1);
	delete_end(client);
	delete_end(server);
}

static void fast_path(void)
{
	struct pair pair = make_pair("fast");
	struct endpoint *consumer = new_consumer(pair.server), *producer;

	CHECK(falls_asleep(pair.server->pe));
	CHECK(!arm(pair.server->pe));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	CHECK(falls_asleep(consumer->pe));
	CHECK(!arm(consumer->pe));
	CHECK(is_readable(handle_of(pair.server->pe), LONG_MS)); /* its announcement is to be sent */
	clear(pair.server->pe);
	drain_pe(pair.server->pe);
	CHECK(is_readable(handle_of(consumer->pe), LONG_MS));
	clear(consumer->pe);
	SLEEP_UNTIL(consumer->pe, ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
	SLEEP_UNTIL(pair.client->pe, pair.client->num_consumers == 1);
	producer = start_producer(pair.client);
	CHECK(falls_asleep(consumer->pe) && falls_asleep(producer->pe));
	for (int i = 0; i < 50; i++) {
		CHECK(!arm(consumer->pe));
		post(consumer, NULL);
		post(consumer, NULL);
		CHECK(!is_readable(handle_of(consumer->pe), 0));
		CHECK(!arm(producer->pe));
		EXPECT(SUCCESS, produce(producer, NULL, "a", 1, consumer->id));
		CHECK(is_readable(handle_of(producer->pe), LONG_MS));
		CHECK(is_readable(handle_of(consumer->pe), LONG_MS));
		EXPECT(SUCCESS, produce(producer, NULL, "b", 1, consumer->id));
		clear(consumer->pe);
		clear(producer->pe);
		CHECK(doca_pe_progress(consumer->pe) == 1);
		CHECK(arm(consumer->pe)); /* the second was there before */
		clear(consumer->pe);
		CHECK(drain_pe(consumer->pe) == 1);
		CHECK(drain_pe(producer->pe) == 2);
		CHECK(falls_asleep(consumer->pe) && falls_asleep(producer->pe));
	}
	CHECK(falls_asleep(pair.server->pe) && falls_asleep(pair.client->pe));

	/* Stops. */
	post(consumer, NULL);
	CHECK(!arm(consumer->pe));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(consumer->ctx));
	CHECK(is_readable(handle_of(consumer->pe), LONG_MS));
	clear(consumer->pe);
	SLEEP_UNTIL(consumer->pe, ctx_state(consumer->ctx) == DOCA_CTX_STATE_IDLE);
	CHECK(!arm(pair.client->pe) || pair.client->num_consumers == 1);
	clear(pair.client->pe);
	SLEEP_UNTIL(pair.client->pe, pair.client->num_consumers == 0);
	delete_endpoint(consumer);
	delete_endpoint(producer);
	delete_pair(pair);
}

/* A stop of what has not started yet has nothing in flight, and its end wakes an engine that is armed. */
static void stopped_while_armed(void)
{
	struct pair pair = make_pair("armed");
	struct endpoint *consumer = new_consumer(pair.server);
	struct end *client = start_client("nobody");
	struct doca_ctx *ctxs[] = {consumer->ctx, client->ctx};
	struct doca_pe *pes[] = {consumer->pe, client->pe};

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	for (int i = 0; i < 2; i++) {
		CHECK(falls_asleep(pes[i]));
		CHECK(!arm(pes[i]));
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(ctxs[i]));
		CHECK(is_readable(handle_of(pes[i]), LONG_MS));
		clear(pes[i]);
		drain_pe(pes[i]);
		CHECK(ctx_state(ctxs[i]) == DOCA_CTX_STATE_IDLE);
	}
	delete_end(client);
	delete_endpoint(consumer);
	delete_pair(pair);
}

/* A consumer that is started while its engine is armed wakes it. */
static void started_while_armed(void)
{
	struct pair pair = make_pair("armed");
	struct endpoint *consumer = new_consumer(pair.server);

	CHECK(falls_asleep(consumer->pe));
	CHECK(!arm(consumer->pe));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	sleep_once(pair.server->pe); /* the announcement */
	SLEEP_UNTIL(pair.client->pe, pair.client->num_consumers == 1);
	CHECK(is_readable(handle_of(consumer->pe), LONG_MS));
	clear(consumer->pe);
	SLEEP_UNTIL(consumer->pe, ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
	delete_endpoint(consumer);
	delete_pair(pair);
}

/* In PROGRESS_ALL mode an engine may be armed, make progress, find nothing, and sleep. */
static void progress_all_mode(void)
{
	struct pair pair = make_pair("mode");
	struct endpoint *consumer = start_consumer(pair.server, pair.client), *producer = start_producer(pair.client);

	MUST(doca_pe_set_event_mode(consumer->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	MUST(doca_pe_set_event_mode(pair.server->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	for (int i = 1; i <= 3; i++) {
		post(consumer, NULL);
		post(consumer, NULL);
		CHECK(falls_asleep(consumer->pe) && falls_asleep(pair.server->pe));
		MUST(doca_pe_request_notification(consumer->pe));
		MUST(doca_pe_request_notification(pair.server->pe));
		CHECK(drain_pe(consumer->pe) == 0 && drain_pe(pair.server->pe) == 0);
		CHECK(!is_readable(handle_of(consumer->pe), 0) && !is_readable(handle_of(pair.server->pe), 0));
		say(pair.client, "x");
		EXPECT(SUCCESS, produce(producer, NULL, "x", 1, consumer->id));
		CHECK(is_readable(handle_of(consumer->pe), LONG_MS));
		CHECK(is_readable(handle_of(pair.server->pe), LONG_MS));
		EXPECT(SUCCESS, produce(producer, NULL, "y", 1, consumer->id));
		CHECK(drain_pe(consumer->pe) == 2 && drain_pe(pair.server->pe) == 1); /* clear is optional */
		CHECK(consumer->done == 2 * i && pair.server->messages == i);
		drain_pe(producer->pe);
		drain_pe(pair.client->pe);
	}
	delete_endpoint(consumer);
	delete_endpoint(producer);
	delete_pair(pair);
}

/* The end of a connection wakes everyone who uses it. */
static void the_end(void)
{
	for (int i = 0; i < 2; i++) {
		struct pair pair = make_pair("end");
		struct end *end = i == 0 ? pair.server : pair.client, *peer = i == 0 ? pair.client : pair.server;
		struct endpoint *consumer = start_consumer(end, peer), *producer = start_producer(end);

		CHECK(falls_asleep(end->pe) && falls_asleep(consumer->pe) && falls_asleep(producer->pe));
		CHECK(!arm(end->pe) && !arm(consumer->pe) && !arm(producer->pe));
		stop(peer);
		CHECK(is_readable(handle_of(end->pe), LONG_MS));
		clear(end->pe);
		SLEEP_UNTIL(end->pe, i == 0 ? end->disconnects == 1 : state_of(end) == DOCA_CTX_STATE_IDLE);
		CHECK(is_readable(handle_of(consumer->pe), LONG_MS) && is_readable(handle_of(producer->pe), LONG_MS));
		clear(consumer->pe);
		clear(producer->pe);
		SLEEP_UNTIL(consumer->pe, ctx_state(consumer->ctx) == DOCA_CTX_STATE_IDLE);
		SLEEP_UNTIL(producer->pe, ctx_state(producer->ctx) == DOCA_CTX_STATE_IDLE);
		CHECK(falls_asleep(end->pe) && falls_asleep(consumer->pe) && falls_asleep(producer->pe));
		SLEEP_UNTIL(peer->pe, state_of(peer) == DOCA_CTX_STATE_IDLE);
		delete_endpoint(consumer);
		delete_endpoint(producer);
		delete_pair(pair);
	}
}

/* A thread that wakes a server may signal its engine after the server has noticed. That late signal wakes the
 * server only once. */
static void late_wake(void)
{
	struct pair pair = make_pair("late");

	CHECK(falls_asleep(pair.server->pe));
	emu_pe_signal(pair.server->pe);
	CHECK(arm(pair.server->pe));
	clear(pair.server->pe);
	CHECK(falls_asleep(pair.server->pe));
	delete_pair(pair);
}

/* A refused stop continues when the last consumer or producer is destroyed, and wakes the sleeping engine. */
static void refused_stop(void)
{
	struct pair pair = make_pair("refused");
	struct endpoint *producer = start_producer(pair.client);

	EXPECT(ERROR_IN_USE, doca_ctx_stop(pair.client->ctx));
	CHECK(falls_asleep(pair.client->pe));
	CHECK(!arm(pair.client->pe));
	delete_endpoint(producer);
	CHECK(is_readable(handle_of(pair.client->pe), LONG_MS));
	clear(pair.client->pe);
	SLEEP_UNTIL(pair.client->pe, state_of(pair.client) == DOCA_CTX_STATE_IDLE);
	delete_pair(pair);
}

/* A refused stop also continues when the connection of the last consumer or producer has ended. */
static void refused_stop_without_peer(void)
{
	struct pair pair = make_pair("lonely");
	struct endpoint *producer = start_producer(pair.server);

	EXPECT(ERROR_IN_USE, doca_ctx_stop(pair.server->ctx));
	stop(pair.client);
	SLEEP_UNTIL(pair.server->pe, pair.server->disconnects == 1);
	SLEEP_UNTIL(pair.server->pe, state_of(pair.server) == DOCA_CTX_STATE_IDLE);
	SLEEP_UNTIL(producer->pe, ctx_state(producer->ctx) == DOCA_CTX_STATE_IDLE);
	delete_endpoint(producer);
	delete_pair(pair);
}

/* A server that echoes, a client, a consumer and a producer, each on a thread that only sleeps and handles
 * events. */
#define NUM_ROUNDS 300

static void echo(struct end *end, struct doca_comch_connection *conn, uint8_t *bytes, uint32_t len)
{
	end->conn = conn;
	MUST(try_send(end, bytes, len));
}

static void say_again(struct end *end, struct doca_comch_connection *conn, uint8_t *bytes, uint32_t len)
{
	(void)conn, (void)bytes, (void)len;
	if (end->messages < NUM_ROUNDS)
		say(end, "ball");
}

static void *sleep_in_server(void *arg)
{
	struct end *server = arg;

	SLEEP_UNTIL(server->pe, server->disconnects == 1);
	return NULL;
}

static void *sleep_in_consumer(void *arg)
{
	struct endpoint *consumer = arg;

	while (consumer->done + consumer->failed < NUM_ROUNDS)
		sleep_once(consumer->pe);
	return NULL;
}

static void repost(struct endpoint *endpoint, struct doca_task *task)
{
	if (endpoint->done + ENDPOINT_TASKS <= NUM_ROUNDS)
		MUST(doca_task_submit(task));
	else
		doca_task_free(task);
}

static void *sleep_in_producer(void *arg)
{
	struct endpoint *producer = arg;

	for (int i = 0; i < NUM_ROUNDS; i++) {
		doca_error_t result;

		while ((result = produce(producer, NULL, "x", 1, *(uint32_t *)producer->hook_data)) == DOCA_ERROR_AGAIN)
			;
		CHECK(result == DOCA_SUCCESS);
		while (producer->done <= i)
			sleep_once(producer->pe);
	}
	return NULL;
}

static void on_threads(void)
{
	struct pair pair = make_pair("threads");
	struct endpoint *consumer = start_consumer(pair.server, pair.client), *producer = start_producer(pair.client);
	pthread_t threads[3];

	for (int i = 0; i < ENDPOINT_TASKS; i++)
		post(consumer, NULL);
	pair.server->on_message = echo;
	pair.client->on_message = say_again;
	consumer->on_done = repost;
	producer->hook_data = &consumer->id;
	CHECK(pthread_create(&threads[0], NULL, sleep_in_server, pair.server) == 0);
	CHECK(pthread_create(&threads[1], NULL, sleep_in_consumer, consumer) == 0);
	CHECK(pthread_create(&threads[2], NULL, sleep_in_producer, producer) == 0);
	say(pair.client, "ball");
	while (pair.client->messages < NUM_ROUNDS)
		sleep_once(pair.client->pe);
	pthread_join(threads[1], NULL);
	pthread_join(threads[2], NULL);
	CHECK(consumer->done == NUM_ROUNDS && producer->done == NUM_ROUNDS);
	undrive(consumer->pe); /* it belongs to the server's thread for now, which has the connection */
	delete_endpoint(producer);
	stop(pair.client);
	pthread_join(threads[0], NULL);
	CHECK(pair.server->messages == NUM_ROUNDS);
	delete_endpoint(consumer);
	delete_pair(pair);
}

TEST_MAIN(connecting, waiting_for_a_server, messages, fast_path, stopped_while_armed, started_while_armed,
	  progress_all_mode, the_end, late_wake, refused_stop, refused_stop_without_peer, on_threads, left_nothing)
