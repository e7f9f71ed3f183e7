/* SPDX-License-Identifier: Apache-2.0 */
/* doca_task_try_submit refuses a task that cannot succeed, and leaves it with the program, which corrects it. */

#include "pe_common.h"

DOCA_LOG_REGISTER(PE_TASK_TRY_SUBMIT);

static doca_error_t copy_all(struct pe_sample *sample, struct pe_dma *dma)
{
	size_t num_inflight = 1;

	TRY(pe_dma_create(dma, sample, NUM_TASKS, pe_on_completed, pe_on_failed));
	TRY(doca_ctx_start(dma->ctx));
	for (size_t i = 0; i < NUM_TASKS; i++) {
		struct doca_task *task;

		TRY(pe_dma_alloc(dma, i, i));
		task = doca_dma_task_memcpy_as_task(dma->tasks[i]);
		if (i % 2 == 1) {
			void *head;

			/* No room: the destination's data fills it to its end. */
			TRY(doca_buf_get_head(sample->dsts[i], &head));
			TRY(doca_buf_set_data(sample->dsts[i], head, BUFFER_SIZE));
			REQUIRE(doca_task_try_submit(task) == DOCA_ERROR_INVALID_VALUE);
			TRY(doca_buf_reset_data_len(sample->dsts[i]));
		}
		if (i == 0) {
			TRY(doca_ctx_get_num_inflight_tasks(dma->ctx, &num_inflight));
			REQUIRE(num_inflight == 0);
		}
		TRY(doca_task_try_submit(task));
	}
	while (dma->num_completed < NUM_TASKS)
		sample_progress(sample->pe);
	REQUIRE(dma->num_failed == 0);
	for (size_t i = 0; i < NUM_TASKS; i++)
		REQUIRE(pe_copy_is_right(sample, i));
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
	return pe_main(argc, argv, "pe_task_try_submit", run, NUM_TASKS);
}
