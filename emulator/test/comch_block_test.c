/* SPDX-License-Identifier: Apache-2.0 */

/* Peers that change what they share so that calls would block, and peers that stop in the middle of sending. The
 * program is linked so that process_vm_writev comes to this file, which can stop a producer before the system call
 * and after it. */

#include "comch_hand.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "comch/emu_comch_conn.h"
#include "comch/emu_comch_remote.h"
#include "comch/emu_comch_ring.h"
#include "comch_fork.h"
#include "export_wrap.h"

static void let_block(int fd)
{
	CHECK(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0);
}

/* Fills what a descriptor takes, an eventfd or a socket. */
static void fill_fd(int fd)
{
	const uint64_t most = UINT64_MAX - 1;

	CHECK(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0);
	(void)!write(fd, &most, sizeof(most));
	while (send(fd, "x", 1, MSG_DONTWAIT) == 1)
		;
}

/* A producer does not block on what a consumer gave it to wake it. */
static void full_bell(void)
{
	struct end *server = start_server("garbage");
	int fd = greeted_by_hand(server), ends[2], memory;
	struct emu_comch_announce announce = {.id = 1, .imm_data_len = 32};
	struct emu_comch_ring *ring = emu_comch_ring_new(4, &memory);
	struct endpoint *producer = start_producer(server);

	CHECK(emu_comch_doorbell_new(&ends[0], &ends[1]));
	send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[2]){memory, ends[1]}, 2);
	UNTIL(server->num_consumers == 1);
	fill_fd(ends[1]);
	let_block(ends[1]);
	for (int i = 0; i < 4; i++) {
		ring->posted++;
		__atomic_store_n(&ring->armed, 1, __ATOMIC_SEQ_CST);
		EXPECT(SUCCESS, produce(producer, NULL, "imm", 3, 1));
		UNTIL(producer->done == i + 1);
	}
	emu_comch_ring_unmap(ring, 4);
	close(memory);
	close(ends[0]);
	close(ends[1]);
	delete_endpoint(producer);
	server->num_consumers = 0;
	close(fd);
	delete_end(server);
}

/* Nor does a consumer block on its own end of it. */
static void consume_with(struct end *server, int fd, void (*misuse)(int bell))
{
	struct endpoint *consumer = new_consumer(server);
	int fds[EMU_COMCH_MAX_FDS];

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	CHECK(next_frame(fd, fds) == EMU_COMCH_CONSUMER_NEW && fds[0] >= 0 && fds[1] >= 0);
	UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
	misuse(fds[1]);
	let_block(fds[1]);
	for (int i = 0; i < 3; i++) {
		MUST(doca_pe_request_notification(consumer->pe));
		MUST(doca_pe_clear_notification(consumer->pe, (doca_notification_handle_t){0}));
		drain_pe(consumer->pe);
	}
	if (misuse == fill_fd) {
		/* It gets quiet once the peer is. */
		MUST(doca_pe_request_notification(consumer->pe));
		MUST(doca_pe_clear_notification(consumer->pe, (doca_notification_handle_t){0}));
	}
	stop_endpoint(consumer);
	close(fds[0]);
	close(fds[1]);
	delete_endpoint(consumer);
}

static void leave_empty(int bell)
{
	(void)bell;
}

static void take_all(int bell)
{
	uint64_t bytes;

	(void)!read(bell, &bytes, sizeof(bytes));
	shutdown(bell, SHUT_RDWR);
}

static void misused_bell(void)
{
	static void (*const ways[])(int bell) = {leave_empty, fill_fd, take_all};
	struct end *server = start_server("garbage");
	int fd = greeted_by_hand(server), num_fds = count_fds();

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		consume_with(server, fd, ways[i]);
		UNTIL(next_frame(fd, (int[EMU_COMCH_MAX_FDS]){0}) == EMU_COMCH_CONSUMER_EXPIRED);
		CHECK(count_fds() == num_fds);
	}
	close(fd);
	UNTIL(server->disconnects == server->connects);
	still_works(server);
	delete_end(server);
}

/* Memory that an access to it may end the process for, or whose first read may block: it is no ring. */
static void odd_memory(void)
{
	struct end *server = start_server("garbage");
	int fd = greeted_by_hand(server), pair[2], bell = make_bell();
	struct emu_comch_announce announce = {.id = 1};
	int huge = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);

	if (huge >= 0) {
		(void)!ftruncate(huge, 4l << 30);
		CHECK(fcntl(huge, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
		send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[2]){huge, bell}, 2);
		close(huge);
	}
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[2]){pair[0], bell}, 2);
	send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[2]){bell, pair[0]}, 2);
	settle();
	CHECK(server->num_consumers == 0 && server->disconnects == 0);
	close(pair[0]);
	close(pair[1]);
	close(bell);
	close(fd);
	UNTIL(server->disconnects == 1);
	delete_end(server);
}

/* Stopped producers. */

#define LARGE 100000

static bool is_after; /* the system call */

static void stop_here(void)
{
	vm_begins = vm_ends = NULL;
	raise(SIGSTOP);
}

/* Sends to the consumer of the server, and is stopped on the way. The send then fails, unless the data had arrived
 * before. */
static void send_and_stop(void)
{
	struct end *client = start_client("stop");
	struct endpoint *producer;
	struct doca_buf *src;

	UNTIL(client->num_consumers == 1 && client->messages == 1);
	producer = start_producer(client);
	src = data(producer, 0, LARGE);
	*(is_after ? &vm_ends : &vm_begins) = stop_here;
	EXPECT(SUCCESS, produce(producer, src, NULL, 0, client->consumers[0]));
	UNTIL(producer->failed == 1);
	EXPECT(ERROR_IO_FAILED, producer->last_error);
	put_buf(src);
	delete_endpoint(producer);
	delete_end(client);
}

static void stopped_producer(bool sleeps)
{
	for (int i = 0; i < 2; i++) {
		struct end *server;
		struct endpoint *consumer;
		struct doca_buf *dst[3];
		int status = 0;
		pid_t pid;

		is_after = i == 1;
		pid = in_child(send_and_stop);
		server = start_server("stop");
		UNTIL(server->connects == 1);
		consumer = new_consumer(server);
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
		UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
		for (size_t j = 0; j < 3; j++) {
			dst[j] = room(consumer, j * LARGE, LARGE);
			post(consumer, dst[j]);
		}
		memset(consumer->memory, 0, 3 * LARGE);
		say(server, "go");
		while (waitpid(pid, &status, WUNTRACED | WNOHANG) == 0)
			progress_all();
		CHECK(WIFSTOPPED(status));
		CHECK((consumer->memory[1] != 0) == is_after);

		EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(consumer->ctx));
		for (uint64_t deadline = now_ms() + LONG_MS; ctx_state(consumer->ctx) != DOCA_CTX_STATE_IDLE;) {
			doca_notification_handle_t handle;

			drain_pe(consumer->pe);
			never_after(deadline, __FILE__, __LINE__, "the end of the consumer");
			if (!sleeps || ctx_state(consumer->ctx) == DOCA_CTX_STATE_IDLE)
				continue;
			MUST(doca_pe_get_notification_handle(consumer->pe, &handle));
			MUST(doca_pe_request_notification(consumer->pe));
			is_readable(handle, LONG_MS);
			MUST(doca_pe_clear_notification(consumer->pe, handle));
		}
		CHECK(consumer->failed == 3 && consumer->last_error == DOCA_ERROR_IO_FAILED && consumer->done == 0);
		CHECK(data_len(dst[0]) == 0);
		for (int j = 0; j < 3; j++)
			put_buf(dst[j]);
		/* From here on the memory is the program's again. */
		memset(consumer->memory, 0x55, 3 * LARGE);
		kill(pid, SIGCONT);
		while (waitpid(pid, &status, WNOHANG) == 0)
			progress_all();
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		for (size_t j = 0; j < 3 * LARGE; j++) {
			if (consumer->memory[j] != 0x55) {
				CHECK(!"nobody writes to the memory");
				break;
			}
		}
		delete_endpoint(consumer);
		delete_end(server);
	}
}

static void stopped_producers(void)
{
	stopped_producer(false);
	stopped_producer(true);
}

/* A producer that runs, claims everything and fills nothing. */
static void spin(void)
{
	struct end *client = start_client("spin");

	UNTIL(client->num_consumers == 1 && client->messages == 1);
	__atomic_store_n(&client->conn->remotes->ring->claimed, 3, __ATOMIC_SEQ_CST);
	say(client, "claimed");
	settle();
	for (volatile unsigned i = 0;; i++)
		;
}

static void claims_and_spins(void)
{
	pid_t pid = in_child(spin);
	struct end *server = start_server("spin");
	struct endpoint *consumer;

	UNTIL(server->connects == 1);
	consumer = new_consumer(server);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
	for (int i = 0; i < 3; i++)
		post(consumer, NULL);
	say(server, "go");
	UNTIL(server->messages == 1);
	stop_endpoint(consumer);
	CHECK(consumer->failed == 3);
	delete_endpoint(consumer);
	kill(pid, SIGKILL);
	expect_end(pid, SIGKILL);
	UNTIL(server->disconnects == 1);
	delete_end(server);
}

TEST_MAIN(full_bell, misused_bell, odd_memory, stopped_producers, claims_and_spins, left_nothing)
