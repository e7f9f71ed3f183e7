/* SPDX-License-Identifier: Apache-2.0 */
/* Thread groups. */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_dpa.h>

#include "core/emu_fault.h"
#include "core/emu_log.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_thread.h"

#include "emu_dpa_limits.h"

struct doca_dpa_tg {
	struct doca_dpa *dpa;
	bool is_started;
	unsigned int num_threads;
	struct doca_dpa_thread *threads[];
};

doca_error_t doca_dpa_thread_group_create(struct doca_dpa *dpa, unsigned int num_threads, struct doca_dpa_tg **tg)
{
	EMU_CALL("doca_dpa_thread_group_create");
	struct doca_dpa_tg *made;

	if (dpa == NULL || tg == NULL || num_threads == 0 || num_threads > EMU_DPA_MAX_THREADS)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made) + num_threads * sizeof(made->threads[0]));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->dpa = dpa;
	made->num_threads = num_threads;
	emu_dpa_add_object(dpa);
	*tg = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_destroy(struct doca_dpa_tg *tg)
{
	EMU_CALL("doca_dpa_thread_group_destroy");
	if (tg == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; i < tg->num_threads; i++) {
		if (tg->threads[i] != NULL)
			emu_dpa_thread_detach(tg->threads[i]);
	}
	emu_dpa_remove_object(tg->dpa);
	free(tg);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_get_num_threads(struct doca_dpa_tg *tg, unsigned int *num_threads)
{
	EMU_CALL("doca_dpa_thread_group_get_num_threads");
	if (tg == NULL || num_threads == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_threads = tg->num_threads;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_set_thread(struct doca_dpa_tg *tg, struct doca_dpa_thread *thread, unsigned int rank)
{
	EMU_CALL("doca_dpa_thread_group_set_thread");
	if (tg == NULL || thread == NULL || rank >= tg->num_threads || thread->dpa->base != tg->dpa->base)
		return DOCA_ERROR_INVALID_VALUE;
	if (tg->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (tg->threads[rank] != NULL)
		emu_dpa_thread_detach(tg->threads[rank]);
	emu_dpa_thread_attach(thread);
	tg->threads[rank] = thread;
	return DOCA_SUCCESS;
}

/* The ranks count for threads that run after this. */
doca_error_t doca_dpa_thread_group_start(struct doca_dpa_tg *tg)
{
	EMU_CALL("doca_dpa_thread_group_start");
	doca_error_t result;

	if (tg == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_dpa_ready(tg->dpa);
	if (result != DOCA_SUCCESS)
		return result;
	if (tg->is_started)
		return DOCA_ERROR_BAD_STATE;
	for (unsigned int i = 0; i < tg->num_threads; i++) {
		if (tg->threads[i] == NULL || !tg->threads[i]->is_started) {
			EMU_LOG_ERR("DPA: rank %u of the thread group has no thread, or one that is not started", i);
			return DOCA_ERROR_BAD_STATE;
		}
	}
	for (unsigned int i = 0; i < tg->num_threads; i++) {
		tg->threads[i]->rank = i;
		tg->threads[i]->num_threads = tg->num_threads;
	}
	tg->is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_group_stop(struct doca_dpa_tg *tg)
{
	EMU_CALL("doca_dpa_thread_group_stop");
	if (tg == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	tg->is_started = false;
	return DOCA_SUCCESS;
}
