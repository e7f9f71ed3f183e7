/* SPDX-License-Identifier: Apache-2.0 */
/* Several contexts share one engine. */

#include "pe_common.h"

DOCA_LOG_REGISTER(PE_MULTI_CONTEXT);

#define NUM_CONTEXTS 4
#define TASKS_PER_CONTEXT (NUM_TASKS / NUM_CONTEXTS)

static size_t total_completed(const struct pe_dma *dmas)
{
	size_t total = 0;

	for (int c = 0; c < NUM_CONTEXTS; c++)
		total += dmas[c].num_completed;
	return total;
}

static doca_error_t copy_all(struct pe_sample *sample, struct pe_dma *dmas)
{
	size_t num_inflight = 0;

	for (size_t c = 0; c < NUM_CONTEXTS; c++) {
		TRY(pe_dma_create(&dmas[c], sample, TASKS_PER_CONTEXT, pe_on_completed, pe_on_failed));
		TRY(doca_ctx_start(dmas[c].ctx));
		for (size_t i = 0; i < TASKS_PER_CONTEXT; i++)
			TRY(pe_dma_alloc(&dmas[c], i, c * TASKS_PER_CONTEXT + i));
	}
	for (size_t i = 0; i < TASKS_PER_CONTEXT; i++)
		for (size_t c = 0; c < NUM_CONTEXTS; c++)
			TRY(doca_task_submit(doca_dma_task_memcpy_as_task(dmas[c].tasks[i])));
	TRY(doca_pe_get_num_inflight_tasks(sample->pe, &num_inflight));
	REQUIRE(num_inflight == NUM_TASKS);

	while (total_completed(dmas) < NUM_TASKS)
		sample_progress(sample->pe);

	for (size_t c = 0; c < NUM_CONTEXTS; c++)
		REQUIRE(dmas[c].num_completed == TASKS_PER_CONTEXT && dmas[c].num_failed == 0);
	for (size_t i = 0; i < NUM_TASKS; i++)
		REQUIRE(pe_copy_is_right(sample, i));
	/* The engine cannot be destroyed while it has contexts. */
	REQUIRE(doca_pe_destroy(sample->pe) == DOCA_ERROR_IN_USE);
	return DOCA_SUCCESS;
}

static doca_error_t run(struct pe_sample *sample)
{
	struct pe_dma dmas[NUM_CONTEXTS] = {0};
	doca_error_t result = copy_all(sample, dmas);

	for (int c = 0; c < NUM_CONTEXTS; c++) {
		doca_error_t destroyed = pe_dma_destroy(&dmas[c]);

		DOCA_ERROR_PROPAGATE(result, destroyed);
	}
	return result;
}

int main(int argc, char **argv)
{
	return pe_main(argc, argv, "pe_multi_context", run, NUM_TASKS);
}
