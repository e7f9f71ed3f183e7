/* SPDX-License-Identifier: Apache-2.0 */

/* Peers that violate the protocol: a server or client loses at most that connection. */

#include "comch_hand.h"

#include <fcntl.h>
#include <sys/resource.h>

static void bad_beginnings(void)
{
	struct end *server = start_server("garbage");
	struct emu_comch_hello good = hello_to("garbage");
	uint8_t large[9000] = {0};
	int num_fds = count_fds();

	for (int i = 0; i < 14; i++) {
		struct emu_comch_hello hello = good;
		int fd = connect_by_hand(), fds[EMU_COMCH_MAX_FDS];

		switch (i) {
		case 0:
			break; /* says nothing at all */
		case 1:
			send_bytes(fd, "abc", 3, NULL, 0);
			break;
		case 2:
			send_bytes(fd, large, sizeof(large), NULL, 0);
			break;
		case 3: /* a wrong length */
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
		case 13: /* and does not read the answer */
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

/* An accepted peer sends garbage. */
static void bad_frames(void)
{
	struct end *server = start_server("garbage");
	uint8_t large[5000] = {0};
	int num_fds = count_fds();

	for (int i = 0; i < 13; i++) {
		int fd = greeted_by_hand(server), fds[EMU_COMCH_MAX_FDS];
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
		case 12: /* descriptors that the protocol does not have here */
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

/* A message longer than agreed, although the buffer has room for it. */
static void long_message(void)
{
	struct end *server = new_server("garbage");
	struct emu_comch_hello hello = hello_to("garbage");
	int fd, fds[EMU_COMCH_MAX_FDS];

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

/* Random bytes. */
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

/* A peer that never stops sending does not keep the server from other work. */
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

/* A server made by hand instead of a real one. */
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
	MUST(doca_pe_get_notification_handle(client->pe, &handle)); /* which belongs to the engine */
	num_fds = count_fds();
	for (int i = 0; i < 11; i++) {
		struct emu_comch_hello hello = hello_to("garbage");
		bool runs = false;
		int fd, fds[EMU_COMCH_MAX_FDS];

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
		case 6: /* no room for any message: nothing is sent, and a stop completes anyway */
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
		case 9: /* a code that no server has a reason for */
			send_frame(fd, EMU_COMCH_REFUSE, "no\0\x04\0\0\0", 7);
			break;
		case 10:
			send_frame(fd, EMU_COMCH_REFUSE, "no\0\x18", 4);
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
			close(fd); /* it tries again, as long as it may */
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
		if (i != 0)
			EXPECT(ERROR_BAD_STATE, doca_comch_client_get_connection(client->client, &client->conn));
		if (fd >= 0)
			close(fd);
		/* It has checked whether the server still exists. */
		fcntl(listener, F_SETFL, O_NONBLOCK);
		while ((fd = accept(listener, NULL, NULL)) >= 0)
			close(fd);
		fcntl(listener, F_SETFL, 0);
		CHECK(count_fds() == num_fds);
	}
	close(listener);
	delete_end(client);
	delete_end(start_server("any")); /* finds no server */
	CHECK(rmdir(test_servers) == 0);
}

/* More clients than a server accepts. */
static void too_many_clients(void)
{
	enum { MAX = 512 };
	struct rlimit limit;
	struct end *server, *client;
	struct emu_comch_hello hello = hello_to("garbage");
	int fds[MAX], fd, received[EMU_COMCH_MAX_FDS];
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
	client = start_client("garbage");
	UNTIL(state_of(client) == DOCA_CTX_STATE_IDLE);
	EXPECT(ERROR_FULL, doca_comch_client_get_connection(client->client, &client->conn));
	delete_end(client);
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

TEST_MAIN(bad_beginnings, bad_frames, long_message, noise, flood, bad_servers,
	  too_many_clients, left_nothing)
