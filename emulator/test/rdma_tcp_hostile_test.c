/* SPDX-License-Identifier: Apache-2.0 */

/* Peers on the network that break the rules: each loses its connection in bounded time, and others are served. */

#include "core/emulator.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "rdma/emu_rdma_wire.h"

#include "rdma_cm.h"

bool __wrap_emu_host_is_this(const uint8_t id[16]);
bool __wrap_emu_host_is_this(const uint8_t id[16])
{
	(void)id;
	return false;
}

bool __wrap_emu_rdma_addr_is_ours(const uint8_t ip[16]);
bool __wrap_emu_rdma_addr_is_ours(const uint8_t ip[16])
{
	(void)ip;
	return false;
}

static struct sockaddr_in here(void)
{
	return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(CM_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int dial(void)
{
	struct sockaddr_in address = here();
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	return fd;
}

static bool is_closed(int fd)
{
	static char bytes[1 << 16];
	ssize_t n;

	do {
		struct pollfd input = {.fd = fd, .events = POLLIN};

		if (poll(&input, 1, LONG_MS) != 1)
			return false;
		n = recv(fd, bytes, sizeof(bytes), 0);
	} while (n > 0);
	return n == 0 || errno == ECONNRESET || errno == EPIPE;
}

static void send_frame(int fd, const struct emu_rdma_frame *frame, const void *payload)
{
	(void)send(fd, frame, sizeof(*frame), MSG_NOSIGNAL); /* it may be closed already */
	if (frame->len > 0)
		(void)send(fd, payload, frame->len, MSG_NOSIGNAL);
}

static void send_hello(int fd)
{
	struct emu_rdma_hello hello = {.version = EMU_RDMA_VERSION, .is_by_address = 1, .port = CM_PORT, .key = {1, 2}, .permissions = END_ALL};
	struct emu_rdma_frame frame = {.type = EMU_RDMA_HELLO, .len = sizeof(hello)};

	memcpy(hello.magic, "DOCAEMUH", 8);
	send_frame(fd, &frame, &hello);
}

/* A connection that the server has accepted. */
static int establish(struct end *server)
{
	struct emu_rdma_frame frame = {.type = EMU_RDMA_CONFIRM};
	int requests = server->num_requests, established = server->num_established, fd = dial();

	send_hello(fd);
	DRIVE(server, server, server->num_requests == requests + 1); /* and accepts it */
	send_frame(fd, &frame, NULL);
	DRIVE(server, server, server->num_established == established + 1);
	return fd;
}

/* The server still serves clients that keep to the rules. */
static void serves(struct end *server)
{
	struct end *client = cm_start(HOST_0);

	cm_connect(client, server);
	cm_send(client, server, 1000);
	cm_send(server, client, 1000);
	EXPECT(SUCCESS, doca_rdma_connection_disconnect(client->conn));
	DRIVE(client, server, client->num_disconnected == 1);
	end_destroy(client);
}

static void garbage(void)
{
	static const char *texts[] = {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "", "DOCARDMA", "\x01"};
	struct end *server = cm_listen();
	struct emu_rdma_frame frame;
	uint8_t noise[5000];
	unsigned seed = 1;

	for (int round = 0; round < 40; round++) {
		int fd = dial();

		for (size_t i = 0; i < sizeof(noise); i++)
			noise[i] = (uint8_t)(rand_r(&seed) >> 8);
		switch (round % 4) {
		case 0: /* noise, which begins like a frame every other time */
			noise[0] = EMU_RDMA_HELLO;
			if (round % 8 == 0)
				memset(noise + 1, 0, 7);
			(void)send(fd, noise, 200 + (size_t)rand_r(&seed) % 4000, MSG_NOSIGNAL);
			break;
		case 1:
			(void)send(fd, texts[round / 4 % 4], strlen(texts[round / 4 % 4]), MSG_NOSIGNAL);
			break;
		case 2: /* a part of HELLO */
			frame = (struct emu_rdma_frame){.type = EMU_RDMA_HELLO, .len = sizeof(struct emu_rdma_hello)};
			(void)send(fd, &frame, (size_t)rand_r(&seed) % sizeof(frame), MSG_NOSIGNAL);
			break;
		default: /* one that is too long */
			frame = (struct emu_rdma_frame){.type = EMU_RDMA_HELLO, .len = round % 8 == 3 ? UINT32_MAX : EMU_RDMA_MAX_PAYLOAD + 1};
			send_frame(fd, &frame, NULL);
			break;
		}
		shutdown(fd, SHUT_WR);
		CHECK(is_closed(fd));
		close(fd);
	}
	CHECK(server->num_requests == 0);
	serves(server);
	end_destroy(server);
}

/* A client that never confirms is given up. */
static void never_confirms(void)
{
	struct end *server = cm_create(DPU_0);
	int fd;

	EXPECT(SUCCESS, doca_rdma_set_connection_request_timeout(server->rdma, 200));
	MUST(doca_ctx_start(server->ctx));
	EXPECT(SUCCESS, doca_rdma_start_listen_to_port(server->rdma, CM_PORT));
	fd = dial();
	send_hello(fd);
	DRIVE(server, server, server->num_requests == 1 && server->num_failures == 1);
	CHECK(is_closed(fd));
	close(fd);
	serves(server);
	end_destroy(server);
}

/* A server that says that both have connected at once: by address there is no such thing. */
static void crosses(void)
{
	struct emu_rdma_frame frame = {.type = EMU_RDMA_REFUSE, .status = EMU_RDMA_CROSSING};
	int one = 1, fd, listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in address = here();
	struct end *client = cm_start(HOST_0);

	CHECK(setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0);
	CHECK(bind(listening, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(listening, 1) == 0);
	cm_dial(client, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", 5);
	fd = accept(listening, NULL, NULL);
	CHECK(fd >= 0);
	send_frame(fd, &frame, NULL);
	DRIVE(client, client, client->num_failures == 1);
	close(fd);
	close(listening);
	end_destroy(client);
}

/* Frames of different requests under one number: no receive gets lost. */
static void mixes(void)
{
	static const uint8_t types[] = {EMU_RDMA_WRITE_IMM, EMU_RDMA_IMM, EMU_RDMA_WRITE, EMU_RDMA_READ, EMU_RDMA_FETCH_ADD, EMU_RDMA_EVENT_GET};
	uint8_t payload[10] = {0};

	for (size_t i = 0; i < sizeof(types); i++) {
		for (int receives = 1; receives <= 2; receives++) {
			struct emu_rdma_frame begin = {.type = EMU_RDMA_SEND, .seq = 1, .total = 20, .len = 10};
			struct emu_rdma_frame other = {.type = types[i], .seq = 1, .flags = EMU_RDMA_LAST};
			struct end *server = cm_listen();
			struct doca_buf *bufs[2];
			int fd = establish(server);

			for (int k = 0; k < receives; k++) {
				bufs[k] = local_dst(server, 64 * (size_t)k, 64);
				post_receive(server, bufs[k]);
			}
			send_frame(fd, &begin, payload);
			send_frame(fd, &other, NULL);
			CHECK(is_closed(fd));
			close(fd);
			DRIVE(server, server, server->num_disconnected == 1);
			EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(server->ctx));
			DRIVE(server, server, is_idle(server));
			CHECK(server->receives == 0 && server->receive_errors == receives);
			for (int k = 0; k < receives; k++)
				put_buf(bufs[k]);
			end_destroy(server);
		}
	}
}

/* Requests without end, whose answers nobody reads. */
static void never_reads(void)
{
	struct emu_rdma_frame frames[512];
	struct end *server = cm_listen();
	int fd = establish(server);
	uint64_t seq = 0;
	ssize_t n;

	do {
		for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
			frames[i] = (struct emu_rdma_frame){.type = EMU_RDMA_READ, .seq = ++seq, .flags = EMU_RDMA_LAST};
		for (size_t done = 0; done < sizeof(frames); done += (size_t)n) {
			n = send(fd, (char *)frames + done, sizeof(frames) - done, MSG_NOSIGNAL);
			if (n <= 0)
				break;
		}
	} while (n > 0 && seq < 3000000);
	CHECK(seq < 3000000);
	close(fd);
	DRIVE(server, server, server->num_disconnected == 1);
	serves(server);
	end_destroy(server);
}

static void nothing_is_left(void)
{
	left_nothing();
}

TEST_MAIN(garbage, never_confirms, crosses, mixes, never_reads, nothing_is_left)
