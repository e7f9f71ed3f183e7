/* SPDX-License-Identifier: Apache-2.0 */

/* Faults of one context or device, several sets of faults at once, and faults of DMA that are no failures. */

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

static void hold_reports(void)
{
	struct fixture *f = fixture_create(8);
	struct copy copies[6];

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

	/* A stop reports what was held back. */
	copies[5] = submit(f, 5, OPTIMIZE | FLUSH);
	CHECK(drain_pe(f->pe) == 0);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(f->ctx));
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

TEST_MAIN(one_context, one_device, sets, a_lost_device, rate, hold_reports)
