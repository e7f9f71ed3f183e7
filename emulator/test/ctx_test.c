/* SPDX-License-Identifier: Apache-2.0 */

/* States of contexts, and the stop loops that programs use. */

#include "fixture.h"

static void arguments(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	union doca_data data = {.u64 = 1};
	uint32_t num;

	EXPECT(ERROR_INVALID_VALUE, doca_ctx_start(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_ctx_stop(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_ctx_get_state(NULL, NULL));
	MUST(doca_dma_create(dev, &dma));
	MUST(doca_pe_create(&pe));
	ctx = doca_dma_as_ctx(dma);
	EXPECT(ERROR_INVALID_VALUE, doca_ctx_get_state(ctx, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_ctx_get_num_inflight_tasks(ctx, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_ctx_set_state_changed_cb(ctx, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_ctx_set_user_data(NULL, data));
	EXPECT(ERROR_INVALID_VALUE, doca_ctx_get_user_data(ctx, NULL));
	EXPECT(SUCCESS, doca_ctx_get_user_data(ctx, &data));
	CHECK(data.u64 == 0);
	EXPECT(SUCCESS, doca_ctx_cap_get_num_completion_vectors(doca_dev_as_devinfo(dev), &num));
	CHECK(num >= 1);
	EXPECT(SUCCESS, doca_ctx_set_completion_vector(ctx, num - 1));
	EXPECT(ERROR_INVALID_VALUE, doca_ctx_set_completion_vector(ctx, num));
	EXPECT(SUCCESS, doca_ctx_stop(ctx)); /* idle */
	EXPECT(ERROR_NOT_CONNECTED, doca_ctx_start(ctx));
	MUST(doca_pe_connect_ctx(pe, ctx));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(ctx)); /* no configuration */
	MUST(doca_dma_task_memcpy_set_conf(dma, fixture_completed, fixture_failed, 4));
	EXPECT(SUCCESS, doca_ctx_start(ctx));
	EXPECT(ERROR_BAD_STATE, doca_ctx_start(ctx));
	EXPECT(ERROR_BAD_STATE, doca_ctx_set_completion_vector(ctx, 0));
	EXPECT(ERROR_BAD_STATE, doca_dma_task_memcpy_set_conf(dma, fixture_completed, fixture_failed, 4));
	EXPECT(ERROR_IN_USE, doca_dma_destroy(dma));
	EXPECT(SUCCESS, doca_ctx_stop(ctx));
	EXPECT(SUCCESS, doca_ctx_stop(ctx));
	EXPECT(SUCCESS, doca_dma_task_memcpy_set_conf(dma, fixture_completed, fixture_failed, 2));
	EXPECT(SUCCESS, doca_ctx_start(ctx)); /* again, with another configuration */
	EXPECT(SUCCESS, doca_ctx_stop(ctx));
	MUST(doca_dma_destroy(dma));
	MUST(doca_pe_destroy(pe));
	MUST(doca_dev_close(dev));
}

static void synchronous_states(void)
{
	struct fixture *f = fixture_create(4);

	CHECK(f->num_states == 1 && f->states[0] == DOCA_CTX_STATE_RUNNING);
	EXPECT(SUCCESS, doca_ctx_stop(f->ctx));
	CHECK(f->num_states == 2 && f->states[1] == DOCA_CTX_STATE_IDLE);
	EXPECT(SUCCESS, doca_ctx_stop(f->ctx));
	CHECK(f->num_states == 2); /* no callback */
	EXPECT(SUCCESS, doca_ctx_start(f->ctx));
	CHECK(f->num_states == 3);
	fixture_destroy(f);
}

/* A stop with tasks in flight: the error callback ends them. IDLE comes with the next progress after they are
 * freed. */
static void stop_with_tasks(void)
{
	struct fixture *f = fixture_create(8);
	struct doca_dma_task_memcpy *more;
	struct copy copies[3];

	f->keep_tasks = 1;
	for (size_t i = 0; i < 3; i++) {
		copies[i] = make_copy(f, i);
		MUST(doca_task_submit(copies[i].task));
	}
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f->ctx));
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_STOPPING && f->states[1] == DOCA_CTX_STATE_STOPPING);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f->ctx));
	EXPECT(ERROR_IN_USE, doca_dma_destroy(f->dma));
	EXPECT(ERROR_BAD_STATE, doca_ctx_start(f->ctx));
	EXPECT(ERROR_BAD_STATE, doca_dma_task_memcpy_alloc_init(f->dma, NULL, NULL,
								(union doca_data){.u64 = 0}, &more));
	CHECK(drain_pe(f->pe) == 3);
	CHECK(f->errors == 3 && f->completions == 0 && f->last_error == DOCA_ERROR_IO_FAILED);
	CHECK(num_inflight(f->ctx) == 0 && ctx_state(f->ctx) == DOCA_CTX_STATE_STOPPING);
	EXPECT(ERROR_BAD_STATE, doca_task_submit(copies[0].task)); /* and the task stays the program's */
	for (size_t i = 0; i < 3; i++) {
		CHECK(doca_pe_progress(f->pe) == 0);
		doca_task_free(copies[i].task);
		finish_copy(&copies[i]);
	}
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_STOPPING);
	CHECK(doca_pe_progress(f->pe) == 1);
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE && f->states[2] == DOCA_CTX_STATE_IDLE);
	CHECK(doca_pe_progress(f->pe) == 0);
	CHECK(f->dst[0] == 0); /* not executed */
	doca_task_free(copies[0].task); /* harmless */
	fixture_destroy(f);
}

/* A task that was never submitted also keeps its context from becoming idle. */
static void stop_with_idle_task(void)
{
	struct fixture *f = fixture_create(8);
	struct copy copy = make_copy(f, 0);

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f->ctx));
	CHECK(doca_pe_progress(f->pe) == 0);
	doca_task_free(copy.task);
	CHECK(doca_pe_progress(f->pe) == 1);
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE);
	finish_copy(&copy);
	fixture_destroy(f);
}

/* Loop 1: stop; while the state is not IDLE: progress. */
static void stop_loop_1(void)
{
	struct fixture *f = fixture_create(8);
	struct copy copies[8];

	for (size_t i = 0; i < 8; i++) {
		copies[i] = make_copy(f, i);
		MUST(doca_task_submit(copies[i].task));
	}
	doca_ctx_stop(f->ctx);
	for (int i = 0; ctx_state(f->ctx) != DOCA_CTX_STATE_IDLE && i < 1000; i++)
		doca_pe_progress(f->pe);
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE && f->errors == 8);
	for (size_t i = 0; i < 8; i++)
		finish_copy(&copies[i]);
	fixture_destroy(f);
}

/* Loop 2: the storage applications. Tasks are freed after the flush. */
static void stop_loop_2(int in_flight)
{
	struct fixture *f = fixture_create(8);
	struct copy copies[8];
	doca_error_t result;
	int spins = 0;

	f->keep_tasks = 1;
	for (int i = 0; i < 8; i++) {
		copies[i] = make_copy(f, (size_t)i);
		if (i < in_flight)
			MUST(doca_task_submit(copies[i].task));
	}
	if (num_inflight(f->ctx) == 0) {
		for (size_t i = 0; i < 8; i++)
			doca_task_free(copies[i].task);
	}
	result = doca_ctx_stop(f->ctx);
	if (result == DOCA_ERROR_IN_PROGRESS) {
		size_t num;

		do {
			num = num_inflight(f->ctx);
			for (size_t i = 0; i < num; i++)
				doca_pe_progress(f->pe);
		} while (num_inflight(f->ctx) > 0 && spins++ < 100);
		for (size_t i = 0; i < 8; i++)
			doca_task_free(copies[i].task);
		while (ctx_state(f->ctx) != DOCA_CTX_STATE_IDLE && spins++ < 100)
			doca_pe_progress(f->pe);
	} else {
		CHECK(result == DOCA_SUCCESS);
	}
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE);
	for (size_t i = 0; i < 8; i++)
		finish_copy(&copies[i]);
	fixture_destroy(f);
}

static void stop_loop_2_busy(void)
{
	stop_loop_2(5);
}

static void stop_loop_2_quiet(void)
{
	stop_loop_2(0);
}

/* Loop 3: stop inside the last completion callback; the IDLE callback ends the main loop. */
static struct {
	doca_error_t stop_result;
	int running;
} loop_3;

static void complete_free_stop(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
			       union doca_data ctx_user_data)
{
	struct doca_ctx *ctx = doca_task_get_ctx(doca_dma_task_memcpy_as_task(task));

	(void)task_user_data;
	(void)ctx_user_data;
	CHECK(num_inflight(ctx) == 1); /* counted until the callback returns */
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	loop_3.stop_result = doca_ctx_stop(ctx);
}

static void stop_at_idle(union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
			 enum doca_ctx_states next)
{
	(void)user_data;
	(void)ctx;
	(void)prev;
	if (next == DOCA_CTX_STATE_IDLE)
		loop_3.running = 0;
}

static void stop_loop_3(void)
{
	struct fixture *f = fixture_create(1);
	struct copy copy;
	int spins = 0;

	MUST(doca_ctx_stop(f->ctx));
	MUST(doca_dma_task_memcpy_set_conf(f->dma, complete_free_stop, fixture_failed, 1));
	MUST(doca_ctx_set_state_changed_cb(f->ctx, stop_at_idle));
	MUST(doca_ctx_start(f->ctx));
	copy = make_copy(f, 0);
	loop_3.running = 1;
	MUST(doca_task_submit(copy.task));
	while (loop_3.running && spins++ < 100)
		doca_pe_progress(f->pe);
	CHECK(loop_3.stop_result == DOCA_ERROR_IN_PROGRESS);
	CHECK(!loop_3.running && ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE);
	CHECK(memcmp(f->src, f->dst, 8) == 0);
	EXPECT(SUCCESS, doca_ctx_stop(f->ctx)); /* the sample stops again */
	finish_copy(&copy);
	fixture_destroy(f);
}

/* Callbacks that submit on RUNNING, stop on RUNNING, and destroy on IDLE. */
static struct copy started_copy;

static void submit_when_running(union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
				enum doca_ctx_states next)
{
	struct fixture *f = user_data.ptr;

	(void)ctx;
	(void)prev;
	if (next == DOCA_CTX_STATE_RUNNING) {
		started_copy = make_copy(f, 0);
		MUST(doca_task_submit(started_copy.task));
	}
}

static void stop_when_running(union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
			      enum doca_ctx_states next)
{
	(void)user_data;
	(void)prev;
	if (next == DOCA_CTX_STATE_RUNNING)
		EXPECT(SUCCESS, doca_ctx_stop(ctx));
}

static void destroy_when_idle(union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
			      enum doca_ctx_states next)
{
	struct fixture *f = user_data.ptr;

	(void)ctx;
	(void)prev;
	if (next == DOCA_CTX_STATE_IDLE) {
		MUST(doca_dma_destroy(f->dma));
		f->dma = NULL;
	}
}

static void busy_state_callbacks(void)
{
	struct fixture *f = fixture_create(4);
	struct copy copy;

	MUST(doca_ctx_stop(f->ctx));
	MUST(doca_ctx_set_state_changed_cb(f->ctx, submit_when_running));
	EXPECT(SUCCESS, doca_ctx_start(f->ctx));
	CHECK(drain_pe(f->pe) == 1 && f->completions == 1);
	finish_copy(&started_copy);
	MUST(doca_ctx_stop(f->ctx));

	MUST(doca_ctx_set_state_changed_cb(f->ctx, stop_when_running));
	EXPECT(SUCCESS, doca_ctx_start(f->ctx));
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE);

	MUST(doca_ctx_set_state_changed_cb(f->ctx, destroy_when_idle));
	EXPECT(SUCCESS, doca_ctx_start(f->ctx));
	copy = make_copy(f, 0);
	MUST(doca_task_submit(copy.task));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f->ctx));
	CHECK(drain_pe(f->pe) == 2); /* first the task, then the end of the context */
	CHECK(f->dma == NULL);
	EXPECT(SUCCESS, doca_pe_destroy(f->pe));
	finish_copy(&copy);

	/* The same inside doca_ctx_stop. */
	MUST(doca_pe_create(&f->pe));
	MUST(doca_dma_create(f->dev, &f->dma));
	f->ctx = doca_dma_as_ctx(f->dma);
	MUST(doca_ctx_set_user_data(f->ctx, (union doca_data){.ptr = f}));
	MUST(doca_dma_task_memcpy_set_conf(f->dma, fixture_completed, fixture_failed, 1));
	MUST(doca_ctx_set_state_changed_cb(f->ctx, destroy_when_idle));
	MUST(doca_pe_connect_ctx(f->pe, f->ctx));
	MUST(doca_ctx_start(f->ctx));
	EXPECT(SUCCESS, doca_ctx_stop(f->ctx));
	CHECK(f->dma == NULL);

	MUST(doca_pe_destroy(f->pe));
	MUST(doca_buf_inventory_destroy(f->inventory));
	MUST(doca_mmap_destroy(f->src_mmap));
	MUST(doca_mmap_destroy(f->dst_mmap));
	MUST(doca_dev_close(f->dev));
	free(f);
}

/* A program that frees a submitted task: the task is dropped. */
static void free_while_submitted(void)
{
	struct fixture *f = fixture_create(4);
	struct copy a = make_copy(f, 0), b = make_copy(f, 1);

	MUST(doca_task_submit(a.task));
	MUST(doca_task_submit(b.task));
	doca_task_free(a.task);
	doca_task_free(a.task);
	CHECK(doca_pe_progress(f->pe) == 1); /* b: a has nothing to show */
	CHECK(f->completions == 1 && num_inflight(f->ctx) == 0);
	finish_copy(&a);
	finish_copy(&b);

	a = make_copy(f, 0);
	MUST(doca_task_submit(a.task));
	doca_task_free(a.task);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f->ctx));
	drain_pe(f->pe);
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE && f->errors == 0);
	finish_copy(&a);
	fixture_destroy(f);
}

TEST_MAIN(arguments, synchronous_states, stop_with_tasks, stop_with_idle_task, stop_loop_1, stop_loop_2_busy,
	  stop_loop_2_quiet, stop_loop_3, busy_state_callbacks, free_while_submitted)
