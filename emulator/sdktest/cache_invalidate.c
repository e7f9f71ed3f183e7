/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a buffer with DMA, and drops the destination from the cache before it is read. */

#include <doca_mmap_advise.h>

#include "pe_common.h"

DOCA_LOG_REGISTER(CACHE_INVALIDATE);

struct state {
	bool is_done;
	doca_error_t status;
};

static void on_invalidated(struct doca_mmap_advise_task_invalidate_cache *task, union doca_data task_data,
			   union doca_data ctx_data)
{
	struct state *state = ctx_data.ptr;

	(void)task_data;
	state->status = doca_task_get_status(doca_mmap_advise_task_invalidate_cache_as_doca_task(task));
	state->is_done = true;
	doca_task_free(doca_mmap_advise_task_invalidate_cache_as_doca_task(task));
}

static doca_error_t copy(struct pe_sample *sample, struct pe_dma *dma)
{
	TRY(pe_dma_create(dma, sample, 1, pe_on_completed, pe_on_failed));
	TRY(doca_ctx_start(dma->ctx));
	TRY(pe_dma_alloc(dma, 0, 0));
	TRY(doca_task_submit(doca_dma_task_memcpy_as_task(dma->tasks[0])));
	while (dma->num_completed == 0)
		sample_progress(sample->pe);
	return DOCA_SUCCESS;
}

static doca_error_t invalidate(struct pe_sample *sample, struct doca_mmap_advise *advise)
{
	struct doca_mmap_advise_task_invalidate_cache *task;
	struct doca_ctx *ctx = doca_mmap_advise_as_ctx(advise);
	struct state state = {.is_done = false};

	TRY(doca_mmap_advise_task_invalidate_cache_set_conf(advise, on_invalidated, on_invalidated, 1));
	TRY(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = &state}));
	TRY(doca_pe_connect_ctx(sample->pe, ctx));
	TRY(doca_ctx_start(ctx));
	TRY(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, sample->dsts[0], (union doca_data){.u64 = 0}, &task));
	TRY(doca_task_submit(doca_mmap_advise_task_invalidate_cache_as_doca_task(task)));
	while (!state.is_done)
		sample_progress(sample->pe);
	TRY(state.status);
	TRY(doca_ctx_stop(ctx));
	REQUIRE(pe_copy_is_right(sample, 0));
	return DOCA_SUCCESS;
}

static doca_error_t run(struct pe_sample *sample)
{
	struct doca_mmap_advise *advise = NULL;
	struct pe_dma dma = {0};
	doca_error_t result = copy(sample, &dma), destroyed;

	if (result == DOCA_SUCCESS)
		result = doca_mmap_advise_create(sample->dev, &advise);
	if (result == DOCA_SUCCESS)
		result = invalidate(sample, advise);
	if (advise != NULL)
		CLEAN(result, doca_mmap_advise_destroy(advise));
	destroyed = pe_dma_destroy(&dma);
	DOCA_ERROR_PROPAGATE(result, destroyed);
	return result;
}

int main(int argc, char **argv)
{
	return pe_main(argc, argv, "cache_invalidate", run, 1);
}
