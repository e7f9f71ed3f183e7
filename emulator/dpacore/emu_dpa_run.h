/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_RUN_H_
#define EMU_DPA_RUN_H_

/*
 * Runs of device code: one activation of a DPA thread, or one thread of a kernel, on a thread of the system.
 *
 * A run is in the device code itself, where a crash or the host may end it at any instruction, or in the emulator, where
 * it ends only on its way out. So every function that device code calls has this form:
 *
 *	static void post(uint64_t handle, const uint8_t *bytes, uint32_t len)
 *	{
 *		uint8_t copy[MAX];
 *		struct emu_dpa_run *run;
 *		struct emu_x *x;
 *
 *		memcpy(copy, bytes, len);			// the kernel's pointers are used before enter or after exit:
 *		run = emu_dpa_enter("doca_dpa_dev_x_post");	// a bad one crashes the kernel, not the program
 *		x = emu_dpa_lookup(run, handle, EMU_DPA_X);	// ends the run if the handle is wrong
 *		...
 *		emu_dpa_exit(run);				// x may be gone from here on
 *	}
 *
 * Between enter and exit no lock may be held at a call of emu_dpa_lookup, emu_dpa_fatal, emu_dpa_pause or emu_dpa_exit,
 * which may not return, and nothing may wait for long.
 */

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/emulator.h"

struct doca_dpa;
struct doca_dpa_thread;

/* How a run has ended. */
enum emu_dpa_end {
	EMU_DPA_RETURNED = 1,
	EMU_DPA_RESCHEDULED,
	EMU_DPA_FINISHED,
	EMU_DPA_CRASHED, /* the signal says how */
	EMU_DPA_KILLED,  /* by the host, or by a fatal error of any run of the context */
};

struct emu_dpa_run {
	struct doca_dpa *dpa;	 /* that the kernel was launched on, or the thread was created from */
	struct doca_dpa *device; /* the one that doca_dpa_dev_device_set has chosen, or dpa */
	struct doca_dpa_thread *thread; /* NULL: a kernel */
	const char *name;	 /* of the kernel's or thread's function */
	const char *function;	 /* the device function that was called last */
	unsigned int rank;
	unsigned int num_threads;

	uint32_t doomed; /* set to end it; accessed with atomics */

	/* Of emu_dpa_run.c. */
	uint64_t state; /* epoch and mode, which only its thread changes */
	enum emu_dpa_end end;
	sigjmp_buf leave;
	int signal; /* that ended it, or 0 */
	uint64_t fault_addr;
	uint64_t fault_pc;
	pthread_t os_thread;
	struct emu_dpa_run *next;
	struct emu_dpa_run *prev;
};

/* Begins a device function. */
EMU_API struct emu_dpa_run *emu_dpa_enter(const char *function);
/* Begins one that uses the kernel's pointers: a crash ends the run, which must hold nothing then. */
EMU_API struct emu_dpa_run *emu_dpa_enter_guarded(const char *function);
/* Ends either. Does not return if the run is to end. */
EMU_API void emu_dpa_exit(struct emu_dpa_run *run);

/* For functions that wait: leaves, lets other threads run, and comes back. What was looked up may be gone. */
EMU_API void emu_dpa_pause(struct emu_dpa_run *run);

/* Ends the run from within a device function. */
EMU_API void emu_dpa_leave(struct emu_dpa_run *run, enum emu_dpa_end end) __attribute__((noreturn));

/* Makes the calling thread fit for runs: no signals but those of runs, and a stack for these. False: no memory. */
struct emu_dpa_stack {
	void *memory;
	stack_t old;
};

EMU_LOCAL bool emu_dpa_run_prepare_thread(struct emu_dpa_stack *stack);
EMU_LOCAL void emu_dpa_run_release_thread(struct emu_dpa_stack *stack);

/* Starts a thread for runs. False: the system has no more. */
EMU_LOCAL bool emu_dpa_run_start_thread(pthread_t *thread, void *(*start)(void *), void *arg);

/* Lists a run of the calling thread. The caller has set the first members, and they do not change before quit. After join,
 * look at what may doom it, then call. A thread that looks handles up without device code joins, too. */
EMU_API void emu_dpa_run_join(struct emu_dpa_run *run);
EMU_API void emu_dpa_run_quit(struct emu_dpa_run *run);

/* Calls device code, and returns how it ended. */
EMU_LOCAL enum emu_dpa_end emu_dpa_run_call(struct emu_dpa_run *run, uint64_t (*call)(const void *args),
					    const void *args, uint64_t *result);

/* Around the use of handles by a thread that has joined, outside of calls. */
EMU_API void emu_dpa_run_begin(struct emu_dpa_run *reader);
EMU_API void emu_dpa_run_end(struct emu_dpa_run *reader);

/* Dooms the runs that matches holds for. They end soon, unless one of them is in a function that waits without
 * emu_dpa_pause. */
EMU_LOCAL void emu_dpa_run_doom(bool (*matches)(const struct emu_dpa_run *run, const void *arg), const void *arg);

/* Waits until all device functions that are being called now have ended. Not for threads that are in one. */
EMU_LOCAL void emu_dpa_run_quiesce(void);

/* Installs the handlers of crashes. They pass on signals that are not of device code. */
EMU_LOCAL void emu_dpa_run_catch_crashes(void);

#endif /* EMU_DPA_RUN_H_ */
