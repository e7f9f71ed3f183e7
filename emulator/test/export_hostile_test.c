/* SPDX-License-Identifier: Apache-2.0 */

/* Processes that violate the protocol between exporter and importer: an exporter made by hand, and importers that
 * never say what they want. */

#include "core/emulator.h" /* first: it asks for all of the system's functions */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/un.h>

#include "core/emu_export_wire.h"
#include "core/emu_peer.h"
#include "catch_log.h"
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

/* Files of the memory. Only what cannot end the importing process is mapped; else the bytes come from the memory. */

#define IN_FILE 'f'
#define IN_MEMORY 'm'

static const struct bad_file {
	const char *path; /* NULL: a memfd */
	unsigned flags;
	int seals;
	off_t size;
	uint64_t offset;
	char found;
} files[] = {
	{.seals = F_SEAL_SHRINK, .size = HOST_SIZE, .found = IN_FILE},
	{.seals = F_SEAL_SHRINK, .size = HOST_SIZE + 1, .offset = 1, .found = IN_FILE},
	{.seals = F_SEAL_SHRINK, .size = HOST_SIZE - 1, .found = IN_MEMORY},
	{.seals = F_SEAL_SHRINK, .size = HOST_SIZE, .offset = 1, .found = IN_MEMORY},
	{.seals = F_SEAL_SHRINK, .size = HOST_SIZE, .offset = UINT64_MAX, .found = IN_MEMORY},
	{.seals = F_SEAL_SHRINK, .size = HOST_SIZE, .offset = UINT64_MAX - HOST_SIZE + 1, .found = IN_MEMORY},
	{.seals = F_SEAL_SHRINK | F_SEAL_WRITE, .size = HOST_SIZE, .found = IN_MEMORY},
	{.seals = F_SEAL_GROW, .size = HOST_SIZE, .found = IN_MEMORY}, /* cut off below */
	{.seals = F_SEAL_SHRINK, .size = 2 << 20, .flags = MFD_HUGETLB, .found = IN_MEMORY},
	{.path = "/dev/null", .found = IN_MEMORY},
	{.path = "/dev/zero", .found = IN_MEMORY},
	{.path = "/", .found = IN_MEMORY},
	{.path = "/proc/self/exe", .found = IN_MEMORY},
};

#define NUM_FILES (sizeof(files) / sizeof(files[0]))

static int open_file(const struct bad_file *file)
{
	uint8_t *bytes;
	int fd;

	if (file->path != NULL)
		return open(file->path, O_RDONLY | O_CLOEXEC);
	fd = memfd_create("by hand", MFD_CLOEXEC | MFD_ALLOW_SEALING | file->flags);
	if (fd < 0 || (file->flags & MFD_HUGETLB))
		return fd >= 0 && ftruncate(fd, file->size) == 0 ? fd : open("/dev/null", O_RDWR | O_CLOEXEC);
	CHECK(ftruncate(fd, file->size) == 0);
	bytes = mmap(NULL, (size_t)file->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memset(bytes, IN_FILE, (size_t)file->size);
	munmap(bytes, (size_t)file->size);
	CHECK(fcntl(fd, F_ADD_SEALS, file->seals) == 0);
	return fd;
}

static uint8_t *memory; /* in this process, too, which is the one that listens */

static void give_files(void)
{
	for (size_t i = 0; i < NUM_FILES; i++) {
		struct emu_export_answer answer = {.result = DOCA_SUCCESS, .addr = (uintptr_t)memory, .len = HOST_SIZE,
						   .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE,
						   .offset = files[i].offset};
		int fds[2] = {-1, open_file(&files[i])}, fd;
		void *page = emu_shared_new("by hand", EMU_EXPORT_SHARED_SIZE, EMU_EXPORT_SHARED_SIZE, &fds[0]);
		struct emu_export_hello hello;

		fd = accept(listener, NULL, NULL);
		CHECK(recv(fd, &hello, sizeof(hello), 0) == (ssize_t)sizeof(hello));
		answer_with(fd, &answer, sizeof(answer), fds, 2);
		if (files[i].path == NULL && ftruncate(fds[1], 0) != 0)
			CHECK(errno == EPERM); /* sealed */
		CHECK(recv(fd, &hello, sizeof(hello), 0) == 0); /* until it is no longer imported */
		close(fd);
		close(fds[0]);
		close(fds[1]);
		munmap(page, EMU_EXPORT_SHARED_SIZE);
	}
}

static void bad_files(void)
{
	struct emu_export_desc desc = desc_by_hand();
	struct dpu dpu = make_dpu();
	pid_t pid;

	memory = malloc(HOST_SIZE);
	memset(memory, IN_MEMORY, HOST_SIZE);
	listener = listen_by_hand();
	pid = start_child(give_files);
	for (size_t i = 0; i < NUM_FILES; i++) {
		struct doca_mmap *import;
		int num_fds = count_fds();
		size_t len;
		void *addr;

		MUST(doca_mmap_create_from_export(NULL, &desc, sizeof(desc), dpu.f->dev, &import));
		CHECK(count_fds() == num_fds + 1);
		MUST(doca_mmap_get_memrange(import, &addr, &len));
		memset(dpu.memory, 0, HOST_SIZE);
		EXPECT(SUCCESS, dma_copy(dpu.f, import, addr, dpu.map, dpu.memory, HOST_SIZE));
		if (dpu.memory[0] != files[i].found || dpu.memory[HOST_SIZE - 1] != files[i].found)
			fprintf(stderr, "file %zu\n", i);
		CHECK(dpu.memory[0] == files[i].found && dpu.memory[HOST_SIZE - 1] == files[i].found);
		EXPECT(SUCCESS, dma_copy(dpu.f, dpu.map, dpu.memory, import, addr, HOST_SIZE));
		MUST(doca_mmap_destroy(import));
		CHECK(count_fds() == num_fds);
	}
	expect_end(pid, 0);
	close(listener);
	free(memory);
	delete_dpu(&dpu);
	remove_socket();
}

/* Importers that never say what they want. */

static struct host shown;
static int told[2];

static int connect_to_host(const struct host *host)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct emu_export_desc desc;
	char *end = address.sun_path;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	memcpy(&desc, host->desc, sizeof(desc));
	end += sprintf(end, "%s/", test_servers);
	for (int i = 0; i < 16; i++)
		end += sprintf(end, "%02x", desc.process[i]);
	CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	return fd;
}

static void let_open(rlim_t num)
{
	struct rlimit limit;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = num < limit.rlim_max ? num : limit.rlim_max;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void import_shown(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_mmap *import = must_import(&shown, dev);

	MUST(doca_mmap_destroy(import));
	MUST(doca_dev_close(dev));
}

static void import_in_vain(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_mmap *import;

	let_open(100); /* the limit is the exporter's */
	EXPECT(ERROR_DRIVER, import_host(&shown, dev, &import));
	MUST(doca_dev_close(dev));
}

static void connect_and_wait(void)
{
	let_open(RLIM_INFINITY);
	for (int i = 0; i < 600; i++)
		(void)connect_to_host(&shown);
	CHECK(write(told[1], "x", 1) == 1);
	for (;;)
		pause();
}

/* The exporter is this process, and may open few descriptors. */
static void silent_importers(void)
{
	static uint8_t memory[4096];
	struct doca_dev *host = open_dev(HOST_0);
	struct doca_mmap *map = make_mmap(host, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct rlimit limit;
	struct pollfd end;
	const void *desc;
	pid_t pids[2];
	char byte;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	CHECK(pipe2(told, O_CLOEXEC) == 0);
	let_open(150);
	MUST(doca_mmap_export_pci(map, host, &desc, &shown.desc_len));
	memcpy(shown.desc, desc, shown.desc_len);
	for (int i = 0; i < 2; i++) {
		pids[i] = start_child(connect_and_wait);
		CHECK(read(told[0], &byte, 1) == 1);
	}
	/* The exporter serves others. Only another process does not import by itself. */
	expect_end(start_child(import_shown), 0);
	for (int i = 0; i < 2; i++) {
		kill(pids[i], SIGKILL);
		expect_end(pids[i], SIGKILL);
	}
	/* And each has to leave in the end. */
	end = (struct pollfd){.fd = connect_to_host(&shown)};
	CHECK(poll(&end, 1, LONG_MS) == 1);
	close(end.fd);
	MUST(doca_mmap_destroy(map));
	MUST(doca_dev_close(host));
	close(told[0]);
	close(told[1]);
	let_open(limit.rlim_cur);
}

/* An exporter that may open nothing more says so at once. */
static void no_room_for_an_import(void)
{
	static uint8_t memory[4096];
	struct doca_dev *host = open_dev(HOST_0);
	struct doca_mmap *map = make_mmap(host, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct rlimit limit;
	const void *desc;
	int lowest;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	MUST(doca_mmap_export_pci(map, host, &desc, &shown.desc_len));
	memcpy(shown.desc, desc, shown.desc_len);
	lowest = dup(0);
	close(lowest);
	let_open((rlim_t)lowest);
	expect_end(start_child(import_in_vain), 0);
	let_open((rlim_t)lowest + 1); /* the connection, but not the page that both share */
	expect_end(start_child(import_in_vain), 0);
	let_open(limit.rlim_cur);
	expect_end(start_child(import_shown), 0);
	MUST(doca_mmap_destroy(map));
	MUST(doca_dev_close(host));
}

/* Importers that send anything, with descriptors, and write to the page that they share with the exporter. */
static uint64_t seed;

static uint32_t dice(uint32_t sides)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 32) % sides;
}

static void send_noise(void)
{
	static uint8_t bytes[70000];
	struct emu_export_hello hello = {.port = dice(3)};
	int fd = connect_to_host(&shown), own[2], memory = -1;
	struct emu_export_shared *page = NULL;

	CHECK(pipe(own) == 0);
	memcpy(&hello.desc, shown.desc, sizeof(hello.desc));
	if (dice(8) != 0) {
		struct emu_export_answer answer;
		struct iovec iov = {&answer, sizeof(answer)};
		char control[CMSG_SPACE(sizeof(int))];
		struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
				     .msg_controllen = sizeof(control)};

		answer_with(fd, &hello, sizeof(hello), own, dice(3));
		if (recvmsg(fd, &msg, 0) > 0)
			emu_peer_take_fds(&msg, &memory, 1);
		if (memory >= 0)
			page = emu_shared_map(memory, EMU_EXPORT_SHARED_SIZE, EMU_EXPORT_SHARED_SIZE);
	}
	for (uint32_t i = dice(60); i > 0; i--) {
		struct emu_export_request request = {.op = dice(4), .len = dice(300), .offset = dice(5000)};
		size_t len = sizeof(request) + dice(2) * request.len;

		if (page != NULL && dice(3) == 0) {
			__atomic_store_n(&page->writing, dice(3), __ATOMIC_SEQ_CST);
			__atomic_store_n(&page->ended, dice(2), __ATOMIC_SEQ_CST);
		}
		if (dice(6) == 0)
			request.len = dice(UINT32_MAX);
		if (dice(6) == 0)
			request.offset = (uint64_t)dice(UINT32_MAX) << dice(33);
		if (dice(6) == 0)
			len = dice(sizeof(bytes));
		for (size_t j = 0; j < 400; j++)
			bytes[j] = (uint8_t)dice(256);
		memcpy(bytes, &request, sizeof(request));
		answer_with(fd, bytes, len, own, dice(3));
		if (dice(2) == 0)
			(void)!recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	}
	if (dice(2) == 0)
		raise(SIGKILL);
	_exit(0);
}

static void noise(void)
{
	static uint8_t memory[4096];
	struct doca_dev *host = open_dev(HOST_0);
	int num_fds = count_fds();

	for (uint64_t i = 1; i <= 60; i++) {
		struct doca_mmap *map = make_mmap(host, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		const void *desc;
		pid_t pid;

		MUST(doca_mmap_export_pci(map, host, &desc, &shown.desc_len));
		memcpy(shown.desc, desc, shown.desc_len);
		seed = i * 0x9e3779b97f4a7c15u;
		pid = start_child(send_noise);
		CHECK(waitpid(pid, NULL, 0) == pid);
		expect_end(start_child(import_shown), 0);
		EXPECT(SUCCESS, doca_mmap_destroy(map));
		CHECK(count_fds() == num_fds);
	}
	MUST(doca_dev_close(host));
}

/* Descriptors of other versions, whatever they look like, have an error of their own, and the log names both. */
static void other_versions(void)
{
	struct emu_export_desc desc = desc_by_hand();
	struct doca_dev *dev = open_dev(DPU_0);
	uint8_t bytes[600] = {0};
	struct doca_mmap *import;

	catch_log();
	for (uint32_t version = 0; version < 10; version++) {
		char both[64];

		if (version == EMU_EXPORT_VERSION)
			continue;
		desc.version = version;
		memset(bytes, 0x5a, sizeof(bytes));
		memcpy(bytes, &desc, sizeof(desc));
		for (size_t len = 12; len < sizeof(bytes); len += 49)
			EXPECT(ERROR_UNSUPPORTED_VERSION, doca_mmap_create_from_export(NULL, bytes, len, dev, &import));
		snprintf(both, sizeof(both), "version %u, this emulator has version %d", version, EMU_EXPORT_VERSION);
		CHECK(strstr(caught, both) != NULL);
	}
	for (size_t len = 1; len < 12; len++)
		EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, bytes, len, dev, &import));
	bytes[0] ^= 1;
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, bytes, sizeof(desc), dev, &import));
	MUST(doca_dev_close(dev));
}

TEST_MAIN(bad_answers, bad_files, silent_importers, no_room_for_an_import, noise, other_versions, left_nothing)
