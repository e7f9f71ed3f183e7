/* SPDX-License-Identifier: Apache-2.0 */

/* A context that starts and stops with the help of a peer, to test what such contexts need of core. The peer is
 * the test: it writes commands into a pipe that wakes the engine. */

#include "core/emulator.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "core/emu_ctx.h"
#include "core/emu_notify.h"
#include "core/emu_pe.h"
#include "core/emu_task.h"
#include "fixture.h"

struct async {
	struct doca_ctx ctx;
	struct emu_task_pool pool;
	int pipe[2];
	struct emu_task_queue waiting; /* submitted tasks */
	bool refuse_tasks;
	bool closed;
	int completed, failed, idled;
	struct doca_task *last_failed;
	bool destroy_at_idle;
};

static struct async *of(struct doca_ctx *ctx)
{
	return (struct async *)ctx;
}

static doca_error_t task_submit(struct doca_task *task, uint32_t flags)
{
	struct async *async = of(task->ctx);

	(void)flags;
	if (async->refuse_tasks)
		return DOCA_ERROR_AGAIN;
	emu_task_queue_push(&async->waiting, task);
	return DOCA_SUCCESS;
}

static void task_notify(struct doca_task *task, doca_error_t status)
{
	struct async *async = of(task->ctx);

	CHECK(doca_task_get_status(task) == status);
	if (status == DOCA_SUCCESS)
		async->completed++;
	else
		async->failed++, async->last_failed = task;
	doca_task_free(task);
}

static const struct emu_task_ops task_ops = {.notify = task_notify, .submit = task_submit};

static doca_error_t async_start(struct doca_ctx *ctx)
{
	struct async *async = of(ctx);
	doca_error_t result = emu_task_pool_start(&async->pool, ctx, &task_ops, sizeof(struct doca_task), 4);

	if (result != DOCA_SUCCESS)
		return result;
	if (pipe2(async->pipe, O_NONBLOCK) != 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	result = emu_pe_add_fd(ctx->pe, async->pipe[0]);
	return result == DOCA_SUCCESS ? DOCA_ERROR_IN_PROGRESS : result;
}

static bool async_stop(struct doca_ctx *ctx)
{
	struct async *async = of(ctx);
	struct doca_task *task;

	while ((task = emu_task_queue_pop(&async->waiting)) != NULL)
		emu_task_flush(task);
	return async->closed;
}

static bool async_drained(const struct doca_ctx *ctx)
{
	return ((const struct async *)ctx)->closed;
}

static bool async_progress(struct doca_ctx *ctx)
{
	struct async *async = of(ctx);
	struct doca_task *task;
	char command;

	if (read(async->pipe[0], &command, 1) != 1)
		return false;
	switch (command) {
	case 'y': /* connected */
		emu_ctx_started(ctx);
		return true;
	case 'n': /* refused */
		async->closed = true;
		emu_ctx_start_failed(ctx);
		return true;
	case 'c': /* the oldest task completes */
		task = emu_task_queue_pop(&async->waiting);
		return emu_task_finish(task, DOCA_SUCCESS);
	case 'x': /* the peer has ended */
		async->closed = true;
		emu_ctx_fail(ctx);
		return true;
	default: /* it has closed its side */
		async->closed = true;
		return false;
	}
}

static void async_idle(struct doca_ctx *ctx)
{
	struct async *async = of(ctx);

	emu_pe_remove_fd(ctx->pe, async->pipe[0]);
	close(async->pipe[0]);
	close(async->pipe[1]);
	async->closed = false;
	async->idled++;
}

static const struct emu_ctx_ops async_ops = {
	.start = async_start,
	.stop = async_stop,
	.drained = async_drained,
	.progress = async_progress,
	.idle = async_idle,
};

static struct doca_pe *pe;
static struct doca_dev *dev;
static int fd;
static int states[16], num_states;

static void state_changed(union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
			  enum doca_ctx_states next)
{
	struct async *async = of(ctx);

	(void)user_data;
	(void)prev;
	states[num_states++] = (int)next;
	if (next == DOCA_CTX_STATE_IDLE && async->destroy_at_idle) {
		MUST(emu_ctx_fini(ctx));
		emu_task_pool_destroy(&async->pool);
		free(async);
	}
}

static struct async *setup(void)
{
	struct async *async = calloc(1, sizeof(*async));

	dev = open_dev(DPU_0);
	MUST(doca_pe_create(&pe));
	MUST(doca_pe_get_notification_handle(pe, &fd));
	MUST(emu_ctx_init(&async->ctx, &async_ops, dev));
	MUST(doca_ctx_set_state_changed_cb(&async->ctx, state_changed));
	MUST(doca_pe_connect_ctx(pe, &async->ctx));
	num_states = 0;
	return async;
}

static void teardown(struct async *async)
{
	if (async != NULL) {
		EXPECT(SUCCESS, emu_ctx_fini(&async->ctx));
		emu_task_pool_destroy(&async->pool);
		free(async);
	}
	MUST(doca_pe_destroy(pe));
	MUST(doca_dev_close(dev));
}

static void peer(struct async *async, char command)
{
	CHECK(write(async->pipe[1], &command, 1) == 1);
}

static int is_readable(void)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, 0) == 1;
}

static struct doca_task *new_task(struct async *async)
{
	struct doca_task *task;

	MUST(emu_task_alloc(&async->pool, (union doca_data){.u64 = 0}, &task));
	return task;
}

/* Waits for the engine as an event-driven program does, and handles one event. */
static void wait_and_progress(void)
{
	MUST(doca_pe_request_notification(pe));
	CHECK(is_readable());
	MUST(doca_pe_clear_notification(pe, fd));
	CHECK(doca_pe_progress(pe) == 1);
}

static void start_and_stop(void)
{
	struct async *async = setup();
	struct doca_task *task, *second;

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(&async->ctx));
	CHECK(ctx_state(&async->ctx) == DOCA_CTX_STATE_STARTING);
	EXPECT(ERROR_BAD_STATE, emu_task_alloc(&async->pool, (union doca_data){.u64 = 0}, &task));
	CHECK(doca_pe_progress(pe) == 0);
	MUST(doca_pe_request_notification(pe));
	CHECK(!is_readable());
	MUST(doca_pe_clear_notification(pe, fd));
	peer(async, 'y');
	wait_and_progress();
	CHECK(ctx_state(&async->ctx) == DOCA_CTX_STATE_RUNNING);

	task = new_task(async);
	second = new_task(async);
	async->refuse_tasks = true;
	EXPECT(ERROR_AGAIN, doca_task_submit(task));
	CHECK(num_inflight(&async->ctx) == 0);
	async->refuse_tasks = false;
	EXPECT(SUCCESS, doca_task_submit(task));
	EXPECT(SUCCESS, doca_task_submit(second));
	CHECK(num_inflight(&async->ctx) == 2 && doca_pe_progress(pe) == 0);
	peer(async, 'c');
	wait_and_progress();
	CHECK(async->completed == 1 && num_inflight(&async->ctx) == 1);

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(&async->ctx));
	CHECK(drain_pe(pe) == 1 && async->failed == 1);
	CHECK(ctx_state(&async->ctx) == DOCA_CTX_STATE_STOPPING);
	MUST(doca_pe_request_notification(pe));
	CHECK(!is_readable());
	MUST(doca_pe_clear_notification(pe, fd));
	peer(async, '.');
	wait_and_progress();
	CHECK(ctx_state(&async->ctx) == DOCA_CTX_STATE_IDLE && async->idled == 1);
	CHECK(num_states == 4 && states[0] == DOCA_CTX_STATE_STARTING && states[1] == DOCA_CTX_STATE_RUNNING &&
	      states[2] == DOCA_CTX_STATE_STOPPING && states[3] == DOCA_CTX_STATE_IDLE);
	CHECK(doca_pe_progress(pe) == 0);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(&async->ctx)); /* again */
	EXPECT(ERROR_IN_USE, doca_pe_destroy(pe));
	EXPECT(ERROR_IN_USE, emu_ctx_fini(&async->ctx));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(&async->ctx)); /* while the context is starting */
	CHECK(ctx_state(&async->ctx) == DOCA_CTX_STATE_STOPPING);
	peer(async, '.');
	drain_pe(pe);
	CHECK(ctx_state(&async->ctx) == DOCA_CTX_STATE_IDLE);
	teardown(async);
}

static void refused(void)
{
	struct async *async = setup();

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(&async->ctx));
	peer(async, 'n');
	CHECK(drain_pe(pe) >= 1);
	CHECK(ctx_state(&async->ctx) == DOCA_CTX_STATE_IDLE && async->idled == 1);
	teardown(async);
}

static void peer_lost(void)
{
	struct async *async = setup();

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(&async->ctx));
	peer(async, 'y');
	drain_pe(pe);
	MUST(doca_task_submit(new_task(async)));
	async->destroy_at_idle = true;
	peer(async, 'x');
	CHECK(drain_pe(pe) == 3); /* STOPPING, the task, IDLE */
	CHECK(states[num_states - 2] == DOCA_CTX_STATE_STOPPING && states[num_states - 1] == DOCA_CTX_STATE_IDLE);
	teardown(NULL);
}

/* Tasks that their context completes are delayed, failed and dropped like all others. */
static void faults(void)
{
	struct async *async = setup();
	struct doca_task *task;

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(&async->ctx));
	peer(async, 'y');
	drain_pe(pe);

	task = new_task(async);
	async->refuse_tasks = true;
	MUST(emu_fault_set("fail-task=2", NULL, 0));
	EXPECT(ERROR_AGAIN, doca_task_submit(task)); /* does not count */
	async->refuse_tasks = false;
	MUST(doca_task_submit(task));
	MUST(doca_task_submit(new_task(async)));
	CHECK(drain_pe(pe) == 1 && async->failed == 1 && async->last_failed != task);
	peer(async, 'c');
	CHECK(drain_pe(pe) == 1 && async->completed == 1);

	MUST(emu_fault_set("hold-tasks", NULL, 0));
	MUST(doca_task_submit(new_task(async)));
	peer(async, 'c');
	CHECK(drain_pe(pe) == 0 && async->completed == 1);
	MUST(doca_pe_request_notification(pe));
	emu_fault_clear();
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	CHECK(poll(&pfd, 1, 60000) == 1);
	MUST(doca_pe_clear_notification(pe, fd));
	CHECK(drain_pe(pe) == 1 && async->completed == 2);

	task = new_task(async);
	MUST(doca_task_submit(task));
	doca_task_free(task);
	peer(async, 'c');
	CHECK(drain_pe(pe) == 0 && async->completed == 2);

	async->closed = true;
	EXPECT(SUCCESS, doca_ctx_stop(&async->ctx));
	teardown(async);
}

/* Neither a context with constant events nor tasks that are always resubmitted block the other. */
static int dma_completions;

static void again(struct doca_dma_task_memcpy *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	dma_completions++;
	MUST(doca_buf_reset_data_len(doca_dma_task_memcpy_get_dst(task)));
	if (dma_completions < 30)
		MUST(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	else
		doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void fairness(void)
{
	static uint8_t memory[16];
	struct async *async = setup();
	struct doca_buf_inventory *inventory = make_inventory(2);
	struct doca_mmap *map = make_mmap(dev, memory, 16, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf *src = src_buf(inventory, map, memory, 8), *dst = dst_buf(inventory, map, memory + 8, 8);
	struct doca_dma_task_memcpy *task;
	struct doca_dma *dma;

	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(&async->ctx));
	peer(async, 'y');
	drain_pe(pe);
	MUST(doca_dma_create(dev, &dma));
	MUST(doca_dma_task_memcpy_set_conf(dma, again, again, 1));
	MUST(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	MUST(doca_ctx_start(doca_dma_as_ctx(dma)));
	MUST(doca_dma_task_memcpy_alloc_init(dma, src, dst, (union doca_data){.u64 = 0}, &task));
	MUST(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	for (int i = 0; i < 4; i++) {
		MUST(doca_task_submit(new_task(async)));
		peer(async, 'c');
	}
	for (int i = 0; i < 6; i++)
		CHECK(doca_pe_progress(pe) == 1);
	CHECK(dma_completions == 3 && async->completed == 3);
	drain_pe(pe);
	CHECK(dma_completions == 30 && async->completed == 4);
	MUST(doca_ctx_stop(doca_dma_as_ctx(dma)));
	MUST(doca_dma_destroy(dma));
	put_buf(src);
	put_buf(dst);
	MUST(doca_buf_inventory_destroy(inventory));
	MUST(doca_mmap_destroy(map));
	async->closed = true;
	EXPECT(SUCCESS, doca_ctx_stop(&async->ctx));
	teardown(async);
}

TEST_MAIN(fairness, start_and_stop, refused, peer_lost, faults)
