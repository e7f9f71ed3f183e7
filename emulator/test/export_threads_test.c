/* SPDX-License-Identifier: Apache-2.0 */

/* Many exports and imports at the same time, by threads of several processes. */

#include <pthread.h>

#include "export_host.h"
#include "export_wrap.h"

#define NUM_CHILDREN 2
#define NUM_THREADS 3
#define NUM_ROUNDS 40
#define SIZE ((size_t)5000)

/* The peer of one thread: imports what it is sent, copies it and sends it back. */
struct offer {
	uint8_t desc[512];
	size_t desc_len;
	uint8_t *addr;
	uint32_t number; /* of the pattern; 0: the end */
};

static int links[NUM_CHILDREN][NUM_THREADS][2];
static int child_number;

static struct doca_dev *shared_dev(const char *addr)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct doca_dev *dev;

	pthread_mutex_lock(&lock);
	dev = open_dev(addr);
	pthread_mutex_unlock(&lock);
	return dev;
}

static void *import_offers(void *arg)
{
	int fd = *(int *)arg;
	struct dpu dpu = make_dpu();
	struct offer offer;

	while (recv(fd, &offer, sizeof(offer), 0) == (ssize_t)sizeof(offer) && offer.number != 0) {
		struct doca_mmap *import = NULL;
		bool is_good;

		MUST(doca_mmap_create_from_export(NULL, offer.desc, offer.desc_len, dpu.f->dev, &import));
		EXPECT(SUCCESS, dma_copy(dpu.f, import, offer.addr, dpu.map, dpu.memory, SIZE));
		is_good = has_pattern(dpu.memory, SIZE, offer.number);
		fill(dpu.memory, SIZE, offer.number + 1);
		EXPECT(SUCCESS, dma_copy(dpu.f, dpu.map, dpu.memory, import, offer.addr, SIZE));
		CHECK(send(fd, &is_good, sizeof(is_good), 0) == (ssize_t)sizeof(is_good));
		/* From now on the exporter may end at any time. */
		while (offer.number % 3 == 0 &&
		       dma_copy(dpu.f, import, offer.addr, dpu.map, dpu.memory, SIZE) == DOCA_SUCCESS)
			;
		MUST(doca_mmap_destroy(import));
	}
	delete_dpu(&dpu);
	return NULL;
}

static void run_child(void)
{
	pthread_t threads[NUM_THREADS];

	vm_error = child_number % 2 == 0 ? 0 : EPERM;
	for (int i = 0; i < NUM_THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, import_offers, &links[child_number][i][1]) == 0);
	for (int i = 0; i < NUM_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* ThreadSanitizer does not know that another process accesses the memory, nor that it waits for this one: it
 * sees only this thread and the one that serves. So each round has its own memory. */
static void *export_all(void *arg)
{
	int *fds = arg;
	struct doca_dev *dev = shared_dev(HOST_0);

	for (uint32_t round = 1; round <= NUM_ROUNDS; round++) {
		uint8_t *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct doca_mmap *map, *own;
		struct offer offer = {.number = round, .addr = memory};
		const void *desc;
		bool is_good = false;

		fill(memory, SIZE, round);
		map = make_mmap(dev, memory, SIZE, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		MUST(doca_mmap_export_pci(map, dev, &desc, &offer.desc_len));
		memcpy(offer.desc, desc, offer.desc_len);
		CHECK(send(fds[0], &offer, sizeof(offer), 0) == (ssize_t)sizeof(offer));
		/* Within the process, at the same time. */
		MUST(doca_mmap_create_from_export(NULL, desc, offer.desc_len, dev, &own));
		MUST(doca_mmap_destroy(own));
		CHECK(recv(fds[0], &is_good, sizeof(is_good), 0) == (ssize_t)sizeof(is_good) && is_good);
		MUST(round % 2 == 0 ? doca_mmap_stop(map) : doca_mmap_destroy(map));
		CHECK(has_pattern(memory, SIZE, round + 1));
		if (round % 2 == 0)
			MUST(doca_mmap_destroy(map));
		munmap(memory, SIZE);
	}
	MUST(doca_dev_close(dev));
	return NULL;
}

static void many_exports(void)
{
	pthread_t threads[NUM_CHILDREN][NUM_THREADS];
	pid_t pids[NUM_CHILDREN];
	struct offer end = {.number = 0};

	for (int i = 0; i < NUM_CHILDREN; i++)
		for (int j = 0; j < NUM_THREADS; j++)
			CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, links[i][j]) == 0);
	for (child_number = 0; child_number < NUM_CHILDREN; child_number++)
		pids[child_number] = start_child(run_child);
	for (int i = 0; i < NUM_CHILDREN; i++)
		for (int j = 0; j < NUM_THREADS; j++)
			CHECK(pthread_create(&threads[i][j], NULL, export_all, links[i][j]) == 0);
	for (int i = 0; i < NUM_CHILDREN; i++)
		for (int j = 0; j < NUM_THREADS; j++) {
			pthread_join(threads[i][j], NULL);
			CHECK(send(links[i][j][0], &end, sizeof(end), 0) == (ssize_t)sizeof(end));
		}
	for (int i = 0; i < NUM_CHILDREN; i++) {
		expect_end(pids[i], 0);
		for (int j = 0; j < NUM_THREADS; j++) {
			close(links[i][j][0]);
			close(links[i][j][1]);
		}
	}
}

/* Several threads use one import at once, each with a context of its own, until the exporter ends. */
struct user {
	struct doca_mmap *import;
	struct host host;
	unsigned copies;
};

static void *use_import(void *arg)
{
	struct user *user = arg;
	struct dpu dpu = make_dpu();

	while (pull(&dpu, user->import, &user->host) == DOCA_SUCCESS) {
		CHECK(has_pattern(dpu.memory, HOST_SIZE, 1));
		__atomic_fetch_add(&user->copies, 1, __ATOMIC_RELAXED);
	}
	CHECK(dpu.f->last_error == DOCA_ERROR_IO_FAILED);
	delete_dpu(&dpu);
	return NULL;
}

static void shared_import(void)
{
	for (int round = 0; round < 2; round++) {
		struct host host = start_exporter(HOST_0, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
		struct doca_dev *dev = shared_dev(DPU_0);
		struct user users[NUM_THREADS];
		pthread_t threads[NUM_THREADS];
		struct doca_mmap *import;

		vm_error = round == 0 ? 0 : EPERM;
		MUST(import_host(&host, dev, &import));
		MUST(doca_mmap_enable_thread_safety(import));
		for (int i = 0; i < NUM_THREADS; i++) {
			users[i] = (struct user){.import = import, .host = host};
			CHECK(pthread_create(&threads[i], NULL, use_import, &users[i]) == 0);
		}
		for (int i = 0; i < NUM_THREADS; i++) {
			uint64_t deadline = now_ms() + LONG_MS;

			while (__atomic_load_n(&users[i].copies, __ATOMIC_RELAXED) < 5 && now_ms() < deadline)
				usleep(1000);
		}
		EXPECT(SUCCESS, tell(&host, HOST_STOP, 0));
		for (int i = 0; i < NUM_THREADS; i++) {
			pthread_join(threads[i], NULL);
			CHECK(users[i].copies >= 5);
		}
		MUST(doca_mmap_destroy(import));
		MUST(doca_dev_close(dev));
		quit_host(&host);
	}
	vm_error = 0;
}

/* Threads copy within the process without a moment of rest: a stop does not wait for such a moment. */
#define OWN_SIZE ((size_t)2 << 20)
#define NUM_OWN_THREADS 6

struct own_user {
	const void *desc;
	size_t desc_len;
	uint8_t *memory;
	unsigned copies;
	uint64_t deadline; /* used for checks only */
};

static void *copy_own(void *arg)
{
	struct own_user *user = arg;
	struct fixture *f = fixture_create(4);
	uint8_t *bytes = malloc(OWN_SIZE);
	struct doca_mmap *map = make_mmap(f->dev, bytes, OWN_SIZE, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE), *import;

	MUST(doca_mmap_create_from_export(NULL, user->desc, user->desc_len, f->dev, &import));
	while (dma_copy(f, import, user->memory, map, bytes, OWN_SIZE) == DOCA_SUCCESS && now_ms() < user->deadline)
		__atomic_fetch_add(&user->copies, 1, __ATOMIC_RELAXED);
	MUST(doca_mmap_destroy(import));
	MUST(doca_mmap_destroy(map));
	fixture_destroy(f);
	free(bytes);
	return NULL;
}

static void stop_among_threads(void)
{
	struct doca_dev *dev = shared_dev(DPU_0);
	uint8_t *memory = malloc(OWN_SIZE);
	struct doca_mmap *map = make_mmap(dev, memory, OWN_SIZE, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct own_user users[NUM_OWN_THREADS];
	pthread_t threads[NUM_OWN_THREADS];
	const void *desc;
	size_t len;

	memset(memory, 1, OWN_SIZE);
	MUST(doca_mmap_export_pci(map, dev, &desc, &len));
	for (int i = 0; i < NUM_OWN_THREADS; i++) {
		users[i] = (struct own_user){
			.desc = desc, .desc_len = len, .memory = memory, .deadline = now_ms() + LONG_MS};
		CHECK(pthread_create(&threads[i], NULL, copy_own, &users[i]) == 0);
	}
	for (int i = 0; i < NUM_OWN_THREADS; i++)
		while (__atomic_load_n(&users[i].copies, __ATOMIC_RELAXED) < 5 && now_ms() < users[i].deadline)
			usleep(1000);
	EXPECT(SUCCESS, doca_mmap_stop(map));
	CHECK(now_ms() < users[0].deadline);
	for (int i = 0; i < NUM_OWN_THREADS; i++)
		pthread_join(threads[i], NULL);
	MUST(doca_mmap_destroy(map));
	MUST(doca_dev_close(dev));
	free(memory);
}

TEST_MAIN(shared_import, many_exports, stop_among_threads, left_nothing)
