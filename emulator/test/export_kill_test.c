/* SPDX-License-Identifier: Apache-2.0 */

/* Exports that end while they are in use, and processes that are killed in the middle of a copy. */

#include <pthread.h>

#include "export_host.h"
#include "export_wrap.h"

#define READ_WRITE DOCA_ACCESS_FLAG_PCI_READ_WRITE

static uint32_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

/* The exporter is killed at a random moment, with direct copies or while serving. From then on the importer's
 * tasks fail, its context stops, and nothing of either process is left. */
#define NUM_KILLS 30

static void *kill_later(void *arg)
{
	struct host *host = arg;

	usleep(next_random() % 3000);
	kill(host->pid, SIGKILL);
	return NULL;
}

static void killed_exporters(void)
{
	struct dpu dpu = make_dpu();

	for (int i = 0; i < NUM_KILLS; i++) {
		struct host host = start_exporter(HOST_0, READ_WRITE);
		struct doca_mmap *import = must_import(&host, dpu.f->dev);
		doca_error_t result;
		pthread_t thread;

		__atomic_store_n(&vm_error, i % 2 == 0 ? 0 : EPERM, __ATOMIC_RELAXED);
		CHECK(pthread_create(&thread, NULL, kill_later, &host) == 0);
		do {
			result = i % 4 < 2 ? pull(&dpu, import, &host) : push(&dpu, import, &host);
			if (i % 4 < 2 && result == DOCA_SUCCESS)
				CHECK(dpu.memory[HOST_SIZE - 1] == pattern(HOST_SIZE - 1, 1));
		} while (result == DOCA_SUCCESS);
		CHECK(result == DOCA_ERROR_IO_FAILED);
		pthread_join(thread, NULL);
		expect_end(host.pid, SIGKILL);
		close(host.fd);
		EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host));
		MUST(doca_mmap_destroy(import));
		CHECK(!there_are_servers());
	}
	vm_error = 0;
	delete_dpu(&dpu);
}

/* This process is the host, whose importers are other processes. */
struct own_host {
	struct doca_dev *dev;
	uint8_t *memory;
	struct doca_mmap *map;
};

static struct host shown; /* to the children: the descriptor and the address */

static struct own_host make_own_host(void)
{
	struct own_host host = {.dev = open_dev(HOST_0)};
	const void *desc;

	host.memory = mmap(NULL, HOST_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	host.map = make_mmap(host.dev, host.memory, HOST_SIZE, READ_WRITE);
	MUST(doca_mmap_export_pci(host.map, host.dev, &desc, &shown.desc_len));
	memcpy(shown.desc, desc, shown.desc_len);
	shown.addr = host.memory;
	return host;
}

static void delete_own_host(struct own_host *host)
{
	MUST(doca_mmap_destroy(host->map));
	munmap(host->memory, HOST_SIZE);
	MUST(doca_dev_close(host->dev));
}

static int ready[2]; /* a pipe by which children say that they are ready */

static void say_ready(void)
{
	CHECK(write(ready[1], "x", 1) == 1);
}

static void wait_ready(int num)
{
	char byte;

	while (num-- > 0)
		CHECK(read(ready[0], &byte, 1) == 1);
}

/* Importers are killed in the middle of a copy, or at a random moment: the exporter's stop does not wait for
 * them. */
static void die(void)
{
	say_ready();
	raise(SIGKILL);
}

static void die_copying(void)
{
	struct dpu dpu = make_dpu();
	struct doca_mmap *import = must_import(&shown, dpu.f->dev);

	vm_begins = die;
	pull(&dpu, import, &shown);
}

static void copy_until_end(void)
{
	struct dpu dpu = make_dpu();
	struct doca_mmap *import;
	bool is_first = true;
	uint32_t number = 0;

	if (import_host(&shown, dpu.f->dev, &import) != DOCA_SUCCESS) { /* the export has ended */
		say_ready();
		return;
	}
	do {
		fill(dpu.memory, HOST_SIZE, number++ % 16 + 100);
		if (is_first)
			say_ready();
		is_first = false;
	} while (push(&dpu, import, &shown) == DOCA_SUCCESS);
	CHECK(dpu.f->last_error == DOCA_ERROR_IO_FAILED);
	MUST(doca_mmap_destroy(import));
	delete_dpu(&dpu);
}

static void killed_importers(void)
{
	struct own_host host = make_own_host();
	uint64_t begin;
	pid_t pids[3];

	CHECK(pipe(ready) == 0);
	for (int i = 0; i < 3; i++)
		pids[i] = start_child(die_copying);
	wait_ready(3);
	begin = now_ms();
	EXPECT(SUCCESS, doca_mmap_stop(host.map));
	CHECK(now_ms() - begin < LONG_MS / 2);
	for (int i = 0; i < 3; i++)
		expect_end(pids[i], SIGKILL);
	delete_own_host(&host);
	for (int round = 0; round < NUM_KILLS; round++) {
		pid_t pid;

		host = make_own_host();
		vm_error = round % 2 == 0 ? 0 : EPERM;
		pid = start_child(copy_until_end);
		wait_ready(1);
		usleep(next_random() % 1000);
		kill(pid, SIGKILL);
		if (round % 3 == 0)
			expect_end(pid, SIGKILL);
		delete_own_host(&host);
		if (round % 3 != 0)
			expect_end(pid, SIGKILL);
	}
	vm_error = 0;
	close(ready[0]);
	close(ready[1]);
}

/* When stop returns, nobody writes to the memory any more: it can be freed or reused. */
static void stop_under_load(void)
{
	CHECK(pipe(ready) == 0);
	for (int round = 0; round < 30; round++) {
		struct own_host host = make_own_host();
		pid_t pids[2];

		vm_error = round % 3 == 0 ? EPERM : 0;
		for (int i = 0; i < 2; i++)
			pids[i] = start_child(copy_until_end);
		vm_error = 0;
		wait_ready(2);
		usleep(next_random() % 3000);
		EXPECT(SUCCESS, doca_mmap_stop(host.map));
		memset(host.memory, 0x77, HOST_SIZE);
		for (int i = 0; i < 2; i++)
			expect_end(pids[i], 0);
		for (size_t i = 0; i < HOST_SIZE; i++)
			if (host.memory[i] != 0x77) {
				CHECK(!"something was written after the stop");
				break;
			}
		delete_own_host(&host);
	}
	close(ready[0]);
	close(ready[1]);
}

/* A stop waits for a copy in progress. */
static void hesitate(void)
{
	say_ready();
	usleep(200 * 1000);
}

static void copy_slowly(void)
{
	struct dpu dpu = make_dpu();
	struct doca_mmap *import = must_import(&shown, dpu.f->dev);

	fill(dpu.memory, HOST_SIZE, 6);
	vm_begins = hesitate;
	EXPECT(SUCCESS, push(&dpu, import, &shown));
	vm_begins = NULL;
	EXPECT(ERROR_IO_FAILED, push(&dpu, import, &shown));
	MUST(doca_mmap_destroy(import));
	delete_dpu(&dpu);
}

static void slow_copy(void)
{
	struct own_host host = make_own_host();
	pid_t pid;

	CHECK(pipe(ready) == 0);
	pid = start_child(copy_slowly);
	wait_ready(1);
	EXPECT(SUCCESS, doca_mmap_stop(host.map));
	CHECK(has_pattern(host.memory, HOST_SIZE, 6));
	expect_end(pid, 0);
	delete_own_host(&host);
	close(ready[0]);
	close(ready[1]);
}

/* A forked child has copies of all sockets. It keeps neither a killed importer nor a killed exporter alive. */
static int stay[2]; /* a pipe that is closed when children may end */
static struct host *told; /* what a child tells its parent, in shared memory */

static void leave_child(void)
{
	int there[2];
	char byte;

	CHECK(pipe(there) == 0);
	if (fork() == 0) {
		close(stay[1]);
		CHECK(write(there[1], "x", 1) == 1);
		_exit(read(stay[0], &byte, 1) == 0 ? 0 : 1);
	}
	CHECK(read(there[0], &byte, 1) == 1);
}

static void fork_and_die_copying(void)
{
	struct dpu dpu = make_dpu();
	struct doca_mmap *import = must_import(&shown, dpu.f->dev);

	leave_child();
	vm_begins = die;
	pull(&dpu, import, &shown);
}

static void fork_and_export(void)
{
	struct own_host host = make_own_host();

	leave_child();
	fill(host.memory, HOST_SIZE, 1);
	*told = shown;
	say_ready();
	pause();
}

static void left_by_forks(void)
{
	struct own_host host = make_own_host();
	struct dpu dpu = make_dpu();
	struct doca_mmap *import;
	pid_t pid;

	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(pipe(ready) == 0 && pipe(stay) == 0);
	expect_end(start_child(fork_and_die_copying), SIGKILL);
	delete_own_host(&host);
	wait_ready(1);

	pid = start_child(fork_and_export);
	wait_ready(1);
	import = must_import(told, dpu.f->dev);
	EXPECT(SUCCESS, pull(&dpu, import, told));
	CHECK(has_pattern(dpu.memory, HOST_SIZE, 1));
	kill(pid, SIGKILL);
	expect_end(pid, SIGKILL);
	EXPECT(ERROR_IO_FAILED, pull(&dpu, import, told));
	MUST(doca_mmap_destroy(import));
	CHECK(!there_are_servers());
	delete_dpu(&dpu);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(stay[i]);
	}
	munmap(told, sizeof(*told));
}

TEST_MAIN(killed_exporters, killed_importers, stop_under_load, slow_copy, left_by_forks, left_nothing)
