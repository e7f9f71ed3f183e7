/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

static void capabilities(void)
{
	struct doca_dev *dpu = open_dev(DPU_0), *host = open_dev(HOST_0);
	struct doca_dma *dma;
	uint64_t size;
	uint32_t num;

	EXPECT(SUCCESS, doca_dma_cap_task_memcpy_is_supported(doca_dev_as_devinfo(dpu)));
	EXPECT(SUCCESS, doca_dma_cap_task_memcpy_is_supported(doca_dev_as_devinfo(host)));
	EXPECT(ERROR_INVALID_VALUE, doca_dma_cap_task_memcpy_is_supported(NULL));
	EXPECT(SUCCESS, doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(dpu), &size));
	CHECK(size == 2097152);
	EXPECT(ERROR_INVALID_VALUE, doca_dma_cap_task_memcpy_get_max_buf_size(NULL, &size));
	EXPECT(SUCCESS, doca_dma_cap_task_memcpy_get_max_buf_list_len(doca_dev_as_devinfo(dpu), &num));
	CHECK(num == 64);
	EXPECT(ERROR_INVALID_VALUE, doca_dma_cap_task_memcpy_get_max_buf_list_len(doca_dev_as_devinfo(dpu), NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_dma_create(NULL, &dma));
	EXPECT(ERROR_INVALID_VALUE, doca_dma_create(dpu, NULL));
	EXPECT(SUCCESS, doca_dma_create(dpu, &dma));
	EXPECT(SUCCESS, doca_dma_cap_get_max_num_tasks(dma, &num));
	CHECK(num == 65536);
	EXPECT(ERROR_INVALID_VALUE, doca_dma_cap_get_max_num_tasks(NULL, &num));
	EXPECT(ERROR_INVALID_VALUE, doca_dma_task_memcpy_set_conf(dma, NULL, fixture_failed, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_dma_task_memcpy_set_conf(dma, fixture_completed, NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_dma_task_memcpy_set_conf(dma, fixture_completed, fixture_failed, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_dma_task_memcpy_set_conf(dma, fixture_completed, fixture_failed, num + 1));
	EXPECT(SUCCESS, doca_dma_task_memcpy_set_conf(dma, fixture_completed, fixture_failed, num));
	CHECK(doca_dma_as_ctx(NULL) == NULL);
	EXPECT(ERROR_INVALID_VALUE, doca_dma_destroy(NULL));
	EXPECT(SUCCESS, doca_dma_destroy(dma));

	setenv("DOCA_EMU_DMA_MAX_BUF_SIZE", "4096", 1);
	EXPECT(SUCCESS, doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(dpu), &size));
	CHECK(size == 4096);
	setenv("DOCA_EMU_DMA_MAX_BUF_SIZE", "-1", 1);
	EXPECT(SUCCESS, doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(dpu), &size));
	CHECK(size == 2097152);
	unsetenv("DOCA_EMU_DMA_MAX_BUF_SIZE");
	MUST(doca_dev_close(dpu));
	MUST(doca_dev_close(host));
}

/* Submits a task, drives the engine, and returns the status. First starts the context if a failure has stopped
 * it. */
static doca_error_t run(struct fixture *f, const struct doca_buf *src, struct doca_buf *dst)
{
	int completions = f->completions, errors = f->errors;
	struct doca_task *task;

	if (ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE) {
		f->num_states = 0;
		MUST(doca_ctx_start(f->ctx));
	}
	task = make_task(f, src, dst);
	MUST(doca_task_submit(task));
	drain_pe(f->pe);
	CHECK(f->completions + f->errors == completions + errors + 1);
	if (f->completions != completions)
		return DOCA_SUCCESS;
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE); /* a failed task stops the context */
	return f->last_error;
}

static doca_error_t try(struct fixture *f, const struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_task *task;
	doca_error_t result;

	if (ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE) {
		f->num_states = 0;
		MUST(doca_ctx_start(f->ctx));
	}
	task = make_task(f, src, dst);
	result = doca_task_try_submit(task);
	if (result == DOCA_SUCCESS)
		drain_pe(f->pe);
	else
		doca_task_free(task); /* still the program's */
	return result;
}

static void copy(void)
{
	struct fixture *f = fixture_create(1);
	struct doca_buf *src = src_buf(f->inventory, f->src_mmap, f->src + 3, 1000);
	struct doca_buf *dst = dst_buf(f->inventory, f->dst_mmap, f->dst + 5, 1500);
	void *data;

	EXPECT(SUCCESS, run(f, src, dst));
	CHECK(memcmp(f->dst + 5, f->src + 3, 1000) == 0);
	CHECK(f->dst[4] == 0 && f->dst[1005] == 0);
	CHECK(data_len(src) == 1000 && data_len(dst) == 1000);

	/* The next one is appended. */
	MUST(doca_buf_set_data(src, f->src + 100, 500));
	EXPECT(SUCCESS, run(f, src, dst));
	CHECK(data_len(dst) == 1500 && memcmp(f->dst + 1005, f->src + 100, 500) == 0);
	MUST(doca_buf_get_data(dst, &data));
	CHECK(data == f->dst + 5);

	/* No room is left: an error, and the buffers are unchanged. */
	MUST(doca_buf_set_data(src, f->src + 100, 1));
	EXPECT(ERROR_IO_FAILED, run(f, src, dst));
	CHECK(data_len(dst) == 1500);

	/* After a reset it is written from its data pointer. */
	MUST(doca_buf_reset_data_len(dst));
	EXPECT(SUCCESS, run(f, src, dst));
	CHECK(data_len(dst) == 1 && f->dst[5] == f->src[100]);
	MUST(doca_buf_set_data(dst, f->dst + 25, 0));
	EXPECT(SUCCESS, run(f, src, dst));
	CHECK(f->dst[25] == f->src[100]);
	put_buf(src);
	put_buf(dst);
	fixture_destroy(f);
}

/* All errors of a task, with both ways of submission. */
static void refused(struct fixture *f, const struct doca_buf *src, struct doca_buf *dst)
{
	size_t len = dst == NULL ? 0 : data_len(dst);

	EXPECT(ERROR_INVALID_VALUE, try(f, src, dst));
	EXPECT(ERROR_IO_FAILED, run(f, src, dst));
	CHECK(dst == NULL || data_len(dst) == len);
}

static void failures(void)
{
	struct fixture *f = fixture_create(4);
	struct doca_buf *src = src_buf(f->inventory, f->src_mmap, f->src, 64);
	struct doca_buf *dst = dst_buf(f->inventory, f->dst_mmap, f->dst, 64);
	struct doca_dev *other_dev = open_dev(DPU_1);
	struct doca_buf *bad;
	struct doca_mmap *map;

	EXPECT(SUCCESS, try(f, src, dst));
	MUST(doca_buf_reset_data_len(dst));
	refused(f, NULL, dst);
	refused(f, src, NULL);

	MUST(doca_buf_set_data(src, f->src, 0)); /* nothing to copy */
	refused(f, src, dst);
	MUST(doca_buf_set_data(src, f->src, 65)); /* outside its region */
	refused(f, src, dst);
	MUST(doca_buf_set_data(src, f->src + 1, 64));
	refused(f, src, dst);
	MUST(doca_buf_set_data(src, f->src + 64, SIZE_MAX));
	refused(f, src, dst);
	MUST(doca_buf_set_data(src, f->src, 64));
	MUST(doca_buf_set_data(dst, f->dst + 1, 0)); /* 63 bytes of room */
	refused(f, src, dst);
	MUST(doca_buf_set_data(dst, f->dst + 65, 0));
	refused(f, src, dst);
	MUST(doca_buf_set_data(dst, f->dst, 0));

	bad = src_buf(f->inventory, f->src_mmap, f->src + FIXTURE_SIZE - 8, 16); /* outside the map */
	refused(f, bad, dst);
	put_buf(bad);
	bad = dst_buf(f->inventory, f->dst_mmap, f->dst - 8, 64);
	refused(f, src, bad);
	put_buf(bad);
	bad = dst_buf(f->inventory, f->src_mmap, f->src + 64, 64); /* read only */
	refused(f, src, bad);
	put_buf(bad);
	bad = dst_buf(f->inventory, f->dst_mmap, f->dst + 64, 64);
	MUST(doca_buf_set_data(bad, f->dst + 64, 64));
	EXPECT(ERROR_INVALID_VALUE, try(f, bad, bad)); /* no room */
	MUST(doca_buf_set_data(bad, f->dst + 96, 32));
	EXPECT(ERROR_INVALID_VALUE, try(f, bad, bad));
	put_buf(bad);

	MUST(doca_mmap_stop(f->src_mmap)); /* not started */
	refused(f, src, dst);
	MUST(doca_mmap_start(f->src_mmap));
	EXPECT(SUCCESS, run(f, src, dst));
	MUST(doca_buf_reset_data_len(dst));

	map = make_mmap(other_dev, f->dst, 64, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE); /* on another device */
	bad = dst_buf(f->inventory, map, f->dst, 64);
	refused(f, src, bad);
	put_buf(bad);
	MUST(doca_mmap_destroy(map));

	MUST(doca_mmap_create(&map)); /* on no device */
	MUST(doca_mmap_set_memrange(map, f->dst, 64));
	MUST(doca_mmap_start(map));
	bad = dst_buf(f->inventory, map, f->dst, 64);
	refused(f, src, bad);
	put_buf(bad);
	MUST(doca_mmap_destroy(map));

	MUST(doca_mmap_create(&map)); /* default permissions, second device of the map */
	MUST(doca_mmap_set_max_num_devices(map, 2));
	MUST(doca_mmap_add_dev(map, other_dev));
	MUST(doca_mmap_add_dev(map, f->dev));
	MUST(doca_mmap_set_memrange(map, f->dst, 64));
	MUST(doca_mmap_start(map));
	bad = dst_buf(f->inventory, map, f->dst, 64);
	EXPECT(SUCCESS, run(f, src, bad));
	put_buf(bad);
	MUST(doca_mmap_destroy(map));

	bad = dst_buf(f->inventory, f->dst_mmap, f->dst, 64); /* a buffer that was given back */
	put_buf(bad);
	EXPECT(ERROR_IO_FAILED, run(f, src, bad));
	put_buf(src);
	put_buf(dst);
	MUST(doca_dev_close(other_dev));
	fixture_destroy(f);
}

static void overlap(void)
{
	struct fixture *f = fixture_create(4);
	struct doca_buf *src = src_buf(f->inventory, f->dst_mmap, f->dst + 100, 50);
	struct doca_buf *dst = dst_buf(f->inventory, f->dst_mmap, f->dst + 50, 50);

	EXPECT(SUCCESS, run(f, src, dst)); /* neighbours */
	MUST(doca_buf_set_data(dst, f->dst + 50, 0));
	put_buf(dst);
	dst = dst_buf(f->inventory, f->dst_mmap, f->dst + 51, 60);
	refused(f, src, dst);
	put_buf(dst);
	dst = dst_buf(f->inventory, f->dst_mmap, f->dst + 149, 60);
	refused(f, src, dst);
	put_buf(dst);
	dst = dst_buf(f->inventory, f->dst_mmap, f->dst + 150, 60);
	EXPECT(SUCCESS, run(f, src, dst));
	put_buf(src);
	put_buf(dst);
	fixture_destroy(f);
}

/* As in the samples: length / n segments, of which the first is longer by the rest. */
static struct doca_buf *make_list(struct fixture *f, struct doca_mmap *mmap, uint8_t *addr, size_t len, size_t num,
				  int is_src)
{
	struct doca_buf *head = NULL;

	for (size_t i = 0; i < num; i++) {
		size_t part = len / num + (i == 0 ? len % num : 0);
		struct doca_buf *buf = is_src ? src_buf(f->inventory, mmap, addr, part) :
						dst_buf(f->inventory, mmap, addr, part);

		addr += part;
		if (head == NULL)
			head = buf;
		else
			MUST(doca_buf_chain_list(head, buf));
	}
	return head;
}

static void lists(void)
{
	struct fixture *f = fixture_create(4);

	for (size_t num_src = 1; num_src <= 8; num_src++) {
		for (size_t num_dst = 1; num_dst <= 8; num_dst++) {
			struct doca_buf *src = make_list(f, f->src_mmap, f->src, 1001, num_src, 1);
			struct doca_buf *dst = make_list(f, f->dst_mmap, f->dst, 1100, num_dst, 0);
			size_t total = 0;

			memset(f->dst, 0, sizeof(f->dst));
			EXPECT(SUCCESS, run(f, src, dst));
			CHECK(memcmp(f->src, f->dst, 1001) == 0 && f->dst[1001] == 0);
			for (struct doca_buf *buf = dst; buf != NULL;) {
				total += data_len(buf);
				MUST(doca_buf_get_next_in_list(buf, &buf));
			}
			CHECK(total == 1001);
			put_buf(src);
			put_buf(dst);
		}
	}

	/* Destinations that hold data, full destinations, and empty sources between others. */
	struct doca_buf *src = make_list(f, f->src_mmap, f->src, 30, 3, 1);
	struct doca_buf *dst = make_list(f, f->dst_mmap, f->dst, 60, 3, 0);
	struct doca_buf *second, *third;

	MUST(doca_buf_get_next_in_list(src, &second));
	MUST(doca_buf_set_data_len(second, 0));
	MUST(doca_buf_get_next_in_list(dst, &second));
	MUST(doca_buf_get_next_in_list(second, &third));
	memset(f->dst, 0, 100);
	MUST(doca_buf_set_data_len(dst, 15));
	MUST(doca_buf_set_data_len(second, 20));
	EXPECT(SUCCESS, run(f, src, dst));
	CHECK(data_len(dst) == 20 && data_len(second) == 20 && data_len(third) == 15);
	CHECK(memcmp(f->dst + 15, f->src, 5) == 0);
	CHECK(memcmp(f->dst + 40, f->src + 5, 5) == 0);
	CHECK(memcmp(f->dst + 45, f->src + 20, 10) == 0);
	CHECK(f->dst[14] == 0 && f->dst[20] == 0);
	refused(f, src, dst); /* 5 bytes are left */
	CHECK(data_len(third) == 15);
	put_buf(src);
	put_buf(dst);

	/* Too many. */
	src = make_list(f, f->src_mmap, f->src, 130, 65, 1);
	dst = dst_buf(f->inventory, f->dst_mmap, f->dst, 130);
	refused(f, src, dst);
	put_buf(src);
	put_buf(dst);
	src = src_buf(f->inventory, f->src_mmap, f->src, 130);
	dst = make_list(f, f->dst_mmap, f->dst, 130, 65, 0);
	refused(f, src, dst);
	put_buf(src);
	put_buf(dst);
	src = make_list(f, f->src_mmap, f->src, 128, 64, 1);
	dst = make_list(f, f->dst_mmap, f->dst, 128, 64, 0);
	EXPECT(SUCCESS, run(f, src, dst));
	put_buf(src);
	put_buf(dst);

	/* An overlap anywhere. */
	src = make_list(f, f->dst_mmap, f->dst, 100, 4, 1);
	dst = make_list(f, f->dst_mmap, f->dst + 99, 100, 4, 0);
	refused(f, src, dst);
	put_buf(src);
	put_buf(dst);
	fixture_destroy(f);
}

/* A failed task fails all others. */
static void fatal_error(void)
{
	struct fixture *f = fixture_create(255);
	struct copy copies[100];

	for (size_t i = 0; i < 100; i++) {
		copies[i] = make_copy(f, i);
		if (i == 2)
			MUST(doca_buf_set_data_len(copies[i].src, 0));
		MUST(doca_task_submit(copies[i].task));
	}
	CHECK(doca_pe_progress(f->pe) == 1 && doca_pe_progress(f->pe) == 1);
	CHECK(f->completions == 2 && ctx_state(f->ctx) == DOCA_CTX_STATE_RUNNING);
	CHECK(doca_pe_progress(f->pe) == 1);
	CHECK(f->errors == 1 && f->last_error == DOCA_ERROR_IO_FAILED);
	CHECK(ctx_state(f->ctx) == DOCA_CTX_STATE_STOPPING);
	CHECK(f->num_states == 2 && f->states[1] == DOCA_CTX_STATE_STOPPING);
	CHECK(drain_pe(f->pe) == 98);
	CHECK(f->completions == 2 && f->errors == 98 && ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE);
	CHECK(f->num_states == 3);
	EXPECT(SUCCESS, doca_ctx_stop(f->ctx));
	for (size_t i = 0; i < 100; i++)
		finish_copy(&copies[i]);
	fixture_destroy(f);
}

/* Tasks that are resubmitted in their callback, with other buffers. */
static void resubmit(struct doca_dma_task_memcpy *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct fixture *f = ctx_user_data.ptr;
	struct doca_task *base = doca_dma_task_memcpy_as_task(task);
	struct doca_buf *dst = doca_dma_task_memcpy_get_dst(task);

	CHECK(task_user_data.u64 == 42);
	CHECK(doca_task_get_status(base) == DOCA_SUCCESS);
	if (++f->completions < 100) {
		MUST(doca_buf_reset_data_len(dst));
		doca_dma_task_memcpy_set_src(task, doca_dma_task_memcpy_get_src(task));
		doca_dma_task_memcpy_set_dst(task, dst);
		MUST(doca_task_submit(base));
		CHECK(num_inflight(f->ctx) > 1); /* the task itself counts twice */
	} else {
		doca_task_free(base);
	}
}

static void resubmission(void)
{
	struct fixture *f = fixture_create(2);
	struct copy copy;

	MUST(doca_ctx_stop(f->ctx));
	MUST(doca_dma_task_memcpy_set_conf(f->dma, resubmit, fixture_failed, 1));
	MUST(doca_ctx_start(f->ctx));
	copy = make_copy(f, 0);
	doca_task_set_user_data(copy.task, (union doca_data){.u64 = 42});
	MUST(doca_task_submit(copy.task));
	CHECK(drain_pe(f->pe) == 100 && f->completions == 100);
	finish_copy(&copy);
	fixture_destroy(f);
}

static void big(void)
{
	struct fixture *f = fixture_create(1);
	const size_t max = 2097152;
	uint8_t *memory = malloc(2 * max + 2);
	struct doca_mmap *map = make_mmap(f->dev, memory, 2 * max + 2, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf *src = src_buf(f->inventory, map, memory, max);
	struct doca_buf *dst = dst_buf(f->inventory, map, memory + max + 1, max + 1);

	memset(memory, 1, max + 1);
	memset(memory + max + 1, 2, max + 1);
	EXPECT(SUCCESS, run(f, src, dst));
	CHECK(memcmp(memory, memory + max + 1, max) == 0 && memory[2 * max + 1] == 2);
	put_buf(src);
	MUST(doca_buf_reset_data_len(dst));
	src = src_buf(f->inventory, map, memory, max + 1);
	refused(f, src, dst);
	put_buf(src);
	put_buf(dst);
	MUST(doca_mmap_destroy(map));
	free(memory);
	fixture_destroy(f);
}

TEST_MAIN(capabilities, copy, failures, overlap, lists, fatal_error, resubmission, big)
