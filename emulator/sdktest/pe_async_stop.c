/* SPDX-License-Identifier: Apache-2.0 */
/* Stops a context that still has tasks in flight: they end in the error callback. */

#include "pe_common.h"

DOCA_LOG_REGISTER(PE_ASYNC_STOP);

static doca_error_t stop_result = DOCA_ERROR_UNKNOWN;

static void on_completed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	struct pe_dma *dma = ctx_data.ptr;

	pe_on_completed(task, task_data, ctx_data);
	if (dma->num_completed == NUM_TASKS / 2)
		stop_result = doca_ctx_stop(dma->ctx);
}

static doca_error_t copy_all(struct pe_sample *sample, struct pe_dma *dma)
{
	enum doca_ctx_states state;
	struct doca_dma_task_memcpy *extra;
	union doca_data none = {0};

	TRY(pe_dma_create(dma, sample, NUM_TASKS, on_completed, pe_on_failed));
	TRY(doca_ctx_start(dma->ctx));
	for (size_t i = 0; i < NUM_TASKS; i++) {
		TRY(pe_dma_alloc(dma, i, i));
		TRY(doca_task_submit(doca_dma_task_memcpy_as_task(dma->tasks[i])));
	}
	while (dma->num_completed + dma->num_failed < NUM_TASKS)
		sample_progress(sample->pe);

	REQUIRE(stop_result == DOCA_ERROR_IN_PROGRESS);
	REQUIRE(dma->num_completed >= NUM_TASKS / 2 && dma->num_failed >= 1);
	for (size_t i = 0; i < NUM_TASKS; i++) {
		doca_error_t status = doca_task_get_status(doca_dma_task_memcpy_as_task(dma->tasks[i]));

		REQUIRE(status == DOCA_SUCCESS ? pe_copy_is_right(sample, i) : pe_copy_is_missing(sample, i));
	}

	/* All tasks have ended, but the context waits until they are freed. */
	while (doca_pe_progress(sample->pe) != 0)
		;
	TRY(doca_ctx_get_state(dma->ctx, &state));
	REQUIRE(state == DOCA_CTX_STATE_STOPPING && !dma->idle_seen);
	REQUIRE(doca_dma_destroy(dma->dma) == DOCA_ERROR_IN_USE);
	pe_dma_free_tasks(dma);
	while (!dma->idle_seen)
		sample_progress(sample->pe);
	REQUIRE(doca_dma_task_memcpy_alloc_init(dma->dma, sample->srcs[0], sample->dsts[0], none, &extra) !=
		DOCA_SUCCESS);
	TRY(doca_ctx_stop(dma->ctx));
	return DOCA_SUCCESS;
}

static doca_error_t run(struct pe_sample *sample)
{
	struct pe_dma dma = {0};
	doca_error_t result = copy_all(sample, &dma), destroyed = pe_dma_destroy(&dma);

	DOCA_ERROR_PROPAGATE(result, destroyed);
	return result;
}

int main(int argc, char **argv)
{
	return pe_main(argc, argv, "pe_async_stop", run, NUM_TASKS);
}
