/*
 * The loop that Go is compared with, as a C program would have it: tasks and buffers are made once, and a task
 * that has completed takes the next copy in its callback.
 */
#include "dma.h"
#include "api.h"

#include <stdlib.h>
#include <string.h>

/* Behind what a thread writes for each copy, so that it shares no cache lines with what another thread writes. */
#define APART 128

struct bench {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_mmap **mmaps; /* one, or one for each source and then one for each destination */
	uint32_t num_mmaps;
	struct doca_buf_inventory *inventory;
	struct doca_dma_task_memcpy **tasks;
	struct doca_buf **src, **dst;
	uint8_t *memory; /* sources, then destinations */
	size_t size;
	uint32_t depth, made; /* tasks */
	uint32_t count;	      /* copies */
	enum bench_buffers buffers;
	uint32_t first; /* the range of a round's first copy */
	uint32_t at;	/* the next copy's place in its round */
	uint32_t less;	/* bytes of a source that are no data in this round: 0 and 1 in turns */
	uint64_t next, end, done; /* of the copies of a run: the next one, those that are wanted, those that are done */
	doca_error_t status;
};

/* Exported by loop.go. */
extern void benchCompletion(uintptr_t handle);

static struct doca_mmap *mmap_of(const struct bench *b, const uint8_t *range)
{
	return b->mmaps[b->num_mmaps == 1 ? 0 : (size_t)(range - b->memory) / b->size];
}

static doca_error_t get_bufs(struct bench *b, uint8_t *from, uint8_t *to, struct doca_buf **src, struct doca_buf **dst)
{
	doca_error_t rc =
		api.doca_buf_inventory_buf_get_by_args(b->inventory, mmap_of(b, from), from, b->size, from, b->size, src);

	if (rc == DOCA_SUCCESS)
		rc = api.doca_buf_inventory_buf_get_by_args(b->inventory, mmap_of(b, to), to, b->size, to, 0, dst);
	return rc;
}

/* Gives the next copy its buffers. */
static doca_error_t next_bufs(struct bench *b, uint32_t i, struct doca_buf **src, struct doca_buf **dst)
{
	uint32_t range = b->first + i < b->count ? b->first + i : b->first + i - b->count;
	uint8_t *from = b->memory + range * b->size, *to = from + b->count * b->size;

	*src = b->src[i];
	*dst = b->dst[i];
	switch (b->buffers) {
	case BENCH_FIXED:
		return api.doca_buf_reset_data_len(*dst);
	case BENCH_SET_SOURCE_DATA:
		api.doca_buf_set_data(*src, b->memory + i * b->size, b->size - b->less);
		return api.doca_buf_reset_data_len(*dst);
	case BENCH_MEMORIES:
		*src = b->src[range];
		*dst = b->dst[range];
		/* fallthrough */
	case BENCH_SET_DATA:
		api.doca_buf_set_data(*src, from, b->size);
		return api.doca_buf_set_data(*dst, to, 0);
	default:
		return get_bufs(b, from, to, src, dst);
	}
}

static doca_error_t next_copy(struct bench *b, struct doca_dma_task_memcpy *task)
{
	struct doca_buf *src, *dst;
	doca_error_t rc = next_bufs(b, b->at, &src, &dst);

	b->next++;
	if (++b->at == b->count) {
		b->at = 0;
		b->first = (b->first + 1) % b->count;
		b->less = 1 - b->less;
	}
	if (rc != DOCA_SUCCESS)
		return rc;
	api.doca_dma_task_memcpy_set_src(task, src);
	api.doca_dma_task_memcpy_set_dst(task, dst);
	return api.doca_task_submit(api.doca_dma_task_memcpy_as_task(task));
}

static void completed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	struct bench *b = ctx_data.ptr;

	(void)task_data;
	b->done++;
	if (b->buffers == BENCH_GET) {
		api.doca_buf_dec_refcount((struct doca_buf *)api.doca_dma_task_memcpy_get_src(task), NULL);
		api.doca_buf_dec_refcount(api.doca_dma_task_memcpy_get_dst(task), NULL);
	}
	if (b->next < b->end && b->status == DOCA_SUCCESS)
		b->status = next_copy(b, task);
}

static void completed_in_go(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	(void)ctx_data;
	benchCompletion(task_data.u64);
}

static void failed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	struct bench *b = ctx_data.ptr;

	(void)task;
	(void)task_data;
	b->done++;
	b->status = DOCA_ERROR_IO_FAILED;
}

static doca_error_t make_bufs(struct bench *b)
{
	size_t all = 2 * b->count * b->size;

	for (uint32_t i = 0; i < b->count; i++) {
		uint8_t *from = b->memory + i * b->size, *to = from + b->count * b->size;
		doca_error_t rc;

		if (b->buffers != BENCH_SET_DATA) {
			rc = get_bufs(b, from, to, &b->src[i], &b->dst[i]);
		} else {
			rc = api.doca_buf_inventory_buf_get_by_args(b->inventory, b->mmaps[0], b->memory, all, from, 0, &b->src[i]);
			if (rc == DOCA_SUCCESS)
				rc = api.doca_buf_inventory_buf_get_by_args(b->inventory, b->mmaps[0], b->memory, all, to, 0, &b->dst[i]);
		}
		if (rc != DOCA_SUCCESS)
			return rc;
	}
	return DOCA_SUCCESS;
}

static doca_error_t make_tasks(struct bench *b)
{
	union doca_data data = {.u64 = 0};
	doca_error_t rc = make_bufs(b);

	for (; rc == DOCA_SUCCESS && b->made < b->depth; b->made += rc == DOCA_SUCCESS)
		rc = api.doca_dma_task_memcpy_alloc_init(b->dma, b->src[0], b->dst[0], data, &b->tasks[b->made]);
	return rc;
}

static doca_error_t make_mmaps(struct bench *b)
{
	size_t n = b->buffers == BENCH_MEMORIES ? 2 * b->count : 1, all = 2 * b->count * b->size;
	doca_error_t rc = DOCA_SUCCESS;

	b->mmaps = calloc(n, sizeof(struct doca_mmap *));
	if (b->mmaps == NULL)
		return DOCA_ERROR_NO_MEMORY;
	while (rc == DOCA_SUCCESS && b->num_mmaps < n) {
		struct doca_mmap **mmap = &b->mmaps[b->num_mmaps];

		rc = api.doca_mmap_create(mmap);
		if (rc != DOCA_SUCCESS)
			break;
		rc = api.doca_mmap_set_memrange(*mmap, b->memory + b->num_mmaps++ * (all / n), all / n);
		if (rc == DOCA_SUCCESS)
			rc = api.doca_mmap_add_dev(*mmap, b->dev);
		if (rc == DOCA_SUCCESS)
			rc = api.doca_mmap_start(*mmap);
	}
	return rc;
}

static doca_error_t setup(struct bench *b, int into_go)
{
	union doca_data data = {.ptr = b};
	doca_error_t rc = api_open_first_device(&b->dev);

	if (rc == DOCA_SUCCESS)
		rc = api.doca_pe_create(&b->pe);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_dma_create(b->dev, &b->dma);
	if (rc != DOCA_SUCCESS)
		return rc;
	b->ctx = api.doca_dma_as_ctx(b->dma);
	rc = api.doca_dma_task_memcpy_set_conf(b->dma, into_go ? completed_in_go : completed, failed, b->depth);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_ctx_set_user_data(b->ctx, data);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_pe_connect_ctx(b->pe, b->ctx);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_ctx_start(b->ctx);
	if (rc == DOCA_SUCCESS)
		rc = make_mmaps(b);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_buf_inventory_create(4 * b->count, &b->inventory);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_buf_inventory_start(b->inventory);
	return rc == DOCA_SUCCESS ? make_tasks(b) : rc;
}

struct bench *bench_new(uint32_t depth, uint32_t count, size_t size, int into_go, enum bench_buffers buffers,
			int *error)
{
	struct bench *b = calloc(1, sizeof(*b) + APART);

	*error = DOCA_ERROR_NO_MEMORY;
	if (b == NULL)
		return NULL;
	b->depth = depth;
	b->count = count;
	b->size = size;
	b->buffers = buffers;
	b->tasks = calloc(depth, sizeof(*b->tasks));
	b->src = calloc(count, sizeof(*b->src));
	b->dst = calloc(count, sizeof(*b->dst));
	b->memory = aligned_alloc(4096, (2 * count * size + 4095) / 4096 * 4096);
	if (b->tasks != NULL && b->src != NULL && b->dst != NULL && b->memory != NULL) {
		for (size_t i = 0; i < count * size; i++)
			b->memory[i] = (uint8_t)(i * 31 + i / 251);
		memset(b->memory + count * size, 0, count * size);
		*error = setup(b, into_go);
	}
	if (*error == DOCA_SUCCESS)
		return b;
	bench_free(b);
	return NULL;
}

int bench_submit(struct bench *b, uint32_t copy, uintptr_t handle)
{
	union doca_data data = {.u64 = handle};

	api.doca_task_set_user_data(api.doca_dma_task_memcpy_as_task(b->tasks[copy]), data);
	b->at = copy;
	b->next = 0;
	b->end = 1;
	return next_copy(b, b->tasks[copy]);
}

int bench_progress(struct bench *b)
{
	return api.doca_pe_progress(b->pe);
}

/* Makes the next copies, depth of them in flight until the last ones. */
static doca_error_t run(struct bench *b, uint64_t copies)
{
	b->done = b->next = 0;
	b->end = copies;
	for (uint32_t i = 0; i < b->depth && b->next < b->end; i++) {
		doca_error_t rc = next_copy(b, b->tasks[i]);

		if (rc != DOCA_SUCCESS)
			return rc;
	}
	while (b->done < b->end && b->status == DOCA_SUCCESS)
		api.doca_pe_progress(b->pe);
	return b->status;
}

int bench_run(struct bench *b, uint64_t rounds)
{
	doca_error_t rc = DOCA_SUCCESS;

	while (rounds-- > 0 && rc == DOCA_SUCCESS)
		rc = run(b, b->count);
	return rc;
}

int bench_run_varied(struct bench *b, uint64_t rounds)
{
	doca_error_t rc = DOCA_SUCCESS;

	while (rounds-- > 0 && rc == DOCA_SUCCESS) {
		for (uint32_t n = 1; n <= b->count && rc == DOCA_SUCCESS; n++)
			rc = run(b, n);
	}
	return rc;
}

int bench_run_on(struct bench *b, uint64_t rounds)
{
	return run(b, rounds * b->count);
}

int bench_run_blocking(struct bench *b, uint64_t rounds)
{
	while (rounds-- > 0) {
		for (uint32_t i = 0; i < b->count; i++) {
			doca_error_t rc;

			b->next = 0;
			b->end = 1;
			b->done = 0;
			rc = next_copy(b, b->tasks[0]);
			if (rc != DOCA_SUCCESS)
				return rc;
			while (b->done == 0)
				api.doca_pe_progress(b->pe);
			if (b->status != DOCA_SUCCESS)
				return b->status;
		}
	}
	return DOCA_SUCCESS;
}

void bench_copy(uint8_t *to, const uint8_t *from, uint32_t count, size_t size, uint64_t rounds)
{
	while (rounds-- > 0) {
		for (uint32_t i = 0; i < count; i++)
			memcpy(to + i * size, from + i * size, size);
		/* Keeps the compiler from dropping all rounds but one. */
		__asm__ volatile("" ::"r"(to) : "memory");
	}
}

void bench_memcpy(struct bench *b, uint64_t rounds)
{
	bench_copy(b->memory + b->count * b->size, b->memory, b->count, b->size, rounds);
}

int bench_verify(const struct bench *b)
{
	return memcmp(b->memory, b->memory + b->count * b->size, b->count * b->size) == 0;
}

int bench_free(struct bench *b)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
	doca_error_t rc = DOCA_SUCCESS;

	for (uint32_t i = 0; i < b->made; i++)
		api.doca_task_free(api.doca_dma_task_memcpy_as_task(b->tasks[i]));
	if (b->ctx != NULL) {
		api.doca_ctx_stop(b->ctx);
		while (api.doca_ctx_get_state(b->ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE)
			api.doca_pe_progress(b->pe);
	}
	for (uint32_t i = 0; b->src != NULL && b->dst != NULL && i < b->count; i++) {
		if (b->src[i] != NULL)
			api.doca_buf_dec_refcount(b->src[i], NULL);
		if (b->dst[i] != NULL)
			api.doca_buf_dec_refcount(b->dst[i], NULL);
	}
	if (b->dma != NULL)
		rc = api.doca_dma_destroy(b->dma);
	if (b->pe != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_pe_destroy(b->pe);
	if (b->inventory != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_buf_inventory_destroy(b->inventory);
	while (b->num_mmaps > 0 && rc == DOCA_SUCCESS)
		rc = api.doca_mmap_destroy(b->mmaps[--b->num_mmaps]);
	free(b->mmaps);
	if (b->dev != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_dev_close(b->dev);
	free(b->memory);
	free(b->dst);
	free(b->src);
	free(b->tasks);
	free(b);
	return rc;
}
