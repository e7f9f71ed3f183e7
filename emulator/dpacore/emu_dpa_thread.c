/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/emu_clock.h"
#include "emu_dpa.h"
#include "emu_dpa_run.h"
#include "emu_dpa_thread.h"

/* The futex of a thread. */
enum {
	AWAKE = 0,
	WOKEN, /* a wake-up has not been taken yet */
	ASLEEP,
};

/* How long a thread looks for a wake-up before it sleeps: some rounds of a program that waits for each answer before it sends
 * the next message. To sleep and to be woken takes as long. */
#define LOOK_NS 10000
#define LOOKS_PER_CLOCK 8

static inline void pause_cpu(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void futex_wait(uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void emu_dpa_thread_wake(struct doca_dpa_thread *thread)
{
	int cpu = sched_getcpu();

	if (__atomic_load_n(&thread->waker_cpu, __ATOMIC_RELAXED) != cpu)
		__atomic_store_n(&thread->waker_cpu, cpu, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&thread->wake, WOKEN, __ATOMIC_SEQ_CST) == ASLEEP)
		futex_wake(&thread->wake);
}

static bool take_wake(struct doca_dpa_thread *thread)
{
	uint32_t woken = WOKEN;

	return __atomic_compare_exchange_n(&thread->wake, &woken, AWAKE, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Looks for a wake-up for a while. If who wakes the thread does so on this processor, it needs it for that. To sleep would not do:
 * the system would switch to this thread at the first of many messages, and back, for each of them. */
static bool look(struct doca_dpa_thread *thread)
{
	uint64_t end = emu_clock_ns() + LOOK_NS;

	do {
		bool is_shared = __atomic_load_n(&thread->waker_cpu, __ATOMIC_RELAXED) == sched_getcpu();

		for (unsigned int i = 0; i < (is_shared ? 1 : LOOKS_PER_CLOCK); i++) {
			if (__atomic_load_n(&thread->wake, __ATOMIC_SEQ_CST) == WOKEN && take_wake(thread))
				return true;
			pause_cpu();
		}
		if (is_shared)
			sched_yield();
	} while (emu_clock_ns() < end);
	return false;
}

static void sleep_until_woken(struct doca_dpa_thread *thread)
{
	uint32_t awake = AWAKE;

	if (look(thread))
		return;
	if (__atomic_compare_exchange_n(&thread->wake, &awake, ASLEEP, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		while (__atomic_load_n(&thread->wake, __ATOMIC_SEQ_CST) == ASLEEP)
			futex_wait(&thread->wake, ASLEEP);
	}
	take_wake(thread);
}

static void run(struct doca_dpa_thread *thread, struct emu_dpa_run *run)
{
	for (;;) {
		sleep_until_woken(thread);
		switch (emu_dpa_run_call(run, thread->func->call, &thread->arg, NULL)) {
		case EMU_DPA_RETURNED:
		case EMU_DPA_RESCHEDULED:
			break;
		case EMU_DPA_CRASHED:
			emu_dpa_report_crash(run);
			return;
		default:
			return;
		}
		run->device = thread->dpa;
	}
}

static void *thread_main(void *arg)
{
	struct doca_dpa_thread *thread = arg;
	struct emu_dpa_run it = {
		.dpa = thread->dpa,
		.thread = thread,
		.name = thread->func->name,
		.rank = thread->rank,
		.num_threads = thread->num_threads,
	};
	struct emu_dpa_stack stack;

	if (!emu_dpa_run_prepare_thread(&stack)) {
		emu_dpa_fail(thread->dpa, "%s: no memory for the thread's signals", thread->func->name);
		return NULL;
	}
	emu_dpa_run_join(&it);
	if (__atomic_load_n(&thread->ends, __ATOMIC_SEQ_CST) != 0 || emu_dpa_is_fatal(thread->dpa))
		__atomic_store_n(&it.doomed, 1, __ATOMIC_SEQ_CST);
	run(thread, &it);
	emu_dpa_run_quit(&it);
	emu_dpa_run_release_thread(&stack);
	return NULL;
}

doca_error_t emu_dpa_thread_launch(struct doca_dpa_thread *thread)
{
	__atomic_store_n(&thread->ends, 0, __ATOMIC_SEQ_CST);
	if (!emu_dpa_run_start_thread(&thread->os_thread, thread_main, thread))
		return DOCA_ERROR_DRIVER;
	thread->is_running = true;
	return DOCA_SUCCESS;
}

static bool is_of_thread(const struct emu_dpa_run *run, const void *thread)
{
	return run->thread == thread;
}

void emu_dpa_thread_end(struct doca_dpa_thread *thread)
{
	if (!thread->is_running)
		return;
	__atomic_store_n(&thread->ends, 1, __ATOMIC_SEQ_CST);
	emu_dpa_run_doom(is_of_thread, thread);
	emu_dpa_thread_wake(thread);
	pthread_join(thread->os_thread, NULL);
	thread->is_running = false;
	__atomic_store_n(&thread->wake, AWAKE, __ATOMIC_SEQ_CST);
}

/* Who names it. */

void emu_dpa_thread_attach(struct doca_dpa_thread *thread)
{
	__atomic_add_fetch(&thread->num_attached, 1, __ATOMIC_ACQ_REL);
}

void emu_dpa_thread_detach(struct doca_dpa_thread *thread)
{
	__atomic_sub_fetch(&thread->num_attached, 1, __ATOMIC_ACQ_REL);
}

doca_error_t emu_dpa_thread_add_waker(struct doca_dpa_thread *thread)
{
	if (!thread->is_started)
		return DOCA_ERROR_BAD_STATE;
	__atomic_add_fetch(&thread->num_wakers, 1, __ATOMIC_ACQ_REL);
	return DOCA_SUCCESS;
}

void emu_dpa_thread_remove_waker(struct doca_dpa_thread *thread)
{
	__atomic_sub_fetch(&thread->num_wakers, 1, __ATOMIC_ACQ_REL);
}
