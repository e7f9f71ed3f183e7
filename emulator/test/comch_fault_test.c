/* SPDX-License-Identifier: Apache-2.0 */

/* Faults of Comch: connections that break, starts that never complete, tasks that are not sent. */

#include "core/emu_fault.h"

#include "comch_fast.h"

static void set(const char *format, const void *object)
{
	char spec[200];

	snprintf(spec, sizeof(spec), format, object);
	MUST(emu_fault_set(spec, NULL, 0));
}

/* One of two connections breaks. */
static void cut_message(void)
{
	struct pair pair = make_pair("cut"), other = make_pair("whole");

	set("cut=2@%p", pair.client->conn);
	for (int i = 0; i < 3; i++)
		say(other.client, "x");
	say(pair.client, "first");
	UNTIL(pair.server->messages == 1 && other.server->messages == 3);
	MUST(try_send(pair.client, "second", 6));
	UNTIL(pair.server->disconnects == 1 && state_of(pair.client) == DOCA_CTX_STATE_IDLE);
	CHECK(pair.server->losses == 1); /* the peer has said nothing */
	emu_fault_clear();
	delete_pair(pair);
	delete_pair(other);
}

static void cut_data(void)
{
	struct fast f = make_fast("cut data");
	struct doca_task *task;

	post(f.consumer, NULL);
	set("cut=*@%p", f.producer->ctx);
	task = make_produce(f.producer, NULL, "x", 1, f.consumer->id);
	if (doca_task_submit(task) != DOCA_SUCCESS)
		doca_task_free(task);
	UNTIL(f.pair.server->disconnects == 1 && state_of(f.pair.client) == DOCA_CTX_STATE_IDLE);
	CHECK(f.pair.server->losses == 1);
	emu_fault_clear();
	delete_fast(&f);
}

static void stalled_consumer(void)
{
	struct pair pair = make_pair("stalled");
	struct endpoint *consumer = new_consumer(pair.server), *producer = start_producer(pair.client);

	set("stall-start=1@%p", consumer->ctx);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	UNTIL(pair.client->num_consumers == 1); /* the peer knows it, but nothing can be posted */
	settle();
	CHECK(ctx_state(consumer->ctx) == DOCA_CTX_STATE_STARTING);
	EXPECT(ERROR_AGAIN, produce(producer, NULL, "x", 1, consumer->id));
	stop_endpoint(consumer); /* it can be stopped */
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx)); /* the second start completes */
	UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
	emu_fault_clear();
	delete_endpoint(producer);
	delete_endpoint(consumer);
	delete_pair(pair);
}

static void stalled_client(void)
{
	struct end *server = start_server("stalled client"), *client = new_client("stalled client");

	set("stall-start=*@%p", client->ctx);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	UNTIL(server->connects == 1);
	settle();
	CHECK(state_of(client) == DOCA_CTX_STATE_STARTING);
	emu_fault_clear();
	delete_end(client);
	UNTIL(server->disconnects == 1);
	delete_end(server);
}

/* Also of what is held back the program may change the message when it has been submitted. */
static void unsent(void)
{
	struct pair pair = make_pair("unsent");
	struct doca_task *tasks[2];
	char text[] = "late";

	MUST(emu_fault_set("hold-unflushed", NULL, 0));
	for (int i = 0; i < 2; i++) {
		struct doca_comch_task_send *send;

		text[0] = 'l';
		MUST(doca_comch_client_task_send_alloc_init(pair.client->client, pair.client->conn, text, 4, &send));
		tasks[i] = doca_comch_task_send_as_task(send);
		MUST(doca_task_submit_ex(tasks[i], 0));
		text[0] = '?';
	}
	settle();
	CHECK(pair.server->messages == 0 && pair.client->sent == 0);
	pair.client->keep_tasks = true;
	doca_ctx_flush_tasks(pair.client->ctx);
	UNTIL(pair.server->messages == 2 && pair.client->sent == 2);
	CHECK(pair.server->last_len == 4 && memcmp(pair.server->last_msg, "late", 4) == 0);

	/* A task that is submitted again sends what the program has then. */
	doca_task_free(tasks[0]);
	pair.client->keep_tasks = false;
	memcpy(text, "next", 4);
	MUST(doca_task_submit(tasks[1]));
	UNTIL(pair.server->messages == 3 && pair.client->sent == 3);
	CHECK(memcmp(pair.server->last_msg, "next", 4) == 0);
	emu_fault_clear();
	delete_pair(pair);
}

/* A message that is held back has no posted buffer yet, and fails if there is none at the flush either. */
static void unsent_data(void)
{
	struct pair pair = make_pair("unsent-data");
	struct endpoint *consumer = start_consumer(pair.server, pair.client), *producer = start_producer(pair.client);
	char imm[] = "late";

	set("hold-unflushed@%p", producer->ctx);
	for (int i = 0; i < 2; i++) {
		imm[0] = 'l';
		MUST(doca_task_submit_ex(make_produce(producer, NULL, imm, 4, consumer->id), 0));
		imm[0] = '?';
	}
	post(consumer, NULL);
	settle();
	CHECK(consumer->done == 0 && producer->done == 0);
	doca_ctx_flush_tasks(producer->ctx);
	UNTIL(consumer->done == 1 && producer->done == 1 && producer->failed == 1);
	CHECK(producer->last_error == DOCA_ERROR_AGAIN && ctx_state(producer->ctx) == DOCA_CTX_STATE_RUNNING);
	CHECK(consumer->last_imm_len == 4 && memcmp(consumer->last_imm, "late", 4) == 0);
	emu_fault_clear();
	delete_endpoint(consumer);
	delete_endpoint(producer);
	delete_pair(pair);
}

TEST_MAIN(cut_message, cut_data, stalled_consumer, stalled_client, unsent, unsent_data, left_nothing)
