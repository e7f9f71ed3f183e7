/* SPDX-License-Identifier: Apache-2.0 */

/* Peers that do not keep to the protocol, made by hand: the worst that happens to a server or client is the loss of
 * that connection. */

#include "emulator.h" /* first: it asks for all of the system's functions */

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "comch_fast.h"
#include "emu_comch_frame.h"
#include "emu_comch_ring.h"

/* The path of the only server's socket. */
static struct sockaddr_un server_address(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	DIR *dir = opendir(test_servers);
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.')
			snprintf(address.sun_path, sizeof(address.sun_path), "%s/%.33s", test_servers, entry->d_name);
	}
	closedir(dir);
	return address;
}

static int connect_by_hand(void)
{
	struct sockaddr_un address = server_address();
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	return fd;
}

/* Whether the other side has taken it or not does not matter. */
static void send_bytes(int fd, const void *bytes, size_t len, const int *fds, int num_fds)
{
	struct iovec iov = {(void *)(uintptr_t)bytes, len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(8 * sizeof(int))];
	} control = {.bytes = {0}};

	if (num_fds > 0) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE((size_t)num_fds * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN((size_t)num_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, (size_t)num_fds * sizeof(int));
	}
	(void)sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void send_frame_with(int fd, uint32_t type, const void *bytes, uint32_t len, const int *fds, int num_fds)
{
	uint8_t buf[sizeof(struct emu_comch_frame) + 10000] = {0};
	struct emu_comch_frame frame = {.type = type, .len = len};

	memcpy(buf, &frame, sizeof(frame));
	if (bytes != NULL)
		memcpy(buf + sizeof(frame), bytes, len);
	send_bytes(fd, buf, sizeof(frame) + len, fds, num_fds);
}

static void send_frame(int fd, uint32_t type, const void *bytes, uint32_t len)
{
	send_frame_with(fd, type, bytes, len, NULL, 0);
}

static struct emu_comch_hello hello_to(const char *name)
{
	struct emu_comch_hello hello = {
		.version = EMU_COMCH_VERSION, .max_msg_size = 4080, .recv_queue_size = 32};

	snprintf(hello.name, sizeof(hello.name), "%s", name);
	return hello;
}

/* The type of the next frame, 0 at the end. */
static uint32_t next_frame(int fd, int fds[2])
{
	static uint8_t bytes[5000];
	struct emu_comch_frame frame;
	ssize_t n;

	UNTIL((n = emu_comch_recv(fd, &frame, bytes, sizeof(bytes), fds)) != -EAGAIN);
	return n > 0 ? frame.type : 0;
}

/* A connection that the server has accepted. */
static int greeted_by_hand(struct end *server)
{
	struct emu_comch_hello hello = hello_to("garbage");
	int fd = connect_by_hand(), connects = server->connects, fds[2];

	send_frame(fd, EMU_COMCH_HELLO, &hello, sizeof(hello));
	CHECK(next_frame(fd, fds) == EMU_COMCH_ACCEPT);
	CHECK(server->connects == connects + 1);
	return fd;
}

/* Another client is served as if nothing had happened. */
static void still_works(struct end *server)
{
	struct end *client = start_client("garbage");
	int messages = server->messages, disconnects = server->disconnects;

	connect_ends(server, client);
	say(client, "fine");
	UNTIL(server->messages == messages + 1);
	delete_end(client);
	UNTIL(server->disconnects == disconnects + 1);
}

static uint32_t next_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

static void bad_beginnings(void)
{
	struct end *server = start_server("garbage");
	struct emu_comch_hello good = hello_to("garbage");
	uint8_t large[9000] = {0};
	int num_fds = count_fds();

	for (int i = 0; i < 14; i++) {
		struct emu_comch_hello hello = good;
		int fd = connect_by_hand(), fds[2];

		switch (i) {
		case 0:
			break; /* says nothing at all */
		case 1:
			send_bytes(fd, "abc", 3, NULL, 0);
			break;
		case 2:
			send_bytes(fd, large, sizeof(large), NULL, 0);
			break;
		case 3: /* a length that is not true */
			((struct emu_comch_frame *)(void *)large)->type = EMU_COMCH_HELLO;
			((struct emu_comch_frame *)(void *)large)->len = 5;
			send_bytes(fd, large, sizeof(struct emu_comch_frame) + sizeof(hello), NULL, 0);
			break;
		case 4:
			send_frame(fd, EMU_COMCH_HELLO, NULL, 0);
			break;
		case 5:
			send_frame(fd, EMU_COMCH_HELLO, &hello, sizeof(hello) - 1);
			break;
		case 6:
			send_frame(fd, EMU_COMCH_HELLO, large, 1000);
			break;
		case 7:
			hello.version = EMU_COMCH_VERSION + 1;
			send_frame(fd, EMU_COMCH_HELLO, &hello, sizeof(hello));
			break;
		case 8:
			memset(hello.name, 'x', sizeof(hello.name));
			send_frame(fd, EMU_COMCH_HELLO, &hello, sizeof(hello));
			break;
		case 9:
			hello.max_msg_size = 0;
			send_frame(fd, EMU_COMCH_HELLO, &hello, sizeof(hello));
			break;
		case 10:
			send_frame(fd, EMU_COMCH_MSG, "early", 5);
			break;
		case 11:
			send_frame(fd, EMU_COMCH_DISCONNECT, NULL, 0);
			break;
		case 12:
			send_frame(fd, 0xffffffff, NULL, 0);
			break;
		case 13: /* and no ear for the answer */
			send_frame(fd, EMU_COMCH_HELLO, &hello, sizeof(hello) - 1);
			shutdown(fd, SHUT_RD);
			break;
		}
		settle();
		if (i >= 4 && i <= 9)
			CHECK(next_frame(fd, fds) == EMU_COMCH_REFUSE);
		if (i != 0)
			CHECK(next_frame(fd, fds) == 0);
		close(fd);
		settle();
		CHECK(server->connects == 0 && count_fds() == num_fds);
	}
	still_works(server);
	delete_end(server);
}

/* An accepted peer loses its mind. */
static void bad_frames(void)
{
	struct end *server = start_server("garbage");
	uint8_t large[5000] = {0};
	int num_fds = count_fds();

	for (int i = 0; i < 13; i++) {
		int fd = greeted_by_hand(server), fds[2];
		struct emu_comch_frame credit = {.type = EMU_COMCH_CREDIT, .delivered = UINT64_MAX};
		bool is_fatal = true, is_message = false;
		int messages = server->messages;

		switch (i) {
		case 0:
			send_frame(fd, 0, NULL, 0);
			break;
		case 1:
			send_frame(fd, 12345, "x", 1);
			break;
		case 2:
			send_frame(fd, EMU_COMCH_MSG, large, 4081);
			break;
		case 3:
			send_frame(fd, EMU_COMCH_HELLO, large, sizeof(struct emu_comch_hello));
			break;
		case 4:
			send_frame(fd, EMU_COMCH_ACCEPT, large, sizeof(struct emu_comch_hello));
			break;
		case 5:
			send_bytes(fd, large, 7, NULL, 0);
			break;
		case 6:
			send_frame(fd, EMU_COMCH_DISCONNECT, large, 100);
			break;
		case 7:
			send_frame(fd, EMU_COMCH_MSG, NULL, 0);
			is_fatal = false;
			is_message = true;
			break;
		case 8:
			send_bytes(fd, &credit, sizeof(credit), NULL, 0);
			is_fatal = false;
			break;
		case 9:
			send_frame(fd, EMU_COMCH_CONSUMER_EXPIRED, "abcd", 4);
			is_fatal = false;
			break;
		case 10:
			send_frame(fd, EMU_COMCH_CONSUMER_EXPIRED, "abc", 3);
			is_fatal = false;
			break;
		case 11:
			send_frame(fd, EMU_COMCH_CONSUMER_NEW, large, 3000);
			is_fatal = false;
			break;
		case 12: /* descriptors nobody has asked for */
			fds[0] = fds[1] = fd;
			send_frame_with(fd, EMU_COMCH_MSG, "m", 1, fds, 2);
			is_fatal = false;
			is_message = true;
			break;
		}
		settle();
		CHECK(server->disconnects == server->connects - !is_fatal);
		CHECK(server->messages == messages + is_message);
		if (is_fatal)
			CHECK(next_frame(fd, fds) == 0);
		close(fd);
		UNTIL(server->disconnects == server->connects);
		CHECK(count_fds() == num_fds);
	}
	CHECK(server->num_consumers == 0);
	still_works(server);
	delete_end(server);
}

/* Longer than agreed, although the buffer would take it. */
static void long_message(void)
{
	struct end *server = new_server("garbage");
	struct emu_comch_hello hello = hello_to("garbage");
	int fd, fds[2];

	MUST(doca_comch_server_set_max_msg_size(server->server, 64));
	MUST(doca_ctx_start(server->ctx));
	fd = connect_by_hand();
	hello.max_msg_size = 64;
	send_frame(fd, EMU_COMCH_HELLO, &hello, sizeof(hello));
	CHECK(next_frame(fd, fds) == EMU_COMCH_ACCEPT);
	send_frame(fd, EMU_COMCH_MSG, "0123456789012345678901234567890123456789012345678901234567890123", 64);
	send_frame(fd, EMU_COMCH_MSG, "0123456789012345678901234567890123456789012345678901234567890123", 65);
	UNTIL(server->disconnects == 1);
	CHECK(server->messages == 1);
	close(fd);
	delete_end(server);
}

/* A memory file like that of a ring. */
static int make_memory(off_t size, int seals, uint32_t version, uint32_t num_entries)
{
	uint32_t head[2] = {version, num_entries};
	int fd = memfd_create("by hand", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	CHECK(ftruncate(fd, size) == 0);
	if (size >= (off_t)sizeof(head))
		CHECK(pwrite(fd, head, sizeof(head), 0) == sizeof(head));
	if (seals != 0)
		CHECK(fcntl(fd, F_ADD_SEALS, seals) == 0);
	return fd;
}

#define RING_SIZE ((off_t)EMU_COMCH_MAX_BUF_SIZE + 65536)

/* Announcements whose descriptors are not what they should be: there is no such consumer, and no descriptor is kept. */
static void bad_announcements(void)
{
	struct end *server = start_server("garbage");
	int pipes[2], fd = greeted_by_hand(server), num_fds, regular, null;
	char path[64];

	CHECK(pipe(pipes) == 0);
	snprintf(path, sizeof(path), "%s/file", test_dir);
	regular = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(ftruncate(regular, RING_SIZE) == 0);
	(void)!pwrite(regular, (uint32_t[2]){EMU_COMCH_VERSION, 1}, 8, 0);
	CHECK(unlink(path) == 0);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	num_fds = count_fds();
	for (int i = 0; i < 16; i++) {
		struct emu_comch_announce announce = {.id = 1, .imm_data_len = 32};
		int memory = make_memory(RING_SIZE, F_SEAL_SHRINK | F_SEAL_GROW, EMU_COMCH_VERSION, 1);
		int event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		int fds[3] = {memory, event, event}, num = 2, other = -1;

		switch (i) {
		case 0:
			num = 0;
			break;
		case 1:
			num = 1;
			break;
		case 2:
			num = 3;
			break;
		case 3: /* could shrink under whoever maps it */
			other = fds[0] = make_memory(RING_SIZE, 0, EMU_COMCH_VERSION, 1);
			break;
		case 4:
			other = fds[0] = make_memory(4096, F_SEAL_SHRINK, EMU_COMCH_VERSION, 1);
			break;
		case 5:
			other = fds[0] = make_memory(0, F_SEAL_SHRINK, EMU_COMCH_VERSION, 1);
			break;
		case 6:
			other = fds[0] = make_memory(RING_SIZE, F_SEAL_SHRINK, EMU_COMCH_VERSION + 1, 1);
			break;
		case 7:
			other = fds[0] = make_memory(RING_SIZE, F_SEAL_SHRINK, EMU_COMCH_VERSION, 0);
			break;
		case 8:
			other = fds[0] = make_memory(4 * RING_SIZE, F_SEAL_SHRINK, EMU_COMCH_VERSION, 3);
			break;
		case 9:
			other = fds[0] = make_memory(RING_SIZE, F_SEAL_SHRINK, EMU_COMCH_VERSION, 1u << 31);
			break;
		case 10:
			fds[0] = regular;
			break;
		case 11:
			fds[0] = null;
			break;
		case 12:
			fds[0] = pipes[0];
			break;
		case 13: /* a write to it could end the process */
			fds[1] = pipes[1];
			break;
		case 14: /* a write to it could take forever */
			other = fds[1] = eventfd(0, EFD_CLOEXEC);
			break;
		case 15:
			fds[1] = memory;
			break;
		}
		send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), fds, num);
		close(memory);
		close(event);
		if (other >= 0)
			close(other);
		settle();
		CHECK(server->num_consumers == 0);
		if (server->disconnects == server->connects) { /* three do not even fit */
			close(fd);
			fd = greeted_by_hand(server);
		}
		CHECK(count_fds() == num_fds);
	}
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
	close(regular);
	close(null);
	UNTIL(server->connects == server->disconnects);
	still_works(server);
	delete_end(server);
}

/* A ring by hand, announced to the server. */
struct hand_ring {
	int fd, event;
	struct emu_comch_ring *ring;
};

static struct hand_ring announce_ring(struct end *server, int fd, uint32_t id)
{
	struct emu_comch_announce announce = {.id = id, .imm_data_len = UINT32_MAX};
	struct hand_ring ring = {.event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
	int known = server->num_consumers;

	ring.ring = emu_comch_ring_new(4, &ring.fd);
	send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[2]){ring.fd, ring.event}, 2);
	UNTIL(server->num_consumers == known + 1);
	return ring;
}

static void drop_ring(struct hand_ring *ring)
{
	emu_comch_ring_unmap(ring->ring, 4);
	close(ring->fd);
	close(ring->event);
}

/* A consumer that is there already. */
static void announced_twice(void)
{
	struct end *server = start_server("garbage");
	int fd = greeted_by_hand(server);
	struct hand_ring ring = announce_ring(server, fd, 7);
	struct emu_comch_announce announce = {.id = 7};

	send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[2]){ring.fd, ring.event}, 2);
	UNTIL(server->disconnects == 1);
	CHECK(server->num_consumers == 1);
	drop_ring(&ring);
	close(fd);
	delete_end(server);
}

/* Producers of the server send into rings that are full of nonsense. */
static void bad_rings(void)
{
	struct end *server = start_server("garbage");
	int fd = greeted_by_hand(server);
	struct party *producer = start_producer(server);
	struct doca_buf *small = data(producer, 0, 100), *large = data(producer, 0, 100000);

	for (uint32_t i = 0; i < 200; i++) {
		struct hand_ring ring = announce_ring(server, fd, i + 1);

		for (int j = 0; j < 4; j++) {
			ring.ring->entries[j].addr = j % 2 == 0 ? 1 : (uintptr_t)-4096; /* where no memory is */
			ring.ring->entries[j].room = j % 2 == 0 ? UINT64_MAX : next_random();
			ring.ring->entries[j].filled = next_random();
		}
		ring.ring->num_entries = next_random(); /* changed behind the producer's back */
		ring.ring->version = next_random();
		ring.ring->posted = i % 3 == 0 ? UINT64_MAX : next_random();
		ring.ring->claimed = i % 5 == 0 ? 0 : (uint64_t)next_random() << (i % 32);
		ring.ring->armed = next_random();
		for (int j = 0; j < 6; j++) {
			(void)produce(producer, j % 2 == 0 ? small : large, "imm", 3, i + 1);
			drain_pe(producer->pe);
		}
		drop_ring(&ring);
	}
	CHECK(ctx_state(producer->ctx) == DOCA_CTX_STATE_RUNNING);
	CHECK(server->num_consumers == 200);
	server->num_consumers = 0; /* which expire with their connection */
	put_buf(small);
	put_buf(large);
	close(fd);
	UNTIL(ctx_state(producer->ctx) == DOCA_CTX_STATE_IDLE);
	delete_party(producer);
	UNTIL(server->connects == server->disconnects);
	still_works(server);
	delete_end(server);
}

/* A producer by hand scribbles over the ring of a real consumer. */
static void bad_producer(void)
{
	struct end *server = start_server("garbage");
	int num_fds = count_fds();

	for (uint32_t i = 0; i < 200; i++) {
		int fd = greeted_by_hand(server), fds[2];
		struct party *consumer = new_consumer(server);
		struct emu_comch_ring *ring;
		uint32_t num_entries;
		struct doca_buf *bufs[4];

		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
		CHECK(next_frame(fd, fds) == EMU_COMCH_CONSUMER_NEW);
		ring = emu_comch_ring_map(fds[0], &num_entries);
		CHECK(ring != NULL && num_entries == PARTY_TASKS);
		UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_RUNNING);
		memset(consumer->memory, 0xaa, 8192);
		for (size_t j = 0; j < 4; j++) {
			bufs[j] = room(consumer, 512 + j * 1024, 512);
			post(consumer, bufs[j]);
		}
		for (uint32_t j = 0; j < 4; j++) {
			struct emu_comch_entry *entry = &ring->entries[j];

			entry->where = next_random() % 6;
			entry->len = next_random() % 4 == 0 ? next_random() % 600 : next_random();
			entry->imm_len = next_random() % 2 == 0 ? next_random() % 40 : next_random();
			entry->addr = next_random(); /* the consumer knows better */
			entry->room = UINT64_MAX;
			entry->producer_id = next_random();
			if (j < i % 5)
				__atomic_store_n(&entry->filled, j + 1, __ATOMIC_RELEASE);
		}
		ring->num_entries = next_random();
		__atomic_store_n(&ring->posted, (uint64_t)next_random(), __ATOMIC_RELEASE);
		__atomic_store_n(&ring->claimed, (uint64_t)next_random() << (i % 40), __ATOMIC_RELEASE);
		__atomic_store_n(&ring->armed, next_random(), __ATOMIC_RELEASE);
		settle();
		CHECK(consumer->done + consumer->failed == (int)(i % 5));
		for (size_t j = 0; j < 4; j++) { /* whatever it said, nothing is outside the buffers */
			CHECK(data_len(bufs[j]) <= 512);
			CHECK(consumer->memory[512 + j * 1024 - 1] == 0xaa && consumer->memory[512 + j * 1024 + 512] == 0xaa);
		}
		emu_comch_ring_unmap(ring, num_entries);
		close(fds[0]);
		close(fds[1]);
		if (i % 2 == 0)
			stop_party(consumer);
		close(fd);
		UNTIL(ctx_state(consumer->ctx) == DOCA_CTX_STATE_IDLE && server->connects == server->disconnects);
		CHECK(consumer->done + consumer->failed == 4);
		for (size_t j = 0; j < 4; j++)
			put_buf(bufs[j]);
		delete_party(consumer);
		CHECK(count_fds() == num_fds);
	}
	still_works(server);
	delete_end(server);
}

/* Anything at all. */
static void noise(void)
{
	struct end *server = start_server("garbage");
	int num_fds = count_fds();

	for (int i = 0; i < 300; i++) {
		int fd = i % 2 == 0 ? connect_by_hand() : greeted_by_hand(server);
		uint8_t bytes[256];

		for (int j = 0; j < 8; j++) {
			struct emu_comch_frame frame = {.type = next_random() % 12, .delivered = next_random()};
			uint32_t len = next_random() % (sizeof(bytes) - sizeof(frame));

			for (size_t k = 0; k < sizeof(bytes); k++)
				bytes[k] = (uint8_t)next_random();
			frame.len = next_random() % 4 == 0 ? next_random() : len;
			if (next_random() % 8 != 0)
				memcpy(bytes, &frame, sizeof(frame));
			send_bytes(fd, bytes, sizeof(frame) + len, (int[2]){fd, fd}, (int)(next_random() % 3));
			progress_all();
			server->log[0] = '\0';
		}
		close(fd);
		UNTIL(server->connects == server->disconnects);
		settle();
		CHECK(count_fds() == num_fds && state_of(server) == DOCA_CTX_STATE_RUNNING);
	}
	still_works(server);
	delete_end(server);
}

/* A peer that never stops does not keep the server from its other work. */
static void flood(void)
{
	struct end *server = start_server("garbage");
	int fd = greeted_by_hand(server);

	for (int i = 0; i < 20; i++) {
		for (int j = 0; j < 1000; j++)
			send_frame(fd, EMU_COMCH_CREDIT, NULL, 0);
		(void)doca_pe_progress(server->pe);
	}
	still_works(server);
	close(fd);
	UNTIL(server->connects == server->disconnects);
	delete_end(server);
}

/* A server by hand, in the place of a real one. */
static void bad_servers(void)
{
	struct end *server = start_server("garbage"), *client = new_client("garbage");
	struct sockaddr_un address = server_address();
	uint8_t large[5000] = {0};
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), num_fds;
	doca_notification_handle_t handle;

	delete_end(server);
	CHECK(mkdir(test_servers, 0700) == 0);
	CHECK(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(listener, 5) == 0);
	MUST(doca_pe_get_notification_handle(client->pe, &handle)); /* which the engine keeps */
	num_fds = count_fds();
	for (int i = 0; i < 9; i++) {
		struct emu_comch_hello hello = hello_to("garbage");
		bool runs = false;
		int fd, fds[2];

		setenv("DOCA_EMU_COMCH_CONNECT_TIMEOUT", i == 0 ? "50" : "600000", 1);
		EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
		fd = accept(listener, NULL, NULL);
		CHECK(next_frame(fd, fds) == EMU_COMCH_HELLO);
		switch (i) {
		case 0:
			break; /* silence, and the end */
		case 1:
			send_bytes(fd, "abc", 3, NULL, 0);
			break;
		case 2:
			send_frame(fd, EMU_COMCH_ACCEPT, &hello, sizeof(hello) - 1);
			break;
		case 3:
			memset(large, 0xff, sizeof(large));
			send_frame(fd, EMU_COMCH_REFUSE, large, 4000);
			break;
		case 4:
			send_frame(fd, EMU_COMCH_REFUSE, NULL, 0);
			break;
		case 5:
			send_frame(fd, EMU_COMCH_MSG, "early", 5);
			break;
		case 6: /* no room for any message: nothing is sent, and a stop ends all the same */
			hello.recv_queue_size = 0;
			send_frame(fd, EMU_COMCH_ACCEPT, &hello, sizeof(hello));
			runs = true;
			break;
		case 7:
			send_frame(fd, EMU_COMCH_ACCEPT, &hello, sizeof(hello));
			send_frame(fd, EMU_COMCH_ACCEPT, &hello, sizeof(hello));
			break;
		case 8:
			send_frame(fd, EMU_COMCH_ACCEPT, &hello, sizeof(hello));
			send_frame(fd, 77, large, 100);
			break;
		}
		if (runs) {
			UNTIL(state_of(client) == DOCA_CTX_STATE_RUNNING);
			say(client, "x");
			settle();
			CHECK(client->sent == 0);
			stop(client);
		} else if (i == 0) {
			settle();
			CHECK(state_of(client) == DOCA_CTX_STATE_STARTING);
			close(fd); /* it comes back, for as long as it may */
			while (state_of(client) != DOCA_CTX_STATE_IDLE) {
				fcntl(listener, F_SETFL, O_NONBLOCK);
				fd = accept(listener, NULL, NULL);
				if (fd >= 0)
					close(fd);
				progress_all();
			}
			fd = -1;
		}
		UNTIL(state_of(client) == DOCA_CTX_STATE_IDLE);
		if (fd >= 0)
			close(fd);
		/* It has looked whether the server is still there. */
		fcntl(listener, F_SETFL, O_NONBLOCK);
		while ((fd = accept(listener, NULL, NULL)) >= 0)
			close(fd);
		fcntl(listener, F_SETFL, 0);
		CHECK(count_fds() == num_fds);
	}
	close(listener);
	delete_end(client);
	delete_end(start_server("any")); /* finds nobody there */
	CHECK(!there_are_servers());
}

/* More clients than a server takes. */
static void too_many_clients(void)
{
	enum { MAX = 512 };
	struct rlimit limit;
	struct end *server;
	struct emu_comch_hello hello = hello_to("garbage");
	int fds[MAX], fd, received[2];
	uint32_t max;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = limit.rlim_max;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	if (limit.rlim_cur < 2 * MAX + 100) {
		printf("comch_garbage_test: this user may have %lu descriptors: too few to test the limit of clients\n",
		       (unsigned long)limit.rlim_cur);
		return;
	}
	server = start_server("garbage");
	MUST(doca_comch_cap_get_max_clients(doca_dev_as_devinfo(server->dev), &max));
	CHECK(max == MAX);
	for (int i = 0; i < MAX; i++) {
		fds[i] = connect_by_hand();
		send_frame(fds[i], EMU_COMCH_HELLO, &hello, sizeof(hello));
		progress_all();
	}
	UNTIL(server->connects == MAX);
	fd = connect_by_hand();
	send_frame(fd, EMU_COMCH_HELLO, &hello, sizeof(hello));
	CHECK(next_frame(fd, received) == EMU_COMCH_REFUSE);
	CHECK(server->refusals == 1 && server->connects == MAX);
	close(fd);
	close(fds[7]);
	UNTIL(server->disconnects == 1);
	server->log[0] = '\0';
	fds[7] = connect_by_hand(); /* there is room again */
	send_frame(fds[7], EMU_COMCH_HELLO, &hello, sizeof(hello));
	UNTIL(server->connects == MAX + 1);
	delete_end(server);
	for (int i = 0; i < MAX; i++)
		close(fds[i]);
}

TEST_MAIN(bad_beginnings, bad_frames, long_message, bad_announcements, announced_twice, bad_rings, bad_producer, noise, flood, bad_servers,
	  too_many_clients, left_nothing)
