/* SPDX-License-Identifier: Apache-2.0 */

/* Control messages: boundaries, order, credits, copies, completion, failure, the last ones. */

#include <sys/socket.h>

#include "core/emu_fault.h"

#include "comch_fixture.h"

/* Linux may report the end although messages are there: they have come after it looked for some. */
static bool ends_too_early;

ssize_t __real_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);

ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
	if (!ends_too_early)
		return __real_recvmsg(fd, msg, flags);
	ends_too_early = false;
	msg->msg_controllen = 0;
	msg->msg_flags = 0;
	return 0;
}

static void arguments(void)
{
	struct pair pair = make_pair("arguments"), other = make_pair("other");
	struct doca_comch_task_send *send = NULL;
	struct doca_comch_connection *conn = pair.client->conn, *at_server = pair.server->conn;

	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_task_send_alloc_init(NULL, conn, "x", 1, &send));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_task_send_alloc_init(pair.client->client, NULL, "x", 1, &send));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_task_send_alloc_init(pair.client->client, conn, NULL, 1, &send));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_task_send_alloc_init(pair.client->client, conn, "x", 1, NULL));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_client_task_send_alloc_init(pair.client->client, other.client->conn, "x", 1, &send));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_task_send_alloc_init(NULL, at_server, "x", 1, &send));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_task_send_alloc_init(pair.server->server, conn, "x", 1, &send));
	CHECK(send == NULL && doca_comch_task_send_as_task(NULL) == NULL);
	delete_pair(other);
	EXPECT(SUCCESS, doca_comch_server_task_send_alloc_init(pair.server->server, at_server, "x", 1, &send));
	doca_task_free(doca_comch_task_send_as_task(send));
	delete_pair(pair);
}

static void check_pattern(struct end *end, struct doca_comch_connection *conn, uint8_t *bytes, uint32_t len)
{
	(void)conn;
	CHECK(len == (uint32_t)end->messages);
	for (uint32_t i = 0; i < len; i++) {
		if (bytes[i] != (uint8_t)(i * 3 + len)) {
			CHECK(false);
			break;
		}
	}
}

/* Each message has one callback, for every length, sent from a buffer that changes right after each submission. */
static void boundaries(void)
{
	struct pair pair = make_pair("boundaries");
	uint8_t msg[4081];

	pair.server->on_message = check_pattern;
	EXPECT(ERROR_INVALID_VALUE, try_send(pair.client, msg, 4081));
	for (uint32_t len = 1; len <= 4080; len++) {
		doca_error_t result;

		for (uint32_t i = 0; i < len; i++)
			msg[i] = (uint8_t)(i * 3 + len);
		while ((result = try_send(pair.client, msg, len)) == DOCA_ERROR_NO_MEMORY)
			progress_all();
		MUST(result);
		memset(msg, 0, len);
	}
	UNTIL(pair.server->messages == 4080 && pair.client->sent == 4080);
	CHECK(pair.client->failed == 0);
	delete_pair(pair);
}

static void pool_is_empty(void)
{
	struct pair pair = make_pair("pool");
	struct doca_task *tasks[END_TASKS], *more;

	for (int i = 0; i < END_TASKS; i++)
		MUST(make_send(pair.client, pair.client->conn, "abc", 3, &tasks[i]));
	EXPECT(ERROR_NO_MEMORY, make_send(pair.client, pair.client->conn, "abc", 3, &more));
	for (int i = 0; i < END_TASKS; i++) { /* a task that was allocated can be submitted */
		MUST(doca_task_submit(tasks[i]));
		CHECK(num_inflight(pair.client->ctx) == (size_t)i + 1);
	}
	EXPECT(ERROR_NO_MEMORY, make_send(pair.client, pair.client->conn, "abc", 3, &more));
	UNTIL(pair.client->sent == END_TASKS && pair.server->messages == END_TASKS);
	CHECK(num_inflight(pair.client->ctx) == 0);
	delete_pair(pair);
}

static void check_number(struct end *end, struct doca_comch_connection *conn, uint8_t *bytes, uint32_t len)
{
	int number;

	(void)conn;
	CHECK(len >= sizeof(number));
	memcpy(&number, bytes, sizeof(number));
	CHECK(number == end->messages - 1);
}

/* A sender may have as many messages on the way as the receiver's queue holds. */
static void credits_of(uint32_t queue_size)
{
	struct end *server = new_server("credits"), *client = new_client("credits");
	uint64_t value;

	MUST(doca_comch_client_set_recv_queue_size(client->client, queue_size));
	MUST(doca_ctx_start(server->ctx));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	connect_ends(server, client);
	client->on_message = check_number;
	for (int i = 0; i < END_TASKS; i++) {
		int number = i;

		MUST(try_send(server, &number, sizeof(number)));
		number = -1;
	}
	drain_pe(server->pe);
	CHECK(server->sent == (int)queue_size && num_inflight(server->ctx) == END_TASKS - queue_size);
	EXPECT(SUCCESS, doca_comch_connection_update_info(server->conn));
	EXPECT(SUCCESS, doca_comch_connection_get_counter(server->conn, DOCA_COMCH_COUNTER_SENT_MESSAGES, &value));
	CHECK(value == queue_size);
	CHECK(drain_pe(client->pe) == (int)queue_size && client->messages == (int)queue_size);
	UNTIL(client->messages == END_TASKS && server->sent == END_TASKS);
	delete_end(client);
	delete_end(server);
}

static void credits(void)
{
	credits_of(1);
	credits_of(2);
	credits_of(5);
	credits_of(31);
}

static int num_of_first;

static void count_first(struct end *end, struct doca_comch_connection *conn, uint8_t *bytes, uint32_t len)
{
	(void)conn;
	CHECK(len == 1);
	if (bytes[0] == '2')
		num_of_first = end->messages - 1;
}

/* A client with many messages does not keep those of another one waiting. */
static void turns(void)
{
	struct end *server = new_server("turns"), *clients[2];

	server->on_message = count_first;
	MUST(doca_ctx_start(server->ctx));
	for (int i = 0; i < 2; i++) {
		clients[i] = new_client("turns");
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(clients[i]->ctx));
		connect_ends(server, clients[i]);
	}
	say(clients[0], "1");
	UNTIL(server->messages == 1); /* the server expects more of the first client */
	for (int i = 0; i < END_TASKS - 2; i++)
		say(clients[0], "1");
	say(clients[1], "2");
	while (doca_pe_progress(server->pe) != 0)
		;
	CHECK(server->messages == END_TASKS);
	CHECK(num_of_first > 0 && num_of_first <= 20);
	for (int i = 0; i < 2; i++)
		delete_end(clients[i]);
	delete_end(server);
}

/* Both ends send without receiving and then receive: neither blocks forever. */
static void both_full(uint32_t queue_size, uint32_t len)
{
	static uint8_t msg[4080];
	struct end *server = new_server("full"), *client = new_client("full");
	int numbers[2] = {0, 0};

	MUST(doca_comch_client_set_recv_queue_size(client->client, queue_size));
	MUST(doca_comch_server_set_recv_queue_size(server->server, queue_size));
	MUST(doca_comch_client_task_send_set_conf(client->client, end_sent, end_failed, 512));
	MUST(doca_comch_server_task_send_set_conf(server->server, end_sent, end_failed, 512));
	MUST(doca_ctx_start(server->ctx));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	connect_ends(server, client);
	server->on_message = client->on_message = check_number;
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 2; i++) {
			struct end *end = i == 0 ? server : client;

			for (;;) {
				doca_error_t result;

				memcpy(msg, &numbers[i], sizeof(int));
				result = try_send(end, msg, len);
				if (result == DOCA_ERROR_NO_MEMORY)
					break;
				MUST(result);
				numbers[i]++;
			}
			CHECK(numbers[i] == (round + 1) * 512); /* each task of the pool, and no more */
		}
		UNTIL(server->sent == numbers[0] && client->sent == numbers[1]);
	}
	UNTIL(server->messages == numbers[1] && client->messages == numbers[0]);
	delete_end(client);
	delete_end(server);
}

static void no_deadlock(void)
{
	both_full(1, 4);
	both_full(3, 4080);
	both_full(8192, 4080); /* fills the sockets */
}

static void resubmit(struct end *end, struct doca_task *task)
{
	if (end->sent < 100)
		EXPECT(SUCCESS, doca_task_submit(task));
	else
		doca_task_free(task);
}

static void resubmission(void)
{
	struct pair pair = make_pair("resubmission");
	struct doca_task *task;

	pair.client->on_sent = resubmit;
	MUST(make_send(pair.client, pair.client->conn, "again", 5, &task));
	MUST(doca_task_submit(task));
	UNTIL(pair.client->sent == 100 && pair.server->messages == 100);
	CHECK(num_inflight(pair.client->ctx) == 0);
	delete_pair(pair);
}

/* Tasks that are freed while submitted are dropped: they have no callback, and can be allocated again soon. */
static void freed_while_submitted(void)
{
	struct end *server = new_server("freed"), *client = new_client("freed");
	struct doca_task *tasks[END_TASKS];

	MUST(doca_comch_server_set_recv_queue_size(server->server, 1));
	MUST(doca_ctx_start(server->ctx));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	connect_ends(server, client);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < END_TASKS; i++) {
			MUST(make_send(client, client->conn, "x", 1, &tasks[i]));
			MUST(doca_task_submit(tasks[i]));
		}
		for (int i = 0; i < END_TASKS; i++)
			doca_task_free(tasks[i]);
		if (round == 0)
			UNTIL(num_inflight(client->ctx) == 0);
	}
	stop(client); /* with tasks that were freed before they were sent */
	UNTIL(state_of(client) == DOCA_CTX_STATE_IDLE);
	CHECK(client->sent == 0 && client->failed == 0);
	delete_end(client);
	delete_end(server);
}

static void failing_task(void)
{
	struct pair pair = make_pair("fault");

	MUST(emu_fault_set("fail-task=2:IO_FAILED", NULL, 0));
	say(pair.client, "one");
	say(pair.client, "two");
	say(pair.client, "three");
	UNTIL(pair.client->sent == 2 && pair.client->failed == 1 && pair.server->messages == 2);
	emu_fault_clear();
	CHECK(pair.client->last_error == DOCA_ERROR_IO_FAILED);
	CHECK(state_of(pair.client) == DOCA_CTX_STATE_RUNNING); /* a failed task does not end the connection */
	CHECK(log_is(pair.server, "one three"));
	say(pair.client, "four");
	UNTIL(pair.server->messages == 3);
	delete_pair(pair);
}

static void unflushed(void)
{
	struct pair pair = make_pair("unflushed");
	struct doca_task *task;

	MUST(make_send(pair.client, pair.client->conn, "x", 1, &task));
	MUST(doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_NONE));
	say(pair.client, "y");
	UNTIL(pair.client->sent == 2);
	MUST(make_send(pair.client, pair.client->conn, "z", 1, &task));
	MUST(doca_task_try_submit(task));
	UNTIL(pair.client->sent == 3 && pair.server->messages == 3);
	CHECK(log_is(pair.server, "x y z"));
	delete_pair(pair);
}

static void last_messages(void)
{
	struct pair pair = make_pair("last");

	say(pair.server, "x");
	say(pair.server, "y");
	EXPECT(SUCCESS, doca_comch_server_disconnect(pair.server->server, pair.server->conn));
	while (pair.server->disconnects == 0)
		doca_pe_progress(pair.server->pe);
	ends_too_early = true;
	while (state_of(pair.client) == DOCA_CTX_STATE_RUNNING)
		doca_pe_progress(pair.client->pe);
	CHECK(!ends_too_early && log_has(pair.client, "x") && log_has(pair.client, "y"));
	delete_pair(pair);
}

TEST_MAIN(arguments, boundaries, pool_is_empty, credits, turns, no_deadlock, resubmission, freed_while_submitted,
	  failing_task, unflushed, last_messages, left_nothing)
