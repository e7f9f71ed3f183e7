/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How threads of the DPA wait. The program is linked so that sched_getcpu, clock_gettime, sched_yield and syscall come to this
 * file: it says on which processor each thread is and when time passes, and sees who leaves its processor to others and who sleeps.
 */

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>

#include "dpa_call.h"

#include "dpacore/emu_dpa_thread.h"

#define ROUNDS 200
#define HOST_CPU 5

int __wrap_sched_getcpu(void);
int __real_sched_yield(void);
int __wrap_sched_yield(void);
int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

static __thread bool is_host;
static int dpa_cpu;	     /* of all threads of the DPA */
static uint32_t time_passes; /* for them */
static uint32_t num_yields; /* of theirs */
static uint32_t num_sleeps;
static uint32_t num_runs;

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

int __wrap_sched_getcpu(void)
{
	return is_host ? HOST_CPU : __atomic_load_n(&dpa_cpu, __ATOMIC_SEQ_CST);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	if (is_host || load(&time_passes))
		return __real_clock_gettime(clock, time);
	*time = (struct timespec){.tv_sec = 1};
	return 0;
}

int __wrap_sched_yield(void)
{
	if (!is_host)
		__atomic_fetch_add(&num_yields, 1, __ATOMIC_SEQ_CST);
	return __real_sched_yield();
}

long __wrap_syscall(long number, ...)
{
	void *args[6];
	va_list ap;

	va_start(ap, number);
	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++)
		args[i] = va_arg(ap, void *);
	va_end(ap);
	if (number == SYS_futex && (int)(intptr_t)args[1] == FUTEX_WAIT_PRIVATE)
		__atomic_fetch_add(&num_sleeps, 1, __ATOMIC_SEQ_CST);
	return __real_syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

static void count_run(void *arg)
{
	(void)arg;
	__atomic_fetch_add(&num_runs, 1, __ATOMIC_SEQ_CST);
}

static struct job job = {count_run, NULL};

struct lab {
	struct doca_dev *dev;
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread;
	struct doca_dpa_notification_completion *notify;
};

/* Makes a thread, which runs once. Its time stands still. */
static struct lab make_lab(int cpu)
{
	struct lab lab = {.dev = open_dev(DPU_0)};

	is_host = true;
	dpa_cpu = cpu;
	time_passes = num_yields = num_sleeps = num_runs = 0;
	lab.dpa = start_dpa(lab.dev);
	MUST(doca_dpa_thread_create(lab.dpa, &lab.thread));
	MUST(doca_dpa_thread_set_func_arg(lab.thread, (doca_dpa_func_t *)(void *)call_thread, (uint64_t)(uintptr_t)&job));
	MUST(doca_dpa_thread_start(lab.thread));
	MUST(doca_dpa_notification_completion_create(lab.dpa, lab.thread, &lab.notify));
	MUST(doca_dpa_notification_completion_start(lab.notify));
	MUST(doca_dpa_thread_run(lab.thread));
	emu_dpa_thread_wake(lab.thread);
	WAIT_UNTIL(load(&num_runs) == 1);
	return lab;
}

static void end_lab(const struct lab *lab)
{
	MUST(doca_dpa_notification_completion_destroy(lab->notify));
	MUST(doca_dpa_thread_destroy(lab->thread));
	MUST(doca_dpa_destroy(lab->dpa));
	MUST(doca_dev_close(lab->dev));
}

/* A thread that has a processor for itself looks for the next message: who sends it need not wake the thread. */
static void looks_for_messages(void)
{
	struct lab lab = make_lab(HOST_CPU + 1);

	for (uint32_t i = 2; i <= ROUNDS; i++) {
		emu_dpa_thread_wake(lab.thread);
		WAIT_UNTIL(load(&num_runs) == i);
	}
	CHECK(load(&num_sleeps) == 0);
	CHECK(load(&num_yields) == 0);
	end_lab(&lab);
}

/* But not for ever. */
static void sleeps_when_idle(void)
{
	for (int cpu = HOST_CPU; cpu <= HOST_CPU + 1; cpu++) {
		struct lab lab = make_lab(cpu);

		CHECK(load(&num_sleeps) == 0);
		__atomic_store_n(&time_passes, 1, __ATOMIC_SEQ_CST);
		WAIT_UNTIL(load(&num_sleeps) >= 1);
		emu_dpa_thread_wake(lab.thread);
		WAIT_UNTIL(load(&num_runs) == 2);
		end_lab(&lab);
	}
}

/* On the processor of who wakes it, a thread would keep that from being done. */
static void leaves_the_processor(void)
{
	struct lab lab = make_lab(HOST_CPU);

	for (uint32_t i = 1; i <= ROUNDS; i++) {
		uint32_t before = load(&num_yields);

		WAIT_UNTIL(load(&num_yields) > before);
		emu_dpa_thread_wake(lab.thread);
		WAIT_UNTIL(load(&num_runs) == i + 1);
	}
	CHECK(load(&num_sleeps) == 0);
	end_lab(&lab);
}

TEST_MAIN(looks_for_messages, sleeps_when_idle, leaves_the_processor)
