/* SPDX-License-Identifier: Apache-2.0 */
/* DPA threads. */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_dpa.h>

#include "core/emu_fault.h"
#include "core/emu_log.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_thread.h"

#include "emu_dpa_limits.h"

doca_error_t doca_dpa_thread_create(struct doca_dpa *dpa, struct doca_dpa_thread **dpa_thread)
{
	EMU_CALL("doca_dpa_thread_create");
	struct doca_dpa_thread *made;

	if (dpa == NULL || dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->dpa = dpa;
	made->num_threads = 1;
	emu_dpa_add_object(dpa);
	*dpa_thread = made;
	return DOCA_SUCCESS;
}

/* Configuration, which ends with the start. */

static doca_error_t may_configure(const struct doca_dpa_thread *thread)
{
	return thread->is_started ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_set_func_arg(struct doca_dpa_thread *dpa_thread, doca_dpa_func_t *func, uint64_t arg)
{
	EMU_CALL("doca_dpa_thread_set_func_arg");
	const struct emu_dpa_func *found;
	doca_error_t result;

	if (dpa_thread == NULL || func == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = may_configure(dpa_thread);
	if (result != DOCA_SUCCESS)
		return result;
	found = emu_dpa_find_func(dpa_thread->dpa, func);
	if (found == NULL || !found->is_thread) {
		EMU_LOG_ERR("DPA: %s%s",
			    found == NULL ? "the function of the thread is not one of the application" : found->name,
			    found == NULL ? "" : " cannot be the function of a thread, which has one parameter of 64 bits");
		return DOCA_ERROR_INVALID_VALUE;
	}
	dpa_thread->func = found;
	dpa_thread->arg = arg;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_get_func_arg(struct doca_dpa_thread *dpa_thread, doca_dpa_func_t **func, uint64_t *arg)
{
	EMU_CALL("doca_dpa_thread_get_func_arg");
	if (dpa_thread == NULL || func == NULL || arg == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*func = dpa_thread->func == NULL ? NULL : dpa_thread->func->func;
	*arg = dpa_thread->arg;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_set_local_storage(struct doca_dpa_thread *dpa_thread, doca_dpa_dev_uintptr_t dev_ptr)
{
	EMU_CALL("doca_dpa_thread_set_local_storage");
	doca_error_t result = dpa_thread == NULL ? DOCA_ERROR_INVALID_VALUE : may_configure(dpa_thread);

	if (result == DOCA_SUCCESS)
		dpa_thread->local_storage = dev_ptr;
	return result;
}

doca_error_t doca_dpa_thread_get_local_storage(struct doca_dpa_thread *dpa_thread, doca_dpa_dev_uintptr_t *dev_ptr)
{
	EMU_CALL("doca_dpa_thread_get_local_storage");
	if (dpa_thread == NULL || dev_ptr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*dev_ptr = dpa_thread->local_storage;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_set_affinity(struct doca_dpa_thread *dpa_thread, const struct doca_dpa_eu_affinity *affinity)
{
	EMU_CALL("doca_dpa_thread_set_affinity");
	doca_error_t result;

	if (dpa_thread == NULL || affinity == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = may_configure(dpa_thread);
	if (result == DOCA_SUCCESS)
		dpa_thread->affinity = affinity;
	return result;
}

doca_error_t doca_dpa_thread_get_affinity(struct doca_dpa_thread *dpa_thread, const struct doca_dpa_eu_affinity **affinity)
{
	EMU_CALL("doca_dpa_thread_get_affinity");
	if (dpa_thread == NULL || affinity == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*affinity = dpa_thread->affinity;
	return DOCA_SUCCESS;
}

/* Life. */

/* Identifiers are those of the process, in the order of the starts. */
static uint32_t next_id(void)
{
	static uint32_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

doca_error_t doca_dpa_thread_start(struct doca_dpa_thread *dpa_thread)
{
	EMU_CALL("doca_dpa_thread_start");
	struct doca_dpa *base;
	doca_error_t result;

	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_thread->is_started || dpa_thread->func == NULL)
		return DOCA_ERROR_BAD_STATE;
	result = emu_dpa_ready(dpa_thread->dpa);
	if (result != DOCA_SUCCESS)
		return result;
	base = dpa_thread->dpa->base;
	if (__atomic_add_fetch(&base->num_threads, 1, __ATOMIC_RELAXED) > EMU_DPA_MAX_THREADS) {
		__atomic_sub_fetch(&base->num_threads, 1, __ATOMIC_RELAXED);
		EMU_LOG_ERR("DPA: the context has %d threads, which is the maximum", EMU_DPA_MAX_THREADS);
		return DOCA_ERROR_DRIVER;
	}
	dpa_thread->id = next_id();
	dpa_thread->is_started = true;
	return DOCA_SUCCESS;
}

static void stop(struct doca_dpa_thread *thread)
{
	if (!thread->is_started)
		return;
	emu_dpa_thread_end(thread);
	__atomic_sub_fetch(&thread->dpa->base->num_threads, 1, __ATOMIC_RELAXED);
	thread->is_started = false;
}

doca_error_t doca_dpa_thread_stop(struct doca_dpa_thread *dpa_thread)
{
	EMU_CALL("doca_dpa_thread_stop");
	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	stop(dpa_thread);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread)
{
	EMU_CALL("doca_dpa_thread_destroy");
	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (__atomic_load_n(&dpa_thread->num_attached, __ATOMIC_ACQUIRE) != 0) {
		EMU_LOG_ERR("DPA: completion queues, notification completions or groups have the thread: destroy them first");
		return DOCA_ERROR_BAD_STATE;
	}
	stop(dpa_thread);
	emu_dpa_remove_object(dpa_thread->dpa);
	free(dpa_thread);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread)
{
	EMU_CALL("doca_dpa_thread_run");
	doca_error_t result;

	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_thread->is_started || __atomic_load_n(&dpa_thread->num_wakers, __ATOMIC_ACQUIRE) == 0)
		return DOCA_ERROR_BAD_STATE;
	result = emu_dpa_ready(dpa_thread->dpa);
	if (result != DOCA_SUCCESS || dpa_thread->is_running)
		return result;
	return emu_dpa_thread_launch(dpa_thread);
}

doca_error_t doca_dpa_thread_get_id(struct doca_dpa_thread *dpa_thread, uint32_t *dpa_thread_id)
{
	EMU_CALL("doca_dpa_thread_get_id");
	if (dpa_thread == NULL || dpa_thread_id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa_thread->is_started)
		return DOCA_ERROR_BAD_STATE;
	*dpa_thread_id = dpa_thread->id;
	return DOCA_SUCCESS;
}
