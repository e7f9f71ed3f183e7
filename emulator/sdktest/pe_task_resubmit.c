/* SPDX-License-Identifier: Apache-2.0 */
/* A few tasks do all the work: each is submitted again from its completion callback, with other buffers. */

#include "pe_common.h"

DOCA_LOG_REGISTER(PE_TASK_RESUBMIT);

#define POOL_SIZE 5

static size_t next_copy = POOL_SIZE;

static doca_error_t resubmit(struct pe_dma *dma, struct doca_dma_task_memcpy *task)
{
	union doca_data user_data = {.u64 = next_copy};

	doca_dma_task_memcpy_set_src(task, dma->sample->srcs[next_copy]);
	doca_dma_task_memcpy_set_dst(task, dma->sample->dsts[next_copy]);
	REQUIRE(doca_dma_task_memcpy_get_src(task) == dma->sample->srcs[next_copy]);
	REQUIRE(doca_dma_task_memcpy_get_dst(task) == dma->sample->dsts[next_copy]);
	doca_task_set_user_data(doca_dma_task_memcpy_as_task(task), user_data);
	next_copy++;
	TRY(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	return DOCA_SUCCESS;
}

static void on_completed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	struct pe_dma *dma = ctx_data.ptr;

	pe_on_completed(task, task_data, ctx_data);
	if (!pe_copy_is_right(dma->sample, (size_t)task_data.u64))
		pe_keep_error(dma, DOCA_ERROR_UNEXPECTED);
	if (next_copy < NUM_TASKS)
		pe_keep_error(dma, resubmit(dma, task));
}

static doca_error_t copy_all(struct pe_sample *sample, struct pe_dma *dma)
{
	struct doca_dma_task_memcpy *extra;
	union doca_data none = {0};

	TRY(pe_dma_create(dma, sample, POOL_SIZE, on_completed, pe_on_failed));
	TRY(doca_ctx_start(dma->ctx));
	for (size_t i = 0; i < POOL_SIZE; i++)
		TRY(pe_dma_alloc(dma, i, i));
	REQUIRE(doca_dma_task_memcpy_alloc_init(dma->dma, sample->srcs[0], sample->dsts[0], none, &extra) ==
		DOCA_ERROR_NO_MEMORY);
	for (size_t i = 0; i < POOL_SIZE; i++)
		TRY(doca_task_submit(doca_dma_task_memcpy_as_task(dma->tasks[i])));
	while (dma->num_completed < NUM_TASKS && dma->callback_result == DOCA_SUCCESS)
		sample_progress(sample->pe);
	REQUIRE(dma->num_completed == NUM_TASKS && dma->num_failed == 0);
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
	return pe_main(argc, argv, "pe_task_resubmit", run, NUM_TASKS);
}
