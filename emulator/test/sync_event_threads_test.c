/* SPDX-License-Identifier: Apache-2.0 */

/* One thread changes a value, others wait for it; an exporter stops while imports are used. */

#include <pthread.h>

#include "sync_event_fixture.h"
#include "syncevent/emu_syncevent.h"

#define ALL (~UINT64_C(0))
#define ROUNDS 3000

static struct doca_sync_event *there, *back;
static uint64_t message; /* guarded by the events */

static void *answer(void *unused)
{
	(void)unused;
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		MUST(doca_sync_event_wait_gt(there, i - 1, ALL));
		CHECK(message == i * 3);
		message++;
		MUST(doca_sync_event_update_set(back, i));
	}
	return NULL;
}

static void messages(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	pthread_t thread;

	there = make_event(dev);
	back = make_event(dev);
	MUST(doca_sync_event_start(there));
	MUST(doca_sync_event_start(back));
	CHECK(pthread_create(&thread, NULL, answer, NULL) == 0);
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		message = i * 3;
		MUST(doca_sync_event_update_set(there, i));
		MUST(doca_sync_event_wait_eq_yield(back, i, ALL));
		CHECK(message == i * 3 + 1);
	}
	pthread_join(thread, NULL);
	MUST(doca_sync_event_destroy(there));
	MUST(doca_sync_event_destroy(back));
	MUST(doca_dev_close(dev));
}

static struct emu_event_key key;
static int num_working; /* accessed with atomics */
static const uint8_t *blob;
static size_t blob_len;

static void *import(void *arg)
{
	struct doca_dev *dev = open_dev(HOST_0);
	struct doca_sync_event *event;
	uint64_t old;

	(void)arg;
	MUST(doca_sync_event_create_from_export(dev, blob, blob_len, &event));
	MUST(doca_sync_event_start(event));
	MUST(doca_sync_event_update_add(event, 1, &old));
	__atomic_fetch_add(&num_working, 1, __ATOMIC_SEQ_CST);
	while (doca_sync_event_update_add(event, 1, &old) == DOCA_SUCCESS)
		;
	CHECK(old > 0);
	MUST(doca_sync_event_destroy(event));
	MUST(doca_dev_close(dev));
	return NULL;
}

static void *use_handle(void *arg)
{
	uint64_t old = 0;

	(void)arg;
	MUST(emu_event_apply(&key, EMU_EVENT_ADD, 1, &old));
	__atomic_fetch_add(&num_working, 1, __ATOMIC_SEQ_CST);
	while (emu_event_apply(&key, EMU_EVENT_ADD, 1, &old) == DOCA_SUCCESS)
		;
	CHECK(old > 0);
	return NULL;
}

static void an_exporter_that_stops(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_sync_event *event = make_shared_event(dev);
	struct doca_sync_event_remote_net *remote;
	pthread_t importer, handle;
	const uint8_t *net;
	size_t len;

	MUST(doca_sync_event_start(event));
	MUST(doca_sync_event_export_to_remote_pci(event, dev, &blob, &blob_len));
	MUST(doca_sync_event_export_to_remote_net(event, &net, &len));
	MUST(doca_sync_event_remote_net_create_from_export(dev, net, len, &remote));
	key = *emu_event_remote_key(remote);
	CHECK(pthread_create(&importer, NULL, import, NULL) == 0);
	CHECK(pthread_create(&handle, NULL, use_handle, NULL) == 0);
	while (__atomic_load_n(&num_working, __ATOMIC_SEQ_CST) < 2)
		sched_yield();
	MUST(doca_sync_event_wait_gt(event, ROUNDS, ALL));
	MUST(doca_sync_event_stop(event));
	pthread_join(importer, NULL);
	pthread_join(handle, NULL);
	MUST(doca_sync_event_remote_net_destroy(remote));
	MUST(doca_sync_event_destroy(event));
	MUST(doca_dev_close(dev));
}

TEST_MAIN(messages, an_exporter_that_stops)
