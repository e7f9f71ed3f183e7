/* SPDX-License-Identifier: Apache-2.0 */

/* Copies in flight on the same bytes, found for programs that set DOCA_EMU_CHECK_OVERLAPS. */

#include <stdbool.h>

#include "catch_log.h"
#include "fixture.h"

static uint8_t bytes[4096];

/* A copy of 64 bytes on its own buffers. */
static struct doca_task *copy_of(struct fixture *f, struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
				 size_t to, size_t from, struct doca_buf *bufs[2])
{
	bufs[0] = src_buf(inventory, mmap, bytes + from, 64);
	bufs[1] = dst_buf(inventory, mmap, bytes + to, 64);
	return make_task(f, bufs[0], bufs[1]);
}

/* Two copies at once, on one context or on two. Returns how many fail. */
static int fail_together(bool is_one, const size_t at[4])
{
	struct fixture *f = fixture_create(4), *g = is_one ? f : fixture_create(4);
	struct doca_mmap *mmap = make_mmap(f->dev, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf_inventory *inventory = make_inventory(8);
	struct doca_buf *first[2], *then[2];
	struct doca_task *a = copy_of(f, inventory, mmap, at[0], at[1], first);
	struct doca_task *b = copy_of(g, inventory, mmap, at[2], at[3], then);
	int errors;

	MUST(doca_task_submit(a));
	MUST(doca_task_submit_ex(b, DOCA_TASK_SUBMIT_FLAG_FLUSH));
	drain_pe(g->pe);
	drain_pe(f->pe);
	errors = f->errors + (is_one ? 0 : g->errors);
	for (int i = 0; i < 2; i++) {
		put_buf(first[i]);
		put_buf(then[i]);
	}
	MUST(doca_buf_inventory_destroy(inventory));
	MUST(doca_mmap_destroy(mmap));
	if (!is_one)
		fixture_destroy(g);
	fixture_destroy(f);
	return errors;
}

static void found(void)
{
	catch_log();
	setenv("DOCA_EMU_CHECK_OVERLAPS", "1", 1);
	for (int is_one = 0; is_one < 2; is_one++) {
		CHECK(fail_together(is_one, (size_t[]){1000, 0, 1063, 100}) == 1);
		CHECK(strstr(caught, "64 bytes at") != NULL && strstr(caught, "are written") != NULL);
		CHECK(fail_together(is_one, (size_t[]){1000, 0, 2000, 1063}) == 1);
		CHECK(fail_together(is_one, (size_t[]){1000, 0, 63, 2000}) == 1);
		CHECK(fail_together(is_one, (size_t[]){1000, 0, 1064, 64}) == 0);
		CHECK(fail_together(is_one, (size_t[]){1000, 0, 2000, 0}) == 0); /* both read it */
	}
}

/* A copy that has ended, or whose task was freed, is in nobody's way. */
static void ended(void)
{
	struct fixture *f = fixture_create(4);
	struct doca_mmap *mmap = make_mmap(f->dev, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf_inventory *inventory = make_inventory(8);
	struct doca_buf *bufs[2];
	struct doca_task *task = copy_of(f, inventory, mmap, 1000, 0, bufs);

	f->keep_tasks = 1;
	for (int i = 0; i < 3; i++) {
		MUST(doca_buf_reset_data_len(bufs[1]));
		MUST(doca_task_submit(task));
		drain_pe(f->pe);
	}
	CHECK(f->completions == 3 && f->errors == 0);
	MUST(doca_buf_reset_data_len(bufs[1]));
	MUST(doca_task_submit(task));
	doca_task_free(task);
	drain_pe(f->pe);
	task = make_task(f, bufs[0], bufs[1]);
	MUST(doca_task_submit(task));
	drain_pe(f->pe);
	CHECK(f->completions == 4 && f->errors == 0);
	doca_task_free(task);
	for (int i = 0; i < 2; i++)
		put_buf(bufs[i]);
	MUST(doca_buf_inventory_destroy(inventory));
	MUST(doca_mmap_destroy(mmap));
	fixture_destroy(f);
}

/* Without the variable nothing is looked for. */
static void not_wanted(void)
{
	unsetenv("DOCA_EMU_CHECK_OVERLAPS");
	CHECK(fail_together(false, (size_t[]){1000, 0, 1000, 100}) == 0);
	setenv("DOCA_EMU_CHECK_OVERLAPS", "0", 1);
	CHECK(fail_together(true, (size_t[]){1000, 0, 1000, 100}) == 0);
}

TEST_MAIN(found, ended, not_wanted)
