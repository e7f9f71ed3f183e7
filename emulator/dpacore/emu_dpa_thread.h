/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_THREAD_H_
#define EMU_DPA_THREAD_H_

/*
 * DPA threads. Each is a thread of the system that sleeps until it is woken, and then runs its function once.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <doca_dpa.h>

#include "core/emulator.h"

#include "emu_dpa_app.h"

struct doca_dpa_thread {
	struct doca_dpa *dpa;
	const struct emu_dpa_func *func; /* NULL: not set */
	uint64_t arg;
	doca_dpa_dev_uintptr_t local_storage;
	const struct doca_dpa_eu_affinity *affinity;
	unsigned int rank; /* in its group */
	unsigned int num_threads;
	uint32_t id;
	bool is_started;
	bool is_running; /* after doca_dpa_thread_run */
	uint32_t num_attached; /* queues and groups that name it; accessed with atomics */
	uint32_t num_wakers;   /* of them, those that are started; accessed with atomics */

	/* Of emu_dpa_thread.c. */
	uint32_t wake; /* a futex */
	int waker_cpu; /* on which the last wake-up was, as the system counts; accessed with atomics */
	uint32_t ends;
	pthread_t os_thread;
};

/* Wakes the thread: it runs its function from the start, at once or when it has rescheduled. Cheap, for any thread. */
EMU_API void emu_dpa_thread_wake(struct doca_dpa_thread *thread);

/* What names a thread keeps it from being destroyed. */
EMU_API void emu_dpa_thread_attach(struct doca_dpa_thread *thread);
EMU_API void emu_dpa_thread_detach(struct doca_dpa_thread *thread);

/* Something that can wake the thread starts and stops. BAD_STATE: the thread is not started. */
EMU_API doca_error_t emu_dpa_thread_add_waker(struct doca_dpa_thread *thread);
EMU_API void emu_dpa_thread_remove_waker(struct doca_dpa_thread *thread);

/* Begins to run the thread. DRIVER: the system has no thread for it. */
EMU_API doca_error_t emu_dpa_thread_launch(struct doca_dpa_thread *thread);
/* Ends it, whatever it does now. */
EMU_API void emu_dpa_thread_end(struct doca_dpa_thread *thread);

#endif /* EMU_DPA_THREAD_H_ */
