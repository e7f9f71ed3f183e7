/* SPDX-License-Identifier: Apache-2.0 */
/* What a context tells of the DPA. */
#include "core/emulator.h"

#include <doca_dpa.h>

#include "core/emu_fault.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_kernel.h"

#include "emu_dpa_limits.h"

static doca_error_t tell(const struct doca_dpa *dpa, unsigned int *to, unsigned int value)
{
	if (dpa == NULL || to == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*to = value;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_core_num(struct doca_dpa *dpa, unsigned int *num_cores)
{
	EMU_CALL("doca_dpa_get_core_num");
	return tell(dpa, num_cores, EMU_DPA_NUM_CORES);
}

doca_error_t doca_dpa_get_num_eus_per_core(struct doca_dpa *dpa, unsigned int *eus_per_core)
{
	EMU_CALL("doca_dpa_get_num_eus_per_core");
	return tell(dpa, eus_per_core, EMU_DPA_EUS_PER_CORE);
}

doca_error_t doca_dpa_get_total_num_eus_available(struct doca_dpa *dpa, unsigned int *total_num_eus)
{
	EMU_CALL("doca_dpa_get_total_num_eus_available");
	return tell(dpa, total_num_eus, EMU_DPA_NUM_EUS);
}

doca_error_t doca_dpa_get_max_threads_per_kernel(const struct doca_dpa *dpa, unsigned int *value)
{
	EMU_CALL("doca_dpa_get_max_threads_per_kernel");
	return tell(dpa, value, EMU_DPA_MAX_THREADS_PER_KERNEL);
}

/* In milliseconds: the interface does not state the unit. */
doca_error_t doca_dpa_get_kernel_max_run_time(const struct doca_dpa *dpa, unsigned long long *value)
{
	EMU_CALL("doca_dpa_get_kernel_max_run_time");
	if (dpa == NULL || value == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*value = emu_dpa_max_run_time();
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_dpa_handle(struct doca_dpa *dpa, doca_dpa_dev_t *handle)
{
	EMU_CALL("doca_dpa_get_dpa_handle");
	if (dpa == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_dpa_is_started(dpa))
		return DOCA_ERROR_BAD_STATE;
	*handle = dpa->handle;
	return DOCA_SUCCESS;
}

/* Each context has its own: the index in its handle. */
doca_error_t doca_dpa_get_uar_id(const struct doca_dpa *dpa, uint32_t *uar_id)
{
	EMU_CALL("doca_dpa_get_uar_id");
	if (dpa == NULL || uar_id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_dpa_is_started(dpa))
		return DOCA_ERROR_BAD_STATE;
	*uar_id = ((uint32_t)(dpa->handle >> 32) & 0xffffff) + 1;
	return DOCA_SUCCESS;
}
