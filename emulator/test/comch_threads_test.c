/* SPDX-License-Identifier: Apache-2.0 */

/* Threads that share a connection: the control path on one, consumers and producers on others. */

#include <pthread.h>

#include "comch_fast.h"

/* Drives an end until it is told to stop. */
struct driver {
	pthread_t thread;
	struct end *end;
	bool is_done;
};

static void *drive_end(void *arg)
{
	struct driver *driver = arg;

	while (!__atomic_load_n(&driver->is_done, __ATOMIC_ACQUIRE)) {
		if (!doca_pe_progress(driver->end->pe))
			usleep(20);
	}
	return NULL;
}

static void start_driver(struct driver *driver, struct end *end)
{
	*driver = (struct driver){.end = end};
	CHECK(pthread_create(&driver->thread, NULL, drive_end, driver) == 0);
}

static void stop_driver(struct driver *driver)
{
	__atomic_store_n(&driver->is_done, true, __ATOMIC_RELEASE);
	pthread_join(driver->thread, NULL);
}

/* Several producers send to one consumer. */
#define NUM_PRODUCERS 4
#define NUM_SENDS 1000
#define MAX_LEN 600

struct message {
	uint32_t producer, number;
};

static struct end *shared_client;
static uint32_t shared_consumer;

static void *produce_all(void *arg)
{
	struct endpoint *producer = start_producer(shared_client);
	struct doca_buf *src = data(producer, 0, MAX_LEN);

	(void)arg;
	for (uint32_t i = 0; i < NUM_SENDS; i++) {
		struct message message = {.producer = producer->id, .number = i};
		size_t len = (i * 37 + producer->id) % MAX_LEN;
		doca_error_t result;

		memset(producer->memory, (int)(producer->id + i), len);
		MUST(doca_buf_set_data(src, producer->memory, len));
		while ((result = produce(producer, src, &message, sizeof(message), shared_consumer)) ==
		       DOCA_ERROR_AGAIN)
			usleep(20);
		CHECK(result == DOCA_SUCCESS);
		drain_pe(producer->pe);
	}
	UNTIL(producer->done == NUM_SENDS);
	put_buf(src);
	delete_endpoint(producer);
	return NULL;
}

static uint32_t next_number[64];

static void check_message(struct endpoint *consumer, struct doca_task *task)
{
	struct message message;
	struct doca_buf *buf = consumer->last_buf;
	uint8_t *bytes;
	size_t len;

	memcpy(&message, consumer->last_imm, sizeof(message));
	CHECK(consumer->last_imm_len == sizeof(message) && message.producer == consumer->last_producer);
	CHECK(message.number == next_number[message.producer]++);
	len = (message.number * 37 + message.producer) % MAX_LEN;
	CHECK(data_len(buf) == len);
	MUST(doca_buf_get_data(buf, (void **)&bytes));
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] != (uint8_t)(message.producer + message.number)) {
			CHECK(false);
			break;
		}
	}
	MUST(doca_buf_reset_data_len(buf));
	MUST(doca_task_submit(task));
}

static void many_producers(void)
{
	struct pair pair = make_pair("many");
	struct endpoint *consumer = start_consumer(pair.server, pair.client);
	pthread_t threads[NUM_PRODUCERS];
	struct doca_buf *bufs[ENDPOINT_TASKS];

	shared_client = pair.client;
	shared_consumer = consumer->id;
	consumer->on_done = check_message;
	for (int i = 0; i < ENDPOINT_TASKS; i++) {
		bufs[i] = room(consumer, (size_t)i * MAX_LEN, MAX_LEN);
		post(consumer, bufs[i]);
	}
	for (int i = 0; i < NUM_PRODUCERS; i++)
		CHECK(pthread_create(&threads[i], NULL, produce_all, NULL) == 0);
	UNTIL(consumer->done == NUM_PRODUCERS * NUM_SENDS);
	for (int i = 0; i < NUM_PRODUCERS; i++)
		pthread_join(threads[i], NULL);
	CHECK(consumer->failed == 0);
	stop_endpoint(consumer);
	CHECK(consumer->failed == ENDPOINT_TASKS);
	for (int i = 0; i < ENDPOINT_TASKS; i++)
		put_buf(bufs[i]);
	delete_endpoint(consumer);
	delete_pair(pair);
}

/* Consumers and producers start and stop on their own threads while messages are exchanged. */
#define NUM_WORKERS 3
#define NUM_LIVES 40

struct worker {
	pthread_t thread;
	struct end *end;
};

static void *live_and_die(void *arg)
{
	struct worker *worker = arg;

	for (int i = 0; i < NUM_LIVES; i++) {
		struct endpoint *consumer = new_consumer(worker->end), *producer = start_producer(worker->end);

		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
		if (i % 4 != 0)
			UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
		delete_endpoint(consumer);
		delete_endpoint(producer);
	}
	return NULL;
}

static void echo(struct end *end, struct doca_comch_connection *conn, uint8_t *bytes, uint32_t len)
{
	(void)conn; /* the only one */
	MUST(try_send(end, bytes, len));
}

static void coming_and_going(void)
{
	struct pair pair = make_pair("coming");
	struct worker workers[2 * NUM_WORKERS];
	struct driver drivers[2];

	pair.server->on_message = pair.client->on_message = echo;
	say(pair.client, "ping");
	say(pair.server, "pong");
	start_driver(&drivers[0], pair.server);
	start_driver(&drivers[1], pair.client);
	for (int i = 0; i < 2 * NUM_WORKERS; i++) {
		workers[i].end = i % 2 == 0 ? pair.server : pair.client;
		CHECK(pthread_create(&workers[i].thread, NULL, live_and_die, &workers[i]) == 0);
	}
	for (int i = 0; i < 2 * NUM_WORKERS; i++)
		pthread_join(workers[i].thread, NULL);
	stop_driver(&drivers[0]);
	stop_driver(&drivers[1]);
	UNTIL(pair.server->num_consumers == 0 && pair.client->num_consumers == 0);
	CHECK(pair.server->messages > 0 && pair.client->messages > 0);
	delete_pair(pair);
}

/* The connection is lost while threads create, start and stop consumers and producers on it. */
static void *until_lost(void *arg)
{
	struct worker *worker = arg;
	struct doca_comch_connection *conn = worker->end->conn;
	struct endpoint *endpoint = new_endpoint(worker->end, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	doca_error_t result;

	for (int i = 0;; i++) {
		bool is_consumer = i % 2 == 0;

		endpoint->consumer = NULL;
		endpoint->producer = NULL;
		result = is_consumer ? doca_comch_consumer_create(conn, endpoint->mmap, &endpoint->consumer) :
				       doca_comch_producer_create(conn, &endpoint->producer);
		if (result != DOCA_SUCCESS)
			break;
		endpoint->ctx = is_consumer ? doca_comch_consumer_as_ctx(endpoint->consumer) :
					   doca_comch_producer_as_ctx(endpoint->producer);
		set_up_endpoint(endpoint);
		if (is_consumer)
			MUST(doca_comch_consumer_task_post_recv_set_conf(endpoint->consumer, endpoint_received,
									 endpoint_recv_failed, ENDPOINT_TASKS));
		else
			MUST(doca_comch_producer_task_send_set_conf(endpoint->producer, endpoint_sent,
								    endpoint_send_failed, ENDPOINT_TASKS));
		result = doca_ctx_start(endpoint->ctx);
		CHECK(result == (is_consumer ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS) ||
		      result == DOCA_ERROR_INITIALIZATION);
		if (i % 3 == 0)
			UNTIL(ctx_state(endpoint->ctx) != DOCA_CTX_STATE_STARTING);
		stop_endpoint(endpoint);
		if (is_consumer)
			MUST(doca_comch_consumer_destroy(endpoint->consumer));
		else
			MUST(doca_comch_producer_destroy(endpoint->producer));
		endpoint->ctx = NULL;
	}
	CHECK(result == DOCA_ERROR_BAD_STATE);
	delete_endpoint(endpoint);
	return NULL;
}

static void lost_connection(void)
{
	for (int round = 0; round < 12; round++) {
		struct pair pair = make_pair("lost");
		struct end *end = round % 2 == 0 ? pair.server : pair.client;
		struct end *peer = round % 2 == 0 ? pair.client : pair.server;
		struct worker workers[NUM_WORKERS];
		struct driver driver;

		start_driver(&driver, end);
		for (int i = 0; i < NUM_WORKERS; i++) {
			workers[i].end = end;
			CHECK(pthread_create(&workers[i].thread, NULL, until_lost, &workers[i]) == 0);
		}
		undrive(end->pe);
		for (int i = 0; i < round * 3; i++) { /* the end comes after a few rounds */
			int num = peer->num_consumers;

			UNTIL(peer->num_consumers != num || i % 2 == 0);
		}
		stop(peer);
		UNTIL(state_of(peer) == DOCA_CTX_STATE_IDLE);
		for (int i = 0; i < NUM_WORKERS; i++)
			pthread_join(workers[i].thread, NULL);
		stop_driver(&driver);
		drive(end->pe);
		CHECK(peer->num_consumers <= NUM_WORKERS);
		delete_pair(pair);
	}
}

/* Servers and clients on their own threads, in one directory. */
static void *own_pairs(void *arg)
{
	char name[32];

	snprintf(name, sizeof(name), "own %d", *(int *)arg);
	for (int i = 0; i < 15; i++) {
		struct pair pair = make_pair(name);

		say(pair.client, "x");
		UNTIL(pair.server->messages == 1);
		delete_pair(pair);
	}
	return NULL;
}

static void independent_pairs(void)
{
	pthread_t threads[4];
	int index[4] = {0, 1, 2, 3};

	for (int i = 0; i < 4; i++)
		CHECK(pthread_create(&threads[i], NULL, own_pairs, &index[i]) == 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK(!there_are_servers());
}

TEST_MAIN(many_producers, coming_and_going, lost_connection, independent_pairs, left_nothing)
