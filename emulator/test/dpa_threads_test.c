/* SPDX-License-Identifier: Apache-2.0 */
/* The host and the DPA at the same time: calls of many threads, and objects that go while code on the DPA uses them. */
#include <pthread.h>
#include <sched.h>

#include "dpa_call.h"

#include <doca_sync_event.h>

#include "dpacore/emu_dpa_completion.h"

static struct doca_dev *dev;

static void begin(void)
{
	dev = open_dev(DPU_0);
}

static void finish(void)
{
	MUST(doca_dev_close(dev));
}

static pthread_t start(void *(*run)(void *arg), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, arg) != 0)
		exit(1);
	return thread;
}

/* Many threads of the host. */

static void count(void *arg)
{
	__atomic_fetch_add((uint32_t *)arg, 1, __ATOMIC_SEQ_CST);
}

static uint32_t counter;

static void *call_often(void *arg)
{
	struct doca_dpa *dpa = arg;

	for (int i = 0; i < 200; i++) {
		uint64_t addr, value = (uint64_t)i, back = 0;

		on_dpa(dpa, count, &counter);
		MUST(doca_dpa_mem_alloc(dpa, 8, &addr));
		MUST(doca_dpa_h2d_memcpy(dpa, addr, &value, 8));
		MUST(doca_dpa_d2h_memcpy(dpa, &back, addr, 8));
		CHECK(back == value);
		MUST(doca_dpa_mem_free(dpa, addr));
	}
	return NULL;
}

static void test_many_callers(void)
{
	struct doca_dpa *dpa = start_dpa(dev);
	pthread_t threads[4];

	counter = 0;
	for (int i = 0; i < 4; i++)
		threads[i] = start(call_often, dpa);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK(counter == 800);
	MUST(doca_dpa_destroy(dpa));
}

/* Objects that are destroyed while a kernel uses them. */

struct use {
	uint64_t handle, ops;
	uint32_t map;
	uint64_t addr;
	uint32_t num;
};

static void use_completion(void *arg)
{
	struct use *use = arg;
	uint64_t element;

	for (;;) {
		device->get_completion(use->handle, &element);
		__atomic_store_n(&use->num, 1, __ATOMIC_RELEASE);
	}
}

static void use_table(void *arg)
{
	struct use *use = arg;
	uint64_t value;

	for (uint32_t key = 0;; key++) {
		device->hash_table_add(use->handle, key % 16, key);
		device->hash_table_find(use->handle, key % 16, &value);
		__atomic_store_n(&use->num, 1, __ATOMIC_RELEASE);
	}
}

static void use_map(void *arg)
{
	struct use *use = arg;

	for (;;) {
		device->post_memcpy(use->ops, use->map, use->addr, use->map, use->addr + 2048, 2048,
				    EMU_DPA_SUBMIT_FLUSH | EMU_DPA_SUBMIT_OPTIMIZE_REPORTS);
		__atomic_store_n(&use->num, 1, __ATOMIC_RELEASE);
	}
}

static void check_lost(struct doca_dpa *dpa)
{
	WAIT_UNTIL(doca_dpa_peek_at_last_error(dpa) == DOCA_ERROR_BAD_STATE);
}

static void test_destroy_in_use(void)
{
	for (int i = 0; i < 20; i++) {
		struct doca_dpa *dpa = start_dpa(dev);
		struct use use = {.num = 0};
		struct job job = {i % 2 == 0 ? use_completion : use_table, &use};
		struct doca_dpa_completion *comp;
		struct doca_dpa_hash_table *table;

		MUST(doca_dpa_completion_create(dpa, 4, &comp));
		MUST(doca_dpa_completion_start(comp));
		MUST(doca_dpa_hash_table_create(dpa, 16, &table));
		if (i % 2 == 0)
			MUST(doca_dpa_completion_get_dpa_handle(comp, &use.handle));
		else
			MUST(doca_dpa_hash_table_get_dpa_handle(table, &use.handle));
		launch_on_dpa(dpa, &job);
		WAIT_UNTIL(__atomic_load_n(&use.num, __ATOMIC_ACQUIRE) != 0);
		MUST(doca_dpa_completion_destroy(comp));
		MUST(doca_dpa_hash_table_destroy(table));
		check_lost(dpa);
		MUST(doca_dpa_destroy(dpa));
	}
}

/* The memory of a map that is stopped can be freed at once. */
static void test_stop_map_in_use(void)
{
	for (int i = 0; i < 10; i++) {
		struct doca_dpa *dpa = start_dpa(dev);
		uint8_t *memory = calloc(1, 4096);
		struct doca_mmap *map = make_mmap(dev, memory, 4096, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
		struct use use = {.addr = (uint64_t)(uintptr_t)memory};
		struct job job = {use_map, &use};
		struct doca_dpa_completion *comp;
		struct doca_dpa_async_ops *ops;

		MUST(doca_dpa_completion_create(dpa, 4, &comp));
		MUST(doca_dpa_completion_start(comp));
		MUST(doca_dpa_async_ops_create(dpa, 4, 0, &ops));
		MUST(doca_dpa_async_ops_attach(ops, comp));
		MUST(doca_dpa_async_ops_start(ops));
		MUST(doca_dpa_async_ops_get_dpa_handle(ops, &use.ops));
		MUST(doca_mmap_dev_get_dpa_handle(map, dev, &use.map));
		launch_on_dpa(dpa, &job);
		WAIT_UNTIL(__atomic_load_n(&use.num, __ATOMIC_ACQUIRE) != 0);
		MUST(doca_mmap_stop(map));
		free(memory);
		check_lost(dpa);
		MUST(doca_mmap_destroy(map));
		MUST(doca_dpa_async_ops_destroy(ops));
		MUST(doca_dpa_completion_destroy(comp));
		MUST(doca_dpa_destroy(dpa));
	}
}

/* Events that end or change while kernels wait for them. */

static void *set_event(void *arg)
{
	MUST(doca_sync_event_update_set(arg, 1));
	return NULL;
}

static void test_wait_races(void)
{
	struct doca_dpa *dpa = start_dpa(dev);

	for (int i = 0; i < 100; i++) {
		struct doca_sync_event *event;
		struct job job = {count, &counter};
		pthread_t thread;

		counter = 0;
		MUST(doca_sync_event_create(&event));
		MUST(doca_sync_event_add_publisher_location_cpu(event, dev));
		MUST(doca_sync_event_add_subscriber_location_dpa(event, dpa));
		MUST(doca_sync_event_start(event));
		thread = start(set_event, event);
		MUST(doca_dpa_kernel_launch_update_set(dpa, event, 1, NULL, 0, 1, (doca_dpa_func_t *)(void *)call_kernel,
						       (uint64_t)(uintptr_t)&job));
		pthread_join(thread, NULL);
		if (i % 2 == 0)
			WAIT_UNTIL(__atomic_load_n(&counter, __ATOMIC_ACQUIRE) == 1);
		MUST(doca_sync_event_destroy(event));
		if (i % 2 != 0) { /* the kernel may have started */
			MUST(doca_dpa_stop(dpa));
			MUST(doca_dpa_start(dpa));
		}
	}
	MUST(doca_dpa_destroy(dpa));
}

/* A stop ends an RPC of another thread. */

static void poll_rank(void *arg)
{
	__atomic_store_n((uint32_t *)arg, 1, __ATOMIC_RELEASE);
	for (;;)
		device->thread_rank();
}

static void *call_for_ever(void *arg)
{
	EXPECT(ERROR_DRIVER, try_on_dpa(arg, poll_rank, &counter));
	return NULL;
}

static void test_stop_under_rpc(void)
{
	struct doca_dpa *dpa = start_dpa(dev);
	pthread_t thread;

	counter = 0;
	thread = start(call_for_ever, dpa);
	WAIT_UNTIL(__atomic_load_n(&counter, __ATOMIC_ACQUIRE) == 1);
	MUST(doca_dpa_stop(dpa));
	pthread_join(thread, NULL);
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(dpa));
	MUST(doca_dpa_destroy(dpa));
}

/* Nothing is left of a context. */
static void test_nothing_is_left(void)
{
	struct doca_dpa *dpa = start_dpa(dev);
	int fds = count_fds();

	on_dpa(dpa, count, &counter);
	MUST(doca_dpa_destroy(dpa));
	CHECK(count_fds() == fds);
	WAIT_UNTIL(count_threads() <= test_threads + 1); /* the one that watches events may be ending */
}

TEST_MAIN(begin, test_many_callers, test_destroy_in_use, test_stop_map_in_use, test_wait_races, test_stop_under_rpc,
	  test_nothing_is_left, finish)
