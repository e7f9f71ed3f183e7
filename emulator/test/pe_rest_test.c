/* SPDX-License-Identifier: Apache-2.0 */

/* Programs that poll in vain let others have the CPU. The program is linked so that sched_yield comes to this file. */

#include <sched.h>

#include "comch_fast.h"

int __wrap_sched_yield(void);

static int num_yields;

int __wrap_sched_yield(void)
{
	num_yields++;
	return 0;
}

static void vain_progress_yields(void)
{
	struct doca_pe *pe;

	MUST(doca_pe_create(&pe));
	num_yields = 0;
	for (int i = 0; i < 160; i++)
		CHECK(doca_pe_progress(pe) == 0);
	CHECK(num_yields == 10);
	MUST(doca_pe_destroy(pe));
}

/* What is there to do is done first. */
static void progress_does_not(void)
{
	struct fast f = make_fast("busy");

	for (int i = 0; i < ENDPOINT_TASKS; i++)
		post(f.consumer, NULL);
	for (int i = 0; i < ENDPOINT_TASKS; i++)
		MUST(produce(f.producer, NULL, "x", 1, f.consumer->id));
	num_yields = 0;
	for (int i = 0; i < ENDPOINT_TASKS; i++)
		CHECK(doca_pe_progress(f.producer->pe) == 1);
	CHECK(num_yields == 0);
	settle();
	delete_fast(&f);
}

static void vain_submits_yield(void)
{
	struct fast f = make_fast("vain");
	struct doca_task *task = make_produce(f.producer, NULL, "x", 1, f.consumer->id);

	settle();
	num_yields = 0;
	for (int i = 0; i < 160; i++)
		EXPECT(ERROR_AGAIN, doca_task_submit(task));
	CHECK(num_yields == 10);
	doca_task_free(task);
	delete_fast(&f);
}

TEST_MAIN(vain_progress_yields, progress_does_not, vain_submits_yield)
