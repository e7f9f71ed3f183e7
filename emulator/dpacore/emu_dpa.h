/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_H_
#define EMU_DPA_H_

/*
 * DPA contexts and their fatal errors. An extended context shares the process on the DPA with its base: application,
 * memory, kernels and errors.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <doca_dpa.h>

#include "core/emu_ctx.h"
#include "core/emulator.h"

#include "emu_dpa_app.h"
#include "emu_dpa_log.h"
#include "emu_dpa_memory.h"

struct emu_dpa_kernels;
struct emu_dpa_launch;
struct emu_dpa_run;

struct doca_dpa {
	struct emu_datapath datapath; /* comes first: the core counts the contexts that run on this one */
	struct doca_ctx hold;	      /* keeps the device open */
	struct doca_dpa *base;	      /* itself, unless it is extended */
	uint64_t handle;	      /* 0: not started */
	uint32_t num_objects;	      /* that were created from it and not destroyed; accessed with atomics */

	/* Of a base context. */
	struct doca_dpa_app *app;
	uint32_t is_fatal;  /* no kernel may run any more; accessed with atomics */
	struct emu_dpa_memory memory;
	struct emu_dpa_log log;
	struct emu_dpa_kernels *kernels; /* NULL: not started */
	uint32_t num_threads;	 /* DPA threads that are started; accessed with atomics */
	pthread_mutex_t lock;
	struct emu_dpa_launch *launches; /* that wait for an event; under the lock */
};

static inline bool emu_dpa_is_started(const struct doca_dpa *dpa)
{
	return dpa->handle != 0;
}

static inline struct doca_dev *emu_dpa_dev(const struct doca_dpa *dpa)
{
	return dpa->hold.dev;
}

/* What a call that needs the DPA returns at once: BAD_STATE if the context is not started, DRIVER after a fatal error
 * or if the device is lost. */
EMU_API doca_error_t emu_dpa_ready(const struct doca_dpa *dpa);

/* Count the objects of a context, which must be destroyed before it. */
EMU_API void emu_dpa_add_object(struct doca_dpa *dpa);
EMU_API void emu_dpa_remove_object(struct doca_dpa *dpa);

/* The function of an application, or NULL. */
EMU_API const struct emu_dpa_func *emu_dpa_find_func(const struct doca_dpa *dpa, doca_dpa_func_t *func);

/* A fatal error of the context: all of its runs end. Returns, so it can be called with locks held. */
EMU_API void emu_dpa_fail(struct doca_dpa *dpa, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for the caller of a device function, which ends. The message begins with the names of kernel and function. */
EMU_API void emu_dpa_fatal(struct emu_dpa_run *run, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/* The same for a run that has crashed. */
EMU_LOCAL void emu_dpa_report_crash(struct emu_dpa_run *run);

EMU_API bool emu_dpa_is_fatal(const struct doca_dpa *dpa);

#endif /* EMU_DPA_H_ */
