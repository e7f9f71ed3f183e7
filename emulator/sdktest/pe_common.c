/* SPDX-License-Identifier: Apache-2.0 */
#include "pe_common.h"

#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>

DOCA_LOG_REGISTER(PE_COMMON);

doca_error_t pe_sample_create(struct pe_sample *sample, size_t num_copies)
{
	size_t half = num_copies * BUFFER_SIZE;

	sample->num_copies = num_copies;
	sample->memory = calloc(2, half);
	sample->srcs = calloc(num_copies, sizeof(*sample->srcs));
	sample->dsts = calloc(num_copies, sizeof(*sample->dsts));
	if (sample->memory == NULL || sample->srcs == NULL || sample->dsts == NULL)
		return DOCA_ERROR_NO_MEMORY;

	TRY(sample_open_device(NULL, doca_dma_cap_task_memcpy_is_supported, &sample->dev));
	TRY(sample_map(sample->dev, sample->memory, 2 * half, &sample->mmap));
	TRY(doca_buf_inventory_create(2 * num_copies, &sample->inventory));
	TRY(doca_buf_inventory_start(sample->inventory));
	TRY(doca_pe_create(&sample->pe));
	for (size_t i = 0; i < num_copies; i++) {
		uint8_t *src = sample->memory + i * BUFFER_SIZE;

		memset(src, (int)(i + 1), BUFFER_SIZE);
		TRY(doca_buf_inventory_buf_get_by_data(sample->inventory, sample->mmap, src, BUFFER_SIZE,
						       &sample->srcs[i]));
		TRY(doca_buf_inventory_buf_get_by_addr(sample->inventory, sample->mmap, src + half, BUFFER_SIZE,
						       &sample->dsts[i]));
	}
	return DOCA_SUCCESS;
}

doca_error_t pe_sample_destroy(struct pe_sample *sample)
{
	doca_error_t result = DOCA_SUCCESS;

	for (size_t i = 0; i < sample->num_copies && sample->srcs != NULL && sample->dsts != NULL; i++) {
		if (sample->srcs[i] != NULL)
			CLEAN(result, doca_buf_dec_refcount(sample->srcs[i], NULL));
		if (sample->dsts[i] != NULL)
			CLEAN(result, doca_buf_dec_refcount(sample->dsts[i], NULL));
	}
	if (sample->pe != NULL)
		CLEAN(result, doca_pe_destroy(sample->pe));
	if (sample->inventory != NULL) {
		CLEAN(result, doca_buf_inventory_stop(sample->inventory));
		CLEAN(result, doca_buf_inventory_destroy(sample->inventory));
	}
	if (sample->mmap != NULL) {
		CLEAN(result, doca_mmap_stop(sample->mmap));
		CLEAN(result, doca_mmap_destroy(sample->mmap));
	}
	if (sample->dev != NULL)
		CLEAN(result, doca_dev_close(sample->dev));
	free(sample->memory);
	free(sample->srcs);
	free(sample->dsts);
	return result;
}

static bool destination_is(const struct pe_sample *sample, size_t i, uint8_t byte)
{
	const uint8_t *dst = sample->memory + (sample->num_copies + i) * BUFFER_SIZE;

	for (size_t b = 0; b < BUFFER_SIZE; b++)
		if (dst[b] != byte)
			return false;
	return true;
}

bool pe_copy_is_right(const struct pe_sample *sample, size_t i)
{
	size_t data_len = 0;

	return destination_is(sample, i, (uint8_t)(i + 1)) &&
	       doca_buf_get_data_len(sample->dsts[i], &data_len) == DOCA_SUCCESS && data_len == BUFFER_SIZE;
}

bool pe_copy_is_missing(const struct pe_sample *sample, size_t i)
{
	size_t data_len = 1;

	return destination_is(sample, i, 0) &&
	       doca_buf_get_data_len(sample->dsts[i], &data_len) == DOCA_SUCCESS && data_len == 0;
}

void pe_keep_error(struct pe_dma *dma, doca_error_t result)
{
	DOCA_ERROR_PROPAGATE(dma->callback_result, result);
}

void pe_on_completed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	struct pe_dma *dma = ctx_data.ptr;

	(void)task_data;
	dma->num_completed++;
	pe_keep_error(dma, doca_task_get_status(doca_dma_task_memcpy_as_task(task)));
}

void pe_on_failed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	struct pe_dma *dma = ctx_data.ptr;

	(void)task_data;
	dma->num_failed++;
	if (doca_task_get_status(doca_dma_task_memcpy_as_task(task)) == DOCA_SUCCESS)
		pe_keep_error(dma, DOCA_ERROR_UNEXPECTED);
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		     enum doca_ctx_states next)
{
	struct pe_dma *dma = user_data.ptr;
	enum doca_ctx_states reported;

	pe_keep_error(dma, doca_ctx_get_state(ctx, &reported));
	if (reported != next || (dma->num_transitions > 0 && prev != dma->state))
		pe_keep_error(dma, DOCA_ERROR_UNEXPECTED);
	dma->previous = prev;
	dma->state = next;
	dma->num_transitions++;
	if (next == DOCA_CTX_STATE_IDLE)
		dma->idle_seen = true;
}

doca_error_t pe_dma_create(struct pe_dma *dma, struct pe_sample *sample, size_t num_tasks,
			   doca_dma_task_memcpy_completion_cb_t completion_cb,
			   doca_dma_task_memcpy_completion_cb_t error_cb)
{
	union doca_data user_data = {.ptr = dma};

	dma->sample = sample;
	dma->num_tasks = num_tasks;
	dma->tasks = calloc(num_tasks, sizeof(struct doca_dma_task_memcpy *));
	if (dma->tasks == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TRY(doca_dma_create(sample->dev, &dma->dma));
	dma->ctx = doca_dma_as_ctx(dma->dma);
	TRY(doca_pe_connect_ctx(sample->pe, dma->ctx));
	TRY(doca_ctx_set_user_data(dma->ctx, user_data));
	TRY(doca_ctx_set_state_changed_cb(dma->ctx, on_state));
	TRY(doca_dma_task_memcpy_set_conf(dma->dma, completion_cb, error_cb, (uint32_t)num_tasks));
	return DOCA_SUCCESS;
}

doca_error_t pe_dma_alloc(struct pe_dma *dma, size_t i, size_t copy)
{
	union doca_data user_data = {.u64 = copy};

	TRY(doca_dma_task_memcpy_alloc_init(dma->dma, dma->sample->srcs[copy], dma->sample->dsts[copy], user_data,
					    &dma->tasks[i]));
	return DOCA_SUCCESS;
}

void pe_dma_free_tasks(struct pe_dma *dma)
{
	for (size_t i = 0; i < dma->num_tasks; i++) {
		if (dma->tasks[i] != NULL)
			doca_task_free(doca_dma_task_memcpy_as_task(dma->tasks[i]));
		dma->tasks[i] = NULL;
	}
}

doca_error_t pe_dma_destroy(struct pe_dma *dma)
{
	doca_error_t result = dma->callback_result, stopped;
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
	size_t num_inflight = 0;

	if (dma->ctx != NULL) {
		CLEAN(result, doca_ctx_get_num_inflight_tasks(dma->ctx, &num_inflight));
		if (num_inflight == 0)
			pe_dma_free_tasks(dma);
		stopped = doca_ctx_stop(dma->ctx);
		if (stopped != DOCA_SUCCESS && stopped != DOCA_ERROR_IN_PROGRESS)
			DOCA_ERROR_PROPAGATE(result, stopped);
		while (num_inflight > 0 && result == DOCA_SUCCESS) {
			sample_progress(dma->sample->pe);
			CLEAN(result, doca_ctx_get_num_inflight_tasks(dma->ctx, &num_inflight));
		}
		pe_dma_free_tasks(dma);
		CLEAN(result, doca_ctx_get_state(dma->ctx, &state));
		while (state != DOCA_CTX_STATE_IDLE && result == DOCA_SUCCESS) {
			sample_progress(dma->sample->pe);
			CLEAN(result, doca_ctx_get_state(dma->ctx, &state));
		}
	}
	if (dma->dma != NULL)
		CLEAN(result, doca_dma_destroy(dma->dma));
	free(dma->tasks);
	return result;
}

int pe_main(int argc, char **argv, const char *name, doca_error_t (*run)(struct pe_sample *sample),
	    size_t num_copies)
{
	struct pe_sample sample = {0};
	doca_error_t result, destroyed;

	if (sample_start_log() != DOCA_SUCCESS)
		return EXIT_FAILURE;
	DOCA_LOG_INFO("Starting the sample");

	result = doca_argp_init(name, NULL);
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	if (result == DOCA_SUCCESS) {
		result = pe_sample_create(&sample, num_copies);
		if (result == DOCA_SUCCESS)
			result = run(&sample);
		destroyed = pe_sample_destroy(&sample);
		DOCA_ERROR_PROPAGATE(result, destroyed);
	}
	(void)doca_argp_destroy();
	return sample_finish(result);
}
