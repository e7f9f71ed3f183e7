/* SPDX-License-Identifier: Apache-2.0 */

/* Exported memory that is a shared mapping of a sealed file: the importing process maps it, too. Nothing else changes. */

#include "core/emulator.h" /* first: it asks for all of the system's functions */

#include <fcntl.h>

#include "core/emu_mmap.h"
#include "core/emu_remote.h"
#include "export_host.h"
#include "export_wrap.h"

#define READ_ONLY DOCA_ACCESS_FLAG_PCI_READ_ONLY
#define READ_WRITE DOCA_ACCESS_FLAG_PCI_READ_WRITE
#define PAGE ((size_t)4096)
#define FILE_SIZE (100 * PAGE)

/* The host's memory. It keeps the file open, unless said otherwise. */

static int new_file(int seals)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	CHECK(fd >= 0 && ftruncate(fd, FILE_SIZE) == 0 && fcntl(fd, F_ADD_SEALS, seals) == 0);
	return fd;
}

static uint8_t *map_file(void *at, int fd, size_t offset, size_t len, int flags)
{
	uint8_t *addr = mmap(at, len, PROT_READ | PROT_WRITE, flags | (at != NULL ? MAP_FIXED : 0), fd, (off_t)offset);

	CHECK(addr != MAP_FAILED);
	return addr;
}

static uint8_t *sealed(void)
{
	return map_file(NULL, new_file(F_SEAL_SHRINK), 0, FILE_SIZE, MAP_SHARED);
}

static uint8_t *in_the_middle(void)
{
	(void)new_file(F_SEAL_SHRINK); /* another file */
	return map_file(NULL, new_file(F_SEAL_SHRINK), 7 * PAGE, FILE_SIZE - 7 * PAGE, MAP_SHARED) + 321;
}

/* One file in two mappings with different flags. */
static uint8_t *in_two_parts(void)
{
	uint8_t *addr = sealed();

	CHECK(madvise(addr + 3 * PAGE, 5 * PAGE, MADV_DONTFORK) == 0);
	return addr + 10;
}

static uint8_t *unsealed(void)
{
	return map_file(NULL, new_file(F_SEAL_GROW), 0, FILE_SIZE, MAP_SHARED);
}

static uint8_t *private(void)
{
	return map_file(NULL, new_file(F_SEAL_SHRINK), 0, FILE_SIZE, MAP_PRIVATE);
}

static uint8_t *closed(void)
{
	int fd = new_file(F_SEAL_SHRINK);
	uint8_t *addr = map_file(NULL, fd, 0, FILE_SIZE, MAP_SHARED);

	close(fd);
	return addr;
}

static uint8_t *with_another_part(void)
{
	uint8_t *addr = sealed();

	map_file(addr + 20 * PAGE, new_file(F_SEAL_SHRINK), 20 * PAGE, PAGE, MAP_SHARED);
	return addr;
}

/* Pages of the file twice, or in another order. */
static uint8_t *with_a_step(void)
{
	int fd = new_file(F_SEAL_SHRINK);
	uint8_t *addr = map_file(NULL, fd, 0, FILE_SIZE, MAP_SHARED);

	map_file(addr + 20 * PAGE, fd, 60 * PAGE, 20 * PAGE, MAP_SHARED);
	map_file(addr + 40 * PAGE, new_file(F_SEAL_SHRINK), 40 * PAGE, 60 * PAGE, MAP_SHARED);
	return addr;
}

static uint8_t *with_private_part(void)
{
	uint8_t *addr = sealed();

	map_file(addr + 73 * PAGE, -1, 0, 27 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS); /* HOST_SIZE has 74 pages */
	return addr;
}

static const struct {
	uint8_t *(*memory)(void);
	bool is_mapped;
} kinds[] = {
	{sealed, true},	 {in_the_middle, true}, {in_two_parts, true}, {NULL, false},		  {unsealed, false},
	{private, false}, {closed, false},	{with_a_step, false}, {with_another_part, false}, {with_private_part, false},
};

static void copies(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct dpu dpu = make_dpu();
		struct doca_mmap *import;
		struct host host;

		host_memory = kinds[i].memory;
		host = start_exporter(HOST_0, READ_WRITE);
		import = must_import(&host, dpu.f->dev);
		vm_calls = 0;
		EXPECT(SUCCESS, pull(&dpu, import, &host));
		CHECK(has_pattern(dpu.memory, HOST_SIZE, 1));
		fill(dpu.memory, HOST_SIZE, 2);
		EXPECT(SUCCESS, push(&dpu, import, &host));
		EXPECT(SUCCESS, tell(&host, HOST_CHECK, 2));
		EXPECT(SUCCESS, dma_copy(dpu.f, dpu.map, dpu.memory, import, host.addr + HOST_SIZE - 1, 1));
		EXPECT(SUCCESS, dma_copy(dpu.f, import, host.addr, import, host.addr + 70000, 70000));
		CHECK((vm_calls == 0) == kinds[i].is_mapped);
		EXPECT(ERROR_IO_FAILED, dma_copy(dpu.f, dpu.map, dpu.memory, import, host.addr + HOST_SIZE - 1, 2));
		EXPECT(ERROR_IO_FAILED, dma_copy(dpu.f, import, host.addr - 1, dpu.map, dpu.memory, 1));
		MUST(doca_mmap_destroy(import));
		delete_dpu(&dpu);
		quit_host(&host);
	}
}

/* The host's process goes on without its main thread. */
static void without_main_thread(void)
{
	test_ends_main_thread = true;
	copies();
	test_ends_main_thread = false;
}

static void read_only(void)
{
	struct dpu dpu = make_dpu();
	struct doca_mmap *import;
	struct host host;

	host_memory = sealed;
	host = start_exporter(HOST_0, READ_ONLY);
	import = must_import(&host, dpu.f->dev);
	vm_calls = 0;
	EXPECT(SUCCESS, pull(&dpu, import, &host));
	fill(dpu.memory, HOST_SIZE, 2);
	EXPECT(ERROR_IO_FAILED, push(&dpu, import, &host));
	EXPECT(SUCCESS, tell(&host, HOST_CHECK, 1));
	CHECK(vm_calls == 0);
	/* A program may pass the memory on for RDMA, with other permissions: the mapping is only for reading. */
	CHECK(emu_remote_write(import->remote, host.addr, dpu.memory, 100));
	CHECK(vm_calls == 1);
	MUST(doca_mmap_destroy(import));
	delete_dpu(&dpu);
	quit_host(&host);
}

static void no_system_calls(void)
{
	struct dpu dpu = make_dpu();
	struct doca_mmap *import;
	struct host host;

	host_memory = sealed;
	vm_error = EPERM; /* as in a container */
	host = start_exporter(HOST_0, READ_WRITE);
	import = must_import(&host, dpu.f->dev);
	vm_calls = 0;
	EXPECT(SUCCESS, pull(&dpu, import, &host));
	EXPECT(SUCCESS, push(&dpu, import, &host));
	vm_error = 0;
	MUST(doca_mmap_destroy(import));
	delete_dpu(&dpu);
	quit_host(&host);
}

static void ends(void)
{
	static const enum host_op ops[] = {HOST_STOP, HOST_DESTROY, HOST_QUIT};

	host_memory = sealed;
	for (int i = 0; i < 4; i++) {
		struct host host = start_exporter(HOST_0, READ_WRITE);
		struct dpu dpu = make_dpu();
		struct doca_mmap *import = must_import(&host, dpu.f->dev);

		EXPECT(SUCCESS, pull(&dpu, import, &host));
		fill(dpu.memory, HOST_SIZE, 2);
		if (i == 3)
			kill_host(&host);
		else if (ops[i] == HOST_QUIT)
			quit_host(&host);
		else
			EXPECT(SUCCESS, tell(&host, ops[i], 0));
		EXPECT(ERROR_IO_FAILED, push(&dpu, import, &host));
		EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host));
		if (i < 2) {
			EXPECT(SUCCESS, tell(&host, HOST_CHECK, 1));
			quit_host(&host);
		}
		MUST(doca_mmap_destroy(import));
		delete_dpu(&dpu);
	}
}

/* The stop of the map waits for a write in progress. */

static struct host *writes_to;
static bool was_in_write;

void *__real_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n);

void *__wrap_memcpy(void *to, const void *from, size_t n)
{
	struct host_order order = {.op = HOST_STOP};
	struct host *host = writes_to;
	char byte;

	if (host != NULL && n == HOST_SIZE) {
		writes_to = NULL;
		was_in_write = true;
		CHECK(send(host->fd, &order, sizeof(order), 0) == (ssize_t)sizeof(order));
		usleep(100000);
		CHECK(recv(host->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN);
	}
	return __real_memcpy(to, from, n);
}

static void stop_waits(void)
{
	struct dpu dpu = make_dpu();
	struct doca_mmap *import;
	struct host_answer answer;
	struct host host;

	host_memory = sealed;
	host = start_exporter(HOST_0, READ_WRITE);
	import = must_import(&host, dpu.f->dev);
	fill(dpu.memory, HOST_SIZE, 3);
	writes_to = &host;
	EXPECT(SUCCESS, push(&dpu, import, &host));
	CHECK(was_in_write);
	CHECK(recv(host.fd, &answer, sizeof(answer), 0) == (ssize_t)sizeof(answer) && answer.result == DOCA_SUCCESS);
	EXPECT(SUCCESS, tell(&host, HOST_CHECK, 3));
	fill(dpu.memory, HOST_SIZE, 4);
	EXPECT(ERROR_IO_FAILED, push(&dpu, import, &host));
	EXPECT(SUCCESS, tell(&host, HOST_CHECK, 3));
	MUST(doca_mmap_destroy(import));
	delete_dpu(&dpu);
	quit_host(&host);
}

/* After a fork, imports belong to the parent. */
static void forks(void)
{
	struct dpu dpu = make_dpu();
	struct doca_mmap *import;
	struct host host;
	pid_t pid;

	host_memory = sealed;
	host = start_exporter(HOST_0, READ_WRITE);
	import = must_import(&host, dpu.f->dev);
	pid = fork();
	if (pid == 0)
		_exit(pull(&dpu, import, &host) == DOCA_SUCCESS);
	expect_end(pid, 0);
	EXPECT(SUCCESS, pull(&dpu, import, &host));
	MUST(doca_mmap_destroy(import));
	delete_dpu(&dpu);
	quit_host(&host);
}

TEST_MAIN(copies, without_main_thread, read_only, no_system_calls, ends, stop_waits, forks)
