/* SPDX-License-Identifier: Apache-2.0 */
/* DPA threads: what wakes them, how they end, and the queues that they read. */
#include <pthread.h>
#include <sched.h>

#include "dpa_call.h"

#include <doca_mmap.h>

#include "dpacore/emu_dpa_completion.h"

static struct doca_dev *dev;
static struct doca_dpa *dpa;

static void begin(void)
{
	dev = open_dev(DPU_0);
	dpa = start_dpa(dev);
}

static void finish(void)
{
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

/* Begins again after a fatal error. */
static void restart(void)
{
	MUST(doca_dpa_destroy(dpa));
	dpa = start_dpa(dev);
}

/* A thread with what it needs. Its function is the test's. */
struct worker {
	struct job job;
	struct doca_dpa_thread *thread;
	struct doca_dpa_completion *comp;
	struct doca_dpa_notification_completion *notify;
	struct doca_dpa_async_ops *ops;
	uint64_t comp_handle, notify_handle, ops_handle;
	/* What it has seen. */
	uint32_t num_runs;
	uint32_t num_taken;
	uint32_t types[64];
	uint32_t user_data[64];
	uint32_t go;
	uint32_t rank, num_threads;
	uint64_t local_storage;
};

static void worker_init(struct worker *w, void (*run)(void *arg))
{
	*w = (struct worker){.job = {run, w}};
	MUST(doca_dpa_thread_create(dpa, &w->thread));
	MUST(doca_dpa_thread_set_func_arg(w->thread, (doca_dpa_func_t *)(void *)call_thread, (uint64_t)(uintptr_t)&w->job));
	MUST(doca_dpa_thread_start(w->thread));
	MUST(doca_dpa_completion_create(dpa, 5, &w->comp));
	MUST(doca_dpa_completion_set_thread(w->comp, w->thread));
	MUST(doca_dpa_completion_start(w->comp));
	MUST(doca_dpa_completion_get_dpa_handle(w->comp, &w->comp_handle));
	MUST(doca_dpa_notification_completion_create(dpa, w->thread, &w->notify));
	MUST(doca_dpa_notification_completion_start(w->notify));
	MUST(doca_dpa_notification_completion_get_dpa_handle(w->notify, &w->notify_handle));
	MUST(doca_dpa_async_ops_create(dpa, 4, 0xabcdef, &w->ops));
	MUST(doca_dpa_async_ops_attach(w->ops, w->comp));
	MUST(doca_dpa_async_ops_start(w->ops));
	MUST(doca_dpa_async_ops_get_dpa_handle(w->ops, &w->ops_handle));
}

static void worker_fini(struct worker *w)
{
	EXPECT(ERROR_BAD_STATE, doca_dpa_thread_destroy(w->thread));
	EXPECT(ERROR_BAD_STATE, doca_dpa_completion_destroy(w->comp));
	EXPECT(ERROR_IN_USE, doca_dpa_stop(dpa));
	MUST(doca_dpa_async_ops_destroy(w->ops));
	MUST(doca_dpa_notification_completion_destroy(w->notify));
	MUST(doca_dpa_completion_destroy(w->comp));
	MUST(doca_dpa_thread_destroy(w->thread));
}

/* Posts a completion, as libraries with queues on the DPA do. */
static void post(struct worker *w, uint32_t user_data)
{
	emu_dpa_completion_post(w->comp, &(struct emu_dpa_cqe){.type = EMU_DPA_COMP_SEND, .user_data = user_data});
}

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void add(uint32_t *word)
{
	__atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
}

static void take_all(struct worker *w)
{
	uint64_t element;

	while (device->get_completion(w->comp_handle, &element)) {
		w->types[w->num_taken % 64] = (uint32_t)device->get_completion_type(element);
		w->user_data[w->num_taken % 64] = device->get_completion_user_data(element);
		device->completion_ack(w->comp_handle, 1);
		add(&w->num_taken);
	}
}

/* Takes all, and goes to sleep without or with a new order to be woken. */
static void run_once(void *arg)
{
	struct worker *w = arg;

	add(&w->num_runs);
	take_all(w);
	device->thread_reschedule();
	add(&w->num_runs); /* never */
}

static void run_armed(void *arg)
{
	struct worker *w = arg;

	add(&w->num_runs);
	take_all(w);
	device->completion_request_notification(w->comp_handle);
	device->thread_reschedule();
}

static void run_and_return(void *arg)
{
	struct worker *w = arg;

	add(&w->num_runs);
	take_all(w);
	device->completion_request_notification(w->comp_handle);
}

static void run_and_finish(void *arg)
{
	struct worker *w = arg;

	add(&w->num_runs);
	device->completion_request_notification(w->comp_handle);
	device->thread_finish();
}

/* A thread runs when its first completion comes, not before it may. */
static void test_first_completion(void)
{
	struct worker w;

	worker_init(&w, run_once);
	post(&w, 5);
	usleep(10000);
	CHECK(load(&w.num_runs) == 0);
	MUST(doca_dpa_thread_run(w.thread));
	WAIT_UNTIL(load(&w.num_taken) == 1);
	CHECK(w.user_data[0] == 5 && w.types[0] == EMU_DPA_COMP_SEND);
	/* The next one does not wake it: it has not asked for that. */
	post(&w, 6);
	usleep(10000);
	CHECK(load(&w.num_runs) == 1 && load(&w.num_taken) == 1);
	worker_fini(&w);
}

/* With a request, each one does. */
static void test_request_notification(void)
{
	struct worker w;
	void (*const runs[])(void *arg) = {run_armed, run_and_return};

	for (size_t i = 0; i < 2; i++) {
		worker_init(&w, runs[i]);
		MUST(doca_dpa_thread_run(w.thread));
		EXPECT(SUCCESS, doca_dpa_thread_run(w.thread)); /* it runs already */
		for (uint32_t k = 0; k < 200; k++) {
			post(&w, k);
			if (k % 3 == 0)
				WAIT_UNTIL(load(&w.num_taken) == k + 1);
		}
		WAIT_UNTIL(load(&w.num_taken) == 200);
		CHECK(load(&w.num_runs) <= 200);
		worker_fini(&w);
	}
}

static void arm_first(void *arg)
{
	struct worker *w = arg;

	add(&w->num_runs);
	if (load(&w->num_runs) == 1) {
		while (load(&w->go) == 0) /* another one comes while this run has not taken the first */
			device->thread_rank();
		device->completion_request_notification(w->comp_handle);
		device->thread_reschedule();
	}
	take_all(w);
	device->thread_reschedule();
}

/* A request wakes at once if completions are there already. */
static void test_late_request(void)
{
	struct worker w;

	worker_init(&w, arm_first);
	MUST(doca_dpa_thread_run(w.thread));
	post(&w, 1);
	WAIT_UNTIL(load(&w.num_runs) == 1);
	post(&w, 2);
	__atomic_store_n(&w.go, 1, __ATOMIC_SEQ_CST);
	WAIT_UNTIL(load(&w.num_taken) == 2);
	CHECK(load(&w.num_runs) == 2);
	worker_fini(&w);
}

static void test_finish(void)
{
	struct worker w;

	worker_init(&w, run_and_finish);
	MUST(doca_dpa_thread_run(w.thread));
	post(&w, 1);
	WAIT_UNTIL(load(&w.num_runs) == 1);
	post(&w, 2);
	usleep(10000);
	CHECK(load(&w.num_runs) == 1);
	worker_fini(&w);
}

/* One thread wakes another. */
static void run_notify(void *arg)
{
	struct worker *w = arg, *next = w + 1;

	take_all(w);
	device->thread_notify(next->notify_handle);
	device->completion_request_notification(w->comp_handle);
	device->thread_reschedule();
}

static void run_notified(void *arg)
{
	struct worker *w = arg;

	add(&w->num_runs);
	device->thread_reschedule();
}

static void test_notify(void)
{
	struct worker w[2];

	worker_init(&w[0], run_notify);
	worker_init(&w[1], run_notified);
	MUST(doca_dpa_thread_run(w[0].thread));
	MUST(doca_dpa_thread_run(w[1].thread));
	for (uint32_t i = 1; i < 5; i++) {
		post(&w[0], 0);
		WAIT_UNTIL(load(&w[1].num_runs) == i);
	}
	worker_fini(&w[1]);
	worker_fini(&w[0]);
}

static void poll_for_ever(void *arg)
{
	struct worker *w = arg;

	add(&w->num_runs);
	for (;;)
		take_all(w);
}

static __attribute__((unused)) void spin_for_ever(void *arg)
{
	struct worker *w = arg;

	add(&w->num_runs);
	for (;;)
		__asm__ volatile("");
}

/* A thread may poll for ever. Its stop ends it, and it can start again. */
static void test_polling(void)
{
	void (*const runs[])(void *arg) = {
		poll_for_ever,
#ifndef __SANITIZE_THREAD__ /* it holds back the signal that ends such a thread */
		spin_for_ever,
#endif
	};
	struct worker w;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		worker_init(&w, runs[i]);
		MUST(doca_dpa_thread_run(w.thread));
		post(&w, 1);
		WAIT_UNTIL(load(&w.num_runs) == 1);
		EXPECT(SUCCESS, doca_dpa_thread_stop(w.thread));
		EXPECT(SUCCESS, doca_dpa_thread_stop(w.thread));
		EXPECT(ERROR_BAD_STATE, doca_dpa_thread_run(w.thread));
		MUST(doca_dpa_thread_start(w.thread));
		MUST(doca_dpa_thread_run(w.thread));
		usleep(5000);
		CHECK(load(&w.num_runs) == 1); /* the old wake-up is gone */
		EXPECT(SUCCESS, doca_dpa_peek_at_last_error(dpa));
		worker_fini(&w);
	}
}

/* More completions than the queue holds are a fatal error. */
static void test_overrun(void)
{
	struct worker w;
	unsigned int size;

	worker_init(&w, run_once);
	MUST(doca_dpa_completion_get_queue_size(w.comp, &size));
	CHECK(size == 8); /* rounded up */
	for (uint32_t i = 0; i < size; i++)
		post(&w, i);
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(dpa));
	post(&w, 9);
	EXPECT(ERROR_BAD_STATE, doca_dpa_peek_at_last_error(dpa));
	EXPECT(ERROR_DRIVER, doca_dpa_thread_run(w.thread));
	worker_fini(&w);
	restart();
}

/* Misuse of taken completions. */

static void read_acked(void *arg)
{
	const struct worker *w = arg;
	uint64_t element;

	device->get_completion(w->comp_handle, &element);
	device->completion_ack(w->comp_handle, 1);
	device->get_completion_type(element);
}

static void ack_two(void *arg)
{
	const struct worker *w = arg;
	uint64_t element;

	device->get_completion(w->comp_handle, &element);
	device->completion_ack(w->comp_handle, 2);
}

static void yield_in_thread(void *arg)
{
	(void)arg;
	device->yield();
}

static void crash_in_thread(void *arg)
{
	static volatile uintptr_t nowhere = 8;

	(void)arg;
	*(volatile uint32_t *)nowhere = 1;
}

static void test_misuse(void)
{
	void (*const runs[])(void *arg) = {read_acked, ack_two, yield_in_thread, crash_in_thread};
	struct worker w;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		worker_init(&w, runs[i]);
		MUST(doca_dpa_thread_run(w.thread));
		post(&w, 1);
		WAIT_UNTIL(doca_dpa_peek_at_last_error(dpa) == DOCA_ERROR_BAD_STATE);
		worker_fini(&w);
		restart();
	}
}

/* Groups and local storage. */

static void note_rank(void *arg)
{
	struct worker *w = arg;

	w->rank = device->thread_rank();
	w->num_threads = device->num_threads();
	w->local_storage = device->thread_get_local_storage();
	add(&w->num_runs);
	device->thread_reschedule();
}

static void test_groups(void)
{
	struct worker w[3];
	struct doca_dpa_tg *tg;
	unsigned int num;
	uint32_t id[3];

	EXPECT(ERROR_INVALID_VALUE, doca_dpa_thread_group_create(dpa, 0, &tg));
	MUST(doca_dpa_thread_group_create(dpa, 3, &tg));
	MUST(doca_dpa_thread_group_get_num_threads(tg, &num));
	CHECK(num == 3);
	for (unsigned int i = 0; i < 3; i++) {
		worker_init(&w[i], note_rank);
		MUST(doca_dpa_thread_stop(w[i].thread));
		MUST(doca_dpa_thread_set_local_storage(w[i].thread, 1000 + i));
		MUST(doca_dpa_thread_start(w[i].thread));
		EXPECT(ERROR_BAD_STATE, doca_dpa_thread_set_local_storage(w[i].thread, 1));
		EXPECT(ERROR_BAD_STATE, doca_dpa_thread_group_start(tg)); /* a rank is missing */
		MUST(doca_dpa_thread_group_set_thread(tg, w[i].thread, 2 - i));
		MUST(doca_dpa_thread_get_id(w[i].thread, &id[i]));
	}
	CHECK(id[0] != id[1] && id[1] != id[2] && id[0] != id[2]);
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_thread_group_set_thread(tg, w[0].thread, 3));
	MUST(doca_dpa_thread_group_start(tg));
	EXPECT(ERROR_BAD_STATE, doca_dpa_thread_group_set_thread(tg, w[0].thread, 0));
	for (unsigned int i = 0; i < 3; i++) {
		MUST(doca_dpa_thread_run(w[i].thread));
		post(&w[i], 0);
		WAIT_UNTIL(load(&w[i].num_runs) == 1);
		CHECK(w[i].rank == 2 - i && w[i].num_threads == 3 && w[i].local_storage == 1000 + i);
	}
	MUST(doca_dpa_async_ops_destroy(w[0].ops));
	MUST(doca_dpa_notification_completion_destroy(w[0].notify));
	MUST(doca_dpa_completion_destroy(w[0].comp));
	EXPECT(ERROR_BAD_STATE, doca_dpa_thread_destroy(w[0].thread)); /* it is in the group */
	MUST(doca_dpa_thread_group_stop(tg));
	MUST(doca_dpa_thread_group_destroy(tg));
	MUST(doca_dpa_thread_destroy(w[0].thread));
	worker_fini(&w[1]);
	worker_fini(&w[2]);
}

/* Posts from many threads at once. */

struct poster {
	struct worker *w;
	uint32_t num;
	pthread_t thread;
};

static void *post_many(void *arg)
{
	struct poster *p = arg;

	for (uint32_t i = 0; i < p->num; i++) {
		while (load(&p->w->go) - load(&p->w->num_taken) > 4) /* the queue holds 8, and there are 4 of these */
			sched_yield();
		add(&p->w->go);
		post(p->w, i);
	}
	return NULL;
}

static void test_many_posters(void)
{
	struct poster posters[4];
	struct worker w;

	worker_init(&w, run_armed);
	MUST(doca_dpa_thread_run(w.thread));
	for (int i = 0; i < 4; i++) {
		posters[i] = (struct poster){.w = &w, .num = 2000};
		CHECK(pthread_create(&posters[i].thread, NULL, post_many, &posters[i]) == 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(posters[i].thread, NULL);
	WAIT_UNTIL(load(&w.num_taken) == 8000);
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(dpa));
	worker_fini(&w);
}

/* Threads are limited. */
static void test_too_many(void)
{
	static struct doca_dpa_thread *threads[1025];

	for (int i = 0; i < 1025; i++) {
		MUST(doca_dpa_thread_create(dpa, &threads[i]));
		MUST(doca_dpa_thread_set_func_arg(threads[i], (doca_dpa_func_t *)(void *)call_thread, 0));
		EXPECT(SUCCESS, i < 1024 ? doca_dpa_thread_start(threads[i]) : DOCA_SUCCESS);
	}
	EXPECT(ERROR_DRIVER, doca_dpa_thread_start(threads[1024]));
	MUST(doca_dpa_thread_stop(threads[0]));
	EXPECT(SUCCESS, doca_dpa_thread_start(threads[1024]));
	for (int i = 0; i < 1025; i++)
		MUST(doca_dpa_thread_destroy(threads[i]));
}

TEST_MAIN(begin, test_first_completion, test_request_notification, test_late_request, test_finish, test_notify,
	  test_polling, test_overrun, test_misuse, test_groups, test_many_posters, test_too_many, finish)
