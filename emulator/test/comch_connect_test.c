/* SPDX-License-Identifier: Apache-2.0 */

/* How servers and clients connect, or fail to; what a connection tells about itself. */

#include "comch_fixture.h"

static void set_timeout(const char *ms)
{
	setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", ms, 1);
}

/* Starts a client, which must fail to start. */
static void expect_failure(struct end *client)
{
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	UNTIL(state_of(client) == DOCA_CTX_STATE_IDLE);
	CHECK(log_is(client, "starting stopping idle"));
}

static void both_engines(void)
{
	struct end *server = start_server("both"), *client = start_client("both");

	CHECK(log_is(server, "running") && log_is(client, "starting"));
	CHECK(state_of(server) == DOCA_CTX_STATE_RUNNING && state_of(client) == DOCA_CTX_STATE_STARTING);
	for (int i = 0; i < 1000; i++)
		CHECK(doca_pe_progress(client->pe) == 0);
	CHECK(state_of(client) == DOCA_CTX_STATE_STARTING); /* only the server's thread can answer */
	CHECK(drain_pe(server->pe) == 1);
	CHECK(log_is(server, "connect"));
	CHECK(drain_pe(client->pe) == 1);
	CHECK(log_is(client, "running"));
	delete_end(client);
	delete_end(server);
}

static void server_comes_later(void)
{
	struct end *client = start_client("later"), *server;

	for (int i = 0; i < 100; i++)
		CHECK(doca_pe_progress(client->pe) == 0);
	server = start_server("later");
	connect_ends(server, client);
	delete_end(client);
	delete_end(server);
}

/* A program that is stopped while it looks for its server, for longer than it would look, finds it when it goes on. */
static void server_comes_meanwhile(void)
{
	struct end *client, *server;

	set_timeout("50");
	client = start_client("meanwhile");
	usleep(100 * 1000);
	server = start_server("meanwhile");
	connect_ends(server, client);
	set_timeout("600000");
	delete_end(client);
	delete_end(server);
}

static void nobody_there(void)
{
	struct end *client = new_client("nobody"), *server;
	struct end *other_name = start_server("somebody"), *other_function;
	uint64_t start;

	EXPECT(ERROR_BAD_STATE, doca_comch_client_get_connection(client->client, &client->conn));
	set_timeout("0");
	expect_failure(client);
	EXPECT(ERROR_CONNECTION_ABORTED, doca_comch_client_get_connection(client->client, &client->conn));
	set_timeout("50");
	start = now_ms();
	expect_failure(client);
	CHECK(now_ms() - start >= 50);
	set_timeout("600000");
	server = start_server("nobody");
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx)); /* it may try again */
	connect_ends(server, client);
	delete_end(client);

	/* A client on the host's second function does not find a server on the first. */
	set_timeout("0");
	other_function = new_client("nobody");
	MUST(doca_comch_client_destroy(other_function->client));
	MUST(doca_dev_close(other_function->dev));
	other_function->dev = open_dev(HOST_1);
	MUST(doca_comch_client_create(other_function->dev, "nobody", &other_function->client));
	other_function->ctx = doca_comch_client_as_ctx(other_function->client);
	MUST(doca_ctx_set_user_data(other_function->ctx, (union doca_data){.ptr = other_function}));
	MUST(doca_ctx_set_state_changed_cb(other_function->ctx, end_state));
	MUST(doca_pe_connect_ctx(other_function->pe, other_function->ctx));
	MUST(doca_comch_client_task_send_set_conf(other_function->client, end_sent, end_failed, 1));
	MUST(doca_comch_client_event_msg_recv_register(other_function->client, end_message));
	expect_failure(other_function);
	CHECK(server->connects == 1 && other_name->connects == 0);
	delete_end(other_function);
	delete_end(server);
	delete_end(other_name);
	set_timeout("600000");
}

static void different_sizes(void)
{
	struct end *server = start_server("sizes"), *client = new_client("sizes");

	MUST(doca_comch_client_set_max_msg_size(client->client, 64));
	expect_failure(client);
	EXPECT(ERROR_TOO_BIG, doca_comch_client_get_connection(client->client, &client->conn));
	CHECK(log_is(server, "running refused"));
	MUST(doca_comch_client_set_max_msg_size(client->client, 4080));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	connect_ends(server, client);
	delete_end(client);
	delete_end(server);
}

static void refuse(struct end *server, struct doca_comch_connection *conn)
{
	EXPECT(SUCCESS, doca_comch_server_disconnect(server->server, conn));
}

static void refused(void)
{
	struct end *server = start_server("refused"), *client = new_client("refused");

	server->on_connect = refuse;
	expect_failure(client);
	EXPECT(ERROR_BAD_STATE, doca_comch_client_get_connection(client->client, &client->conn));
	settle();
	CHECK(log_is(server, "running connect disconnect"));
	server->on_connect = NULL;
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	connect_ends(server, client);
	delete_end(client);
	delete_end(server);
}

static void greet_and_refuse(struct end *server, struct doca_comch_connection *conn)
{
	say(server, "hello");
	EXPECT(SUCCESS, doca_comch_server_disconnect(server->server, conn));
	EXPECT(SUCCESS, doca_comch_server_disconnect(server->server, conn)); /* the disconnect has already begun */
}

/* What was sent before a disconnect arrives, even when it is sent in the connect callback. */
static void greeted_and_refused(void)
{
	struct end *server = start_server("greeted"), *client = start_client("greeted");

	server->on_connect = greet_and_refuse;
	UNTIL(server->disconnects == 1 && state_of(client) == DOCA_CTX_STATE_IDLE);
	CHECK(log_is(client, "starting running hello stopping idle"));
	CHECK(log_is(server, "running connect disconnect"));
	CHECK(server->sent == 1);
	delete_end(client);
	delete_end(server);
}

static void ask_about_ended(struct end *end, struct doca_comch_connection *conn)
{
	uint64_t value = 0;

	EXPECT(ERROR_CONNECTION_ABORTED, doca_comch_connection_update_info(conn));
	EXPECT(SUCCESS, doca_comch_connection_get_counter(conn, DOCA_COMCH_COUNTER_RECV_MESSAGES, &value));
	CHECK(value == 1); /* as of the last update */
	CHECK(doca_comch_connection_get_user_data(conn).u64 == 7);
	(void)end;
}

static void about_connections(void)
{
	struct pair pair = make_pair("about");
	struct doca_comch_connection *on_server = pair.server->conn, *on_client = pair.client->conn;
	uint64_t value;

	EXPECT(ERROR_INVALID_VALUE, doca_comch_connection_set_user_data(NULL, (union doca_data){.u64 = 1}));
	CHECK(doca_comch_connection_get_user_data(NULL).u64 == 0);
	CHECK(doca_comch_connection_get_user_data(on_server).u64 == 0);
	EXPECT(SUCCESS, doca_comch_connection_set_user_data(on_server, (union doca_data){.u64 = 7}));
	EXPECT(SUCCESS, doca_comch_connection_set_user_data(on_client, (union doca_data){.u64 = 8}));
	CHECK(doca_comch_connection_get_user_data(on_server).u64 == 7);
	CHECK(doca_comch_connection_get_user_data(on_client).u64 == 8);
	CHECK(doca_comch_server_get_server_ctx(on_server) == pair.server->server);
	CHECK(doca_comch_client_get_client_ctx(on_client) == pair.client->client);
	CHECK(doca_comch_server_get_server_ctx(on_client) == NULL);
	CHECK(doca_comch_client_get_client_ctx(on_server) == NULL);
	CHECK(doca_comch_server_get_server_ctx(NULL) == NULL && doca_comch_client_get_client_ctx(NULL) == NULL);

	EXPECT(ERROR_INVALID_VALUE, doca_comch_connection_update_info(NULL));
	EXPECT(SUCCESS, doca_comch_connection_update_info(on_server));
	for (enum doca_comch_counter c = DOCA_COMCH_COUNTER_SENT_MESSAGES; c <= DOCA_COMCH_COUNTER_RECV_BYTES; c++) {
		EXPECT(SUCCESS, doca_comch_connection_get_counter(on_server, c, &value));
		CHECK(value == 0);
	}
	EXPECT(ERROR_INVALID_VALUE, doca_comch_connection_get_counter(NULL, DOCA_COMCH_COUNTER_SENT_BYTES, &value));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_connection_get_counter(on_server, DOCA_COMCH_COUNTER_SENT_BYTES, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_connection_get_counter(on_server, (enum doca_comch_counter)0, &value));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_connection_get_counter(on_server, (enum doca_comch_counter)5, &value));

	say(pair.client, "five!");
	say(pair.server, "one");
	say(pair.server, "twoandahalf");
	UNTIL(pair.server->messages == 1 && pair.client->messages == 2);
	EXPECT(SUCCESS, doca_comch_connection_get_counter(on_server, DOCA_COMCH_COUNTER_RECV_BYTES, &value));
	CHECK(value == 0); /* not before an update */
	EXPECT(SUCCESS, doca_comch_connection_update_info(on_server));
	EXPECT(SUCCESS, doca_comch_connection_get_counter(on_server, DOCA_COMCH_COUNTER_SENT_MESSAGES, &value));
	CHECK(value == 2);
	EXPECT(SUCCESS, doca_comch_connection_get_counter(on_server, DOCA_COMCH_COUNTER_SENT_BYTES, &value));
	CHECK(value == 14);
	EXPECT(SUCCESS, doca_comch_connection_get_counter(on_server, DOCA_COMCH_COUNTER_RECV_MESSAGES, &value));
	CHECK(value == 1);
	EXPECT(SUCCESS, doca_comch_connection_get_counter(on_server, DOCA_COMCH_COUNTER_RECV_BYTES, &value));
	CHECK(value == 5);
	EXPECT(SUCCESS, doca_comch_connection_update_info(on_client));
	EXPECT(SUCCESS, doca_comch_connection_get_counter(on_client, DOCA_COMCH_COUNTER_RECV_BYTES, &value));
	CHECK(value == 14);

	pair.server->on_disconnect = ask_about_ended;
	delete_end(pair.client);
	UNTIL(pair.server->disconnects == 1);
	delete_end(pair.server);
}

/* One server has many clients, beside servers with other names: each message reaches the right one. */
#define NUM_CLIENTS 24

static void answer(struct end *server, struct doca_comch_connection *conn, uint8_t *bytes, uint32_t len)
{
	union doca_data data = {.u64 = bytes[0]};

	EXPECT(SUCCESS, doca_comch_connection_set_user_data(conn, data));
	bytes[len] = '!';
	server->conn = conn;
	MUST(try_send(server, bytes, len + 1));
}

static void many_clients(void)
{
	struct end *server = start_server("many"), *idle = start_server("many too"), *clients[NUM_CLIENTS];

	server->on_message = answer;
	for (int i = 0; i < NUM_CLIENTS; i++)
		clients[i] = start_client("many");
	UNTIL(server->connects == NUM_CLIENTS);
	for (int i = 0; i < NUM_CLIENTS; i++)
		UNTIL(state_of(clients[i]) == DOCA_CTX_STATE_RUNNING);
	for (int i = 0; i < NUM_CLIENTS; i++) {
		uint8_t msg[3] = {(uint8_t)('a' + i), 'x', 'y'};

		MUST(try_send(clients[i], msg, sizeof(msg)));
	}
	for (int i = 0; i < NUM_CLIENTS; i++) {
		UNTIL(clients[i]->messages == 1);
		CHECK(clients[i]->last_len == 4 && clients[i]->last_msg[0] == 'a' + i && clients[i]->last_msg[3] == '!');
	}
	for (int i = 0; i < NUM_CLIENTS / 2; i++)
		delete_end(clients[2 * i]); /* half of them leave, which the others do not notice */
	UNTIL(server->disconnects == NUM_CLIENTS / 2);
	for (int i = 0; i < NUM_CLIENTS / 2; i++) {
		CHECK(state_of(clients[2 * i + 1]) == DOCA_CTX_STATE_RUNNING);
		say(clients[2 * i + 1], "again");
		UNTIL(clients[2 * i + 1]->messages == 2);
	}
	delete_end(server); /* and its end ends the rest */
	for (int i = 0; i < NUM_CLIENTS / 2; i++) {
		UNTIL(state_of(clients[2 * i + 1]) == DOCA_CTX_STATE_IDLE);
		delete_end(clients[2 * i + 1]);
	}
	CHECK(idle->connects == 0);
	delete_end(idle);
}

TEST_MAIN(both_engines, server_comes_later, server_comes_meanwhile, nobody_there, different_sizes, refused,
	  greeted_and_refused, about_connections, many_clients, left_nothing)
