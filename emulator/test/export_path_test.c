/* SPDX-License-Identifier: Apache-2.0 */

/* Memory of another process where the system forbids direct access: the exporter copies. */

#include <linux/capability.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "core/emu_export_wire.h"
#include "export_host.h"
#include "export_wrap.h"

#define READ_ONLY DOCA_ACCESS_FLAG_PCI_READ_ONLY
#define READ_WRITE DOCA_ACCESS_FLAG_PCI_READ_WRITE

static void refused(void)
{
	static const int errors[] = {EPERM, ENOSYS, EACCES};

	for (int i = 0; i < 3; i++) {
		struct host host = start_exporter(HOST_0, READ_WRITE);
		struct dpu dpu = make_dpu();
		struct doca_mmap *import = must_import(&host, dpu.f->dev);
		static const size_t sizes[] = {1, 65535, 65536, 65537, 131072, HOST_SIZE};

		vm_calls = 0;
		vm_error = errors[i];
		for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
			size_t skip = HOST_SIZE - sizes[j];

			memset(dpu.memory, 0xee, HOST_SIZE);
			EXPECT(SUCCESS, dma_copy(dpu.f, import, host.addr + skip, dpu.map, dpu.memory, sizes[j]));
			for (size_t k = 0; k < HOST_SIZE; k++)
				if (dpu.memory[k] != (k < sizes[j] ? pattern(skip + k, 1) : 0xee)) {
					CHECK(!"the bytes are those of the host");
					break;
				}
		}
		fill(dpu.memory, HOST_SIZE, 2);
		EXPECT(SUCCESS, push(&dpu, import, &host));
		EXPECT(SUCCESS, tell(&host, HOST_CHECK, 2));
		CHECK(vm_calls == 0);
		vm_error = 0;
		EXPECT(SUCCESS, pull(&dpu, import, &host)); /* direct access is not tried again */
		CHECK(vm_calls == 0);
		EXPECT(ERROR_IO_FAILED, dma_copy(dpu.f, import, host.addr + 1, dpu.map, dpu.memory, HOST_SIZE));
		MUST(doca_mmap_destroy(import));
		delete_dpu(&dpu);
		quit_host(&host);
	}
}

/* Access that was allowed and then is not: another process may have taken the permission. */
static void refused_later(void)
{
	struct host host = start_exporter(HOST_0, READ_ONLY);
	struct dpu dpu = make_dpu();
	struct doca_mmap *import = must_import(&host, dpu.f->dev);

	vm_calls = 0;
	EXPECT(SUCCESS, pull(&dpu, import, &host));
	CHECK(vm_calls > 0);
	vm_error = EPERM;
	EXPECT(SUCCESS, tell(&host, HOST_FILL, 9));
	EXPECT(SUCCESS, pull(&dpu, import, &host));
	CHECK(has_pattern(dpu.memory, HOST_SIZE, 9));
	EXPECT(ERROR_IO_FAILED, push(&dpu, import, &host));
	EXPECT(SUCCESS, tell(&host, HOST_CHECK, 9));
	EXPECT(SUCCESS, tell(&host, HOST_UNMAP, 0));
	EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host));
	EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host)); /* the host lives */
	MUST(doca_mmap_destroy(import));
	delete_dpu(&dpu);
	quit_host(&host);
	vm_error = 0;
}

static void unmapped(void)
{
	struct host host = start_exporter(HOST_0, READ_WRITE);
	struct dpu dpu = make_dpu();
	struct doca_mmap *import = must_import(&host, dpu.f->dev);

	vm_error = EPERM;
	EXPECT(SUCCESS, pull(&dpu, import, &host));
	EXPECT(SUCCESS, tell(&host, HOST_UNMAP, 0));
	EXPECT(ERROR_IO_FAILED, push(&dpu, import, &host));
	EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host));
	MUST(doca_mmap_destroy(import));
	delete_dpu(&dpu);
	quit_host(&host);
	vm_error = 0;
}

static void ends_of_exports(void)
{
	struct dpu dpu = make_dpu();

	vm_error = EPERM;
	for (int i = 0; i < 4; i++) {
		struct host host = start_exporter(HOST_0, READ_WRITE);
		struct doca_mmap *import = must_import(&host, dpu.f->dev);

		EXPECT(SUCCESS, pull(&dpu, import, &host));
		if (i == 0)
			EXPECT(SUCCESS, tell(&host, HOST_STOP, 0));
		if (i == 1)
			EXPECT(SUCCESS, tell(&host, HOST_DESTROY, 0));
		if (i == 2)
			quit_host(&host);
		if (i == 3)
			kill_host(&host);
		EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host));
		EXPECT(ERROR_IO_FAILED, push(&dpu, import, &host));
		MUST(doca_mmap_destroy(import));
		if (i < 2)
			quit_host(&host);
		CHECK(!there_are_servers());
	}
	delete_dpu(&dpu);
	vm_error = 0;
}

/* A stopped host, as in a debugger, answers nobody: neither a copy nor an import waits forever. */
static void *import_in_vain(void *arg)
{
	struct host *host = arg;
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_mmap *import;

	EXPECT(ERROR_DRIVER, import_host(host, dev, &import));
	MUST(doca_dev_close(dev));
	return NULL;
}

static void stopped_host(void)
{
	struct host host = start_exporter(HOST_0, READ_WRITE);
	struct dpu dpu = make_dpu();
	struct doca_mmap *import = must_import(&host, dpu.f->dev);
	uint64_t begin = now_ms();
	pthread_t thread;

	vm_error = EPERM;
	stop_child(host.pid);
	CHECK(pthread_create(&thread, NULL, import_in_vain, &host) == 0);
	EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host));
	pthread_join(thread, NULL);
	CHECK(now_ms() - begin < LONG_MS);
	kill(host.pid, SIGCONT);
	EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host)); /* what arrives now may be the late answer */
	MUST(doca_mmap_destroy(import));
	import = must_import(&host, dpu.f->dev);
	EXPECT(SUCCESS, pull(&dpu, import, &host));
	MUST(doca_mmap_destroy(import));
	delete_dpu(&dpu);
	quit_host(&host);
	vm_error = 0;
}

/* Messages that no importer would send: the host closes the connection, and serves the others. */

static int connect_by_hand(const struct host *host)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct emu_export_desc desc;
	char name[33];
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	memcpy(&desc, host->desc, sizeof(desc));
	for (int i = 0; i < 16; i++)
		snprintf(name + 2 * i, 3, "%02x", desc.process[i]);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", test_servers, name);
	CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	return fd;
}

static bool hangs_up(int fd)
{
	char byte;
	ssize_t n = recv(fd, &byte, 1, 0);

	return n == 0 || (n < 0 && errno == ECONNRESET);
}

static int greet_by_hand(const struct host *host)
{
	struct emu_export_hello hello = {.port = 0};
	struct emu_export_answer answer;
	int fd = connect_by_hand(host);

	memcpy(&hello.desc, host->desc, sizeof(hello.desc));
	CHECK(send(fd, &hello, sizeof(hello), 0) == (ssize_t)sizeof(hello));
	CHECK(recv(fd, &answer, sizeof(answer), 0) == (ssize_t)sizeof(answer) && answer.result == DOCA_SUCCESS);
	CHECK(answer.addr == (uintptr_t)host->addr && answer.len == HOST_SIZE);
	return fd;
}

static void garbage(void)
{
	struct host host = start_exporter(HOST_0, READ_ONLY);
	static uint8_t bytes[100000];
	struct emu_export_hello hello = {.port = 0};
	struct emu_export_answer answer;
	int fd;

	memcpy(&hello.desc, host.desc, sizeof(hello.desc));
	for (size_t len = 1; len < 100; len++) { /* not a HELLO */
		uint8_t message[100] = {0};

		if (len == sizeof(hello))
			continue;
		memcpy(message, &hello, sizeof(hello));
		fd = connect_by_hand(&host);
		CHECK(send(fd, message, len, 0) == (ssize_t)len);
		if (len > sizeof(hello)) /* of a later version, perhaps, which says more */
			CHECK(recv(fd, &answer, sizeof(answer), 0) == (ssize_t)sizeof(answer) && answer.result == DOCA_SUCCESS);
		else
			CHECK(hangs_up(fd));
		close(fd);
	}
	fd = connect_by_hand(&host); /* no such export */
	hello.desc.key[15] ^= 1;
	CHECK(send(fd, &hello, sizeof(hello), 0) == (ssize_t)sizeof(hello));
	CHECK(recv(fd, &answer, sizeof(answer), 0) == (ssize_t)sizeof(answer));
	CHECK(answer.result == DOCA_ERROR_INVALID_VALUE && answer.addr == 0 && answer.len == 0 && hangs_up(fd));
	close(fd);
	for (int i = 0; i < 7; i++) { /* not a request */
		struct emu_export_request request = {.op = EMU_EXPORT_READ, .len = 100};
		size_t len = sizeof(request);

		switch (i) {
		case 0: request.op = 0; break;
		case 1: request.op = 3; break;
		case 2: request.len = EMU_EXPORT_PIECE + 1; break;
		case 3: len = sizeof(request) - 1; break;
		case 4: len = sizeof(request) + 1; break;
		case 5: request.op = EMU_EXPORT_WRITE; break; /* without the bytes */
		case 6: request.op = EMU_EXPORT_WRITE, len += 101; break;
		}
		fd = greet_by_hand(&host);
		memcpy(bytes, &request, sizeof(request));
		CHECK(send(fd, bytes, len, 0) == (ssize_t)len);
		CHECK(hangs_up(fd));
		close(fd);
	}
	fd = greet_by_hand(&host);
	for (int i = 0; i < 6; i++) { /* requests that are refused */
		struct emu_export_request request = {.op = EMU_EXPORT_READ, .len = 100};
		struct emu_export_reply *reply = (void *)bytes;
		size_t len = sizeof(request);
		ssize_t n;

		switch (i) {
		case 0: request.offset = HOST_SIZE - 99; break;
		case 1: request.offset = HOST_SIZE + 1; break;
		case 2: request.offset = UINT64_MAX; break;
		case 3: request.offset = UINT64_MAX - 100; break;
		case 4: request.op = EMU_EXPORT_WRITE, len += 100; break; /* it may only read */
		case 5: request.offset = HOST_SIZE - 100; break;	    /* this one is good */
		}
		memset(bytes, 0xaa, sizeof(bytes));
		memcpy(bytes, &request, sizeof(request));
		CHECK(send(fd, bytes, len, 0) == (ssize_t)len);
		n = recv(fd, bytes, sizeof(bytes), 0);
		CHECK(n == (ssize_t)(sizeof(*reply) + (i == 5 ? 100 : 0)));
		CHECK(reply->result == (i == 5 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED));
	}
	CHECK(bytes[sizeof(struct emu_export_reply)] == pattern(HOST_SIZE - 100, 1));
	EXPECT(SUCCESS, tell(&host, HOST_CHECK, 1));
	EXPECT(SUCCESS, tell(&host, HOST_STOP, 0));
	CHECK(hangs_up(fd));
	close(fd);
	quit_host(&host);
}

/* Another user who has the descriptor cannot enter the directory and, even if it could, could not import. */
static struct host ours;

static void as_stranger(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_mmap *import;

	CHECK(setgid(65534) == 0 && setuid(65534) == 0);
	EXPECT(ERROR_DRIVER, import_host(&ours, dev, &import));
}

static void as_stranger_with_a_key(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[2] = {
		{.effective = 1u << CAP_DAC_OVERRIDE, .permitted = 1u << CAP_DAC_OVERRIDE}};
	struct doca_dev *dev = open_dev(DPU_0);
	struct emu_export_hello hello = {.port = 0};
	struct emu_export_answer answer;
	char mine[64], link[512], socket_path[512];
	struct doca_mmap *import;
	int fd;

	CHECK(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setuid(65534) == 0);
	CHECK(syscall(SYS_capset, &header, caps) == 0); /* file permissions do not stop it */
	memcpy(&hello.desc, ours.desc, sizeof(hello.desc));
	fd = connect_by_hand(&ours); /* the host hangs up without a word */
	(void)!send(fd, &hello, sizeof(hello), MSG_NOSIGNAL);
	CHECK(recv(fd, &answer, sizeof(answer), 0) <= 0);
	close(fd);

	/* The other user has a directory of its own in which the host appears. */
	snprintf(mine, sizeof(mine), "%s/mine", test_dir);
	CHECK(mkdir(mine, 0700) == 0);
	for (int i = 0; i < 2; i++) {
		size_t len = (size_t)snprintf(i == 0 ? link : socket_path, sizeof(link), "%s/", i == 0 ? mine : test_servers);

		for (int j = 0; j < 16; j++)
			len += (size_t)sprintf((i == 0 ? link : socket_path) + len, "%02x", hello.desc.process[j]);
	}
	CHECK(symlink(socket_path, link) == 0);
	setenv("DOCA_EMU_RUNTIME_DIR", mine, 1);
	EXPECT(ERROR_NOT_PERMITTED, import_host(&ours, dev, &import));
	CHECK(unlink(link) == 0 && rmdir(mine) == 0);
}

static void other_users(void)
{
	struct doca_dev *dev;
	struct doca_mmap *import;

	if (geteuid() != 0) {
		printf("export_path_test: not root: what other users may do is not tested\n");
		return;
	}
	ours = start_exporter(HOST_0, READ_WRITE);
	expect_end(start_child(as_stranger), 0);
	expect_end(start_child(as_stranger_with_a_key), 0);
	dev = open_dev(DPU_0);
	EXPECT(SUCCESS, import_host(&ours, dev, &import));
	MUST(doca_mmap_destroy(import));
	MUST(doca_dev_close(dev));
	quit_host(&ours);
}

TEST_MAIN(refused, refused_later, unmapped, ends_of_exports, garbage, other_users, stopped_host, left_nothing)
