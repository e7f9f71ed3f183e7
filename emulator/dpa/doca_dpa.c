/* SPDX-License-Identifier: Apache-2.0 */
/* The life of DPA contexts. */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_dpa.h>

#include "core/emu_dev.h"
#include "core/emu_fault.h"
#include "core/emu_log.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_dev.h"
#include "dpacore/emu_dpa_handle.h"
#include "dpacore/emu_dpa_kernel.h"

#include "emu_dpa_launch.h"

/* Creation. */

/* No state of it ever changes: it keeps the device open. */
static const struct emu_ctx_ops hold_ops = {.can_run_on_dpa = false};

static doca_error_t create(struct doca_dev *dev, struct doca_dpa *base, struct doca_dpa **dpa)
{
	struct doca_dpa *made = calloc(1, sizeof(*made));

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (emu_ctx_init(&made->hold, &hold_ops, dev) != DOCA_SUCCESS) {
		free(made);
		return DOCA_ERROR_DRIVER;
	}
	made->base = base == NULL ? made : base;
	emu_dpa_log_init(&made->log);
	pthread_mutex_init(&made->lock, NULL);
	*dpa = made;
	return DOCA_SUCCESS;
}

static void destroy(struct doca_dpa *dpa)
{
	emu_dpa_log_fini(&dpa->log);
	pthread_mutex_destroy(&dpa->lock);
	emu_ctx_fini(&dpa->hold);
	free(dpa);
}

doca_error_t doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_dpa_cap_is_supported");
	return emu_devinfo_supports(devinfo, EMU_PART_RDMA);
}

doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa)
{
	EMU_CALL("doca_dpa_create");
	doca_error_t result;

	if (dev == NULL || dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_devinfo_supports(&dev->info, EMU_PART_RDMA);
	return result != DOCA_SUCCESS ? result : create(dev, NULL, dpa);
}

/* Start and stop. */

/* The application finds the emulator by its pointer. */
static doca_error_t connect_app(struct doca_dpa_app *app)
{
	const struct emu_dpa_dev_ops *ops = emu_dpa_dev_table();

	if (app->abi != EMU_DPA_APP_ABI) {
		EMU_LOG_ERR("DPA: the application is of version %u, this emulator needs version %u: build it again with the "
			    "dpacc of this release",
			    app->abi, EMU_DPA_APP_ABI);
		return DOCA_ERROR_INVALID_VALUE;
	}
	for (uint32_t i = 0; i < app->num_funcs; i++) {
		if (app->funcs[i].args_size > EMU_DPA_MAX_ARGS) {
			EMU_LOG_ERR("DPA: %s: the arguments have %zu bytes, %d are possible", app->funcs[i].name,
				    app->funcs[i].args_size, EMU_DPA_MAX_ARGS);
			return DOCA_ERROR_INVALID_VALUE;
		}
	}
	if (*app->ops != ops) /* kernels of another context may be reading it */
		*app->ops = ops;
	return DOCA_SUCCESS;
}

/* Begins the process on the DPA. */
static doca_error_t begin(struct doca_dpa *dpa)
{
	doca_error_t result;

	if (dpa->app == NULL) {
		EMU_LOG_ERR("DPA: the context has no application: call doca_dpa_set_app first");
		return DOCA_ERROR_INVALID_VALUE;
	}
	result = connect_app(dpa->app);
	if (result != DOCA_SUCCESS)
		return result;
	if (!emu_dpa_memory_init(&dpa->memory))
		return DOCA_ERROR_NO_MEMORY;
	dpa->kernels = emu_dpa_kernels_start(dpa);
	if (dpa->kernels == NULL) {
		emu_dpa_memory_fini(&dpa->memory);
		return DOCA_ERROR_NO_MEMORY;
	}
	return DOCA_SUCCESS;
}

/* A fatal error is one for the rest of the context's life. */
static void end(struct doca_dpa *dpa)
{
	uint32_t is_fatal = __atomic_load_n(&dpa->is_fatal, __ATOMIC_SEQ_CST);

	emu_dpa_launch_drop_all(dpa);
	emu_dpa_kernels_stop(dpa->kernels);
	dpa->kernels = NULL;
	emu_dpa_log_flush_trace(&dpa->log);
	emu_dpa_memory_fini(&dpa->memory);
	__atomic_store_n(&dpa->is_fatal, is_fatal, __ATOMIC_SEQ_CST);
}

static doca_error_t start(struct doca_dpa *dpa)
{
	doca_error_t result = dpa->base == dpa ? begin(dpa) : emu_dpa_ready(dpa->base);

	if (result != DOCA_SUCCESS)
		return result;
	result = emu_dpa_handle_open(EMU_DPA_CONTEXT, dpa, dpa, &dpa->handle);
	if (result != DOCA_SUCCESS && dpa->base == dpa)
		end(dpa);
	return result;
}

doca_error_t doca_dpa_start(struct doca_dpa *dpa)
{
	EMU_CALL("doca_dpa_start");
	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_dpa_is_started(dpa))
		return DOCA_ERROR_BAD_STATE;
	if (emu_dpa_is_fatal(dpa) || emu_dev_is_lost(emu_dpa_dev(dpa)))
		return DOCA_ERROR_DRIVER;
	return start(dpa);
}

static doca_error_t check_unused(const struct doca_dpa *dpa)
{
	uint32_t num_objects = __atomic_load_n(&dpa->num_objects, __ATOMIC_ACQUIRE);
	uint32_t num_contexts = __atomic_load_n(&dpa->datapath.num_contexts, __ATOMIC_ACQUIRE);

	if (num_objects + num_contexts == 0)
		return DOCA_SUCCESS;
	EMU_LOG_ERR("DPA: %u objects of the DPA context exist, and %u contexts or memory maps use it: destroy them first",
		    num_objects, num_contexts);
	return DOCA_ERROR_IN_USE;
}

/* Kernels that run are ended. */
static void stop(struct doca_dpa *dpa)
{
	if (!emu_dpa_is_started(dpa))
		return;
	emu_dpa_handle_close(dpa->handle);
	dpa->handle = 0;
	if (dpa->base == dpa)
		end(dpa);
}

doca_error_t doca_dpa_stop(struct doca_dpa *dpa)
{
	EMU_CALL("doca_dpa_stop");
	doca_error_t result = dpa == NULL ? DOCA_ERROR_INVALID_VALUE : check_unused(dpa);

	if (result == DOCA_SUCCESS)
		stop(dpa);
	return result;
}

doca_error_t doca_dpa_destroy(struct doca_dpa *dpa)
{
	EMU_CALL("doca_dpa_destroy");
	doca_error_t result = dpa == NULL ? DOCA_ERROR_INVALID_VALUE : check_unused(dpa);

	if (result != DOCA_SUCCESS)
		return result;
	stop(dpa);
	if (dpa->base != dpa)
		emu_dpa_remove_object(dpa->base);
	destroy(dpa);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_device_extend(struct doca_dpa *dpa, struct doca_dev *other_dev, struct doca_dpa **extended_dpa)
{
	EMU_CALL("doca_dpa_device_extend");
	struct doca_dpa *made;
	doca_error_t result;

	if (dpa == NULL || other_dev == NULL || extended_dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = dpa->base != dpa ? DOCA_ERROR_BAD_STATE : emu_dpa_ready(dpa);
	if (result != DOCA_SUCCESS)
		return result;
	if (emu_devinfo_supports(&other_dev->info, EMU_PART_RDMA) != DOCA_SUCCESS)
		return DOCA_ERROR_DRIVER;
	result = create(other_dev, dpa, &made);
	if (result != DOCA_SUCCESS)
		return result;
	result = start(made);
	if (result != DOCA_SUCCESS) {
		destroy(made);
		return result;
	}
	emu_dpa_add_object(dpa);
	*extended_dpa = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_peek_at_last_error(const struct doca_dpa *dpa)
{
	EMU_CALL("doca_dpa_peek_at_last_error");
	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_dpa_is_fatal(dpa) ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
}
