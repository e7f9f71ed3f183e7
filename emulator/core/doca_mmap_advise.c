/* SPDX-License-Identifier: Apache-2.0 */
/* Memory is coherent here, so an invalidation of the cache has nothing to do but its checks. */
#include "emulator.h"

#include <stdlib.h>

#include <doca_mmap_advise.h>

#include "emu_buf.h"
#include "emu_ctx.h"
#include "emu_fault.h"
#include "emu_mmap.h"
#include "emu_task.h"

#define MAX_NUM_TASKS 65536
#define MAX_BUF_SIZE (UINT64_C(2) << 20)

struct doca_mmap_advise {
	struct doca_ctx ctx;
	struct emu_task_pool pool;
	uint32_t num_tasks; /* 0: not configured */
	doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb;
	doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb;
};

struct doca_mmap_advise_task_invalidate_cache {
	struct doca_task base;
	struct doca_buf *buf;
};

static doca_error_t invalidate_validate(const struct doca_task *base)
{
	const struct doca_buf *buf = ((const struct doca_mmap_advise_task_invalidate_cache *)base)->buf;

	if (buf == NULL || buf->next != NULL || buf->data_len > MAX_BUF_SIZE ||
	    !emu_may_access(buf->mmap, base->ctx->dev, EMU_ACCESS_READ) ||
	    !emu_within(buf->data, buf->data_len, buf->head, buf->len) ||
	    !emu_within(buf->data, buf->data_len, buf->mmap->addr, buf->mmap->len))
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

static doca_error_t invalidate_execute(struct doca_task *base)
{
	return invalidate_validate(base) == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

static void invalidate_notify(struct doca_task *base, doca_error_t status)
{
	const struct doca_mmap_advise *advise = (const struct doca_mmap_advise *)base->ctx;
	doca_mmap_advise_task_invalidate_cache_completion_cb_t cb =
		status == DOCA_SUCCESS ? advise->completion_cb : advise->error_cb;

	cb((struct doca_mmap_advise_task_invalidate_cache *)base, base->user_data, advise->ctx.user_data);
}

static const struct emu_task_ops invalidate_ops = {
	.execute = invalidate_execute,
	.notify = invalidate_notify,
	.validate = invalidate_validate,
};

static doca_error_t advise_start(struct doca_ctx *ctx)
{
	struct doca_mmap_advise *advise = (struct doca_mmap_advise *)ctx;

	if (advise->num_tasks == 0 ||
	    emu_task_pool_start(&advise->pool, ctx, &invalidate_ops,
				sizeof(struct doca_mmap_advise_task_invalidate_cache), advise->num_tasks) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	return DOCA_SUCCESS;
}

static const struct emu_ctx_ops advise_ops = {
	.start = advise_start,
};

doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise)
{
	EMU_CALL("doca_mmap_advise_create");
	struct doca_mmap_advise *made;
	doca_error_t result;

	if (dev == NULL || mmap_advise == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = emu_ctx_init(&made->ctx, &advise_ops, dev);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	*mmap_advise = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise)
{
	EMU_CALL("doca_mmap_advise_destroy");
	doca_error_t result;

	if (mmap_advise == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_ctx_fini(&mmap_advise->ctx);
	if (result != DOCA_SUCCESS)
		return result;
	emu_task_pool_destroy(&mmap_advise->pool);
	free(mmap_advise);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise)
{
	return mmap_advise == NULL ? NULL : &mmap_advise->ctx;
}

doca_error_t doca_mmap_advise_cap_task_cache_invalidate_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_mmap_advise_cap_task_cache_invalidate_is_supported");
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_task_cache_invalidate_get_max_buf_size(const struct doca_devinfo *devinfo,
								     uint64_t *buf_size)
{
	EMU_CALL("doca_mmap_advise_task_cache_invalidate_get_max_buf_size");
	if (devinfo == NULL || buf_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*buf_size = MAX_BUF_SIZE;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
	struct doca_mmap_advise *mmap_advise, doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
	doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb, uint32_t num_tasks)
{
	EMU_CALL("doca_mmap_advise_task_invalidate_cache_set_conf");
	if (mmap_advise == NULL || completion_cb == NULL || error_cb == NULL || num_tasks == 0 ||
	    num_tasks > MAX_NUM_TASKS)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap_advise->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_NOT_PERMITTED;
	mmap_advise->completion_cb = completion_cb;
	mmap_advise->error_cb = error_cb;
	mmap_advise->num_tasks = num_tasks;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(struct doca_mmap_advise *mmap_advise,
							       struct doca_buf *buf, union doca_data user_data,
							       struct doca_mmap_advise_task_invalidate_cache **task)
{
	EMU_CALL("doca_mmap_advise_task_invalidate_cache_alloc_init");
	struct doca_task *base;
	doca_error_t result;

	if (mmap_advise == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_task_alloc(&mmap_advise->pool, user_data, &base);
	if (result != DOCA_SUCCESS)
		return result;
	*task = (struct doca_mmap_advise_task_invalidate_cache *)base;
	(*task)->buf = buf;
	return DOCA_SUCCESS;
}

struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
	struct doca_mmap_advise_task_invalidate_cache *task)
{
	return task == NULL ? NULL : &task->base;
}

void doca_mmap_advise_task_invalidate_cache_set_buf(struct doca_mmap_advise_task_invalidate_cache *task,
						    struct doca_buf *buf)
{
	if (EMU_LIKELY(task != NULL))
		task->buf = buf;
}

struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
	const struct doca_mmap_advise_task_invalidate_cache *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->buf;
}
