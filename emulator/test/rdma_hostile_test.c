/* SPDX-License-Identifier: Apache-2.0 */

/* RDMA peers that break the rules: they are refused or lose their connection, and nobody else does. */

#include "core/emulator.h"

#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "core/emu_rundir.h"
#include "rdma/emu_rdma_wire.h"

#include "rdma_cm.h"

/* Hands a stream to the process of the details, as a peer does, and returns the other end. text: what comes with it. */
static int knock(const struct details *details, const char *text, size_t len, bool brings_stream)
{
	struct emu_rdma_details known;
	char name[EMU_RUNDIR_NAME_SIZE];
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = {0}};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)text, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	int fd, pair[2];

	memcpy(&known, details->bytes, sizeof(known));
	emu_rundir_name(known.process, name);
	fd = emu_rundir_connect(name);
	CHECK(fd >= 0);
	if (text == NULL)
		return fd; /* says nothing */
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	if (brings_stream) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &pair[1], sizeof(int));
	}
	CHECK(sendmsg(fd, &msg, MSG_NOSIGNAL) >= 0);
	close(fd);
	close(pair[1]);
	return pair[0];
}

static int knock_well(const struct details *details)
{
	return knock(details, EMU_RDMA_DOOR, sizeof(EMU_RDMA_DOOR), true);
}

/* True if the other side closes the stream. What it says before is read. */
static bool is_closed(int fd)
{
	char bytes[4096];
	ssize_t n;

	do {
		struct pollfd input = {.fd = fd, .events = POLLIN};

		if (poll(&input, 1, LONG_MS) != 1)
			return false;
		n = recv(fd, bytes, sizeof(bytes), 0);
	} while (n > 0);
	return n == 0 || errno == ECONNRESET || errno == EPIPE;
}

/* Another visitor comes and is turned away: what came before it was looked at before. */
static void turned_away(const struct details *details)
{
	static const char noise[64];
	int fd = knock_well(details);

	CHECK(send(fd, noise, sizeof(noise), MSG_NOSIGNAL) == (ssize_t)sizeof(noise));
	CHECK(is_closed(fd));
	close(fd);
}

static struct emu_rdma_hello hello_for(const struct details *details)
{
	struct emu_rdma_hello hello = {.version = EMU_RDMA_VERSION, .key = {1, 2, 3}, .permissions = END_ALL};
	struct emu_rdma_details known;

	memcpy(&known, details->bytes, sizeof(known));
	memcpy(hello.magic, "DOCAEMUH", 8);
	memcpy(hello.target, known.key, sizeof(known.key));
	return hello;
}

static void send_frame(int fd, const struct emu_rdma_frame *frame, const void *payload)
{
	CHECK(send(fd, frame, sizeof(*frame), MSG_NOSIGNAL) == (ssize_t)sizeof(*frame));
	if (payload != NULL && frame->len > 0)
		(void)send(fd, payload, frame->len, MSG_NOSIGNAL); /* it may be closed already */
}

static void send_hello(int fd, const struct emu_rdma_hello *hello)
{
	struct emu_rdma_frame frame = {.type = EMU_RDMA_HELLO, .len = sizeof(*hello)};

	send_frame(fd, &frame, hello);
}

static void doors(void)
{
	struct end *a = end_start(), *b = end_start();
	struct details of_b = end_export(b), of_a = end_export(a);
	struct emu_rdma_hello hello;
	struct emu_rdma_frame frame;
	uint8_t noise[1000];
	int fd;

	/* A wrong word at the door, a message without a stream, and noise on the stream. */
	fd = knock(&of_b, "hello", 5, true);
	CHECK(is_closed(fd));
	close(fd);
	fd = knock(&of_b, EMU_RDMA_DOOR, sizeof(EMU_RDMA_DOOR), false);
	CHECK(is_closed(fd));
	close(fd);
	memset(noise, 0xff, sizeof(noise));
	fd = knock_well(&of_b);
	CHECK(send(fd, noise, sizeof(noise), MSG_NOSIGNAL) == (ssize_t)sizeof(noise));
	CHECK(is_closed(fd));
	close(fd);

	/* No HELLO, one of another version, one without the secret, one that claims too much. */
	for (int i = 0; i < 5; i++) {
		hello = hello_for(&of_b);
		fd = knock_well(&of_b);
		switch (i) {
		case 0:
			frame = (struct emu_rdma_frame){.type = EMU_RDMA_SEND, .flags = EMU_RDMA_LAST, .seq = 1};
			send_frame(fd, &frame, NULL);
			break;
		case 1:
			hello.version = 9;
			break;
		case 2:
			hello.target[3] ^= 1;
			break;
		case 3:
			hello.private_len = 1000;
			break;
		default:
			hello.is_by_address = 1;
		}
		if (i > 0)
			send_hello(fd, &hello);
		CHECK(is_closed(fd));
		close(fd);
	}

	/* Ends in the middle of things. */
	fd = knock_well(&of_b);
	send_hello(fd, &hello);
	close(fd);
	fd = knock_well(&of_b);
	CHECK(send(fd, noise, 10, MSG_NOSIGNAL) == 10);
	close(fd);

	end_connect(a, &of_b);
	end_connect(b, &of_a);
	post_receive(b, NULL);
	submit_send(a, NULL);
	DRIVE(a, b, a->completions == 1 && b->receives == 1);
	end_destroy(a);
	end_destroy(b);
}

/* Those that say nothing do not keep others out, and go in the end. */
static void silence(void)
{
	struct end *a = end_start(), *b = end_start();
	struct details of_b = end_export(b), of_a;
	int fds[200], num = 0;

	for (; num < 100; num++)
		fds[num] = knock(&of_b, NULL, 0, false);
	for (; num < 200; num++)
		fds[num] = knock_well(&of_b);
	of_a = end_export(a);
	end_connect(a, &of_b);
	end_connect(b, &of_a);
	post_receive(b, NULL);
	submit_send(a, NULL);
	DRIVE(a, b, a->completions == 1 && b->receives == 1);
	CHECK(is_closed(fds[0])); /* the oldest have gone at once */
	CHECK(is_closed(fds[100]));
	CHECK(is_closed(fds[99])); /* the others have 5 seconds */
	CHECK(is_closed(fds[199]));
	for (int i = 0; i < num; i++)
		close(fds[i]);
	end_destroy(a);
	end_destroy(b);
}

/* Frames that no emulator sends, on an established connection. */
static void frames(void)
{
	static uint8_t payload[EMU_RDMA_MAX_PAYLOAD];
	static const struct emu_rdma_frame bad[] = {
		{.type = EMU_RDMA_SEND, .seq = 2, .flags = EMU_RDMA_LAST},
		{.type = EMU_RDMA_SEND, .seq = 1, .offset = 5, .total = 10, .flags = EMU_RDMA_LAST},
		{.type = EMU_RDMA_SEND, .seq = 1, .total = 10, .len = 20, .flags = EMU_RDMA_LAST},
		{.type = EMU_RDMA_SEND, .seq = 1, .total = UINT64_MAX, .len = 8},
		{.type = EMU_RDMA_WRITE, .seq = 1, .total = 8, .len = 8, .offset = UINT64_MAX, .flags = EMU_RDMA_LAST},
		{.type = EMU_RDMA_WRITE, .seq = 1, .total = 8, .len = 8, .addr = 4096, .flags = EMU_RDMA_LAST},
		{.type = EMU_RDMA_READ, .seq = 1, .total = 1u << 30, .addr = 4096, .flags = EMU_RDMA_LAST},
		{.type = EMU_RDMA_FETCH_ADD, .seq = 1, .total = 8, .addr = 4096, .flags = EMU_RDMA_LAST},
		{.type = EMU_RDMA_EVENT_ADD, .seq = 1, .total = 8, .flags = EMU_RDMA_LAST},
		{.type = EMU_RDMA_ACK, .seq = 1},
		{.type = EMU_RDMA_DATA, .seq = 1, .total = 8, .len = 8},
		{.type = EMU_RDMA_RNR, .seq = 1},
		{.type = EMU_RDMA_HELLO},
		{.type = EMU_RDMA_ACCEPT},
		{.type = EMU_RDMA_REFUSE},
		{.type = 200},
		{.type = EMU_RDMA_SEND, .len = UINT32_MAX},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct end *b = end_start();
		struct details of_b = end_export(b), fake = of_b;
		struct emu_rdma_hello hello = hello_for(&of_b);
		struct emu_rdma_details known;
		struct doca_buf *dst = local_dst(b, 0, 64);
		uint32_t sum = 2166136261u;
		int fd = knock_well(&of_b);

		send_hello(fd, &hello);
		memcpy(&known, fake.bytes, sizeof(known));
		memcpy(known.key, hello.key, sizeof(known.key));
		for (size_t j = 0; j < offsetof(struct emu_rdma_details, checksum); j++)
			sum = (sum ^ ((const uint8_t *)&known)[j]) * 16777619u;
		known.checksum = sum;
		memcpy(fake.bytes, &known, sizeof(known));
		turned_away(&of_b); /* and HELLO has arrived before, else the connection would be made to nobody */
		EXPECT(SUCCESS, doca_rdma_connect(b->rdma, fake.bytes, fake.len, b->conn));
		post_receive(b, dst);
		send_frame(fd, &bad[i], bad[i].len > sizeof(payload) ? NULL : payload);
		CHECK(is_closed(fd));
		DRIVE(b, b, is_idle(b)); /* its only connection is lost */
		CHECK(b->receives == 0 && data_len(dst) == 0);
		close(fd);
		put_buf(dst);
		end_destroy(b);
	}
}

/* Without descriptors calls fail, and all goes on when there are some again. */
static void no_descriptors(void)
{
	struct end *server = cm_listen(), *client = cm_start(HOST_0), *a = end_start(), *b = end_start();
	struct details of_a = end_export(a), of_b = end_export(b);
	struct rlimit before, limit;

	CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
	limit = before;
	limit.rlim_cur = 3;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	EXPECT(ERROR_CONNECTION_ABORTED, doca_rdma_connect(a->rdma, of_b.bytes, of_b.len, a->conn));
	cm_dial(client, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 0);
	DRIVE(client, client, client->num_failures == 1);
	CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
	cm_connect(client, server);
	cm_send(client, server, 10);
	end_connect(a, &of_b);
	end_connect(b, &of_a);
	post_receive(b, NULL);
	submit_send(a, NULL);
	DRIVE(a, b, a->completions == 1 && b->receives == 1);
	end_destroy(a);
	end_destroy(b);
	end_destroy(client);
	end_destroy(server);
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(doors, silence, frames, no_descriptors, nothing_is_left)
