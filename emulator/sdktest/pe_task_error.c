/* SPDX-License-Identifier: Apache-2.0 */
/* One of many tasks is invalid. It fails, which stops the context; once all tasks are freed, the context is
 * idle. The tasks behind the failed one end in the error callback too. */

#include "pe_common.h"

DOCA_LOG_REGISTER(PE_TASK_ERROR);

#define NUM_COPIES 255
#define BROKEN 2

static bool broken_failed;

static void on_completed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	struct pe_dma *dma = ctx_data.ptr;

	pe_on_completed(task, task_data, ctx_data);
	if (!pe_copy_is_right(dma->sample, (size_t)task_data.u64))
		pe_keep_error(dma, DOCA_ERROR_UNEXPECTED);
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void on_failed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	struct pe_dma *dma = ctx_data.ptr;

	pe_on_failed(task, task_data, ctx_data);
	if (task_data.u64 == BROKEN)
		broken_failed = true;
	if (!pe_copy_is_missing(dma->sample, (size_t)task_data.u64))
		pe_keep_error(dma, DOCA_ERROR_UNEXPECTED);
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static doca_error_t copy_all(struct pe_sample *sample, struct pe_dma *dma)
{
	TRY(pe_dma_create(dma, sample, NUM_COPIES, on_completed, on_failed));
	TRY(doca_ctx_start(dma->ctx));
	TRY(doca_buf_reset_data_len(sample->srcs[BROKEN]));
	for (size_t i = 0; i < NUM_COPIES; i++) {
		TRY(pe_dma_alloc(dma, i, i));
		TRY(doca_task_submit(doca_dma_task_memcpy_as_task(dma->tasks[i])));
		dma->tasks[i] = NULL; /* freed by its callback */
	}
	while (!dma->idle_seen)
		sample_progress(sample->pe);
	DOCA_LOG_INFO("%zu tasks completed, %zu failed", dma->num_completed, dma->num_failed);
	REQUIRE(broken_failed);
	REQUIRE(dma->num_completed >= BROKEN && dma->num_failed >= 1);
	REQUIRE(dma->num_completed + dma->num_failed == NUM_COPIES);
	REQUIRE(dma->previous == DOCA_CTX_STATE_STOPPING && dma->num_transitions == 3);

	/* After IDLE the context can run again. */
	dma->num_transitions = 0;
	TRY(doca_ctx_start(dma->ctx));
	REQUIRE(dma->state == DOCA_CTX_STATE_RUNNING);
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
	return pe_main(argc, argv, "pe_task_error", run, NUM_COPIES);
}
