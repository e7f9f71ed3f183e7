/* SPDX-License-Identifier: Apache-2.0 */

/* Peers of other versions of the emulator: they find out why they do not fit, and newer ones of the same version may
 * say more. */

#include "comch_hand.h"

#include "catch_log.h"
#include "comch/emu_comch_ring.h"

/* Receives a frame and its bytes, with a NUL. */
static struct emu_comch_frame read_frame(int fd, char *bytes, size_t size)
{
	struct emu_comch_frame frame = {.type = 0};
	int fds[EMU_COMCH_MAX_FDS];
	ssize_t n;

	memset(bytes, 0, size);
	UNTIL((n = emu_comch_recv(fd, &frame, bytes, size - 1, fds)) != -EAGAIN);
	CHECK(n > 0);
	return frame;
}

/* A client of another version, whose hello may be of any length. */
static void other_clients(void)
{
	struct end *server = start_server("garbage");
	uint8_t bytes[400] = {0};
	char text[500], both[2][40];

	catch_log();
	snprintf(both[1], sizeof(both[1]), "the server's has version %d", EMU_COMCH_VERSION);
	for (uint32_t version = 0; version < 6; version++) {
		if (version == EMU_COMCH_VERSION)
			continue;
		snprintf(both[0], sizeof(both[0]), "has version %u", version);
		memcpy(bytes, &version, sizeof(version));
		for (uint32_t len = 4; len < sizeof(bytes); len += 44) {
			int fd = connect_by_hand();

			send_frame(fd, EMU_COMCH_HELLO, bytes, len);
			CHECK(read_frame(fd, text, sizeof(text)).type == EMU_COMCH_REFUSE);
			CHECK(strstr(text, both[0]) != NULL && strstr(text, both[1]) != NULL);
			CHECK(strstr(caught, text) != NULL);
			close(fd);
		}
	}
	settle();
	CHECK(server->connects == 0 && server->refusals > 0);
	still_works(server);
	delete_end(server);
}

/* A server of another version that accepts all the same. */
static void other_server(void)
{
	struct end *client = new_client("garbage"), *server = start_server("garbage");
	struct sockaddr_un address = server_address();
	struct emu_comch_hello hello = hello_to("garbage");
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), fd;
	char text[500], both[100];

	delete_end(server);
	CHECK(mkdir(test_servers, 0700) == 0);
	CHECK(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(listener, 5) == 0);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(client->ctx));
	fd = accept(listener, NULL, NULL);
	CHECK(read_frame(fd, text, sizeof(text)).type == EMU_COMCH_HELLO);
	hello.version++;
	send_frame(fd, EMU_COMCH_ACCEPT, &hello, sizeof(hello));
	UNTIL(state_of(client) == DOCA_CTX_STATE_IDLE);
	EXPECT(ERROR_UNSUPPORTED_VERSION, doca_comch_client_get_connection(client->client, &client->conn));
	snprintf(both, sizeof(both), "has version %d of the emulator's protocol, this client has version %d",
		 EMU_COMCH_VERSION + 1, EMU_COMCH_VERSION);
	CHECK(strstr(caught, both) != NULL);
	close(fd);
	close(listener);
	delete_end(client);
	CHECK(unlink(address.sun_path) == 0 || errno == ENOENT);
	CHECK(rmdir(test_servers) == 0);
}

/* A peer of the same version that knows more. */
static void newer_client(void)
{
	struct end *server = start_server("garbage");
	struct endpoint *producer;
	struct {
		struct emu_comch_hello hello;
		uint32_t more[20];
	} hello = {.hello = hello_to("garbage"), .more = {1, 2, 3}};
	struct {
		struct emu_comch_announce announce;
		uint32_t more[20];
	} announce = {.announce = {.id = 3, .imm_data_len = 8, .flags = UINT32_MAX & ~(uint32_t)EMU_COMCH_DIRECT}};
	uint32_t expired[2] = {3, 99};
	int fd = connect_by_hand(), memory, bell = make_bell();
	struct emu_comch_ring *ring = emu_comch_ring_new(1, &memory);
	char text[500];

	send_frame(fd, EMU_COMCH_HELLO, &hello, sizeof(hello));
	CHECK(read_frame(fd, text, sizeof(text)).type == EMU_COMCH_ACCEPT);
	send_frame(fd, EMU_COMCH_OPTIONAL | 1, "something new", 13);
	send_frame_with(fd, EMU_COMCH_CONSUMER_NEW, &announce, sizeof(announce), (int[4]){memory, bell, bell, bell}, 4);
	send_frame(fd, EMU_COMCH_MSG, "old", 3);
	UNTIL(server->messages == 1);
	CHECK(server->num_consumers == 1);

	producer = start_producer(server);
	ring->posted = 1;
	EXPECT(SUCCESS, produce(producer, NULL, "imm", 3, 3));
	CHECK(ring->entries[0].filled == emu_comch_filled(0));
	delete_endpoint(producer);

	send_frame(fd, EMU_COMCH_CONSUMER_EXPIRED, expired, sizeof(expired));
	UNTIL(server->num_consumers == 0);
	CHECK(server->disconnects == 0);
	emu_comch_ring_unmap(ring, 1);
	close(memory);
	close(bell);
	close(fd);
	UNTIL(server->disconnects == 1);
	delete_end(server);
}

TEST_MAIN(other_clients, other_server, newer_client, left_nothing)
