/* SPDX-License-Identifier: Apache-2.0 */

/* Waits for events that keep no thread. */

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "sync_event_fixture.h"
#include "syncevent/emu_event_wait.h"

#define ALL (~UINT64_C(0))

struct wait {
	struct emu_event_wait base; /* comes first */
	sem_t is_over;
	doca_error_t status;
};

static void ended(struct emu_event_wait *base, doca_error_t status)
{
	struct wait *wait = (struct wait *)base;

	wait->status = status;
	sem_post(&wait->is_over);
}

static doca_error_t begin(struct wait *wait, struct doca_sync_event *event, enum emu_event_condition condition, uint64_t value,
			  uint64_t mask)
{
	*wait = (struct wait){.base = {event, condition, value, mask, ended, NULL, 0, 0, false}};
	sem_init(&wait->is_over, 0, 0);
	return emu_event_wait_begin(&wait->base);
}

/* Waits for the end of a wait. */
static doca_error_t result_of(struct wait *wait)
{
	sem_wait(&wait->is_over);
	return wait->status;
}

static bool has_ended(struct wait *wait)
{
	return sem_trywait(&wait->is_over) == 0;
}

static void conditions(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_sync_event *event = make_event(dev);
	struct wait greater, not_less, different, masked;

	EXPECT(ERROR_BAD_STATE, begin(&greater, event, EMU_EVENT_GREATER, 4, ALL));
	MUST(doca_sync_event_start(event));
	MUST(doca_sync_event_update_set(event, 4));
	EXPECT(SUCCESS, begin(&greater, event, EMU_EVENT_GREATER, 3, ALL));
	EXPECT(SUCCESS, begin(&not_less, event, EMU_EVENT_NOT_LESS, 4, ALL));
	EXPECT(SUCCESS, begin(&different, event, EMU_EVENT_DIFFERENT, 5, ALL));

	EXPECT(ERROR_IN_PROGRESS, begin(&greater, event, EMU_EVENT_GREATER, 5, ALL));
	EXPECT(ERROR_IN_PROGRESS, begin(&not_less, event, EMU_EVENT_NOT_LESS, 5, ALL));
	EXPECT(ERROR_IN_PROGRESS, begin(&different, event, EMU_EVENT_DIFFERENT, 4, ALL));
	EXPECT(ERROR_IN_PROGRESS, begin(&masked, event, EMU_EVENT_GREATER, 0, 0x700));
	MUST(doca_sync_event_update_set(event, 5));
	EXPECT(SUCCESS, result_of(&not_less));
	EXPECT(SUCCESS, result_of(&different));
	CHECK(!has_ended(&greater) && !has_ended(&masked));
	MUST(doca_sync_event_update_set(event, 6));
	EXPECT(SUCCESS, result_of(&greater));
	MUST(doca_sync_event_update_set(event, 0x206));
	EXPECT(SUCCESS, result_of(&masked));
	CHECK(!has_ended(&not_less) && !has_ended(&different));
	MUST(doca_sync_event_destroy(event));
	MUST(doca_dev_close(dev));
}

/* A change that no function of the library has made. */
static void changes_by_others(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_sync_event *event = make_event(dev);
	uint64_t value = 0;
	struct wait wait;

	MUST(doca_sync_event_set_addr(event, &value));
	MUST(doca_sync_event_start(event));
	EXPECT(ERROR_IN_PROGRESS, begin(&wait, event, EMU_EVENT_GREATER, 0, ALL));
	__atomic_store_n(&value, 1, __ATOMIC_SEQ_CST);
	EXPECT(SUCCESS, result_of(&wait));
	MUST(doca_sync_event_destroy(event));
	MUST(doca_dev_close(dev));
}

static void ends(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_sync_event *event = make_event(dev);
	struct wait one, other;

	MUST(doca_sync_event_start(event));
	EXPECT(ERROR_IN_PROGRESS, begin(&one, event, EMU_EVENT_GREATER, 0, ALL));
	EXPECT(ERROR_IN_PROGRESS, begin(&other, event, EMU_EVENT_GREATER, 0, ALL));
	CHECK(emu_event_wait_cancel(&one.base));
	CHECK(!emu_event_wait_cancel(&one.base));
	CHECK(!has_ended(&one) && !has_ended(&other));
	MUST(doca_sync_event_stop(event));
	CHECK(has_ended(&other) && other.status == DOCA_ERROR_BAD_STATE);
	CHECK(!has_ended(&one));
	CHECK(!emu_event_wait_cancel(&other.base));

	MUST(doca_sync_event_start(event));
	EXPECT(ERROR_IN_PROGRESS, begin(&one, event, EMU_EVENT_GREATER, 0, ALL));
	MUST(doca_sync_event_destroy(event)); /* without a stop */
	CHECK(has_ended(&one) && one.status == DOCA_ERROR_BAD_STATE);
	MUST(doca_dev_close(dev));
}

static void imports(void)
{
	struct doca_dev *dpu = open_dev(DPU_0), *host = open_dev(HOST_0);
	struct doca_sync_event *event = make_shared_event(dpu), *import;
	const uint8_t *blob;
	struct wait wait;
	size_t len;

	MUST(doca_sync_event_start(event));
	MUST(doca_sync_event_export_to_remote_pci(event, host, &blob, &len));
	MUST(doca_sync_event_create_from_export(host, blob, len, &import));
	MUST(doca_sync_event_start(import));
	EXPECT(ERROR_INVALID_VALUE, begin(&wait, import, EMU_EVENT_GREATER, 0, ALL));
	EXPECT(ERROR_IN_PROGRESS, begin(&wait, event, EMU_EVENT_GREATER, 0, ALL));
	MUST(doca_sync_event_update_set(import, 1));
	EXPECT(SUCCESS, result_of(&wait));
	MUST(doca_sync_event_destroy(import));
	MUST(doca_sync_event_destroy(event));
	MUST(doca_dev_close(host));
	MUST(doca_dev_close(dpu));
}

/* Many threads wait for, change and cancel at once. */

#define NUM_THREADS 4
#define ROUNDS 500

static struct doca_sync_event *shared;
static uint32_t num_ended, num_cancelled; /* accessed with atomics */

static void count(struct emu_event_wait *wait, doca_error_t status)
{
	CHECK(status == DOCA_SUCCESS);
	__atomic_fetch_add(&num_ended, 1, __ATOMIC_SEQ_CST);
	free(wait);
}

static void *work(void *arg)
{
	unsigned int seed = (unsigned int)(uintptr_t)arg;
	uint64_t old;

	for (int i = 0; i < ROUNDS; i++) {
		struct emu_event_wait *wait = calloc(1, sizeof(*wait));
		struct wait kept;

		MUST(doca_sync_event_update_add(shared, 1, &old));
		*wait = (struct emu_event_wait){shared, EMU_EVENT_GREATER, old + (uint64_t)(rand_r(&seed) % 3), ALL, count, NULL, 0, 0, false};
		if (emu_event_wait_begin(wait) == DOCA_SUCCESS)
			count(wait, DOCA_SUCCESS);
		EXPECT(ERROR_IN_PROGRESS, begin(&kept, shared, EMU_EVENT_GREATER, ALL - 1, ALL));
		CHECK(emu_event_wait_cancel(&kept.base));
		__atomic_fetch_add(&num_cancelled, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void threads(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	pthread_t ids[NUM_THREADS];
	struct wait last;
	uint64_t old;

	shared = make_event(dev);
	MUST(doca_sync_event_start(shared));
	for (uintptr_t i = 0; i < NUM_THREADS; i++)
		CHECK(pthread_create(&ids[i], NULL, work, (void *)i) == 0);
	for (int i = 0; i < NUM_THREADS; i++)
		pthread_join(ids[i], NULL);
	/* The last waits may be for more than was added. */
	EXPECT(ERROR_IN_PROGRESS, begin(&last, shared, EMU_EVENT_GREATER, NUM_THREADS * ROUNDS + 3, ALL));
	MUST(doca_sync_event_update_add(shared, 4, &old));
	EXPECT(SUCCESS, result_of(&last));
	while (__atomic_load_n(&num_ended, __ATOMIC_SEQ_CST) < NUM_THREADS * ROUNDS)
		usleep(100);
	MUST(doca_sync_event_stop(shared));
	CHECK(num_ended == NUM_THREADS * ROUNDS);
	CHECK(num_cancelled == NUM_THREADS * ROUNDS);
	MUST(doca_sync_event_destroy(shared));
	MUST(doca_dev_close(dev));
}

TEST_MAIN(conditions, changes_by_others, ends, imports, threads)
