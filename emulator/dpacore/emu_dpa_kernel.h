/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_KERNEL_H_
#define EMU_DPA_KERNEL_H_

/*
 * Kernels: functions that the host launches, on a pool of threads. Kernels start in the order in which they are queued.
 * One that runs for too long is a fatal error of its context.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/emulator.h"

#include "emu_dpa_app.h"

struct doca_dpa;
struct emu_dpa_kernels;

#define EMU_DPA_MAX_THREADS_PER_KERNEL 128

struct emu_dpa_kernel {
	struct doca_dpa *dpa;
	const struct emu_dpa_func *func;
	unsigned int num_threads;
	/* Called once, by a thread of the pool or by the one that stops the context, without a lock; it may free the kernel.
	 * is_done: all threads have returned. */
	void (*ended)(struct emu_dpa_kernel *kernel, bool is_done);

	/* Of emu_dpa_kernel.c. */
	uint64_t result; /* of an RPC */
	unsigned int num_started;
	unsigned int num_left;
	bool has_failed;
	uint64_t deadline;
	struct emu_dpa_kernel *next;
	uint8_t args[] __attribute__((aligned(16)));
};

/* The longest run of a kernel, in milliseconds. */
EMU_API uint64_t emu_dpa_max_run_time(void);

/* The pool of a base context. NULL: no memory. stop ends all kernels. */
EMU_API struct emu_dpa_kernels *emu_dpa_kernels_start(struct doca_dpa *dpa);
EMU_API void emu_dpa_kernels_stop(struct emu_dpa_kernels *kernels);

/* Queues a kernel. False: the system has no thread at all for it, and ended is not called. */
EMU_API bool emu_dpa_kernel_queue(struct emu_dpa_kernels *kernels, struct emu_dpa_kernel *kernel);

#endif /* EMU_DPA_KERNEL_H_ */
