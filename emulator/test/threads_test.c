/* SPDX-License-Identifier: Apache-2.0 */

/* Engines on their own threads that share a device, a thread-safe map, imports and the faults. */

#include <pthread.h>

#include "core/emu_fault.h"
#include "fixture.h"

#define NUM_THREADS 4
#define NUM_ROUNDS 300

static uint8_t shared[4096];
static struct doca_mmap *shared_mmap;
static struct doca_dev *host;
static struct doca_mmap *exporter;
static uint8_t desc[512];
static size_t desc_len;
static int failures[NUM_THREADS];

#define MINE(condition) (failures[index] += !(condition))

static void *copies(void *arg)
{
	int index = *(int *)arg;
	struct fixture *f = fixture_create(8);
	struct doca_mmap *import;

	MINE(doca_mmap_create_from_export(NULL, desc, desc_len, f->dev, &import) == DOCA_SUCCESS);
	for (int round = 0; round < NUM_ROUNDS; round++) {
		struct doca_buf *src = src_buf(f->inventory, shared_mmap, shared, 64);
		struct doca_buf *dst = dst_buf(f->inventory, f->dst_mmap, f->dst, 64);
		struct doca_buf *remote = src_buf(f->inventory, import, shared + 1024, 64);
		struct doca_buf *dst2 = dst_buf(f->inventory, f->dst_mmap, f->dst + 64, 64);
		struct doca_dev *again = open_dev(DPU_0);

		MUST(doca_task_submit(make_task(f, src, dst)));
		MUST(doca_task_submit(make_task(f, remote, dst2)));
		drain_pe(f->pe);
		MINE(memcmp(f->dst, shared, 64) == 0);
		MINE(memcmp(f->dst + 64, shared + 1024, 64) == 0);
		put_buf(src);
		put_buf(dst);
		put_buf(remote);
		put_buf(dst2);
		MINE(again == f->dev);
		MUST(doca_dev_close(again));
	}
	MINE(f->completions == 2 * NUM_ROUNDS);
	MUST(doca_mmap_destroy(import));
	fixture_destroy(f);
	return NULL;
}

static void parallel(void *(*work)(void *))
{
	pthread_t threads[NUM_THREADS];
	int index[NUM_THREADS];

	for (int i = 0; i < NUM_THREADS; i++) {
		index[i] = i;
		failures[i] = 0;
		CHECK(pthread_create(&threads[i], NULL, work, &index[i]) == 0);
	}
	for (int i = 0; i < NUM_THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK(failures[i] == 0);
	}
}

static void setup(void)
{
	const void *blob;

	host = open_dev(HOST_0);
	MUST(doca_mmap_create(&shared_mmap));
	struct doca_dev *dev = open_dev(DPU_0);

	MUST(doca_mmap_add_dev(shared_mmap, dev));
	MUST(doca_mmap_set_memrange(shared_mmap, shared, sizeof(shared)));
	MUST(doca_mmap_enable_thread_safety(shared_mmap));
	MUST(doca_mmap_start(shared_mmap));
	MUST(doca_dev_close(dev));
	exporter = make_mmap(host, shared, sizeof(shared), DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	MUST(doca_mmap_export_pci(exporter, host, &blob, &desc_len));
	memcpy(desc, blob, desc_len);
	for (size_t i = 0; i < sizeof(shared); i++)
		shared[i] = (uint8_t)(i * 3);
}

static void teardown(void)
{
	MUST(doca_mmap_destroy(shared_mmap));
	MUST(doca_mmap_destroy(exporter));
	MUST(doca_dev_close(host));
}

static void independent_engines(void)
{
	setup();
	parallel(copies);
	teardown();
}

/* An engine is created and run on one thread, drained and destroyed on another. */
static void *make_and_submit(void *arg)
{
	struct fixture **f = arg;

	*f = fixture_create(8);
	for (size_t i = 0; i < 4; i++) {
		struct doca_buf *src = src_buf((*f)->inventory, (*f)->src_mmap, (*f)->src + 8 * i, 8);
		struct doca_buf *dst = dst_buf((*f)->inventory, (*f)->dst_mmap, (*f)->dst + 8 * i, 8);

		MUST(doca_task_submit(make_task(*f, src, dst)));
		put_buf(src);
		put_buf(dst);
	}
	return NULL;
}

static void handed_over(void)
{
	struct fixture *f = NULL;
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, make_and_submit, &f) == 0);
	pthread_join(thread, NULL);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f->ctx));
	drain_pe(f->pe);
	CHECK(f->errors == 4);
	fixture_destroy(f);
}

/* The device is lost while other threads' engines use it. */
static pthread_barrier_t barrier;

static void *until_lost(void *arg)
{
	/* All contexts must exist before the first task is submitted. */
	int index = *(int *)arg;
	struct fixture *f = fixture_create(8);

	pthread_barrier_wait(&barrier);
	if (index == 0) {
		struct copy copy = make_copy(f, 0);

		MUST(doca_task_submit(copy.task));
		while (f->num_states < 3)
			doca_pe_progress(f->pe);
		MINE(f->errors == 1);
		finish_copy(&copy);
	} else {
		while (f->num_states < 3)
			doca_pe_progress(f->pe);
	}
	MINE(ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE);
	fixture_destroy(f);
	return NULL;
}

static void device_lost(void)
{
	pthread_barrier_init(&barrier, NULL, NUM_THREADS);
	MUST(emu_fault_set("lose-device=1", NULL, 0));
	parallel(until_lost);
	emu_fault_clear();
	pthread_barrier_destroy(&barrier);
}

TEST_MAIN(independent_engines, handed_over, device_lost)
