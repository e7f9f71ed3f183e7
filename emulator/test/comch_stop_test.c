/* SPDX-License-Identifier: Apache-2.0 */

/* How connections, servers and clients end: which side ends them, when, and what still arrives. */

#include "core/emu_fault.h"

#include "comch_fixture.h"

static void by_the_server(void)
{
	struct pair pair = make_pair("server");

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(pair.server->ctx));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(pair.server->ctx));
	CHECK(state_of(pair.server) == DOCA_CTX_STATE_STOPPING);
	EXPECT(ERROR_BAD_STATE, try_send(pair.server, "x", 1));
	EXPECT(ERROR_IN_USE, doca_comch_server_destroy(pair.server->server));
	UNTIL(state_of(pair.server) == DOCA_CTX_STATE_IDLE);
	CHECK(log_is(pair.server, "stopping disconnect idle"));
	EXPECT(SUCCESS, doca_ctx_stop(pair.server->ctx));
	UNTIL(state_of(pair.client) == DOCA_CTX_STATE_IDLE);
	CHECK(log_is(pair.client, "stopping idle"));
	EXPECT(ERROR_BAD_STATE, try_send(pair.client, "x", 1));
	EXPECT(ERROR_BAD_STATE, try_send(pair.server, "x", 1));
	for (int i = 0; i < 3; i++) { /* both may start again */
		MUST(doca_ctx_start(pair.server->ctx));
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(pair.client->ctx));
		connect_ends(pair.server, pair.client);
		say(pair.client, "again");
		UNTIL(pair.server->messages == i + 1);
		stop(pair.server);
		UNTIL(state_of(pair.server) == DOCA_CTX_STATE_IDLE && state_of(pair.client) == DOCA_CTX_STATE_IDLE);
	}
	delete_pair(pair);
}

static void by_the_client(void)
{
	struct pair pair = make_pair("client");

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(pair.client->ctx));
	EXPECT(ERROR_BAD_STATE, try_send(pair.client, "x", 1));
	UNTIL(state_of(pair.client) == DOCA_CTX_STATE_IDLE && pair.server->disconnects == 1);
	CHECK(pair.server->losses == 0);
	CHECK(log_is(pair.client, "stopping idle"));
	CHECK(log_is(pair.server, "disconnect"));
	CHECK(state_of(pair.server) == DOCA_CTX_STATE_RUNNING);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(pair.client->ctx));
	connect_ends(pair.server, pair.client);
	delete_pair(pair);
}

static void by_disconnect(void)
{
	struct pair pair = make_pair("disconnect"), other = make_pair("other");
	struct end *second = start_client("disconnect");
	struct doca_comch_connection *first_conn = pair.server->conn;

	connect_ends(pair.server, second);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_disconnect(pair.server->server, other.server->conn));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_disconnect(pair.server->server, pair.client->conn));
	EXPECT(SUCCESS, doca_comch_server_disconnect(pair.server->server, first_conn));
	UNTIL(state_of(pair.client) == DOCA_CTX_STATE_IDLE && pair.server->disconnects == 1);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_disconnect(pair.server->server, first_conn)); /* the connection no longer exists */
	CHECK(state_of(second) == DOCA_CTX_STATE_RUNNING && state_of(pair.server) == DOCA_CTX_STATE_RUNNING);
	say(second, "still here");
	UNTIL(pair.server->messages == 1);
	delete_end(second);
	delete_pair(pair);
	delete_pair(other);
}

/* Messages submitted before the end arrive before it, including those that had no credit yet. */
static void messages_first(void)
{
	for (int way = 0; way < 3; way++) {
		struct end *server = new_server("first"), *client = new_client("first"), *sender, *receiver;

		sender = way == 1 ? client : server;
		receiver = way == 1 ? server : client;
		MUST(doca_comch_server_set_recv_queue_size(server->server, 3));
		MUST(doca_comch_client_set_recv_queue_size(client->client, 3));
		MUST(doca_ctx_start(server->ctx));
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
		connect_ends(server, client);
		for (int i = 0; i < END_TASKS; i++)
			say(sender, "m");
		if (way == 2)
			EXPECT(SUCCESS, doca_comch_server_disconnect(server->server, server->conn));
		else
			EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(sender->ctx));
		UNTIL(server->disconnects == 1 && state_of(client) == DOCA_CTX_STATE_IDLE);
		CHECK(receiver->messages == END_TASKS);
		CHECK(sender->sent == END_TASKS && sender->failed == 0);
		CHECK(strcmp(receiver->log + 2 * END_TASKS, receiver->is_server ? "disconnect" : "stopping idle") == 0);
		delete_end(client);
		delete_end(server);
	}
}

static void reply_and_stop(struct end *server, struct doca_comch_connection *conn, uint8_t *bytes, uint32_t len)
{
	server->conn = conn;
	MUST(try_send(server, bytes, len));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(server->ctx));
	CHECK(state_of(server) == DOCA_CTX_STATE_STOPPING);
}

/* A server answers and stops in one callback, and its client waits for the answer. Later messages are dropped. */
static void stop_after_reply(void)
{
	struct pair pair = make_pair("reply");

	pair.server->on_message = reply_and_stop;
	say(pair.client, "bye");
	say(pair.client, "too late");
	UNTIL(state_of(pair.client) == DOCA_CTX_STATE_IDLE && state_of(pair.server) == DOCA_CTX_STATE_IDLE);
	CHECK(log_is(pair.client, "bye stopping idle"));
	CHECK(pair.server->messages == 1 && pair.server->sent == 1);
	delete_pair(pair);
}

/* A stop in each callback never completes at once. */
static void stop_now(struct end *end)
{
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(end->ctx));
	CHECK(state_of(end) == DOCA_CTX_STATE_STOPPING);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(end->ctx));
}

static void stop_at_connection(struct end *end, struct doca_comch_connection *conn)
{
	(void)conn;
	stop_now(end);
}

static void stop_at_message(struct end *end, struct doca_comch_connection *conn, uint8_t *bytes, uint32_t len)
{
	(void)conn, (void)bytes, (void)len;
	stop_now(end);
}

static void stop_at_sent(struct end *end, struct doca_task *task)
{
	doca_task_free(task);
	stop_now(end);
}

static void stop_at_running(struct end *end, enum doca_ctx_states state)
{
	if (state == DOCA_CTX_STATE_RUNNING)
		stop_now(end);
	else if (state == DOCA_CTX_STATE_STOPPING)
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(end->ctx));
	else if (state == DOCA_CTX_STATE_IDLE)
		EXPECT(SUCCESS, doca_ctx_stop(end->ctx));
}

static void in_callbacks(void)
{
	for (int where = 0; where < 7; where++) {
		struct end *server = start_server("callbacks"), *client = new_client("callbacks");

		if (where == 0)
			server->on_connect = stop_at_connection;
		else if (where == 1)
			client->on_state = stop_at_running;
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
		if (where >= 2)
			connect_ends(server, client);
		switch (where) {
		case 2:
			server->on_message = stop_at_message;
			say(client, "x");
			break;
		case 3:
			client->on_message = stop_at_message;
			say(server, "x");
			break;
		case 4:
			server->on_sent = stop_at_sent;
			say(server, "x");
			break;
		case 5:
			client->on_sent = stop_at_sent;
			say(client, "x");
			break;
		case 6:
			server->on_disconnect = stop_at_connection;
			stop(client);
		}
		UNTIL(state_of(client) == DOCA_CTX_STATE_IDLE && server->disconnects == 1);
		if (where == 0 || where == 2 || where == 4 || where == 6)
			UNTIL(state_of(server) == DOCA_CTX_STATE_IDLE);
		else
			CHECK(state_of(server) == DOCA_CTX_STATE_RUNNING);
		delete_end(client);
		delete_end(server);
	}
}

static void stop_in_start(struct end *end, enum doca_ctx_states state)
{
	if (state == DOCA_CTX_STATE_RUNNING)
		EXPECT(SUCCESS, doca_ctx_stop(end->ctx));
}

/* The states in which there is no connection yet. */
static void before_connections(void)
{
	struct end *server = new_server("before"), *client = new_client("before");

	EXPECT(SUCCESS, doca_ctx_stop(server->ctx));
	EXPECT(SUCCESS, doca_ctx_stop(client->ctx));
	CHECK(log_is(server, "") && log_is(client, ""));
	server->on_state = stop_in_start;
	EXPECT(SUCCESS, doca_ctx_start(server->ctx));
	CHECK(log_is(server, "running idle"));
	server->on_state = NULL;

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx)); /* no server */
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(client->ctx));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(client->ctx));
	UNTIL(state_of(client) == DOCA_CTX_STATE_IDLE);
	CHECK(log_is(client, "starting stopping idle"));

	MUST(doca_ctx_start(server->ctx));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx)); /* not accepted yet */
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(client->ctx));
	settle();
	CHECK(state_of(client) == DOCA_CTX_STATE_IDLE);
	CHECK(server->connects == server->disconnects);

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx)); /* accepted, but the client has not been told */
	while (server->connects == server->disconnects)
		doca_pe_progress(server->pe);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(client->ctx));
	UNTIL(state_of(client) == DOCA_CTX_STATE_IDLE);
	settle();
	CHECK(server->connects == server->disconnects && state_of(server) == DOCA_CTX_STATE_RUNNING);

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	EXPECT(SUCCESS, doca_ctx_stop(server->ctx)); /* with a client that was not accepted, and tries again */
	settle();
	CHECK(state_of(client) == DOCA_CTX_STATE_STARTING);
	MUST(doca_ctx_start(server->ctx));
	connect_ends(server, client);
	delete_pair((struct pair){server, client});
}

static void destroy_at_idle(struct end *end, enum doca_ctx_states state)
{
	if (state != DOCA_CTX_STATE_IDLE)
		return;
	if (end->is_server)
		MUST(doca_comch_server_destroy(end->server));
	else
		MUST(doca_comch_client_destroy(end->client));
	end->ctx = NULL;
}

/* The callback of IDLE may destroy the context, in progress and in a stop. */
static void destroyed_at_idle(void)
{
	struct pair pair = make_pair("destroyed");
	struct end *alone = start_server("alone");

	pair.server->on_state = pair.client->on_state = alone->on_state = destroy_at_idle;
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(pair.server->ctx));
	UNTIL(pair.server->ctx == NULL && pair.client->ctx == NULL);
	EXPECT(SUCCESS, doca_ctx_stop(alone->ctx));
	CHECK(alone->ctx == NULL);
	delete_pair(pair);
	delete_end(alone);
}

/* IDLE waits for every task to be freed. */
static void tasks_in_hand(void)
{
	struct pair pair = make_pair("tasks");
	struct doca_task *unsent;

	pair.client->keep_tasks = true;
	MUST(make_send(pair.client, pair.client->conn, "x", 1, &unsent));
	say(pair.client, "y");
	UNTIL(pair.client->sent == 1 && pair.server->messages == 1);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(pair.client->ctx));
	UNTIL(pair.server->disconnects == 1);
	settle();
	CHECK(state_of(pair.client) == DOCA_CTX_STATE_STOPPING);
	EXPECT(ERROR_BAD_STATE, doca_task_submit(unsent));
	doca_task_free(unsent);
	settle();
	CHECK(state_of(pair.client) == DOCA_CTX_STATE_STOPPING);
	doca_task_free(pair.client->last_task);
	UNTIL(state_of(pair.client) == DOCA_CTX_STATE_IDLE);
	delete_pair(pair);
}

/* A task of a connection that has ended. */
static void too_late(void)
{
	struct pair pair = make_pair("late");
	struct doca_task *task;

	MUST(make_send(pair.server, pair.server->conn, "x", 1, &task));
	stop(pair.client);
	UNTIL(pair.server->disconnects == 1);
	EXPECT(ERROR_NOT_CONNECTED, doca_task_submit(task));
	doca_task_free(task);
	EXPECT(ERROR_INVALID_VALUE, try_send(pair.server, "x", 1));
	delete_pair(pair);
}

/* A peer that takes no messages cannot keep a stop from completing. */
static void peer_does_not_read(void)
{
	static uint8_t msg[4080];
	struct end *server = new_server("jam"), *clients[3];

	MUST(doca_comch_server_task_send_set_conf(server->server, end_sent, end_failed, 600));
	MUST(doca_ctx_start(server->ctx));
	for (int i = 0; i < 3; i++) {
		clients[i] = start_client("jam");
		connect_ends(server, clients[i]);
		undrive(clients[i]->pe);
		for (int j = 0; j < 200; j++)
			MUST(try_send(server, msg, sizeof(msg)));
		if (i < 2)
			EXPECT(SUCCESS, doca_comch_server_disconnect(server->server, server->conn));
	}
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(server->ctx));
	UNTIL(state_of(server) == DOCA_CTX_STATE_IDLE);
	CHECK(server->disconnects == 3 && server->sent + server->failed == 600);
	CHECK(server->failed > 0 && server->last_error == DOCA_ERROR_NOT_CONNECTED);
	for (int i = 0; i < 3; i++) {
		drive(clients[i]->pe);
		UNTIL(state_of(clients[i]) == DOCA_CTX_STATE_IDLE);
		server->sent -= clients[i]->messages; /* in order, up to the end of the connection */
		delete_end(clients[i]);
	}
	CHECK(server->sent == 0);
	delete_end(server);
}

static void lost_device(void)
{
	struct pair pair = make_pair("lost");
	struct doca_comch_client *another;

	MUST(emu_fault_set("lose-device=1", NULL, 0));
	say(pair.client, "x");
	UNTIL(state_of(pair.client) == DOCA_CTX_STATE_IDLE && pair.server->disconnects == 1);
	CHECK(pair.client->sent + pair.client->failed == 1);
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(pair.client->ctx));
	EXPECT(ERROR_INITIALIZATION, doca_comch_client_create(pair.client->dev, "lost", &another));
	emu_fault_clear();
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(pair.client->ctx));
	connect_ends(pair.server, pair.client);
	delete_pair(pair);
}

TEST_MAIN(by_the_server, by_the_client, by_disconnect, messages_first, stop_after_reply, in_callbacks,
	  before_connections, destroyed_at_idle, tasks_in_hand, too_late, peer_does_not_read, lost_device,
	  left_nothing)
