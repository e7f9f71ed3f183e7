/* SPDX-License-Identifier: Apache-2.0 */

/* Faults of one context or device, several sets of faults at once, and faults of DMA that are no failures. */

#include <poll.h>

#include "core/emu_clock.h"
#include "core/emu_fault.h"
#include "fixture.h"

static void set(const char *format, const void *object)
{
	char spec[200];

	snprintf(spec, sizeof(spec), format, object);
	MUST(emu_fault_set(spec, NULL, 0));
}

/* Copies once. True: the copy succeeded. */
static bool copies(struct fixture *f)
{
	struct copy copy;
	int done = f->completions;

	if (ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE)
		MUST(doca_ctx_start(f->ctx));
	copy = make_copy(f, 0);
	MUST(doca_task_submit(copy.task));
	drain_pe(f->pe);
	finish_copy(&copy);
	drain_pe(f->pe);
	return f->completions > done;
}

static void one_context(void)
{
	struct fixture *f = fixture_create(8), *other = fixture_create(8);

	set("fail-task=2@%p", f->ctx);
	CHECK(copies(other) && copies(other) && copies(other));
	CHECK(copies(f) && !copies(f) && copies(f));
	set("fail-task=*@%p", f->ctx);
	CHECK(!copies(f) && !copies(f) && !copies(f) && copies(other));
	emu_fault_clear();
	fixture_destroy(f);
	fixture_destroy(other);
}

static void one_device(void)
{
	struct fixture *f = fixture_create(8);
	struct doca_dma_task_memcpy *task;

	MUST(emu_fault_set("fail-task=*@03:00.1,exhaust-pool=*@03:00.1", NULL, 0));
	CHECK(copies(f));
	MUST(emu_fault_set("fail-task=*@03:00.0", NULL, 0));
	CHECK(!copies(f));
	MUST(doca_ctx_start(f->ctx));
	MUST(emu_fault_set("exhaust-pool=2@0000:03:00.0", NULL, 0)); /* buffers do not count */
	CHECK(copies(f));
	EXPECT(ERROR_NO_MEMORY,
	       doca_dma_task_memcpy_alloc_init(f->dma, NULL, NULL, (union doca_data){.u64 = 0}, &task));
	emu_fault_clear();
	fixture_destroy(f);
}

static void sets(void)
{
	struct fixture *f = fixture_create(8), *other = fixture_create(8);
	char spec[100], err[1024];
	uint64_t first, second;

	snprintf(spec, sizeof(spec), "fail-task=*@%p", (void *)f->ctx);
	MUST(emu_fault_add(spec, &first, NULL, 0));
	snprintf(spec, sizeof(spec), "fail-task=1@%p", (void *)other->ctx);
	MUST(emu_fault_add(spec, &second, NULL, 0));
	CHECK(first != 0 && second != 0 && first != second);
	CHECK(!copies(f) && !copies(other) && copies(other));
	emu_fault_remove(first);
	CHECK(copies(f) && copies(other) && emu_faults_active());
	emu_fault_remove(first); /* again: nothing */
	emu_fault_remove(second);
	CHECK(!emu_faults_active());
	EXPECT(ERROR_INVALID_VALUE, emu_fault_add("nonsense", &first, err, sizeof(err)));
	for (int i = 0; i < 64; i++)
		MUST(emu_fault_add("fail-task=1000", &first, NULL, 0));
	EXPECT(ERROR_INVALID_VALUE, emu_fault_add("fail-task=1000", &first, err, sizeof(err)));
	emu_fault_clear();
	fixture_destroy(f);
	fixture_destroy(other);
}

/* The end of one set revives the device that it has lost, and ends no other fault. */
static void a_lost_device(void)
{
	struct fixture *f = fixture_create(8);
	uint64_t lost, other;

	MUST(emu_fault_add("lose-device=1@03:00.0", &lost, NULL, 0));
	MUST(emu_fault_add("fail-call=doca_pe_create:1", &other, NULL, 0));
	CHECK(!copies(f));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(f->ctx));
	emu_fault_remove(other);
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(f->ctx));
	emu_fault_remove(lost);
	CHECK(copies(f));
	fixture_destroy(f);
}

static void rate(void)
{
	struct fixture *f = fixture_create(8);
	struct copy copies[5];
	uint64_t begin;

	MUST(emu_fault_set("rate=100,delay=1ms", NULL, 0)); /* 10 ms each */
	begin = emu_clock_ns();
	for (size_t i = 0; i < 5; i++) {
		copies[i] = make_copy(f, i);
		MUST(doca_task_submit(copies[i].task));
	}
	while (f->completions < 5) {
		int before = f->completions;

		doca_pe_progress(f->pe);
		if (f->completions != before)
			CHECK(emu_clock_ns() - begin >= (uint64_t)before * 10000000 + 1000000);
	}
	for (size_t i = 0; i < 5; i++)
		finish_copy(&copies[i]);
	emu_fault_clear();
	fixture_destroy(f);
}

/* Submits with flags. */
static struct copy submit(struct fixture *f, size_t index, uint32_t flags)
{
	struct copy copy = make_copy(f, index);

	MUST(doca_task_submit_ex(copy.task, flags));
	return copy;
}

#define OPTIMIZE DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS
#define FLUSH DOCA_TASK_SUBMIT_FLAG_FLUSH

/* Calls progress until so many copies have ended. */
static void await_copies(struct fixture *f, int completions)
{
	uint64_t begin = emu_clock_ns();

	while (f->completions < completions && emu_clock_ns() - begin < 60000000000)
		doca_pe_progress(f->pe);
	CHECK(f->completions == completions);
}

/* make_copy for another context. */
static struct copy make_copy_of(struct fixture *f, struct doca_dma *dma, size_t index)
{
	struct doca_dma *own = f->dma;
	struct copy copy;

	f->dma = dma;
	copy = make_copy(f, index);
	f->dma = own;
	return copy;
}

/* Two contexts of one engine whose tasks take different times: each task ends when it is due, whatever else the engine holds. */
static void delays_of_two_contexts(void)
{
	struct fixture *f = fixture_create(8);
	struct copy slow[2], fast[4];
	struct doca_dma *other;
	struct doca_ctx *ctx;
	uint64_t slow_due;
	char spec[200];

	MUST(doca_dma_create(f->dev, &other));
	ctx = doca_dma_as_ctx(other);
	MUST(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = f}));
	MUST(doca_dma_task_memcpy_set_conf(other, fixture_completed, fixture_failed, 2));
	MUST(doca_pe_connect_ctx(f->pe, ctx));
	MUST(doca_ctx_start(ctx));

	snprintf(spec, sizeof(spec), "delay=500ms@%p,delay=1ms@%p", (void *)ctx, (void *)f->ctx);
	MUST(emu_fault_set(spec, NULL, 0));
	slow_due = emu_clock_ns() + 500000000; /* at the earliest: on a slow machine the fast ones may be as late */
	slow[0] = make_copy_of(f, other, 0);
	MUST(doca_task_submit(slow[0].task));
	fast[0] = make_copy(f, 1);
	MUST(doca_task_submit(fast[0].task));
	await_copies(f, 1);
	for (size_t i = 1; i < 4; i++) { /* in front of the slow one, behind each other */
		fast[i] = make_copy(f, i + 1);
		MUST(doca_task_submit(fast[i].task));
	}
	slow[1] = make_copy_of(f, other, 5);
	MUST(doca_task_submit(slow[1].task));
	for (int i = 1; i < 4; i++) {
		CHECK(f->dst[(i + 1) * 8] == 0 || emu_clock_ns() > slow_due);
		await_copies(f, i + 1);
		CHECK((f->dst[(i + 1) * 8] != 0 && num_inflight(ctx) == 2) || emu_clock_ns() > slow_due);
	}
	await_copies(f, 6);
	CHECK(f->dst[0] != 0 && f->dst[40] != 0);

	emu_fault_clear();
	for (size_t i = 0; i < 6; i++)
		finish_copy(i < 2 ? &slow[i] : &fast[i - 2]);
	MUST(doca_ctx_stop(ctx));
	MUST(doca_dma_destroy(other));
	fixture_destroy(f);
}

/* Tasks complete after their own fault has ended, and an engine that sleeps notices that. */
static void hold_tasks(void)
{
	struct fixture *f = fixture_create(8), *g = fixture_create(8);
	struct pollfd pfd = {.events = POLLIN};
	struct copy held[2], other, late, failed;
	uint64_t all, one;
	char spec[200];

	snprintf(spec, sizeof(spec), "hold-tasks@%p", (void *)f->ctx);
	MUST(emu_fault_add(spec, &one, NULL, 0));
	for (size_t i = 0; i < 2; i++)
		held[i] = submit(f, i, FLUSH);
	other = submit(g, 0, FLUSH);
	await_copies(g, 1); /* not the target */
	finish_copy(&other);
	MUST(emu_fault_add("hold-tasks", &all, NULL, 0));
	other = submit(g, 1, FLUSH);
	emu_fault_remove(one);
	await_copies(f, 2);
	CHECK(f->dst[0] != 0 && f->dst[8] != 0);
	CHECK(drain_pe(g->pe) == 0 && num_inflight(g->ctx) == 1);

	MUST(doca_pe_get_notification_handle(g->pe, &pfd.fd));
	MUST(doca_pe_request_notification(g->pe));
	CHECK(poll(&pfd, 1, 20000) == 1); /* it looks now and then */
	MUST(doca_pe_clear_notification(g->pe, pfd.fd));
	CHECK(doca_pe_progress(g->pe) == 0 && num_inflight(g->ctx) == 1);
	late = submit(g, 2, FLUSH);
	emu_fault_remove(all);
	MUST(doca_pe_request_notification(g->pe));
	CHECK(poll(&pfd, 1, 20000) == 1);
	MUST(doca_pe_clear_notification(g->pe, pfd.fd));
	await_copies(g, 3);
	CHECK(g->dst[8] != 0 && g->dst[16] != 0);

	/* What fails is held, too, and a stop waits for it. */
	MUST(emu_fault_set("hold-tasks,fail-task=1", NULL, 0));
	failed = submit(g, 3, FLUSH);
	CHECK(drain_pe(g->pe) == 0 && g->errors == 0);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(g->ctx));
	CHECK(drain_pe(g->pe) == 0 && ctx_state(g->ctx) == DOCA_CTX_STATE_STOPPING);
	emu_fault_clear();
	drain_pe(g->pe);
	CHECK(g->errors == 1 && ctx_state(g->ctx) == DOCA_CTX_STATE_IDLE);

	for (size_t i = 0; i < 2; i++)
		finish_copy(&held[i]);
	finish_copy(&other);
	finish_copy(&late);
	finish_copy(&failed);
	fixture_destroy(g);
	fixture_destroy(f);
}

/* A delay or rate of all tasks is counted without a lock, as long as there are no other faults. */
static void others_beside_a_delay(void)
{
	struct fixture *f = fixture_create(8);
	uint64_t both, begin;

	MUST(emu_fault_set("delay=1ns", NULL, 0));
	CHECK(copies(f) && copies(f));
	MUST(emu_fault_add("fail-task=2,rate=1e9", &both, NULL, 0));
	CHECK(copies(f) && !copies(f) && copies(f));
	emu_fault_remove(both);
	CHECK(copies(f) && copies(f));

	MUST(emu_fault_set("delay=5ms", NULL, 0));
	begin = emu_clock_ns();
	struct copy copy = submit(f, 0, FLUSH);
	await_copies(f, f->completions + 1);
	CHECK(emu_clock_ns() - begin >= 5000000);
	finish_copy(&copy);
	emu_fault_clear();
	CHECK(copies(f)); /* at once */
	fixture_destroy(f);
}

/* A fault that keeps the tasks of one context keeps those of no other one on the engine, and the kept ones in order. */
static void kept_beside_others(void)
{
	struct fixture *f = fixture_create(8);
	struct copy kept[2], others[2];
	struct doca_dma *dma;
	struct doca_ctx *ctx;

	MUST(doca_dma_create(f->dev, &dma));
	ctx = doca_dma_as_ctx(dma);
	MUST(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = f}));
	MUST(doca_dma_task_memcpy_set_conf(dma, fixture_completed, fixture_failed, 2));
	MUST(doca_pe_connect_ctx(f->pe, ctx));
	MUST(doca_ctx_start(ctx));

	set("hold-tasks@%p", ctx);
	kept[0] = make_copy_of(f, dma, 0);
	MUST(doca_task_submit(kept[0].task));
	for (size_t i = 0; i < 2; i++) {
		others[i] = submit(f, i + 1, i == 0 ? FLUSH : 0);
		doca_ctx_flush_tasks(f->ctx);
		CHECK(drain_pe(f->pe) == 1 && f->completions == (int)i + 1);
	}
	CHECK(f->dst[0] == 0 && f->dst[8] != 0 && f->dst[16] != 0);
	emu_fault_clear();
	kept[1] = make_copy_of(f, dma, 3); /* no fault, and still behind the one that is kept */
	MUST(doca_task_submit(kept[1].task));
	CHECK(doca_pe_progress(f->pe) == 1 && f->dst[0] != 0 && f->dst[24] == 0);
	await_copies(f, 4);

	for (size_t i = 0; i < 2; i++) {
		finish_copy(&kept[i]);
		finish_copy(&others[i]);
	}
	MUST(doca_ctx_stop(ctx));
	MUST(doca_dma_destroy(dma));
	fixture_destroy(f);
}

static void hold_reports(void)
{
	struct fixture *f = fixture_create(8);
	struct copy copies[6];
	struct pollfd pfd = {.events = POLLIN};

	MUST(emu_fault_set("hold-reports", NULL, 0));
	copies[0] = submit(f, 0, OPTIMIZE | FLUSH);
	copies[1] = submit(f, 1, OPTIMIZE);
	copies[2] = submit(f, 2, 0); /* a sentinel that is not flushed */
	doca_ctx_flush_tasks(f->ctx);
	CHECK(drain_pe(f->pe) == 1 && f->completions == 1); /* the sentinel itself */
	CHECK(f->dst[0] != 0 && f->dst[8] != 0 && num_inflight(f->ctx) == 2); /* copied, but not reported */
	copies[3] = submit(f, 3, FLUSH);
	CHECK(drain_pe(f->pe) == 3 && f->completions == 4);
	copies[4] = submit(f, 4, FLUSH); /* with nothing held back */
	CHECK(drain_pe(f->pe) == 1 && f->completions == 5);

	/* A stop reports what was held back, and wakes an engine that is armed. */
	copies[5] = submit(f, 5, OPTIMIZE | FLUSH);
	CHECK(drain_pe(f->pe) == 0);
	MUST(doca_pe_get_notification_handle(f->pe, &pfd.fd));
	MUST(doca_pe_request_notification(f->pe));
	CHECK(poll(&pfd, 1, 0) == 0);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f->ctx));
	CHECK(poll(&pfd, 1, 0) == 1);
	MUST(doca_pe_clear_notification(f->pe, pfd.fd));
	drain_pe(f->pe);
	CHECK(f->completions == 6 && f->errors == 0);
	for (size_t i = 0; i < 6; i++)
		finish_copy(&copies[i]);
	drain_pe(f->pe);

	/* Without the fault nothing waits. */
	emu_fault_clear();
	MUST(doca_ctx_start(f->ctx));
	copies[0] = submit(f, 0, OPTIMIZE | FLUSH);
	CHECK(drain_pe(f->pe) == 1 && f->completions == 7);
	finish_copy(&copies[0]);
	fixture_destroy(f);
}

TEST_MAIN(one_context, one_device, sets, a_lost_device, rate, delays_of_two_contexts, hold_tasks,
	  others_beside_a_delay, kept_beside_others, hold_reports)
