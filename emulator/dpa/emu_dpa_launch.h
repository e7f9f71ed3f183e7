/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_LAUNCH_H_
#define EMU_DPA_LAUNCH_H_

/*
 * Launches of kernels: they wait for an event, run, and change an event. RPCs are launches of one thread that the caller
 * waits for.
 */

#include <stdarg.h>
#include <stdint.h>

#include <doca_dpa.h>

#include "core/emulator.h"
#include "syncevent/emu_syncevent.h"

struct emu_dpa_launch_args {
	struct doca_sync_event *wait_event; /* NULL: none */
	uint64_t wait_threshold;
	struct doca_sync_event *comp_event; /* NULL: none */
	enum emu_event_op comp_op;
	uint64_t comp_count;
	unsigned int num_threads;
	doca_dpa_func_t *func;
};

/* Launches a kernel. args are those of the kernel. */
EMU_LOCAL doca_error_t emu_dpa_launch(struct doca_dpa *dpa, const struct emu_dpa_launch_args *how, va_list *args);

/* Calls a function and waits for its result. */
EMU_LOCAL doca_error_t emu_dpa_launch_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *result, va_list *args);

/* Drops the launches of a base context that wait for an event. */
EMU_LOCAL void emu_dpa_launch_drop_all(struct doca_dpa *dpa);

#endif /* EMU_DPA_LAUNCH_H_ */
