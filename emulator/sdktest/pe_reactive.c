/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driven by callbacks alone: the start of the context submits the tasks, the last completion stops the context, and
 * its IDLE callback ends the program.
 */

#include "pe_common.h"

DOCA_LOG_REGISTER(PE_REACTIVE);

static void on_completed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	struct pe_dma *dma = ctx_data.ptr;

	(void)task_data;
	dma->num_completed++;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	/* A stop in a callback never completes at once: the task counts as in flight until the callback returns. */
	if (dma->num_completed == NUM_TASKS && doca_ctx_stop(dma->ctx) != DOCA_ERROR_IN_PROGRESS)
		pe_keep_error(dma, DOCA_ERROR_UNEXPECTED);
}

static void on_failed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	pe_on_failed(task, task_data, ctx_data);
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static doca_error_t submit_all(struct pe_dma *dma)
{
	for (size_t i = 0; i < NUM_TASKS; i++) {
		TRY(pe_dma_alloc(dma, i, i));
		TRY(doca_task_submit(doca_dma_task_memcpy_as_task(dma->tasks[i])));
		dma->tasks[i] = NULL; /* freed by its callback */
	}
	return DOCA_SUCCESS;
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		     enum doca_ctx_states next)
{
	struct pe_dma *dma = user_data.ptr;

	(void)ctx;
	(void)prev;
	dma->num_transitions++;
	dma->state = next;
	if (next == DOCA_CTX_STATE_RUNNING)
		pe_keep_error(dma, submit_all(dma));
	if (next == DOCA_CTX_STATE_IDLE) {
		/* The context may be destroyed in its own callback. */
		dma->idle_seen = true;
		pe_keep_error(dma, doca_dma_destroy(dma->dma));
		dma->dma = NULL;
		dma->ctx = NULL;
	}
}

static doca_error_t copy_all(struct pe_sample *sample, struct pe_dma *dma)
{
	size_t num_inflight = 0;

	TRY(pe_dma_create(dma, sample, NUM_TASKS, on_completed, on_failed));
	TRY(doca_ctx_set_state_changed_cb(dma->ctx, on_state));
	TRY(doca_ctx_start(dma->ctx));
	REQUIRE(dma->state == DOCA_CTX_STATE_RUNNING && dma->num_completed == 0);
	TRY(doca_ctx_get_num_inflight_tasks(dma->ctx, &num_inflight));
	REQUIRE(num_inflight == NUM_TASKS);
	while (!dma->idle_seen)
		sample_progress(sample->pe);
	REQUIRE(dma->num_completed == NUM_TASKS && dma->num_failed == 0);
	REQUIRE(dma->num_transitions == 3); /* RUNNING, STOPPING, IDLE */
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
	return pe_main(argc, argv, "pe_reactive", run, NUM_TASKS);
}
