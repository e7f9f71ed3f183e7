/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_FAULT_H_
#define EMU_FAULT_H_

/*
 * Faults on demand. A specification is a comma-separated list:
 *
 *   fail-task=[KIND:]N[:CODE]  the Nth submitted task, of that kind, ends with CODE (IO_FAILED)
 *   refuse-task=[KIND:]N[:CODE]  the Nth submission of a task, of that kind, does nothing and returns CODE (AGAIN)
 *   delay=DURATION             tasks complete no sooner than DURATION after their submission (ns us ms s m)
 *   rate=NUMBER                a context completes at most NUMBER tasks a second
 *   exhaust-pool=N             the Nth allocation of a buffer or task finds its pool empty
 *   lose-device=N              the device of the Nth submitted task is lost
 *   cut=N                      the Nth submitted task of a connection (Comch, RDMA) breaks it, as if the peer was killed
 *   rnr=N                      the Nth RDMA message that arrives finds no posted receive
 *   stall-start=N              the Nth asynchronous start of a context never completes
 *   hold-tasks                 no task completes before this fault ends
 *   hold-unflushed             tasks submitted without FLUSH stay unsent until a flush
 *   hold-reports               callbacks of tasks submitted with OPTIMIZE_REPORTS wait for a later task without it and
 *                              with FLUSH
 *   fail-call=SYMBOL:N[:CODE]  the Nth call of that function returns CODE (DRIVER)
 *
 * N may be * for every one. All but fail-call may end in @TARGET: then only tasks, allocations and starts of the target
 * count, and fail. TARGET is a PCI address (a device, also as 03:00.0), or the address of a struct doca_ctx or
 * of a connection (0x...). KIND is the name of a task in DOCA's functions: memcpy, send, write_imm.
 *
 * Each fault counts from 1 from when it is set. CODE is a DOCA error: its name (with or without DOCA_ERROR_)
 * or its number. SYMBOL is a function that returns doca_error_t, but not one of the data path (doca_task_submit,
 * doca_pe_progress, the fields of buffers): use fail-task for tasks. It may be of any library of the emulator that is
 * loaded. In DOCA_EMU_FAULTS it may be of one that is loaded later; if at the first call of DOCA no library has it, a
 * message on the standard error output says so.
 * The environment variable DOCA_EMU_FAULTS sets the faults that a process starts with.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "emu_fault_calls.h"
#include "emulator.h"

struct doca_ctx;
struct doca_dev;
struct doca_task;

/* Non-zero while any fault is set. A run without faults looks at nothing else. */
extern EMU_API int emu_faults_on;

/* Replaces the faults. If it cannot read the specification, it returns INVALID_VALUE, writes the reason to err
 * (if errlen > 0) and leaves the faults as they were. */
EMU_API doca_error_t emu_fault_set(const char *spec, char *err, size_t errlen);

/* Adds faults to those that are set. emu_fault_remove ends them, and only them. set: what to pass to it, never 0. */
EMU_API doca_error_t emu_fault_add(const char *spec, uint64_t *set, char *err, size_t errlen);
EMU_API void emu_fault_remove(uint64_t set);

/* Ends all faults and revives lost devices. */
EMU_API void emu_fault_clear(void);

/* From now on each submission is looked at as if there were faults. For checks of a library (emu_task_ops). */
EMU_API void emu_fault_look(void);

/* What the faults need to know of devices. Set it once, before main. */
struct emu_fault_devices {
	/* Revives a lost device, or all (NULL). Called when faults end or are replaced. */
	void (*revive)(struct doca_dev *dev);
	/* Returns the PCI address of a device in full, or NULL if there is no such device. */
	const char *(*find)(const char *pci_addr);
};

EMU_LOCAL void emu_fault_set_devices(const struct emu_fault_devices *devices);

/* The names that EMU_CALL has put into the section of this library; the linker defines them. */
extern const char __start_emu_calls[] __attribute__((weak, visibility("hidden")));
extern const char __stop_emu_calls[] __attribute__((weak, visibility("hidden")));

/* The libraries that use libdoca_common come after it. In a Go program all are one, and emu_fault.c does it for all. */
#ifndef DOCA_EMU_EMBEDDED
static __attribute__((constructor(1000))) void emu_fault_add_own_calls(void)
{
	emu_fault_add_calls(__start_emu_calls, __stop_emu_calls);
}
#endif

static inline bool emu_faults_active(void)
{
	return EMU_UNLIKELY(__atomic_load_n(&emu_faults_on, __ATOMIC_RELAXED) != 0);
}

/* What the faults do to one submitted task. */
struct emu_fault_verdict {
	doca_error_t fail;  /* the task ends with this; SUCCESS: it runs */
	doca_error_t refuse; /* the submission returns this and does nothing; SUCCESS: it goes on */
	bool lose_device;   /* its device is lost now */
	bool cut;           /* its connection breaks now */
	bool hold_unflushed;
	bool hold_reports;
	uint64_t hold;      /* 0, or the set whose fault hold-tasks holds its completion back until it ends */
	uint64_t delay_ns;  /* how long its completion is held back */
	uint64_t pause_ns;  /* the least time between two completions of its context */
};

/* Slow paths: call these only if emu_faults_active(). */
EMU_API struct emu_fault_verdict emu_fault_on_submit(const struct doca_task *task);
EMU_API void emu_fault_undo_submit(const struct doca_task *task); /* the submission was refused after all */
EMU_API bool emu_fault_holds(uint64_t set); /* whether the hold of a verdict has not ended */
EMU_API bool emu_fault_on_alloc(const struct doca_ctx *ctx); /* NULL: a buffer */
EMU_API bool emu_fault_on_message(const struct doca_ctx *ctx);
EMU_API bool emu_fault_on_start(const struct doca_ctx *ctx);
EMU_API doca_error_t emu_fault_on_call(const char *symbol);

static inline bool emu_fault_exhausted(const struct doca_ctx *ctx)
{
	return emu_faults_active() && emu_fault_on_alloc(ctx);
}

/* Comes first in every control-path function that returns doca_error_t. The names are collected in a section, so
 * that a fail-call of any other function is refused instead of having no effect. */
#define EMU_CALL(symbol)                                                                           \
	do {                                                                                       \
		static const char emu_call_name_[]                                                 \
			__attribute__((section("emu_calls"), used)) = symbol;                      \
		if (emu_faults_active()) {                                                         \
			doca_error_t emu_fault_ = emu_fault_on_call(emu_call_name_);               \
			if (emu_fault_ != DOCA_SUCCESS)                                            \
				return emu_fault_;                                                 \
		}                                                                                  \
	} while (0)

#endif /* EMU_FAULT_H_ */
