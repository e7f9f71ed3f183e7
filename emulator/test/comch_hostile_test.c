/* SPDX-License-Identifier: Apache-2.0 */

/* A hostile process against a server with a consumer and a producer. It does one crafted thing after the other, in an
 * order that a number decides, and ends or stops at any moment. The server must not crash, hang or leak. */

#include "comch_hand.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include "comch/emu_comch_ring.h"
#include "comch_fork.h"

/* The number of hostile processes; the environment may ask for more. */
#define NUM_ROUNDS 40

static uint64_t seed;

static uint32_t dice(uint32_t sides)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 32) % sides;
}

/* A number that somebody might forget to check. */
static uint64_t odd_number(void)
{
	static const uint64_t odd[] = {0, 1, 2, 4, 31, 32, 33, 4080, 4081, 65536, INT32_MAX, UINT32_MAX,
				       (uint64_t)UINT32_MAX + 1, INT64_MAX, UINT64_MAX};
	uint32_t i = dice(sizeof(odd) / sizeof(odd[0]) + 2);

	return i < sizeof(odd) / sizeof(odd[0]) ? odd[i] : (uint64_t)dice(UINT32_MAX) << dice(33);
}

static int odd_fd(void)
{
	int pipes[2], fd;

	switch (dice(9)) {
	case 0:
		return make_bell();
	case 1:
		return eventfd(0, 0);
	case 2:
		return open("/dev/zero", O_RDWR);
	case 3:
		return open("/proc/self/mem", O_RDWR);
	case 4:
		(void)!pipe(pipes);
		close(pipes[0]);
		return pipes[1];
	case 5:
		return socket(AF_UNIX, SOCK_STREAM, 0);
	case 6:
		return epoll_create1(0);
	case 7:
		fd = memfd_create("odd", MFD_ALLOW_SEALING);
		(void)!ftruncate(fd, (off_t)dice(1 << 20));
		fcntl(fd, F_ADD_SEALS, (int)dice(16) << 1);
		return fd;
	default:
		return open("/", O_RDONLY | O_DIRECTORY);
	}
}

struct hostile {
	int fd;
	struct emu_comch_ring *own, *theirs; /* rings, or NULL */
	uint32_t num_entries;		     /* of theirs */
	int bell;			     /* of theirs */
	uint64_t number; /* of the entry of theirs that comes next */
	uint32_t id;
};

static void spoil(struct emu_comch_ring *ring, uint32_t num_entries)
{
	struct emu_comch_entry *entry = &ring->entries[dice(num_entries)];

	switch (dice(12)) {
	case 0: __atomic_store_n(&ring->posted, odd_number(), __ATOMIC_SEQ_CST); break;
	case 1: __atomic_store_n(&ring->claimed, odd_number(), __ATOMIC_SEQ_CST); break;
	case 2: __atomic_store_n(&ring->armed, (uint32_t)odd_number(), __ATOMIC_SEQ_CST); break;
	case 3: ring->num_entries = (uint32_t)odd_number(); break;
	case 4: entry->len = (uint32_t)odd_number(); break;
	case 5: entry->imm_len = (uint32_t)odd_number(); break;
	case 6: entry->where = dice(7); break;
	case 7: __atomic_store_n(&entry->filled, dice(2 * num_entries) ^ (dice(2) << 31), __ATOMIC_SEQ_CST); break;
	case 8: entry->addr = odd_number(); break;
	case 9: __atomic_store_n(&entry->room, odd_number(), __ATOMIC_SEQ_CST); break;
	case 10: __atomic_fetch_add(&ring->claimed, 1, __ATOMIC_SEQ_CST); break;
	case 11: __atomic_fetch_add(&ring->posted, 1, __ATOMIC_SEQ_CST); break;
	}
}

/* Sends something odd to a consumer, in the right way. */
static void send_entry(struct hostile *self)
{
	struct emu_comch_entry *entry = emu_comch_ring_entry(self->theirs, self->num_entries, self->number);

	if (self->number >= __atomic_load_n(&self->theirs->posted, __ATOMIC_SEQ_CST) && dice(4) != 0)
		return;
	entry->where = dice(3) == 0 ? dice(7) : EMU_COMCH_IN_ENTRY + dice(4);
	entry->len = dice(2) == 0 ? (uint32_t)odd_number() : dice(100);
	entry->imm_len = dice(2) == 0 ? (uint32_t)odd_number() : dice(33);
	self->number++;
	__atomic_store_n(&self->theirs->claimed, self->number, __ATOMIC_SEQ_CST);
	if (dice(16) == 0)
		return; /* never */
	__atomic_store_n(&entry->filled, (uint32_t)self->number, __ATOMIC_SEQ_CST);
}

static void send_odd(struct hostile *self)
{
	uint8_t bytes[600];
	struct emu_comch_frame frame = {.type = dice(11), .len = dice(500), .delivered = odd_number()};
	int fds[4], num = (int)dice(5);
	size_t len = sizeof(frame) + frame.len;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)dice(256);
	if (frame.type == EMU_COMCH_DISCONNECT && dice(8) != 0)
		frame.type = EMU_COMCH_CREDIT;
	if (frame.type >= EMU_COMCH_CONSUMER_NEW && dice(2) == 0)
		memcpy(bytes + sizeof(frame), (uint32_t[3]){dice(4), (uint32_t)odd_number(), dice(4)}, 12);
	if (dice(10) == 0)
		frame.len = (uint32_t)odd_number();
	if (dice(10) == 0)
		frame.type = (uint32_t)odd_number();
	memcpy(bytes, &frame, sizeof(frame));
	if (dice(20) == 0)
		len = dice((uint32_t)sizeof(frame)); /* half a frame */
	for (int i = 0; i < num; i++)
		fds[i] = odd_fd();
	send_bytes(self->fd, bytes, len, fds, num);
	for (int i = 0; i < num; i++)
		close(fds[i]);
}

/* Announces a ring that works, for now. */
static void announce_good(struct hostile *self)
{
	struct emu_comch_announce announce = {.id = ++self->id, .imm_data_len = 32, .flags = dice(2)};
	int memory, bell = make_bell();
	struct emu_comch_ring *ring = emu_comch_ring_new(8, &memory);

	for (int i = 0; i < 8; i++) {
		ring->entries[i].addr = dice(2) == 0 ? (uintptr_t)malloc(200000) : odd_number();
		ring->entries[i].room = dice(2) == 0 ? 200000 : odd_number();
	}
	ring->posted = dice(12);
	ring->armed = 1;
	send_frame_with(self->fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[2]){memory, bell}, 2);
	fcntl(bell, F_SETFL, 0);
	fcntl(memory, F_SETFL, O_APPEND);
	self->own = ring;
}

/* Reads what there is, and takes the ring of a consumer. */
static void read_some(struct hostile *self)
{
	static uint8_t bytes[5000];
	struct emu_comch_frame frame;
	int fds[EMU_COMCH_MAX_FDS];

	for (int i = 0; i < 5; i++) {
		if (emu_comch_recv(self->fd, &frame, bytes, sizeof(bytes), fds) <= 0)
			return;
		if (frame.type != EMU_COMCH_CONSUMER_NEW || fds[0] < 0 || fds[1] < 0)
			continue;
		self->theirs = emu_comch_ring_map(fds[0], &self->num_entries);
		self->bell = fds[1];
		self->number = 0;
		fcntl(fds[1], F_SETFL, 0);
		fcntl(fds[0], F_SETFL, dice(2) == 0 ? O_APPEND : 0);
	}
}

static void attack(void)
{
	struct hostile self = {.fd = connect_by_hand(), .bell = -1};
	struct emu_comch_hello hello = hello_to("garbage");
	int num = (int)dice(400);

	send_frame(self.fd, EMU_COMCH_HELLO, &hello, sizeof(hello));
	for (int i = 0; i < 2000 && self.theirs == NULL && dice(500) != 0; i++) {
		read_some(&self);
		usleep(100);
	}
	for (int i = 0; i < num; i++) {
		switch (dice(40)) {
		case 0:
			send_odd(&self);
			break;
		case 1:
			announce_good(&self);
			break;
		case 2:
			raise(SIGSTOP); /* the other side lets it continue */
			break;
		case 3:
			for (int j = 0; self.bell >= 0 && j < 100; j++)
				(void)send(self.bell, &self, dice(40), MSG_DONTWAIT | MSG_NOSIGNAL);
			break;
		case 4:
			usleep(dice(3000));
			break;
		case 7:
		case 8:
		case 9:
		case 10:
			if (self.theirs != NULL)
				send_entry(&self);
			break;
		case 5:
			send_frame(self.fd, EMU_COMCH_MSG, "m", dice(2));
			break;
		case 6:
			send_frame(self.fd, EMU_COMCH_CONSUMER_EXPIRED, &self.id, sizeof(self.id));
			break;
		default:
			if (dice(3) == 0)
				read_some(&self);
			else if (self.theirs != NULL && dice(2) == 0)
				spoil(self.theirs, self.num_entries);
			else if (self.own != NULL)
				spoil(self.own, 8);
		}
	}
	if (dice(2) == 0)
		raise(SIGKILL);
	_exit(0);
}

/* The server's side: posts, sends and stops while it is attacked. */
static void withstand(struct end *server, pid_t pid)
{
	struct endpoint *consumer = NULL, *producer = NULL;
	struct doca_buf *dst[4], *src[2];
	int status = 0;
	bool is_over = false;

	server->conn = NULL;
	while (!is_over) {
		is_over = waitpid(pid, &status, WUNTRACED | WNOHANG) == pid && !WIFSTOPPED(status);
		if (!is_over && WIFSTOPPED(status))
			kill(pid, SIGCONT);
		status = 0;
		for (int i = 0; i < 20; i++)
			progress_all();
		server->log[0] = '\0';
		if (server->num_consumers > 200)
			server->num_consumers = 0;
		if (server->conn == NULL || server->connects == server->disconnects)
			continue;
		if (consumer == NULL) {
			consumer = new_consumer(server);
			producer = new_producer(server);
			for (size_t i = 0; i < 4; i++)
				dst[i] = room(consumer, i * 100000 + 1000, 90000);
			src[0] = data(producer, 0, 100);
			src[1] = data(producer, 0, 80000);
		}
		consumer->states[0] = producer->states[0] = '\0';
		if (ctx_state(producer->ctx) == DOCA_CTX_STATE_IDLE)
			(void)doca_ctx_start(producer->ctx);
		if (ctx_state(consumer->ctx) == DOCA_CTX_STATE_IDLE)
			(void)doca_ctx_start(consumer->ctx);
		if (ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING) {
			if (num_inflight(consumer->ctx) == 0) {
				for (int i = 0; i < 4; i++) {
					MUST(doca_buf_reset_data_len(dst[i]));
					post(consumer, dst[i]);
				}
			} else if (consumer->done + consumer->failed > 8) {
				consumer->done = consumer->failed = 0;
				doca_ctx_stop(consumer->ctx);
			}
		}
		for (int i = 0; i < server->num_consumers && i < 4; i++) {
			if (ctx_state(producer->ctx) == DOCA_CTX_STATE_RUNNING &&
			    num_inflight(producer->ctx) < ENDPOINT_TASKS)
				(void)produce(producer, src[i % 2], "imm", 3, server->consumers[i]);
		}
	}
	if (consumer == NULL)
		return;
	stop_endpoint(consumer);
	stop_endpoint(producer);
	for (size_t i = 0; i < 4; i++) { /* nothing between the buffers has changed */
		CHECK(consumer->memory[i * 100000 + 999] == (uint8_t)((i * 100000 + 999) * 7 + (i * 100000 + 999) / 251));
		put_buf(dst[i]);
	}
	put_buf(src[0]);
	put_buf(src[1]);
	delete_endpoint(consumer);
	delete_endpoint(producer);
}

/* Expiries of consumers that the test has forgotten are no error here. */
static void forget_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn, uint32_t id)
{
	struct end *server = end_of(conn);

	(void)event;
	for (int i = 0; i < server->num_consumers; i++) {
		if (server->consumers[i] == id)
			server->consumers[i] = server->consumers[--server->num_consumers];
	}
}

static void hostile_clients(void)
{
	const char *more = getenv("DOCA_TEST_HOSTILE_ROUNDS"), *first = getenv("DOCA_TEST_HOSTILE_FIRST");
	uint64_t begin = first == NULL ? 1 : strtoull(first, NULL, 10);
	uint64_t end = begin + (more == NULL ? NUM_ROUNDS : strtoull(more, NULL, 10));
	struct end *server = new_server("garbage");
	int num_fds;

	MUST(doca_comch_server_event_consumer_register(server->server, end_new_consumer, forget_consumer));
	MUST(doca_ctx_start(server->ctx));
	num_fds = count_fds();
	for (uint64_t i = begin; i < end; i++) {
		int failures = test_failures;
		pid_t pid;

		seed = i * 0x9e3779b97f4a7c15u;
		pid = in_child(attack);
		withstand(server, pid);
		UNTIL(server->connects == server->disconnects);
		server->num_consumers = 0;
		settle();
		CHECK(count_fds() == num_fds);
		if (test_failures != failures)
			fprintf(stderr, "in round %lu\n", (unsigned long)i);
	}
	still_works(server);
	delete_end(server);
}

TEST_MAIN(hostile_clients, left_nothing)
