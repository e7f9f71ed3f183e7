/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdoca_sha.so.2: the made-up library of this example, on the emulator's core. It is here so that the example runs
 * without hardware. A binding of a library that the SDK has needs nothing of the kind.
 */
#include "core/emulator.h"

#include <stdlib.h>
#include <string.h>

#include <doca_sha.h>

#include "core/emu_buf.h"
#include "core/emu_ctx.h"
#include "core/emu_dev.h"
#include "core/emu_fault.h"
#include "core/emu_mmap.h"
#include "core/emu_task.h"
#include "fips180.h"

#define MAX_NUM_TASKS 65536
#define MAX_SRC_LIST_LEN 16
#define MAX_SRC_BUF_SIZE (UINT64_C(64) << 20)

struct doca_sha {
	struct doca_ctx ctx;
	struct emu_task_pool pool;
	uint32_t num_tasks; /* 0: not configured */
	doca_sha_task_hash_completion_cb_t completion_cb;
	doca_sha_task_hash_completion_cb_t error_cb;
};

struct doca_sha_task_hash {
	struct doca_task base;
	const struct fips180_function *function;
	const struct doca_buf *src;
	struct doca_buf *dst;
};

static const struct fips180_function *function_of(enum doca_sha_algorithm algorithm)
{
	switch (algorithm) {
	case DOCA_SHA_ALGORITHM_SHA1:
		return &fips180_sha1;
	case DOCA_SHA_ALGORITHM_SHA256:
		return &fips180_sha256;
	}
	return NULL;
}

/* The hash task. */

/* Where a destination is written to: behind the data that it has. */
static uint8_t *tail_of(const struct doca_buf *dst)
{
	return (uint8_t *)((uintptr_t)dst->data + dst->data_len);
}

/* Memory of other processes, which DMA reaches, is left to the libraries of the emulator itself. */
static bool is_reachable(const struct doca_buf *buf, const uint8_t *addr, size_t len, const struct doca_dev *dev,
			 uint32_t access)
{
	return emu_may_access(buf->mmap, dev, access) && buf->mmap->import == NULL &&
	       emu_within(addr, len, buf->head, buf->len) && emu_within(addr, len, buf->mmap->addr, buf->mmap->len);
}

static bool hash_is_valid(const struct doca_sha_task_hash *task)
{
	const struct doca_dev *dev = task->base.ctx->dev;
	size_t digest_size = task->function->digest_size;
	uint64_t total = 0;
	uint32_t num = 0;

	if (task->src == NULL || task->dst == NULL || task->dst->next != NULL ||
	    !is_reachable(task->dst, tail_of(task->dst), digest_size, dev, EMU_ACCESS_WRITE))
		return false;
	for (const struct doca_buf *src = task->src; src != NULL; src = src->next) {
		uintptr_t from = (uintptr_t)src->data;
		uintptr_t to = (uintptr_t)tail_of(task->dst);

		if (++num > MAX_SRC_LIST_LEN || !is_reachable(src, src->data, src->data_len, dev, EMU_ACCESS_READ) ||
		    src->data_len > MAX_SRC_BUF_SIZE - total || (from < to + digest_size && to < from + src->data_len))
			return false;
		total += src->data_len;
	}
	return true;
}

static doca_error_t hash_execute(struct doca_task *base)
{
	struct doca_sha_task_hash *task = (struct doca_sha_task_hash *)base;
	struct fips180 hash;

	if (!hash_is_valid(task))
		return DOCA_ERROR_IO_FAILED;
	fips180_init(&hash, task->function);
	for (const struct doca_buf *src = task->src; src != NULL; src = src->next)
		fips180_update(&hash, src->data, src->data_len);
	fips180_final(&hash, tail_of(task->dst));
	task->dst->data_len += task->function->digest_size;
	return DOCA_SUCCESS;
}

static doca_error_t hash_validate(const struct doca_task *base)
{
	return hash_is_valid((const struct doca_sha_task_hash *)base) ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static void hash_notify(struct doca_task *base, doca_error_t status)
{
	const struct doca_sha *sha = (const struct doca_sha *)base->ctx;
	doca_sha_task_hash_completion_cb_t cb = status == DOCA_SUCCESS ? sha->completion_cb : sha->error_cb;

	cb((struct doca_sha_task_hash *)base, base->user_data, sha->ctx.user_data);
}

static const struct emu_task_ops hash_ops = {
	.execute = hash_execute,
	.notify = hash_notify,
	.validate = hash_validate,
	.failure_is_fatal = true,
};

/* The context. */

static doca_error_t sha_start(struct doca_ctx *ctx)
{
	struct doca_sha *sha = (struct doca_sha *)ctx;

	if (sha->num_tasks == 0 || emu_task_pool_start(&sha->pool, ctx, &hash_ops, sizeof(struct doca_sha_task_hash),
						       sha->num_tasks) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	return DOCA_SUCCESS;
}

static const struct emu_ctx_ops sha_ops = {
	.start = sha_start,
};

doca_error_t doca_sha_create(struct doca_dev *dev, struct doca_sha **sha)
{
	EMU_CALL("doca_sha_create");
	struct doca_sha *made;
	doca_error_t result;

	if (dev == NULL || sha == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = emu_ctx_init(&made->ctx, &sha_ops, dev);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	*sha = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_sha_destroy(struct doca_sha *sha)
{
	EMU_CALL("doca_sha_destroy");
	doca_error_t result;

	if (sha == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_ctx_fini(&sha->ctx);
	if (result != DOCA_SUCCESS)
		return result;
	emu_task_pool_destroy(&sha->pool);
	free(sha);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_sha_as_ctx(struct doca_sha *sha)
{
	return sha == NULL ? NULL : &sha->ctx;
}

/* Capabilities: every device hashes. */

doca_error_t doca_sha_cap_task_hash_get_supported(const struct doca_devinfo *devinfo, enum doca_sha_algorithm algorithm)
{
	EMU_CALL("doca_sha_cap_task_hash_get_supported");
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return function_of(algorithm) == NULL ? DOCA_ERROR_NOT_SUPPORTED : DOCA_SUCCESS;
}

doca_error_t doca_sha_cap_get_max_src_buf_size(const struct doca_devinfo *devinfo, uint64_t *max_src_buf_size)
{
	EMU_CALL("doca_sha_cap_get_max_src_buf_size");
	if (devinfo == NULL || max_src_buf_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_src_buf_size = MAX_SRC_BUF_SIZE;
	return DOCA_SUCCESS;
}

doca_error_t doca_sha_cap_get_max_src_list_len(const struct doca_devinfo *devinfo, uint32_t *max_src_list_len)
{
	EMU_CALL("doca_sha_cap_get_max_src_list_len");
	if (devinfo == NULL || max_src_list_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_src_list_len = MAX_SRC_LIST_LEN;
	return DOCA_SUCCESS;
}

doca_error_t doca_sha_cap_get_min_dst_buf_size(const struct doca_devinfo *devinfo, enum doca_sha_algorithm algorithm,
					       uint32_t *min_dst_buf_size)
{
	EMU_CALL("doca_sha_cap_get_min_dst_buf_size");
	const struct fips180_function *function = function_of(algorithm);

	if (devinfo == NULL || min_dst_buf_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (function == NULL)
		return DOCA_ERROR_NOT_SUPPORTED;
	*min_dst_buf_size = (uint32_t)function->digest_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_sha_cap_get_max_num_tasks(struct doca_sha *sha, uint32_t *max_num_tasks)
{
	EMU_CALL("doca_sha_cap_get_max_num_tasks");
	if (sha == NULL || max_num_tasks == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_tasks = MAX_NUM_TASKS;
	return DOCA_SUCCESS;
}

/* Tasks. */

doca_error_t doca_sha_task_hash_set_conf(struct doca_sha *sha, doca_sha_task_hash_completion_cb_t task_completion_cb,
					 doca_sha_task_hash_completion_cb_t task_error_cb, uint32_t num_hash_tasks)
{
	EMU_CALL("doca_sha_task_hash_set_conf");
	if (sha == NULL || task_completion_cb == NULL || task_error_cb == NULL || num_hash_tasks == 0 ||
	    num_hash_tasks > MAX_NUM_TASKS)
		return DOCA_ERROR_INVALID_VALUE;
	if (sha->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	sha->completion_cb = task_completion_cb;
	sha->error_cb = task_error_cb;
	sha->num_tasks = num_hash_tasks;
	return DOCA_SUCCESS;
}

doca_error_t doca_sha_task_hash_alloc_init(struct doca_sha *sha, enum doca_sha_algorithm algorithm,
					   const struct doca_buf *src, struct doca_buf *dst, union doca_data user_data,
					   struct doca_sha_task_hash **task)
{
	EMU_CALL("doca_sha_task_hash_alloc_init");
	struct doca_sha_task_hash *hash_task;
	struct doca_task *base;
	doca_error_t result;

	if (sha == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (function_of(algorithm) == NULL)
		return DOCA_ERROR_NOT_SUPPORTED;
	result = emu_task_alloc(&sha->pool, user_data, &base);
	if (result != DOCA_SUCCESS)
		return result;
	hash_task = (struct doca_sha_task_hash *)base;
	hash_task->function = function_of(algorithm);
	hash_task->src = src;
	hash_task->dst = dst;
	*task = hash_task;
	return DOCA_SUCCESS;
}

struct doca_task *doca_sha_task_hash_as_task(struct doca_sha_task_hash *task)
{
	return task == NULL ? NULL : &task->base;
}

void doca_sha_task_hash_set_src(struct doca_sha_task_hash *task, const struct doca_buf *src)
{
	task->src = src;
}

const struct doca_buf *doca_sha_task_hash_get_src(const struct doca_sha_task_hash *task)
{
	return task->src;
}

void doca_sha_task_hash_set_dst(struct doca_sha_task_hash *task, struct doca_buf *dst)
{
	task->dst = dst;
}

struct doca_buf *doca_sha_task_hash_get_dst(const struct doca_sha_task_hash *task)
{
	return task->dst;
}
