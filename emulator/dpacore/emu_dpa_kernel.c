/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "core/emu_clock.h"

#include "emu_dpa.h"
#include "emu_dpa_kernel.h"
#include "emu_dpa_run.h"

#define MAX_WORKERS (4 * EMU_DPA_MAX_THREADS_PER_KERNEL)
#define DEFAULT_MAX_RUN_TIME 60000
#define NS_PER_MS (EMU_NS_PER_S / 1000)

struct emu_dpa_kernels {
	struct doca_dpa *dpa;
	pthread_mutex_t lock;
	pthread_cond_t work;  /* for the workers */
	pthread_cond_t clock; /* for the watchdog */
	/* Under the lock. */
	struct emu_dpa_kernel *queue; /* not all of their threads have started; first in first out */
	struct emu_dpa_kernel *last;
	struct emu_dpa_kernel *running; /* all threads have started */
	unsigned int num_wanted; /* threads that are queued or run */
	unsigned int num_workers;
	pthread_t workers[MAX_WORKERS];
	pthread_t watchdog;
	bool has_watchdog;
	bool ends;
};

uint64_t emu_dpa_max_run_time(void)
{
	const char *text = getenv("DOCA_EMU_DPA_MAX_RUN_TIME");
	char *end;
	uint64_t time;

	if (text == NULL || text[0] < '0' || text[0] > '9')
		return DEFAULT_MAX_RUN_TIME;
	time = strtoull(text, &end, 10);
	return *end == '\0' && time > 0 && time < UINT32_MAX ? time : DEFAULT_MAX_RUN_TIME;
}

/* The watchdog, which runs from the first kernel on. */

/* Under the lock. The deadline that comes first, or UINT64_MAX. */
static struct emu_dpa_kernel *first_due(const struct emu_dpa_kernels *kernels)
{
	struct emu_dpa_kernel *first = NULL;

	if (kernels->queue != NULL && kernels->queue->num_started > 0)
		first = kernels->queue;
	for (struct emu_dpa_kernel *kernel = kernels->running; kernel != NULL; kernel = kernel->next) {
		if (first == NULL || kernel->deadline < first->deadline)
			first = kernel;
	}
	return first;
}

/* Waits for the first deadline: those of kernels that start meanwhile are later. */
static void *watch(void *arg)
{
	struct emu_dpa_kernels *kernels = arg;

	pthread_mutex_lock(&kernels->lock);
	while (!kernels->ends) {
		struct emu_dpa_kernel *first = first_due(kernels);
		struct timespec until;
		const char *name;

		if (first == NULL || emu_dpa_is_fatal(kernels->dpa)) {
			pthread_cond_wait(&kernels->clock, &kernels->lock);
		} else if (first->deadline > emu_clock_ns()) {
			until.tv_sec = (time_t)(first->deadline / EMU_NS_PER_S);
			until.tv_nsec = (long)(first->deadline % EMU_NS_PER_S);
			pthread_cond_timedwait(&kernels->clock, &kernels->lock, &until);
		} else {
			name = first->func->name;
			pthread_mutex_unlock(&kernels->lock);
			emu_dpa_fail(kernels->dpa, "%s: the kernel has run for more than %llu ms (DOCA_EMU_DPA_MAX_RUN_TIME)",
				     name, (unsigned long long)emu_dpa_max_run_time());
			pthread_mutex_lock(&kernels->lock);
		}
	}
	pthread_mutex_unlock(&kernels->lock);
	return NULL;
}

/* Workers. */

/* Under the lock. Takes a thread of the first kernel that has one to start, and returns its rank. */
static struct emu_dpa_kernel *take(struct emu_dpa_kernels *kernels, unsigned int *rank)
{
	struct emu_dpa_kernel *kernel = kernels->queue;
	bool watchdog_sleeps;

	*rank = kernel->num_started;
	if (*rank == 0) {
		watchdog_sleeps = first_due(kernels) == NULL;
		kernel->deadline = emu_clock_ns() + emu_dpa_max_run_time() * NS_PER_MS;
		if (watchdog_sleeps)
			pthread_cond_signal(&kernels->clock);
	}
	if (++kernel->num_started == kernel->num_threads) {
		kernels->queue = kernel->next;
		kernel->next = kernels->running;
		kernels->running = kernel;
	}
	return kernel;
}

/* Runs one thread of a kernel. */
static bool run(struct emu_dpa_kernel *kernel, unsigned int rank)
{
	struct emu_dpa_run it = {
		.dpa = kernel->dpa,
		.name = kernel->func->name,
		.rank = rank,
		.num_threads = kernel->num_threads,
	};
	enum emu_dpa_end end;

	emu_dpa_run_join(&it);
	if (emu_dpa_is_fatal(kernel->dpa))
		__atomic_store_n(&it.doomed, 1, __ATOMIC_SEQ_CST);
	end = emu_dpa_run_call(&it, kernel->func->call, kernel->args, kernel->func->is_rpc ? &kernel->result : NULL);
	emu_dpa_run_quit(&it);
	if (end == EMU_DPA_CRASHED)
		emu_dpa_report_crash(&it);
	return end == EMU_DPA_RETURNED;
}

/* Under the lock. True: the kernel has ended. */
static bool finish(struct emu_dpa_kernels *kernels, struct emu_dpa_kernel *kernel, bool is_done)
{
	struct emu_dpa_kernel **at = &kernels->running;

	kernel->has_failed |= !is_done;
	kernels->num_wanted--;
	if (--kernel->num_left > 0)
		return false;
	while (*at != kernel)
		at = &(*at)->next;
	*at = kernel->next;
	return true;
}

static void *work(void *arg)
{
	struct emu_dpa_kernels *kernels = arg;
	struct emu_dpa_stack stack;
	struct emu_dpa_kernel *kernel;
	bool is_fit = emu_dpa_run_prepare_thread(&stack), is_done;
	unsigned int rank;

	pthread_mutex_lock(&kernels->lock);
	for (;;) {
		while (kernels->queue == NULL && !kernels->ends)
			pthread_cond_wait(&kernels->work, &kernels->lock);
		if (kernels->queue == NULL)
			break;
		kernel = take(kernels, &rank);
		pthread_mutex_unlock(&kernels->lock);
		is_done = is_fit && run(kernel, rank);
		pthread_mutex_lock(&kernels->lock);
		if (!finish(kernels, kernel, is_done))
			continue;
		pthread_mutex_unlock(&kernels->lock);
		kernel->ended(kernel, !kernel->has_failed);
		pthread_mutex_lock(&kernels->lock);
	}
	pthread_mutex_unlock(&kernels->lock);
	if (is_fit)
		emu_dpa_run_release_thread(&stack);
	return NULL;
}

bool emu_dpa_kernel_queue(struct emu_dpa_kernels *kernels, struct emu_dpa_kernel *kernel)
{
	bool is_queued;

	kernel->num_started = 0;
	kernel->num_left = kernel->num_threads;
	kernel->has_failed = false;
	kernel->next = NULL;
	pthread_mutex_lock(&kernels->lock);
	if (!kernels->has_watchdog)
		kernels->has_watchdog = emu_dpa_run_start_thread(&kernels->watchdog, watch, kernels);
	while (kernels->num_workers < kernels->num_wanted + kernel->num_threads && kernels->num_workers < MAX_WORKERS &&
	       emu_dpa_run_start_thread(&kernels->workers[kernels->num_workers], work, kernels))
		kernels->num_workers++;
	is_queued = kernels->has_watchdog && kernels->num_workers >= kernel->num_threads;
	if (is_queued) {
		kernels->num_wanted += kernel->num_threads;
		if (kernels->queue == NULL)
			kernels->queue = kernel;
		else
			kernels->last->next = kernel;
		kernels->last = kernel;
		if (kernel->num_threads == 1)
			pthread_cond_signal(&kernels->work);
		else
			pthread_cond_broadcast(&kernels->work);
	}
	pthread_mutex_unlock(&kernels->lock);
	return is_queued;
}

/* The pool. */

struct emu_dpa_kernels *emu_dpa_kernels_start(struct doca_dpa *dpa)
{
	struct emu_dpa_kernels *kernels = calloc(1, sizeof(*kernels));
	pthread_condattr_t attr;

	if (kernels == NULL)
		return NULL;
	kernels->dpa = dpa;
	pthread_mutex_init(&kernels->lock, NULL);
	pthread_cond_init(&kernels->work, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&kernels->clock, &attr);
	pthread_condattr_destroy(&attr);
	emu_dpa_run_catch_crashes();
	return kernels;
}

static bool is_kernel_of(const struct emu_dpa_run *run, const void *base)
{
	return run->dpa->base == base && run->thread == NULL;
}

void emu_dpa_kernels_stop(struct emu_dpa_kernels *kernels)
{
	pthread_mutex_lock(&kernels->lock);
	kernels->ends = true;
	/* Kernels that start from here on do not run at all. */
	__atomic_store_n(&kernels->dpa->is_fatal, 1, __ATOMIC_SEQ_CST);
	pthread_cond_broadcast(&kernels->work);
	pthread_cond_signal(&kernels->clock);
	pthread_mutex_unlock(&kernels->lock);
	emu_dpa_run_doom(is_kernel_of, kernels->dpa);
	for (unsigned int i = 0; i < kernels->num_workers; i++)
		pthread_join(kernels->workers[i], NULL);
	if (kernels->has_watchdog)
		pthread_join(kernels->watchdog, NULL);
	pthread_cond_destroy(&kernels->clock);
	pthread_cond_destroy(&kernels->work);
	pthread_mutex_destroy(&kernels->lock);
	free(kernels);
}
