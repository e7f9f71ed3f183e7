/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of kernels, and RPCs. */
#include "core/emulator.h"

#include <stdarg.h>

#include <doca_dpa.h>

#include "core/emu_fault.h"
#include "dpacore/emu_dpa.h"

#include "emu_dpa_launch.h"

static doca_error_t launch(struct doca_dpa *dpa, const struct emu_dpa_launch_args *how, va_list *args)
{
	doca_error_t result = dpa == NULL || how->func == NULL ? DOCA_ERROR_INVALID_VALUE : emu_dpa_ready(dpa);

	return result != DOCA_SUCCESS ? result : emu_dpa_launch(dpa, how, args);
}

doca_error_t doca_dpa_kernel_launch_update_set(struct doca_dpa *dpa, struct doca_sync_event *wait_event,
					       uint64_t wait_threshold, struct doca_sync_event *comp_event,
					       uint64_t comp_count, unsigned int num_threads, doca_dpa_func_t *func, ...)
{
	EMU_CALL("doca_dpa_kernel_launch_update_set");
	const struct emu_dpa_launch_args how = {wait_event, wait_threshold, comp_event, EMU_EVENT_SET,
						comp_count, num_threads,    func};
	doca_error_t result;
	va_list args;

	va_start(args, func);
	result = launch(dpa, &how, &args);
	va_end(args);
	return result;
}

doca_error_t doca_dpa_kernel_launch_update_add(struct doca_dpa *dpa, struct doca_sync_event *wait_event,
					       uint64_t wait_threshold, struct doca_sync_event *comp_event,
					       uint64_t comp_count, unsigned int num_threads, doca_dpa_func_t *func, ...)
{
	EMU_CALL("doca_dpa_kernel_launch_update_add");
	const struct emu_dpa_launch_args how = {wait_event, wait_threshold, comp_event, EMU_EVENT_ADD,
						comp_count, num_threads,    func};
	doca_error_t result;
	va_list args;

	va_start(args, func);
	result = launch(dpa, &how, &args);
	va_end(args);
	return result;
}

doca_error_t doca_dpa_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *retval, ...)
{
	EMU_CALL("doca_dpa_rpc");
	doca_error_t result =
		dpa == NULL || func == NULL || retval == NULL ? DOCA_ERROR_INVALID_VALUE : emu_dpa_ready(dpa);
	va_list args;

	if (result != DOCA_SUCCESS)
		return result;
	va_start(args, retval);
	result = emu_dpa_launch_rpc(dpa, func, retval, &args);
	va_end(args);
	return result;
}
