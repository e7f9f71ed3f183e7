/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_FIXTURE_H_
#define EMULATOR_TEST_FIXTURE_H_

/* Objects that most tests need. */

#include <stdint.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "test.h"

#define DPU_0 "0000:03:00.0"
#define DPU_1 "0000:03:00.1"
#define HOST_0 "0000:b1:00.0"
#define HOST_1 "0000:b1:00.1"

static inline struct doca_dev *open_dev(const char *pci_addr)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t num;
	uint8_t equal;

	MUST(doca_devinfo_create_list(&list, &num));
	for (uint32_t i = 0; i < num; i++) {
		MUST(doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal));
		if (equal)
			MUST(doca_dev_open(list[i], &dev));
	}
	MUST(doca_devinfo_destroy_list(list));
	if (dev == NULL)
		exit(1);
	return dev;
}

/* A started map of memory on one device. */
static inline struct doca_mmap *make_mmap(struct doca_dev *dev, void *addr, size_t len,
					  uint32_t permissions)
{
	struct doca_mmap *mmap;

	MUST(doca_mmap_create(&mmap));
	MUST(doca_mmap_add_dev(mmap, dev));
	MUST(doca_mmap_set_permissions(mmap, permissions));
	MUST(doca_mmap_set_memrange(mmap, addr, len));
	MUST(doca_mmap_start(mmap));
	return mmap;
}

static inline struct doca_buf_inventory *make_inventory(size_t num)
{
	struct doca_buf_inventory *inventory;

	MUST(doca_buf_inventory_create(num, &inventory));
	MUST(doca_buf_inventory_start(inventory));
	return inventory;
}

static inline struct doca_buf *src_buf(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
				       void *addr, size_t len)
{
	struct doca_buf *buf;

	MUST(doca_buf_inventory_buf_get_by_data(inventory, mmap, addr, len, &buf));
	return buf;
}

static inline struct doca_buf *dst_buf(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
				       void *addr, size_t len)
{
	struct doca_buf *buf;

	MUST(doca_buf_inventory_buf_get_by_addr(inventory, mmap, addr, len, &buf));
	return buf;
}

/* Releases a buffer or a list. */
static inline void put_buf(struct doca_buf *buf)
{
	MUST(doca_buf_dec_refcount(buf, NULL));
}

static inline size_t data_len(const struct doca_buf *buf)
{
	size_t len = 0;

	MUST(doca_buf_get_data_len(buf, &len));
	return len;
}

/* Everything for copies on one device. The callbacks count, record and, unless keep_tasks is set, free tasks. */
#define FIXTURE_SIZE 4096
#define FIXTURE_MAX_EVENTS 64

struct fixture {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_mmap *src_mmap;
	struct doca_mmap *dst_mmap;
	struct doca_buf_inventory *inventory;
	uint8_t src[FIXTURE_SIZE];
	uint8_t dst[FIXTURE_SIZE];

	int keep_tasks;
	int completions;
	int errors;
	doca_error_t last_error;
	int num_states;
	enum doca_ctx_states states[FIXTURE_MAX_EVENTS]; /* next states, in the order of the callbacks */
};

static inline void fixture_completed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
				     union doca_data ctx_user_data)
{
	struct fixture *f = ctx_user_data.ptr;

	(void)task_user_data;
	f->completions++;
	if (!f->keep_tasks)
		doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static inline void fixture_failed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
				  union doca_data ctx_user_data)
{
	struct fixture *f = ctx_user_data.ptr;

	(void)task_user_data;
	f->errors++;
	f->last_error = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	if (!f->keep_tasks)
		doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static inline void fixture_state_changed(union doca_data user_data, struct doca_ctx *ctx,
					 enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct fixture *f = user_data.ptr;
	enum doca_ctx_states now;

	MUST(doca_ctx_get_state(ctx, &now));
	CHECK(now == next);
	CHECK(prev == (f->num_states == 0 ? DOCA_CTX_STATE_IDLE : f->states[f->num_states - 1]));
	if (f->num_states < FIXTURE_MAX_EVENTS)
		f->states[f->num_states++] = next;
}

/* A started context with max_tasks tasks. */
static inline struct fixture *fixture_create(uint32_t max_tasks)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (f == NULL)
		exit(1);
	for (size_t i = 0; i < sizeof(f->src); i++)
		f->src[i] = (uint8_t)(i * 7 + i / 256 + 1);
	f->dev = open_dev(DPU_0);
	MUST(doca_pe_create(&f->pe));
	MUST(doca_dma_create(f->dev, &f->dma));
	f->ctx = doca_dma_as_ctx(f->dma);
	MUST(doca_ctx_set_user_data(f->ctx, (union doca_data){.ptr = f}));
	MUST(doca_ctx_set_state_changed_cb(f->ctx, fixture_state_changed));
	MUST(doca_dma_task_memcpy_set_conf(f->dma, fixture_completed, fixture_failed, max_tasks));
	MUST(doca_pe_connect_ctx(f->pe, f->ctx));
	MUST(doca_ctx_start(f->ctx));
	f->src_mmap = make_mmap(f->dev, f->src, sizeof(f->src), DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	f->dst_mmap = make_mmap(f->dev, f->dst, sizeof(f->dst), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	f->inventory = make_inventory(256);
	return f;
}

static inline enum doca_ctx_states ctx_state(const struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	MUST(doca_ctx_get_state(ctx, &state));
	return state;
}

static inline size_t num_inflight(const struct doca_ctx *ctx)
{
	size_t num;

	MUST(doca_ctx_get_num_inflight_tasks(ctx, &num));
	return num;
}

/* Calls progress until it returns 0, and returns how often it returned 1. */
static inline int drain_pe(struct doca_pe *pe)
{
	int num = 0;

	while (doca_pe_progress(pe))
		num++;
	return num;
}

/* Ends a fixture whose buffers are all back and whose tasks are all free. */
static inline void fixture_destroy(struct fixture *f)
{
	doca_error_t result = doca_ctx_stop(f->ctx);

	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	drain_pe(f->pe);
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE);
	MUST(doca_dma_destroy(f->dma));
	MUST(doca_pe_destroy(f->pe));
	MUST(doca_buf_inventory_destroy(f->inventory));
	MUST(doca_mmap_destroy(f->src_mmap));
	MUST(doca_mmap_destroy(f->dst_mmap));
	MUST(doca_dev_close(f->dev));
	free(f);
}

static inline struct doca_task *make_task(struct fixture *f, const struct doca_buf *src,
					  struct doca_buf *dst)
{
	struct doca_dma_task_memcpy *task;

	MUST(doca_dma_task_memcpy_alloc_init(f->dma, src, dst, (union doca_data){.u64 = 0}, &task));
	return doca_dma_task_memcpy_as_task(task);
}

/* A task that copies 8 bytes, and its buffers. */
struct copy {
	struct doca_buf *src, *dst;
	struct doca_task *task;
};

static inline struct copy make_copy(struct fixture *f, size_t index)
{
	struct copy copy;

	copy.src = src_buf(f->inventory, f->src_mmap, f->src + index * 8, 8);
	copy.dst = dst_buf(f->inventory, f->dst_mmap, f->dst + index * 8, 8);
	copy.task = make_task(f, copy.src, copy.dst);
	return copy;
}

static inline void finish_copy(struct copy *copy)
{
	put_buf(copy->src);
	put_buf(copy->dst);
}

#endif /* EMULATOR_TEST_FIXTURE_H_ */
