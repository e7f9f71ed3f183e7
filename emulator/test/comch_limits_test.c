/* SPDX-License-Identifier: Apache-2.0 */

/* Peers that take more than their share: connections without a word, consumers, descriptors. */

#include "comch_hand.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>

#include "comch/emu_comch_ring.h"
#include "comch_fork.h"

#define MAX_SILENT 64
#define MAX_SILENT_OF_PROCESS 16

static struct rlimit limit; /* before the test */

static void set_max_fds(rlim_t num)
{
	struct rlimit lower = {.rlim_cur = num, .rlim_max = limit.rlim_max};

	CHECK(setrlimit(RLIMIT_NOFILE, &lower) == 0);
}

/* Lets this process open nothing more. */
static void leave_no_fd(void)
{
	int lowest = dup(0);

	close(lowest);
	set_max_fds((rlim_t)lowest);
}

/* Connections without a word. */

static int silent_count, told[2];

static void connect_and_wait(void)
{
	set_max_fds(limit.rlim_max);
	for (int i = 0; i < silent_count; i++)
		(void)connect_by_hand();
	CHECK(write(told[1], "x", 1) == 1);
	for (;;)
		pause();
}

static pid_t start_silent(int num)
{
	pid_t pid;
	char byte;

	silent_count = num;
	pid = in_child(connect_and_wait);
	fcntl(told[0], F_SETFL, O_NONBLOCK);
	UNTIL(read(told[0], &byte, 1) == 1);
	return pid;
}

/* A process that opens more connections than a server has clients shuts nobody out. */
static void silent_clients(void)
{
	struct end *server = start_server("garbage");
	int num_fds = count_fds() + 2;
	pid_t pid;

	CHECK(pipe2(told, O_CLOEXEC) == 0);
	pid = start_silent(700);
	settle();
	CHECK(count_fds() <= num_fds + MAX_SILENT_OF_PROCESS);
	still_works(server);
	still_works(server);
	kill(pid, SIGKILL);
	expect_end(pid, SIGKILL);
	close(told[0]);
	close(told[1]);
	UNTIL(count_fds() == num_fds - 2);
	delete_end(server);
}

/* Nor do many processes together. */
static void silent_processes(void)
{
	enum { NUM = 6 };
	struct end *server = start_server("garbage");
	int num_fds = count_fds() + 2;
	pid_t pids[NUM];

	CHECK(pipe2(told, O_CLOEXEC) == 0);
	for (int i = 0; i < NUM; i++)
		pids[i] = start_silent(MAX_SILENT_OF_PROCESS);
	settle();
	CHECK(count_fds() <= num_fds + MAX_SILENT);
	still_works(server);
	for (int i = 0; i < NUM; i++) {
		kill(pids[i], SIGKILL);
		expect_end(pids[i], SIGKILL);
	}
	close(told[0]);
	close(told[1]);
	UNTIL(count_fds() == num_fds - 2);
	delete_end(server);
}

/* And each has to leave in the end; the engine may sleep meanwhile. */
static void silent_for_long(void)
{
	struct end *server = start_server("garbage");
	int fd = connect_by_hand(), fds[EMU_COMCH_MAX_FDS];
	doca_notification_handle_t handle;
	uint64_t deadline = now_ms() + LONG_MS;
	struct pollfd end = {.fd = fd};

	MUST(doca_pe_get_notification_handle(server->pe, &handle));
	while (poll(&end, 1, 0) == 0) {
		MUST(doca_pe_request_notification(server->pe));
		CHECK(is_readable(handle, LONG_MS));
		MUST(doca_pe_clear_notification(server->pe, handle));
		drain_pe(server->pe);
		never_after(deadline, __FILE__, __LINE__, "the end of the silent connection");
	}
	CHECK(next_frame(fd, fds) == 0 && server->connects == 0 && server->disconnects == 0);
	close(fd);
	still_works(server);
	delete_end(server);
}

/* Consumers. */

/* Of the descriptors that a process may have, each connection's consumers get one in 8, and all together one in 4. */
#define FEW_FDS 512
#define OF_CONN (FEW_FDS / 8)
#define IN_ALL (FEW_FDS / 4)

static void announce(int fd, uint32_t id, int memory, int bell)
{
	struct emu_comch_announce announce = {.id = id, .imm_data_len = 8};

	send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[2]){memory, bell}, 2);
}

/* A peer that announces more than it may loses its connection; several that do what they may get refusals. */
static void too_many_announcements(void)
{
	struct end *server;
	int memory, bell = make_bell(), fds[3], num_fds, none[EMU_COMCH_MAX_FDS], refused = 0;
	struct emu_comch_ring *ring = emu_comch_ring_new(1, &memory);
	uint32_t max;

	set_max_fds(FEW_FDS);
	server = start_server("garbage");
	MUST(doca_comch_consumer_cap_get_max_consumers(doca_dev_as_devinfo(server->dev), &max));
	CHECK(max == OF_CONN);
	num_fds = count_fds();

	fds[0] = greeted_by_hand(server);
	for (uint32_t i = 1; i <= OF_CONN + 1; i++) {
		announce(fds[0], i, memory, bell);
		progress_all();
	}
	UNTIL(server->disconnects == 1);
	CHECK(server->num_consumers == OF_CONN);
	server->num_consumers = 0;
	close(fds[0]);
	CHECK(count_fds() == num_fds);

	for (int i = 0; i < 3; i++) {
		fds[i] = greeted_by_hand(server);
		for (uint32_t id = 1; id <= OF_CONN; id++) {
			announce(fds[i], id, memory, bell);
			progress_all();
		}
	}
	settle();
	CHECK(server->num_consumers == IN_ALL);
	CHECK(count_fds() == num_fds + 6 + 2 * IN_ALL);
	while (refused < OF_CONN && next_frame(fds[2], none) == EMU_COMCH_CONSUMER_REFUSED)
		refused++;
	CHECK(refused == OF_CONN);
	still_works(server);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	UNTIL(server->connects == server->disconnects);
	CHECK(count_fds() == num_fds);
	server->num_consumers = 0;
	delete_end(server);
	emu_comch_ring_unmap(ring, 1);
	close(memory);
	close(bell);
	set_max_fds(limit.rlim_cur);
}

/* A peer that wants no answers gets no queue of them. */
static void unread_refusals(void)
{
	struct end *server = start_server("garbage");
	int fd = greeted_by_hand(server);
	struct emu_comch_announce announce = {.id = 1};

	for (int i = 0; server->disconnects == 0; i++) {
		CHECK(i < 100000);
		send_frame(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce)); /* without descriptors */
		progress_all();
	}
	close(fd);
	still_works(server);
	delete_end(server);
}

/* Both sides of a real connection find out, and what they had before works on. The client is another process, in
 * which there is room. */
static void consume_much(void)
{
	struct end *client = start_client("much");
	struct endpoint *first, *second;

	UNTIL(state_of(client) == DOCA_CTX_STATE_RUNNING);
	first = new_consumer(client);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(first->ctx));
	UNTIL(client->messages == 1); /* the server's process has no room any more */
	second = new_consumer(client);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(second->ctx));
	UNTIL(ctx_state(second->ctx) == DOCA_CTX_STATE_IDLE);
	CHECK(ctx_state(first->ctx) == DOCA_CTX_STATE_RUNNING && state_of(client) == DOCA_CTX_STATE_RUNNING);
	say(client, "refused");
	UNTIL(client->messages == 2); /* it has again */
	second->states[0] = '\0';
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(second->ctx));
	UNTIL(ctx_state(second->ctx) == DOCA_CTX_STATE_RUNNING);
	say(client, "good");
	UNTIL(client->messages == 3);
	CHECK(ctx_state(second->ctx) == DOCA_CTX_STATE_RUNNING);
	delete_endpoint(first);
	delete_endpoint(second);
	delete_end(client);
}

static void no_room_for_a_consumer(void)
{
	pid_t pid = in_child(consume_much);
	struct end *server = start_server("much");

	UNTIL(server->num_consumers == 1);
	leave_no_fd();
	say(server, "full");
	UNTIL(server->messages == 1);
	CHECK(server->num_consumers == 1);
	set_max_fds(limit.rlim_cur);
	say(server, "room");
	UNTIL(server->num_consumers == 2 && server->messages == 2);
	say(server, "bye");
	UNTIL(server->disconnects == 1);
	expect_end(pid, 0);
	delete_end(server);
}

/* A server without a descriptor for a client says so, whether or not the client's process has one. */
static void be_refused(void)
{
	struct end *client = start_client("full");

	UNTIL(state_of(client) == DOCA_CTX_STATE_IDLE);
	EXPECT(ERROR_FULL, doca_comch_client_get_connection(client->client, &client->conn));
	CHECK(write(told[1], "x", 1) == 1);
	delete_end(client);
}

static void no_room_for_a_client(void)
{
	struct end *server = start_server("full"), *client;
	int num_fds = count_fds();
	pid_t pid;
	char byte;

	CHECK(pipe2(told, O_CLOEXEC | O_NONBLOCK) == 0);
	pid = in_child(be_refused);
	leave_no_fd();
	UNTIL(read(told[0], &byte, 1) == 1);
	CHECK(state_of(server) == DOCA_CTX_STATE_RUNNING && server->connects == 0);
	expect_end(pid, 0);
	set_max_fds(limit.rlim_cur);
	close(told[0]);
	close(told[1]);
	CHECK(count_fds() == num_fds);
	client = start_client("full"); /* there is room again */
	connect_ends(server, client);
	delete_end(client);
	delete_end(server);
}

/* A client that closes beside a server that takes nothing needs a timer. Without a descriptor for it, its engine does
 * not sleep, and the client gives up in time all the same. */
static void no_room_for_a_timer(void)
{
	static uint8_t msg[4080];
	struct end *server = start_server("timer"), *client = new_client("timer");
	doca_notification_handle_t handle;
	struct pollfd input = {.events = POLLIN};

	MUST(doca_comch_client_task_send_set_conf(client->client, end_sent, end_failed, 200));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	connect_ends(server, client);
	undrive(server->pe);
	for (int i = 0; i < 200; i++)
		MUST(try_send(client, msg, sizeof(msg)));
	MUST(doca_pe_get_notification_handle(client->pe, &handle));
	leave_no_fd();
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(client->ctx));
	drain_pe(client->pe);
	CHECK(state_of(client) == DOCA_CTX_STATE_STOPPING);
	MUST(doca_pe_request_notification(client->pe));
	input.fd = handle;
	CHECK(poll(&input, 1, 0) == 1);
	MUST(doca_pe_clear_notification(client->pe, handle));
	UNTIL(state_of(client) == DOCA_CTX_STATE_IDLE);
	CHECK(client->failed > 0);
	set_max_fds(limit.rlim_cur);
	drive(server->pe);
	UNTIL(server->disconnects == 1);
	delete_end(client);
	delete_end(server);
}

/* Where files must be small (ulimit -f), a consumer has no shared memory. The program goes on. */
static void no_large_files(void)
{
	struct pair pair = make_pair("files");
	struct endpoint *consumer = new_consumer(pair.server);
	struct rlimit size, small;

	CHECK(getrlimit(RLIMIT_FSIZE, &size) == 0);
	small = (struct rlimit){.rlim_cur = 4096, .rlim_max = size.rlim_max};
	CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(consumer->ctx));
	CHECK(setrlimit(RLIMIT_FSIZE, &size) == 0);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
	delete_endpoint(consumer);
	delete_pair(pair);
}

static void remember_limit(void)
{
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
}

TEST_MAIN(remember_limit, silent_clients, silent_processes, silent_for_long, too_many_announcements, unread_refusals,
	  no_room_for_a_consumer, no_room_for_a_client, no_room_for_a_timer, no_large_files,
	  left_nothing)
