/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and RPCs: their threads, arguments and events. */
#include "dpa_call.h"

#include <doca_sync_event.h>

struct seen {
	uint32_t num;
	uint32_t num_threads;
	uint32_t ranks[128];
};

static void note_rank(void *arg)
{
	struct seen *seen = arg;
	unsigned int rank = device->thread_rank();

	__atomic_store_n(&seen->num_threads, device->num_threads(), __ATOMIC_RELAXED);
	__atomic_fetch_add(&seen->ranks[rank], 1, __ATOMIC_RELAXED);
	device->yield();
	__atomic_fetch_add(&seen->num, 1, __ATOMIC_SEQ_CST);
}

static doca_error_t launch(struct doca_dpa *dpa, struct doca_sync_event *wait, uint64_t threshold,
			   struct doca_sync_event *comp, uint64_t count, unsigned int num_threads, const struct job *job)
{
	return doca_dpa_kernel_launch_update_set(dpa, wait, threshold, comp, count, num_threads,
						 (doca_dpa_func_t *)(void *)call_kernel, (uint64_t)(uintptr_t)job);
}

/* An event from the host to the DPA, or the other way. */
static struct doca_sync_event *make_event(struct doca_dev *dev, struct doca_dpa *dpa, int to_dpa)
{
	struct doca_sync_event *event;

	MUST(doca_sync_event_create(&event));
	if (to_dpa) {
		MUST(doca_sync_event_add_publisher_location_cpu(event, dev));
		MUST(doca_sync_event_add_subscriber_location_dpa(event, dpa));
	} else {
		MUST(doca_sync_event_add_publisher_location_dpa(event, dpa));
		MUST(doca_sync_event_add_subscriber_location_cpu(event, dev));
	}
	MUST(doca_sync_event_start(event));
	return event;
}

static uint64_t value_of(struct doca_sync_event *event)
{
	uint64_t value = 0;

	MUST(doca_sync_event_get(event, &value));
	return value;
}

/* Each thread of a kernel has its rank. */
static void test_ranks(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_sync_event *comp = make_event(dev, dpa, 0);
	unsigned int max;

	MUST(doca_dpa_get_max_threads_per_kernel(dpa, &max));
	CHECK(max == 128);
	for (unsigned int num = 1; num <= max; num = num < 4 ? num + 1 : num * 2) {
		struct seen seen = {.num = 0};
		struct job job = {note_rank, &seen};

		MUST(launch(dpa, NULL, 0, comp, num, num, &job));
		MUST(doca_sync_event_wait_eq(comp, num, UINT64_MAX));
		CHECK(seen.num == num && seen.num_threads == num);
		for (unsigned int i = 0; i < 128; i++)
			CHECK(seen.ranks[i] == (i < num));
	}
	EXPECT(ERROR_INVALID_VALUE, launch(dpa, NULL, 0, NULL, 0, max + 1, NULL));
	EXPECT(ERROR_INVALID_VALUE, launch(dpa, NULL, 0, NULL, 0, 0, NULL));
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(dpa));
	EXPECT(ERROR_IN_USE, doca_dpa_destroy(dpa)); /* the event names it */
	MUST(doca_sync_event_destroy(comp));
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

/* A kernel starts when its event has the value, and sets another one at its end. */
static void test_events(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_sync_event *wait = make_event(dev, dpa, 1), *comp = make_event(dev, dpa, 0);
	struct seen seen = {.num = 0};
	struct job job = {note_rank, &seen};

	MUST(launch(dpa, wait, 4, comp, 10, 3, &job));
	MUST(doca_sync_event_update_set(wait, 3));
	usleep(20000);
	CHECK(__atomic_load_n(&seen.num, __ATOMIC_SEQ_CST) == 0 && value_of(comp) == 0);
	MUST(doca_sync_event_update_set(wait, 5));
	MUST(doca_sync_event_wait_gt(comp, 9, UINT64_MAX));
	CHECK(seen.num == 3);
	/* At once: the value is reached. */
	MUST(doca_dpa_kernel_launch_update_add(dpa, wait, 5, comp, 7, 1, (doca_dpa_func_t *)(void *)call_kernel,
					       (uint64_t)(uintptr_t)&job));
	MUST(doca_sync_event_wait_eq(comp, 17, UINT64_MAX));
	CHECK(seen.num == 4);
	EXPECT(ERROR_INVALID_VALUE, launch(dpa, wait, 255, NULL, 0, 1, &job));
	EXPECT(ERROR_INVALID_VALUE, launch(dpa, comp, 1, NULL, 0, 1, &job)); /* the DPA publishes it */
	EXPECT(ERROR_INVALID_VALUE, launch(dpa, NULL, 1, wait, 0, 1, &job)); /* the DPA subscribes it */
	MUST(doca_sync_event_stop(comp));
	EXPECT(ERROR_BAD_STATE, launch(dpa, NULL, 1, comp, 0, 1, &job));
	MUST(doca_sync_event_stop(wait));
	EXPECT(ERROR_BAD_STATE, launch(dpa, wait, 1, NULL, 0, 1, &job));
	MUST(doca_sync_event_destroy(wait));
	MUST(doca_sync_event_destroy(comp));
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

/* Events that end take their launches with them; a context that stops drops them. */
static void test_dropped(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_sync_event *wait = make_event(dev, dpa, 1);
	struct seen seen = {.num = 0};
	struct job job = {note_rank, &seen};

	for (int i = 0; i < 100; i++)
		MUST(launch(dpa, wait, 4, NULL, 10, 3, &job));
	MUST(doca_sync_event_destroy(wait));
	wait = make_event(dev, dpa, 1);
	MUST(launch(dpa, wait, 4, NULL, 10, 3, &job));
	MUST(doca_sync_event_destroy(wait));
	MUST(doca_dpa_destroy(dpa));
	CHECK(seen.num == 0);
	MUST(doca_dev_close(dev));
}

static void wait_for_word(void *arg)
{
	while (__atomic_load_n((uint32_t *)arg, __ATOMIC_SEQ_CST) == 0)
		device->yield();
}

/* More kernels than threads wait for their turn. */
static void test_many(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_sync_event *comp = make_event(dev, dpa, 0);
	uint32_t go = 0;
	struct job waits = {wait_for_word, &go};

	for (int i = 0; i < 40; i++)
		MUST(doca_dpa_kernel_launch_update_add(dpa, NULL, 0, comp, 1, 32, (doca_dpa_func_t *)(void *)call_kernel,
						       (uint64_t)(uintptr_t)&waits));
	CHECK(value_of(comp) == 0);
	__atomic_store_n(&go, 1, __ATOMIC_SEQ_CST);
	MUST(doca_sync_event_wait_eq(comp, 40, UINT64_MAX));
	MUST(doca_sync_event_destroy(comp));
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

static uint64_t sum(uint8_t a, int16_t b, uint32_t c, uint64_t d, double e)
{
	return (uint64_t)(a + b) + c + d + (uint64_t)e + device->thread_rank() + 100 * device->num_threads();
}

struct sum_args {
	uint8_t a;
	int16_t b;
	uint32_t c;
	uint64_t d;
	double e;
};

static void collect_sum(void *args, va_list *ap)
{
	struct sum_args *sum_args = args;

	sum_args->a = (uint8_t)va_arg(*ap, int);
	sum_args->b = (int16_t)va_arg(*ap, int);
	sum_args->c = va_arg(*ap, uint32_t);
	sum_args->d = va_arg(*ap, uint64_t);
	sum_args->e = va_arg(*ap, double);
}

static uint64_t call_sum(const void *args)
{
	const struct sum_args *it = args;

	return sum(it->a, it->b, it->c, it->d, it->e);
}

static void nothing(void)
{
}

static uint64_t call_nothing(const void *args)
{
	(void)args;
	nothing();
	return 0;
}

/* RPCs have results, and the arguments of their declaration. */
static void test_rpc(void)
{
	static const struct emu_dpa_func own[] = {
		{.name = "sum", .func = (doca_dpa_func_t *)(void *)sum, .is_rpc = 1, .args_size = sizeof(struct sum_args),
		 .collect = collect_sum, .call = call_sum},
		{.name = "nothing", .func = nothing, .call = call_nothing},
	};
	struct doca_dpa_app sums = {
		.abi = EMU_DPA_APP_ABI, .num_funcs = 2, .name = "sums", .funcs = own, .ops = &device};
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_dpa *dpa, *other = start_dpa(dev);
	uint64_t result = 0;

	MUST(doca_dpa_create(dev, &dpa));
	EXPECT(ERROR_BAD_STATE, doca_dpa_rpc(dpa, (doca_dpa_func_t *)(void *)sum, &result, 1, 1, 1, UINT64_C(1), 1.0));
	MUST(doca_dpa_set_app(dpa, &sums));
	MUST(doca_dpa_start(dpa));
	EXPECT(SUCCESS, doca_dpa_rpc(dpa, (doca_dpa_func_t *)(void *)sum, &result, 200, -3, UINT32_MAX, UINT64_C(1) << 40, 7.5));
	CHECK(result == 197 + (uint64_t)UINT32_MAX + (UINT64_C(1) << 40) + 7 + 100);
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_rpc(dpa, nothing, &result)); /* a kernel */
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_rpc(dpa, (doca_dpa_func_t *)(void *)call_rpc, &result, UINT64_C(0)));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_rpc(NULL, nothing, &result));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_rpc(dpa, NULL, &result));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_rpc(dpa, (doca_dpa_func_t *)(void *)sum, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 1,
								     (doca_dpa_func_t *)(void *)sum));
	EXPECT(SUCCESS, doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 128, nothing));
	on_dpa(other, note_rank, &(struct seen){.num = 0});
	MUST(doca_dpa_destroy(dpa)); /* the kernel has run, or is dropped */
	MUST(doca_dpa_destroy(other));
	MUST(doca_dev_close(dev));
}

TEST_MAIN(test_ranks, test_events, test_dropped, test_many, test_rpc)
