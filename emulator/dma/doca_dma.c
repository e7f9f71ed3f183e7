/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>
#include <string.h>

#include <doca_dma.h>

#include "core/emu_apart.h"
#include "core/emu_buf.h"
#include "core/emu_ctx.h"
#include "core/emu_dev.h"
#include "core/emu_export_table.h"
#include "core/emu_fault.h"
#include "core/emu_mmap.h"
#include "core/emu_remote.h"
#include "core/emu_task.h"
#include "core/later.h"

#include "emu_dma.h"
#include "emu_dma_overlap.h"

#define MAX_NUM_TASKS 65536
#define MAX_BUF_LIST_LEN 64
#define DEFAULT_MAX_BUF_SIZE (UINT64_C(2) << 20)

struct doca_dma_task_memcpy {
	struct doca_task base;
	const struct doca_buf *src;
	struct doca_buf *dst;
};

/* DOCA_EMU_DMA_MAX_BUF_SIZE (in bytes) replaces the limit of the hardware. */
static uint64_t max_buf_size(void)
{
	const char *text = getenv("DOCA_EMU_DMA_MAX_BUF_SIZE");
	char *end;
	uint64_t size;

	if (text == NULL || text[0] < '0' || text[0] > '9')
		return DEFAULT_MAX_BUF_SIZE;
	size = strtoull(text, &end, 0);
	return *end == '\0' && size > 0 ? size : DEFAULT_MAX_BUF_SIZE;
}

/* The memcpy task. */

static inline bool overlap(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	return (uintptr_t)a < (uintptr_t)b + b_len && (uintptr_t)b < (uintptr_t)a + a_len;
}

static inline bool src_is_valid(const struct doca_buf *src, const struct doca_dev *dev)
{
	return emu_may_access(src->mmap, dev, EMU_ACCESS_READ) &&
	       emu_within(src->data, src->data_len, src->head, src->len) &&
	       emu_within(src->data, src->data_len, src->mmap->addr, src->mmap->len);
}

/* A copy goes to the tail of a destination, behind the data that it has. */
static inline uint8_t *tail_of(const struct doca_buf *dst)
{
	return (uint8_t *)((uintptr_t)dst->data + dst->data_len);
}

static inline bool dst_is_valid(const struct doca_buf *dst, size_t len, const struct doca_dev *dev)
{
	uint8_t *tail = tail_of(dst);

	return emu_may_access(dst->mmap, dev, EMU_ACCESS_WRITE) && emu_within(tail, len, dst->head, dst->len) &&
	       emu_within(tail, len, dst->mmap->addr, dst->mmap->len);
}

/* The number of bytes that fit behind the data of a destination. */
static inline size_t room_of(const struct doca_buf *dst)
{
	size_t used = (uintptr_t)tail_of(dst) - (uintptr_t)dst->head;

	return used <= dst->len ? dst->len - used : 0;
}

/* A contiguous piece of a copy, for walking source and destination lists together. */
struct piece {
	const struct doca_buf *src;
	struct doca_buf *dst;
	size_t src_done; /* bytes of src and dst that earlier pieces have taken */
	size_t dst_done;
	size_t len;
};

/* Finds the next piece. False: the source has ended, or the destination is full. */
static bool next_piece(struct piece *piece)
{
	piece->src_done += piece->len;
	piece->dst_done += piece->len;
	piece->len = 0;
	while (piece->src != NULL && piece->src_done == piece->src->data_len) {
		piece->src = piece->src->next;
		piece->src_done = 0;
	}
	if (piece->src == NULL)
		return false;
	while (piece->dst != NULL && piece->dst_done >= room_of(piece->dst)) {
		piece->dst = piece->dst->next;
		piece->dst_done = 0;
	}
	if (piece->dst == NULL)
		return false;
	size_t src_left = piece->src->data_len - piece->src_done;
	size_t dst_left = room_of(piece->dst) - piece->dst_done;

	piece->len = src_left < dst_left ? src_left : dst_left;
	return true;
}

static bool overlaps_source(const struct doca_buf *src, const struct doca_mmap *mmap, const uint8_t *addr, size_t len)
{
	for (; src != NULL; src = src->next) {
		if (src->data_len != 0 && overlap(src->data, src->data_len, addr, len) &&
		    emu_remote_is_same_process(src->mmap->remote, mmap->remote))
			return true;
	}
	return false;
}

/* Checks the whole copy, so that nothing is written unless all of it is valid. */
static bool copy_is_valid(const struct doca_dma *dma, const struct doca_buf *src, struct doca_buf *dst)
{
	struct piece piece = {.src = src, .dst = dst};
	uint64_t total = 0;
	uint32_t num = 0;

	if (src == NULL || dst == NULL)
		return false;
	for (const struct doca_buf *buf = src; buf != NULL; buf = buf->next) {
		if (++num > MAX_BUF_LIST_LEN || !src_is_valid(buf, dma->ctx.dev) ||
		    (buf->mmap->import != NULL && !emu_import_is_alive(buf->mmap)) ||
		    buf->data_len > dma->max_buf_size - total)
			return false;
		total += buf->data_len;
	}
	if (total == 0)
		return false;
	num = 0;
	for (const struct doca_buf *buf = dst; buf != NULL; buf = buf->next) {
		if (++num > MAX_BUF_LIST_LEN)
			return false;
	}
	while (next_piece(&piece)) {
		const uint8_t *addr = tail_of(piece.dst) + piece.dst_done;

		if (!dst_is_valid(piece.dst, piece.dst_done + piece.len, dma->ctx.dev) ||
		    (piece.dst->mmap->import != NULL && !emu_import_is_alive(piece.dst->mmap)) ||
		    overlaps_source(src, piece.dst->mmap, addr, piece.len))
			return false;
	}
	return piece.src == NULL;
}

#define BOUNCE_SIZE ((size_t)64 << 10)

/* Copies between two other processes. */
static __attribute__((noinline)) bool copy_remote(struct emu_remote *to, uint8_t *dst, struct emu_remote *from,
						  const uint8_t *src, size_t len)
{
	uint8_t bounce[BOUNCE_SIZE];

	while (len > 0) {
		size_t n = len < sizeof(bounce) ? len : sizeof(bounce);

		if (!emu_remote_read(from, src, bounce, n) || !emu_remote_write(to, dst, bounce, n))
			return false;
		src += n;
		dst += n;
		len -= n;
	}
	return true;
}

static bool copy_bytes(struct emu_remote *to, uint8_t *dst, struct emu_remote *from, const uint8_t *src, size_t len)
{
	if (to == NULL && from == NULL) {
		memcpy(dst, src, len);
		return true;
	}
	if (to == NULL)
		return emu_remote_read(from, src, dst, len);
	if (from == NULL)
		return emu_remote_write(to, dst, src, len);
	return copy_remote(to, dst, from, src, len);
}

/* The destination gets its data length only if everything was copied. */
static bool copy_pieces(const struct doca_buf *src, struct doca_buf *dst)
{
	struct piece piece = {.src = src, .dst = dst};
	size_t total = 0;

	while (next_piece(&piece)) {
		if (!copy_bytes(piece.dst->mmap->remote, tail_of(piece.dst) + piece.dst_done, piece.src->mmap->remote,
				piece.src->data + piece.src_done, piece.len))
			return false;
		total += piece.len;
	}
	for (; total > 0; dst = dst->next) {
		size_t growth = room_of(dst) < total ? room_of(dst) : total;

		dst->data_len += growth;
		total -= growth;
	}
	return true;
}

/* True if the list has imported memory of this process, whose exporter must not stop during the copy. */
static bool has_own_import(const struct doca_buf *buf)
{
	for (; buf != NULL; buf = buf->next) {
		if (buf->mmap != NULL && buf->mmap->import != NULL && buf->mmap->remote == NULL)
			return true;
	}
	return false;
}

/* Copies lists and remote memory, and handles everything that ends in an error. */
static __attribute__((noinline)) doca_error_t execute_general(const struct doca_dma *dma,
							      const struct doca_buf *src,
							      struct doca_buf *dst)
{
	bool is_locked = has_own_import(src) || has_own_import(dst);
	bool is_done;

	if (is_locked)
		emu_import_lock();
	is_done = copy_is_valid(dma, src, dst) && copy_pieces(src, dst);
	if (is_locked)
		emu_import_unlock();
	return is_done ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

static doca_error_t memcpy_execute(struct doca_task *base)
{
	struct doca_dma_task_memcpy *task = (struct doca_dma_task_memcpy *)base;
	const struct doca_dma *dma = (const struct doca_dma *)base->ctx;
	const struct doca_buf *src = task->src;
	struct doca_buf *dst = task->dst;

	if (EMU_LIKELY(src != NULL && dst != NULL && src->next == NULL && dst->next == NULL)) {
		const struct doca_dev *dev = dma->ctx.dev;
		size_t len = src->data_len;

		if (EMU_LIKELY(len - 1 < dma->max_buf_size && src_is_valid(src, dev) &&
			       dst_is_valid(dst, len, dev) && src->mmap->import == NULL &&
			       dst->mmap->import == NULL &&
			       !overlap(src->data, len, tail_of(dst), len))) {
			memcpy(tail_of(dst), src->data, len);
			dst->data_len += len;
			return DOCA_SUCCESS;
		}
	}
	return execute_general(dma, src, dst);
}

static doca_error_t memcpy_validate(const struct doca_task *base)
{
	const struct doca_dma_task_memcpy *task = (const struct doca_dma_task_memcpy *)base;
	const struct doca_dma *dma = (const struct doca_dma *)base->ctx;
	bool is_valid;

	emu_import_lock();
	is_valid = copy_is_valid(dma, task->src, task->dst);
	emu_import_unlock();
	return is_valid ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static void memcpy_notify(struct doca_task *base, doca_error_t status)
{
	struct doca_dma_task_memcpy *task = (struct doca_dma_task_memcpy *)base;
	const struct doca_dma *dma = (const struct doca_dma *)base->ctx;
	doca_dma_task_memcpy_completion_cb_t cb = dma->completion_cb;

	if (EMU_UNLIKELY(status != DOCA_SUCCESS))
		cb = dma->error_cb;
	cb(task, base->user_data, dma->ctx.user_data);
}

static const struct emu_task_ops memcpy_ops = {
	.kind = "memcpy",
	.execute = memcpy_execute,
	.notify = memcpy_notify,
	.validate = memcpy_validate,
	.failure_is_fatal = true,
};

/* The same, for programs that want overlaps of copies in flight found. */

static bool memcpy_check(struct doca_task *base)
{
	const struct doca_dma_task_memcpy *task = (const struct doca_dma_task_memcpy *)base;

	return emu_dma_overlap_begin(base, task->src, task->dst);
}

static void memcpy_dropped(struct doca_task *base)
{
	emu_dma_overlap_end(base);
}

static void memcpy_notify_checked(struct doca_task *base, doca_error_t status)
{
	emu_dma_overlap_end(base);
	memcpy_notify(base, status);
}

static const struct emu_task_ops memcpy_checked_ops = {
	.execute = memcpy_execute,
	.notify = memcpy_notify_checked,
	.validate = memcpy_validate,
	.check = memcpy_check,
	.dropped = memcpy_dropped,
	.failure_is_fatal = true,
};

/* The context. */

static doca_error_t dma_start(struct doca_ctx *ctx)
{
	struct doca_dma *dma = (struct doca_dma *)ctx;

	if (dma->num_tasks == 0)
		return DOCA_ERROR_INITIALIZATION;
	if (emu_task_pool_start(&dma->pool, ctx, emu_dma_overlap_wanted() ? &memcpy_checked_ops : &memcpy_ops, sizeof(struct doca_dma_task_memcpy),
				dma->num_tasks) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	return DOCA_SUCCESS;
}

static const struct emu_ctx_ops dma_ops = {
	.start = dma_start,
};

doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma)
{
	EMU_CALL("doca_dma_create");
	struct doca_dma *made;
	doca_error_t result;

	if (dev == NULL || dma == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	made = emu_calloc_apart(sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = emu_ctx_init(&made->ctx, &dma_ops, dev);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	made->max_buf_size = max_buf_size();
	made->ordered_completions = 1;
	*dma = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_destroy(struct doca_dma *dma)
{
	EMU_CALL("doca_dma_destroy");
	doca_error_t result;

	if (dma == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_ctx_fini(&dma->ctx);
	if (result != DOCA_SUCCESS)
		return result;
	emu_task_pool_destroy(&dma->pool);
	free(dma);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma)
{
	return dma == NULL ? NULL : &dma->ctx;
}

/* Capabilities. Every device can copy. */

doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_dma_cap_task_memcpy_is_supported");
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
						       uint64_t *buf_size)
{
	EMU_CALL("doca_dma_cap_task_memcpy_get_max_buf_size");
	if (devinfo == NULL || buf_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*buf_size = max_buf_size();
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							   uint32_t *max_buf_list_len)
{
	EMU_CALL("doca_dma_cap_task_memcpy_get_max_buf_list_len");
	if (devinfo == NULL || max_buf_list_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_buf_list_len = MAX_BUF_LIST_LEN;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks)
{
	EMU_CALL("doca_dma_cap_get_max_num_tasks");
	if (dma == NULL || max_num_tasks == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_tasks = MAX_NUM_TASKS;
	return DOCA_SUCCESS;
}

/* Tasks. */

doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
					   doca_dma_task_memcpy_completion_cb_t task_completion_cb,
					   doca_dma_task_memcpy_completion_cb_t task_error_cb,
					   uint32_t num_memcpy_tasks)
{
	EMU_CALL("doca_dma_task_memcpy_set_conf");
	if (dma == NULL || task_completion_cb == NULL || task_error_cb == NULL ||
	    num_memcpy_tasks == 0 || num_memcpy_tasks > MAX_NUM_TASKS)
		return DOCA_ERROR_INVALID_VALUE;
	if (dma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	dma->completion_cb = task_completion_cb;
	dma->error_cb = task_error_cb;
	dma->num_tasks = num_memcpy_tasks;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
					     struct doca_buf *dst, union doca_data user_data,
					     struct doca_dma_task_memcpy **task)
{
	EMU_CALL("doca_dma_task_memcpy_alloc_init");
	struct doca_dma_task_memcpy *memcpy_task;
	struct doca_task *base;
	doca_error_t result;

	if (dma == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_task_alloc(&dma->pool, user_data, &base);
	if (result != DOCA_SUCCESS)
		return result;
	memcpy_task = (struct doca_dma_task_memcpy *)base;
	memcpy_task->src = src;
	memcpy_task->dst = dst;
	*task = memcpy_task;
	return DOCA_SUCCESS;
}

struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task)
{
	return task == NULL ? NULL : &task->base;
}

void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src)
{
	if (EMU_LIKELY(task != NULL))
		task->src = src;
}

const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->src;
}

void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst)
{
	if (EMU_LIKELY(task != NULL))
		task->dst = dst;
}

struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task)
{
	return EMU_UNLIKELY(task == NULL) ? NULL : task->dst;
}

/* Of releases after 3.0. */

doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t ordered_completions)
{
	EMU_CALL("doca_dma_set_ordered_completions");
	if (dma == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	dma->ordered_completions = ordered_completions != 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_get_ordered_completions(struct doca_dma *dma, uint8_t *ordered_completions)
{
	EMU_CALL("doca_dma_get_ordered_completions");
	if (dma == NULL || ordered_completions == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*ordered_completions = dma->ordered_completions;
	return DOCA_SUCCESS;
}
