/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/emu_dev.h"
#include "core/emu_log.h"

#include "emu_dpa.h"
#include "emu_dpa_crash.h"
#include "emu_dpa_run.h"
#include "emu_dpa_watch.h"

#define MAX_MESSAGE 1024

bool emu_dpa_is_fatal(const struct doca_dpa *dpa)
{
	return __atomic_load_n(&dpa->base->is_fatal, __ATOMIC_SEQ_CST) != 0;
}

doca_error_t emu_dpa_ready(const struct doca_dpa *dpa)
{
	if (!emu_dpa_is_started(dpa))
		return DOCA_ERROR_BAD_STATE;
	return emu_dpa_is_fatal(dpa) || emu_dev_is_lost(emu_dpa_dev(dpa)) ? DOCA_ERROR_DRIVER : DOCA_SUCCESS;
}

void emu_dpa_add_object(struct doca_dpa *dpa)
{
	__atomic_add_fetch(&dpa->num_objects, 1, __ATOMIC_ACQ_REL);
}

void emu_dpa_remove_object(struct doca_dpa *dpa)
{
	__atomic_sub_fetch(&dpa->num_objects, 1, __ATOMIC_ACQ_REL);
}

const struct emu_dpa_func *emu_dpa_find_func(const struct doca_dpa *dpa, doca_dpa_func_t *func)
{
	const struct doca_dpa_app *app = dpa->base->app;

	for (uint32_t i = 0; app != NULL && i < app->num_funcs; i++) {
		if (app->funcs[i].func == func)
			return &app->funcs[i];
	}
	return NULL;
}

/* Errors. */

static bool is_of_process(const struct emu_dpa_run *run, const void *base)
{
	return run->dpa->base == base;
}

static void fail(struct doca_dpa *dpa, const char *message)
{
	EMU_LOG_ERR("DPA: %s", message);
	__atomic_store_n(&dpa->base->is_fatal, 1, __ATOMIC_SEQ_CST);
	emu_dpa_run_doom(is_of_process, dpa->base);
	emu_dpa_watch_tell(dpa->base);
}

void emu_dpa_fail(struct doca_dpa *dpa, const char *format, ...)
{
	char message[MAX_MESSAGE];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fail(dpa, message);
}

void emu_dpa_fatal(struct emu_dpa_run *run, const char *format, ...)
{
	char message[MAX_MESSAGE];
	va_list args;
	int len = snprintf(message, sizeof(message), "%s: %s: ", run->name, run->function);

	va_start(args, format);
	if (len > 0 && (size_t)len < sizeof(message))
		vsnprintf(message + len, sizeof(message) - (size_t)len, format, args);
	va_end(args);
	fail(run->dpa, message);
	emu_dpa_crash_write(&run->dpa->base->log, &run->dpa->base->memory, run, message);
	emu_dpa_leave(run, EMU_DPA_KILLED);
}

void emu_dpa_report_crash(struct emu_dpa_run *run)
{
	char message[MAX_MESSAGE];

	snprintf(message, sizeof(message), "%s: thread %u of %u: %s at address 0x%llx, instruction 0x%llx", run->name, run->rank,
		 run->num_threads, strsignal(run->signal), (unsigned long long)run->fault_addr,
		 (unsigned long long)run->fault_pc);
	fail(run->dpa, message);
	emu_dpa_crash_write(&run->dpa->base->log, &run->dpa->base->memory, run, message);
}
