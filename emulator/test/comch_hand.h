/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_COMCH_HAND_H_
#define EMULATOR_TEST_COMCH_HAND_H_

/* Peers made by hand, which send frames on a socket. The server's name is always "garbage". */

#include "core/emulator.h" /* first: it asks for all of the system's functions */

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "comch_fast.h"
#include "comch/emu_comch_frame.h"
#include "comch/emu_comch_wake.h"

/* Finds the path of the only server's socket. */
static inline struct sockaddr_un server_address(void)
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

static inline int connect_by_hand(void)
{
	struct sockaddr_un address = server_address();
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	return fd;
}

/* Ignores whether the other side has taken it. */
static inline void send_bytes(int fd, const void *bytes, size_t len, const int *fds, int num_fds)
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

static inline void send_frame_with(int fd, uint32_t type, const void *bytes, uint32_t len, const int *fds, int num_fds)
{
	uint8_t buf[sizeof(struct emu_comch_frame) + 10000] = {0};
	struct emu_comch_frame frame = {.type = type, .len = len};

	memcpy(buf, &frame, sizeof(frame));
	if (bytes != NULL)
		memcpy(buf + sizeof(frame), bytes, len);
	send_bytes(fd, buf, sizeof(frame) + len, fds, num_fds);
}

static inline void send_frame(int fd, uint32_t type, const void *bytes, uint32_t len)
{
	send_frame_with(fd, type, bytes, len, NULL, 0);
}

static inline struct emu_comch_hello hello_to(const char *name)
{
	struct emu_comch_hello hello = {
		.version = EMU_COMCH_VERSION, .max_msg_size = 4080, .recv_queue_size = 32, .max_consumers = 256};

	snprintf(hello.name, sizeof(hello.name), "%s", name);
	return hello;
}

/* What wakes a consumer made by hand. Nobody listens. */
static inline int make_bell(void)
{
	int end, bell;

	CHECK(emu_comch_doorbell_new(&end, &bell));
	close(end);
	return bell;
}

/* The type of the next frame, 0 at the end. */
static inline uint32_t next_frame(int fd, int fds[EMU_COMCH_MAX_FDS])
{
	static uint8_t bytes[5000];
	struct emu_comch_frame frame;
	ssize_t n;

	UNTIL((n = emu_comch_recv(fd, &frame, bytes, sizeof(bytes), fds)) != -EAGAIN);
	return n > 0 ? frame.type : 0;
}

/* Makes a connection that the server has accepted. */
static inline int greeted_by_hand(struct end *server)
{
	struct emu_comch_hello hello = hello_to("garbage");
	int fd = connect_by_hand(), connects = server->connects, fds[EMU_COMCH_MAX_FDS];

	send_frame(fd, EMU_COMCH_HELLO, &hello, sizeof(hello));
	CHECK(next_frame(fd, fds) == EMU_COMCH_ACCEPT);
	CHECK(server->connects == connects + 1);
	return fd;
}

/* The server still serves other clients. */
static inline void still_works(struct end *server)
{
	struct end *client = start_client("garbage");
	int messages = server->messages, disconnects = server->disconnects;

	connect_ends(server, client);
	say(client, "fine");
	UNTIL(server->messages == messages + 1);
	delete_end(client);
	UNTIL(server->disconnects == disconnects + 1);
}

static inline uint32_t next_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

#endif /* EMULATOR_TEST_COMCH_HAND_H_ */
