/* SPDX-License-Identifier: Apache-2.0 */

/* What is left in a process when its peer is killed. The program is linked so that its calls of
 * process_vm_writev come to this file, which can kill a producer in the middle of one. */

#include <sys/uio.h>

#include "comch_fast.h"
#include "comch_fork.h"

ssize_t __real_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long num_local,
				 const struct iovec *remote, unsigned long num_remote, unsigned long flags);
ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long num_local,
				 const struct iovec *remote, unsigned long num_remote, unsigned long flags);

static bool dies_writing;

ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *local, unsigned long num_local,
				 const struct iovec *remote, unsigned long num_remote, unsigned long flags)
{
	if (dies_writing)
		kill(getpid(), SIGKILL);
	return __real_process_vm_writev(pid, local, num_local, remote, num_remote, flags);
}

/* A side that does everything at once, as fast as it can: connecting, messages, data in both directions,
 * consumers that start and stop. It ends with its peer. */
struct busy {
	struct end *end;
	struct endpoint *consumer, *producer;
	struct doca_buf *bufs[4], *src;
};

static void ignore_message(struct end *end, struct doca_comch_connection *conn, uint8_t *bytes, uint32_t len)
{
	(void)end, (void)conn, (void)bytes, (void)len;
}

static void post_again(struct endpoint *endpoint, struct doca_task *task)
{
	MUST(doca_buf_reset_data_len(endpoint->last_buf));
	if (doca_task_submit(task) != DOCA_SUCCESS) /* it is stopping */
		doca_task_free(task);
}

static struct busy make_busy(bool is_server)
{
	struct busy busy = {.end = is_server ? start_server("busy") : start_client("busy")};

	busy.end->on_message = ignore_message;
	return busy;
}

static void set_up_busy(struct busy *busy)
{
	busy->consumer = new_consumer(busy->end);
	busy->producer = new_producer(busy->end);
	busy->consumer->on_done = post_again;
	for (size_t i = 0; i < 4; i++)
		busy->bufs[i] = room(busy->consumer, i * 100000, 100000);
	busy->src = data(busy->producer, 0, 90000);
}

/* One round. False: the connection has ended. */
static bool be_busy(struct busy *busy)
{
	struct end *end = busy->end;

	progress_all();
	end->log[0] = '\0';
	if (end->is_server ? end->disconnects > 0 :
			     state_of(end) == DOCA_CTX_STATE_IDLE || state_of(end) == DOCA_CTX_STATE_STOPPING)
		return false;
	if (end->conn == NULL)
		return true;
	if (busy->consumer == NULL)
		set_up_busy(busy);
	busy->consumer->states[0] = busy->producer->states[0] = '\0';
	try_send(end, "a message", 9); /* may fail: all tasks may be in use */
	if (ctx_state(busy->producer->ctx) == DOCA_CTX_STATE_IDLE)
		(void)doca_ctx_start(busy->producer->ctx);
	if (ctx_state(busy->consumer->ctx) == DOCA_CTX_STATE_IDLE)
		(void)doca_ctx_start(busy->consumer->ctx);
	if (ctx_state(busy->consumer->ctx) == DOCA_CTX_STATE_RUNNING) {
		if (num_inflight(busy->consumer->ctx) == 0) {
			for (int i = 0; i < 4; i++)
				post(busy->consumer, busy->bufs[i]);
		} else if (busy->consumer->done >= 20) {
			busy->consumer->done = 0;
			doca_ctx_stop(busy->consumer->ctx); /* and it starts again */
		}
	}
	if (ctx_state(busy->producer->ctx) == DOCA_CTX_STATE_RUNNING && end->num_consumers > 0 &&
	    num_inflight(busy->producer->ctx) < ENDPOINT_TASKS)
		produce(busy->producer, busy->src, "imm", 3, end->consumers[0]);
	return true;
}

static void end_busy(struct busy *busy)
{
	if (busy->consumer != NULL) {
		stop_endpoint(busy->consumer);
		for (int i = 0; i < 4; i++)
			put_buf(busy->bufs[i]);
		put_buf(busy->src);
		delete_endpoint(busy->consumer);
		delete_endpoint(busy->producer);
	}
	delete_end(busy->end);
}

static bool victim_is_server;

static void victim(void)
{
	struct busy busy = make_busy(victim_is_server);

	while (be_busy(&busy))
		;
	_exit(2); /* the other side never ends it */
}

static uint32_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

#define NUM_KILLS 25

/* The other side is killed at a random moment. This side ends cleanly, with all tasks back, and leaves nothing. */
static void killed(bool server_dies)
{
	int num_connected = 0;

	victim_is_server = server_dies;
	for (int i = 0; i < NUM_KILLS; i++) {
		int num_fds = count_fds(), num_rounds = (int)(next_random() % 4000);
		pid_t pid = in_child(victim);
		struct busy busy = make_busy(!server_dies);
		bool is_connected;

		if (i % 4 != 0) /* otherwise possibly while they connect */
			UNTIL(busy.end->conn != NULL);
		for (int j = 0; j < num_rounds; j++)
			be_busy(&busy);
		kill(pid, SIGKILL);
		expect_end(pid, SIGKILL);
		is_connected = busy.end->conn != NULL;
		num_connected += is_connected;
		if (is_connected) {
			while (be_busy(&busy))
				;
		}
		end_busy(&busy);
		CHECK(count_fds() == num_fds);
		/* A client that has lost its server removes what the server has left; a server removes whatever
		 * it finds. */
		CHECK(!there_are_servers() || (server_dies && !is_connected));
	}
	CHECK(num_connected >= NUM_KILLS * 3 / 4);
}

static void killed_clients(void)
{
	killed(false);
}

static void killed_servers(void)
{
	killed(true);
	delete_end(start_server("any")); /* removes what a client without a connection has left */
	CHECK(!there_are_servers());
}

/* A producer is killed between claiming a buffer and filling it. */
static void die_writing(void)
{
	struct end *client = start_client("dies");
	struct endpoint *producer;
	struct doca_buf *src;

	UNTIL(client->num_consumers == 1);
	producer = start_producer(client);
	src = data(producer, 0, 20000);
	dies_writing = true;
	while (produce(producer, src, NULL, 0, client->consumers[0]) == DOCA_ERROR_AGAIN)
		progress_all();
	_exit(3);
}

static void killed_while_writing(void)
{
	for (int i = 0; i < 2; i++) {
		struct end *server = start_server("dies");
		pid_t pid = in_child(die_writing);
		struct endpoint *consumer;
		struct doca_buf *bufs[2];

		UNTIL(server->connects == 1);
		consumer = new_consumer(server);
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
		UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
		for (size_t j = 0; j < 2; j++) {
			bufs[j] = room(consumer, j * 40000, 40000);
			post(consumer, bufs[j]);
		}
		expect_end(pid, SIGKILL);
		if (i == 0) /* whichever notices first */
			UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_IDLE);
		else
			stop_endpoint(consumer); /* nobody drives the server */
		CHECK(consumer->failed == 2 && consumer->done == 0);
		CHECK(data_len(bufs[0]) == 0 && data_len(bufs[1]) == 0);
		UNTIL(server->disconnects == 1);
		CHECK(server->losses == 1);
		put_buf(bufs[0]);
		put_buf(bufs[1]);
		delete_endpoint(consumer);
		delete_end(server);
	}
}

/* The death of its peer wakes a sleeping engine. */
static void wait_for_death(void)
{
	if (victim_is_server)
		start_server("sleep");
	else
		start_client("sleep");
	for (;;)
		progress_all();
}

static void killed_while_asleep(void)
{
	for (int i = 0; i < 2; i++) {
		struct end *end;
		struct endpoint *consumer, *producer;
		int handles[3];
		pid_t pid;

		victim_is_server = i == 0;
		pid = in_child(wait_for_death);
		end = victim_is_server ? start_client("sleep") : start_server("sleep");
		UNTIL(end->conn != NULL);
		consumer = new_consumer(end);
		producer = start_producer(end);
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
		UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
		settle();
		for (int j = 0; j < 3; j++) {
			struct doca_pe *pe = j == 0 ? end->pe : j == 1 ? consumer->pe : producer->pe;

			MUST(doca_pe_get_notification_handle(pe, &handles[j]));
			MUST(doca_pe_request_notification(pe));
		}
		kill(pid, SIGKILL);
		CHECK(is_readable(handles[0], LONG_MS));
		expect_end(pid, SIGKILL);
		MUST(doca_pe_clear_notification(end->pe, handles[0]));
		drain_pe(end->pe);
		CHECK(end->is_server ? end->disconnects == 1 : state_of(end) == DOCA_CTX_STATE_IDLE);
		for (int j = 1; j < 3; j++) {
			CHECK(is_readable(handles[j], LONG_MS));
			MUST(doca_pe_clear_notification(j == 1 ? consumer->pe : producer->pe, handles[j]));
		}
		UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_IDLE && ctx_state(producer->ctx) == DOCA_CTX_STATE_IDLE);
		delete_endpoint(consumer);
		delete_endpoint(producer);
		delete_end(end);
		CHECK(!there_are_servers());
	}
}

/* A producer that only retries notices the death of the consumer, without any progress; and no large data is
 * written to a process that has ended. */
static bool posts;

static void consume_until_death(void)
{
	struct end *server = start_server("consume");
	struct endpoint *consumer;

	UNTIL(server->connects == 1);
	consumer = new_consumer(server);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
	if (posts)
		post(consumer, room(consumer, 0, 20000));
	say(server, "ready");
	for (;;)
		progress_all();
}

static void killed_consumers(void)
{
	for (int i = 0; i < 2; i++) {
		struct end *client;
		struct endpoint *producer;
		struct doca_buf *src;
		struct doca_task *task;
		doca_error_t result;
		pid_t pid;

		posts = i == 1;
		pid = in_child(consume_until_death);
		client = start_client("consume");
		UNTIL(client->messages == 1);
		producer = start_producer(client);
		src = data(producer, 0, posts ? 20000 : 50);
		task = make_produce(producer, src, NULL, 0, client->consumers[0]);
		if (!posts)
			EXPECT(ERROR_AGAIN, doca_task_submit(task));
		kill(pid, SIGKILL);
		expect_end(pid, SIGKILL);
		do {
			result = doca_task_submit(task);
		} while (result == DOCA_ERROR_AGAIN);
		CHECK(result == DOCA_ERROR_NOT_CONNECTED);
		doca_task_free(task);
		put_buf(src);
		delete_endpoint(producer);
		UNTIL(state_of(client) == DOCA_CTX_STATE_IDLE);
		delete_end(client);
		CHECK(!there_are_servers());
	}
}

TEST_MAIN(killed_clients, killed_servers, killed_while_writing, killed_while_asleep, killed_consumers,
	  left_nothing)
