/* SPDX-License-Identifier: Apache-2.0 */
/* Submits all tasks, then polls the engine until all have completed. */

#include "pe_common.h"

DOCA_LOG_REGISTER(PE_POLLING);

static doca_error_t copy_all(struct pe_sample *sample, struct pe_dma *dma)
{
	size_t num_inflight = 0;

	TRY(pe_dma_create(dma, sample, NUM_TASKS, pe_on_completed, pe_on_failed));
	REQUIRE(doca_pe_progress(sample->pe) == 0);
	TRY(doca_ctx_start(dma->ctx));
	REQUIRE(dma->state == DOCA_CTX_STATE_RUNNING && dma->num_transitions == 1);
	for (size_t i = 0; i < NUM_TASKS; i++) {
		TRY(pe_dma_alloc(dma, i, i));
		TRY(doca_task_submit(doca_dma_task_memcpy_as_task(dma->tasks[i])));
	}
	TRY(doca_pe_get_num_inflight_tasks(sample->pe, &num_inflight));
	REQUIRE(num_inflight == NUM_TASKS);

	while (dma->num_completed < NUM_TASKS)
		sample_progress(sample->pe);

	TRY(doca_pe_get_num_inflight_tasks(sample->pe, &num_inflight));
	REQUIRE(num_inflight == 0 && dma->num_failed == 0);
	REQUIRE(doca_pe_progress(sample->pe) == 0);
	for (size_t i = 0; i < NUM_TASKS; i++)
		REQUIRE(pe_copy_is_right(sample, i));

	/* With nothing in flight and no task allocated, the stop completes at once. */
	pe_dma_free_tasks(dma);
	TRY(doca_ctx_stop(dma->ctx));
	REQUIRE(dma->state == DOCA_CTX_STATE_IDLE);
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
	return pe_main(argc, argv, "pe_polling", run, NUM_TASKS);
}
