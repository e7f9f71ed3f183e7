/* SPDX-License-Identifier: Apache-2.0 */

#include <doca_mmap_advise.h>

#include "fixture.h"

static int done, failed;

static void on_done(struct doca_mmap_advise_task_invalidate_cache *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	CHECK(task_data.u64 == 7 && ctx_data.u64 == 9);
	done++;
	doca_task_free(doca_mmap_advise_task_invalidate_cache_as_doca_task(task));
}

static void on_failed(struct doca_mmap_advise_task_invalidate_cache *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	struct doca_task *base = doca_mmap_advise_task_invalidate_cache_as_doca_task(task);

	CHECK(task_data.u64 == 7 && ctx_data.u64 == 9);
	EXPECT(ERROR_IO_FAILED, doca_task_get_status(base));
	failed++;
	doca_task_free(base);
}

static void invalidate(void)
{
	struct fixture *f = fixture_create(8);
	struct doca_buf *buf = src_buf(f->inventory, f->src_mmap, f->src, 8);
	struct doca_mmap_advise_task_invalidate_cache *task, *more;
	const union doca_data seven = {.u64 = 7};
	struct doca_mmap_advise *advise;
	struct doca_ctx *ctx;
	uint64_t size = 0;

	EXPECT(ERROR_INVALID_VALUE, doca_mmap_advise_create(NULL, &advise));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_advise_create(f->dev, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_advise_destroy(NULL));
	EXPECT(SUCCESS, doca_mmap_advise_cap_task_cache_invalidate_is_supported(doca_dev_as_devinfo(f->dev)));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_advise_cap_task_cache_invalidate_is_supported(NULL));
	EXPECT(SUCCESS, doca_mmap_advise_task_cache_invalidate_get_max_buf_size(doca_dev_as_devinfo(f->dev), &size));
	CHECK(size > 0);
	MUST(doca_mmap_advise_create(f->dev, &advise));
	ctx = doca_mmap_advise_as_ctx(advise);
	MUST(doca_ctx_set_user_data(ctx, (union doca_data){.u64 = 9}));
	MUST(doca_pe_connect_ctx(f->pe, ctx));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(ctx));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_advise_task_invalidate_cache_set_conf(advise, NULL, on_failed, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_advise_task_invalidate_cache_set_conf(advise, on_done, on_failed, 0));
	EXPECT(SUCCESS, doca_mmap_advise_task_invalidate_cache_set_conf(advise, on_done, on_failed, 1));
	EXPECT(SUCCESS, doca_ctx_start(ctx));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_advise_task_invalidate_cache_set_conf(advise, on_done, on_failed, 1));
	EXPECT(ERROR_IN_USE, doca_mmap_advise_destroy(advise));

	MUST(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, NULL, seven, &task));
	EXPECT(ERROR_NO_MEMORY, doca_mmap_advise_task_invalidate_cache_alloc_init(advise, buf, seven, &more));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_task_try_submit(doca_mmap_advise_task_invalidate_cache_as_doca_task(task))); /* no buffer */
	doca_mmap_advise_task_invalidate_cache_set_buf(task, buf);
	CHECK(doca_mmap_advise_task_invalidate_cache_get_buf(task) == buf);
	EXPECT(SUCCESS, doca_task_try_submit(doca_mmap_advise_task_invalidate_cache_as_doca_task(task)));
	CHECK(drain_pe(f->pe) == 1 && done == 1 && failed == 0);

	/* A failed one stops nothing. */
	MUST(doca_mmap_stop(f->src_mmap));
	MUST(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, buf, seven, &task));
	EXPECT(SUCCESS, doca_task_submit(doca_mmap_advise_task_invalidate_cache_as_doca_task(task)));
	CHECK(drain_pe(f->pe) == 1 && done == 1 && failed == 1 && ctx_state(ctx) == DOCA_CTX_STATE_RUNNING);
	EXPECT(SUCCESS, doca_ctx_stop(ctx));
	EXPECT(SUCCESS, doca_mmap_advise_destroy(advise));
	put_buf(buf);
	fixture_destroy(f);
}

TEST_MAIN(invalidate)
