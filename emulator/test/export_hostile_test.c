/* SPDX-License-Identifier: Apache-2.0 */

/* Processes that violate the protocol between exporter and importer: an exporter made by hand, and importers that
 * never say what they want. */

#include "core/emulator.h" /* first: it asks for all of the system's functions */

#include <errno.h>
#include <fcntl.h>
#include <sys/un.h>

#include "core/emu_export_wire.h"
#include "core/emu_peer.h"
#include "export_host.h"

/* The exporter. Its process has the id 0, which names its socket. */

static struct emu_export_desc desc_by_hand(void)
{
	struct emu_export_desc desc = {.version = EMU_EXPORT_VERSION, .kind = EMU_EXPORT_PCI};

	memcpy(desc.magic, "DOCAEMUM", 8);
	return desc;
}

static int listen_by_hand(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	CHECK(mkdir(test_servers, 0700) == 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%032d", test_servers, 0);
	CHECK(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 5) == 0);
	return fd;
}

static void remove_socket(void)
{
	char path[sizeof(test_servers) + 40];

	snprintf(path, sizeof(path), "%s/%032d", test_servers, 0);
	(void)unlink(path); /* an import that has lost its exporter removes it, too */
	CHECK(rmdir(test_servers) == 0);
}

static void answer_with(int fd, const void *bytes, size_t len, const int *fds, size_t num_fds)
{
	struct iovec iov = {(void *)(uintptr_t)bytes, len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(8 * sizeof(int))];
	} control = {.bytes = {0}};

	if (num_fds > 0) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(num_fds * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(num_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, num_fds * sizeof(int));
	}
	(void)sendmsg(fd, &msg, MSG_NOSIGNAL);
}

enum { NUM_ANSWERS = 16 };

static int listener;

static void answer_by_hand(void)
{
	for (int i = 0; i < NUM_ANSWERS; i++) {
		struct emu_export_answer answer = {.result = DOCA_SUCCESS, .addr = 4096, .len = 4096,
						   .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};
		uint8_t large[200] = {0};
		size_t len = sizeof(answer), num_fds = 1;
		int memory, null = open("/dev/null", O_RDWR | O_CLOEXEC), fds[8], fd;
		void *page = emu_shared_new("by hand", EMU_EXPORT_SHARED_SIZE, EMU_EXPORT_SHARED_SIZE, &memory);
		struct emu_export_hello hello;

		CHECK(page != NULL);
		/* An importer that has lost its exporter connects again, to see whether it is still there. */
		while ((fd = accept(listener, NULL, NULL)) >= 0 && recv(fd, &hello, sizeof(hello), 0) <= 0)
			close(fd);
		for (int j = 0; j < 8; j++)
			fds[j] = memory;
		switch (i) {
		case 0: num_fds = 2; break;
		case 1: num_fds = 8; break;
		case 2: answer.result = DOCA_ERROR_INVALID_VALUE; break; /* and a descriptor */
		case 3: answer.result = DOCA_ERROR_NOT_PERMITTED, num_fds = 2; break;
		case 4: answer.result = 0xffffffff, num_fds = 2; break;
		case 5: len = 0, num_fds = 2; break; /* an empty message with descriptors */
		case 6: len = 1, num_fds = 2; break;
		case 7: len--, num_fds = 2; break;
		case 8: len = sizeof(large), answer.result = DOCA_ERROR_INVALID_VALUE; break;
		case 9: num_fds = 0; break;
		case 10: fds[0] = null; break;
		case 11: answer.len = 0; break;
		case 12: answer.addr = UINT64_MAX, num_fds = 2; break;
		case 13: answer.len = UINT64_MAX; break;
		case 14: answer.addr = 0; break;
		case 15: break; /* hangs up */
		}
		memcpy(large, &answer, sizeof(answer));
		if (i != 15)
			answer_with(fd, large, len, fds, num_fds);
		close(fd);
		close(memory);
		close(null);
		munmap(page, EMU_EXPORT_SHARED_SIZE);
	}
}

/* Whatever an exporter answers, an import keeps no descriptor but its own. */
static void bad_answers(void)
{
	struct emu_export_desc desc = desc_by_hand();
	struct doca_dev *dev = open_dev(DPU_0);
	pid_t pid;

	listener = listen_by_hand();
	pid = start_child(answer_by_hand);
	for (int i = 0; i < NUM_ANSWERS; i++) {
		struct doca_mmap *import = NULL;
		int num_fds = count_fds();
		doca_error_t result = doca_mmap_create_from_export(NULL, &desc, sizeof(desc), dev, &import);

		CHECK((result == DOCA_SUCCESS) == (i < 2));
		CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_INVALID_VALUE || result == DOCA_ERROR_DRIVER ||
		      result == DOCA_ERROR_NOT_PERMITTED);
		if (import != NULL)
			MUST(doca_mmap_destroy(import));
		if (count_fds() != num_fds)
			fprintf(stderr, "answer %d leaves %d descriptors\n", i, count_fds() - num_fds);
		CHECK(count_fds() == num_fds);
	}
	expect_end(pid, 0);
	close(listener);
	MUST(doca_dev_close(dev));
	remove_socket();
}

TEST_MAIN(bad_answers, left_nothing)
