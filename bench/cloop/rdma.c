/*
 * The loop that Go's RDMA writes are compared with, as a C program would have it: tasks and buffers are made once, and a
 * task that has completed takes the next write in its callback.
 */
#include "rdma.h"
#include "api.h"
#include "dma.h"

#include <stdlib.h>
#include <string.h>

/* One of the two contexts. */
struct end {
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_rdma_connection *conn;
	const void *details;
	size_t details_len;
};

struct rdma_bench {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct end from, to;
	struct doca_mmap *local, *target, *remote;
	struct doca_buf_inventory *inventory;
	struct doca_rdma_task_write **tasks;
	struct doca_buf **src, **dst;
	uint8_t *source, *destination;
	size_t size;
	uint32_t depth, made; /* tasks */
	uint32_t count;	      /* writes */
	int moving;
	uint32_t first; /* the range of a round's first write */
	uint32_t next, end, done; /* of the writes of a round: the next one, those that are wanted, those that are done */
	doca_error_t status;
};

static doca_error_t next_write(struct rdma_bench *b, struct doca_rdma_task_write *task)
{
	uint32_t i = b->next++;

	if (b->moving) {
		uint32_t range = b->first + i < b->count ? b->first + i : b->first + i - b->count;

		api.doca_buf_set_data(b->src[i], b->source + range * b->size, b->size);
		api.doca_buf_set_data(b->dst[i], b->destination + range * b->size, 0);
	}
	api.doca_rdma_task_write_set_src_buf(task, b->src[i]);
	api.doca_rdma_task_write_set_dst_buf(task, b->dst[i]);
	return api.doca_task_submit(api.doca_rdma_task_write_as_task(task));
}

static void completed(struct doca_rdma_task_write *task, union doca_data task_data, union doca_data ctx_data)
{
	struct rdma_bench *b = ctx_data.ptr;

	(void)task_data;
	b->done++;
	if (b->next < b->end && b->status == DOCA_SUCCESS)
		b->status = next_write(b, task);
}

static void failed(struct doca_rdma_task_write *task, union doca_data task_data, union doca_data ctx_data)
{
	struct rdma_bench *b = ctx_data.ptr;

	(void)task;
	(void)task_data;
	b->done++;
	b->status = DOCA_ERROR_IO_FAILED;
}

static doca_error_t start_end(struct rdma_bench *b, struct end *end)
{
	union doca_data data = {.ptr = b};
	doca_error_t rc = api.doca_rdma_create(b->dev, &end->rdma);

	if (rc != DOCA_SUCCESS)
		return rc;
	end->ctx = api.doca_rdma_as_ctx(end->rdma);
	rc = api.doca_rdma_set_permissions(end->rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_rdma_task_write_set_conf(end->rdma, completed, failed, b->depth);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_ctx_set_user_data(end->ctx, data);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_pe_connect_ctx(b->pe, end->ctx);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_ctx_start(end->ctx);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_rdma_export(end->rdma, &end->details, &end->details_len, &end->conn);
	return rc;
}

static doca_error_t make_mmap(struct rdma_bench *b, uint8_t *memory, struct doca_mmap **mmap)
{
	doca_error_t rc = api.doca_mmap_create(mmap);

	if (rc == DOCA_SUCCESS)
		rc = api.doca_mmap_set_memrange(*mmap, memory, b->count * b->size);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_mmap_add_dev(*mmap, b->dev);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_mmap_set_permissions(*mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE);
	return rc == DOCA_SUCCESS ? api.doca_mmap_start(*mmap) : rc;
}

static doca_error_t make_memory(struct rdma_bench *b)
{
	const void *desc;
	size_t len;
	doca_error_t rc = make_mmap(b, b->source, &b->local);

	if (rc == DOCA_SUCCESS)
		rc = make_mmap(b, b->destination, &b->target);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_mmap_export_rdma(b->target, b->dev, &desc, &len);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_mmap_create_from_export(NULL, desc, len, b->dev, &b->remote);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_buf_inventory_create(2 * b->count, &b->inventory);
	return rc == DOCA_SUCCESS ? api.doca_buf_inventory_start(b->inventory) : rc;
}

static doca_error_t make_tasks(struct rdma_bench *b)
{
	union doca_data data = {.u64 = 0};
	size_t all = b->count * b->size;
	doca_error_t rc = DOCA_SUCCESS;

	for (uint32_t i = 0; i < b->count && rc == DOCA_SUCCESS; i++) {
		uint8_t *from = b->source + i * b->size, *to = b->destination + i * b->size;

		rc = api.doca_buf_inventory_buf_get_by_args(b->inventory, b->local, b->source, all, from, b->size, &b->src[i]);
		if (rc == DOCA_SUCCESS)
			rc = api.doca_buf_inventory_buf_get_by_args(b->inventory, b->remote, b->destination, all, to, 0, &b->dst[i]);
	}
	for (; rc == DOCA_SUCCESS && b->made < b->depth; b->made += rc == DOCA_SUCCESS)
		rc = api.doca_rdma_task_write_allocate_init(b->from.rdma, b->from.conn, b->src[0], b->dst[0], data, &b->tasks[b->made]);
	return rc;
}

static doca_error_t setup(struct rdma_bench *b)
{
	doca_error_t rc = api_open_first_device(&b->dev);

	if (rc == DOCA_SUCCESS)
		rc = api.doca_pe_create(&b->pe);
	if (rc == DOCA_SUCCESS)
		rc = start_end(b, &b->from);
	if (rc == DOCA_SUCCESS)
		rc = start_end(b, &b->to);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_rdma_connect(b->from.rdma, b->to.details, b->to.details_len, b->from.conn);
	if (rc == DOCA_SUCCESS)
		rc = api.doca_rdma_connect(b->to.rdma, b->from.details, b->from.details_len, b->to.conn);
	if (rc == DOCA_SUCCESS)
		rc = make_memory(b);
	return rc == DOCA_SUCCESS ? make_tasks(b) : rc;
}

struct rdma_bench *rdma_bench_new(uint32_t depth, uint32_t count, size_t size, int moving, int *error)
{
	struct rdma_bench *b = calloc(1, sizeof(*b));
	size_t all = (count * size + 4095) / 4096 * 4096;

	*error = DOCA_ERROR_NO_MEMORY;
	if (b == NULL)
		return NULL;
	b->depth = depth;
	b->count = count;
	b->size = size;
	b->moving = moving;
	b->tasks = calloc(depth, sizeof(*b->tasks));
	b->src = calloc(count, sizeof(*b->src));
	b->dst = calloc(count, sizeof(*b->dst));
	b->source = aligned_alloc(4096, all);
	b->destination = aligned_alloc(4096, all);
	if (b->tasks != NULL && b->src != NULL && b->dst != NULL && b->source != NULL && b->destination != NULL) {
		for (size_t i = 0; i < count * size; i++)
			b->source[i] = (uint8_t)(i * 31 + i / 251);
		memset(b->destination, 0, count * size);
		*error = setup(b);
	}
	if (*error == DOCA_SUCCESS)
		return b;
	rdma_bench_free(b);
	return NULL;
}

int rdma_bench_run(struct rdma_bench *b, uint64_t rounds)
{
	while (rounds-- > 0) {
		b->done = b->next = 0;
		b->end = b->count;
		b->first = (b->first + 1) % b->count;
		for (uint32_t i = 0; i < b->depth && b->next < b->count; i++) {
			doca_error_t rc = next_write(b, b->tasks[i]);

			if (rc != DOCA_SUCCESS)
				return rc;
		}
		while (b->done < b->count && b->status == DOCA_SUCCESS)
			api.doca_pe_progress(b->pe);
		if (b->status != DOCA_SUCCESS)
			return b->status;
	}
	return DOCA_SUCCESS;
}

int rdma_bench_run_blocking(struct rdma_bench *b, uint64_t rounds)
{
	while (rounds-- > 0) {
		for (uint32_t i = 0; i < b->count; i++) {
			doca_error_t rc;

			b->next = i;
			b->end = i + 1;
			b->done = 0;
			rc = next_write(b, b->tasks[0]);
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

void rdma_bench_memcpy(struct rdma_bench *b, uint64_t rounds)
{
	bench_copy(b->destination, b->source, b->count, b->size, rounds);
}

int rdma_bench_verify(const struct rdma_bench *b)
{
	return memcmp(b->source, b->destination, b->count * b->size) == 0;
}

static doca_error_t stop_end(struct rdma_bench *b, struct end *end)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	if (end->rdma == NULL)
		return DOCA_SUCCESS;
	api.doca_ctx_stop(end->ctx);
	while (api.doca_ctx_get_state(end->ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE)
		api.doca_pe_progress(b->pe);
	return api.doca_rdma_destroy(end->rdma);
}

int rdma_bench_free(struct rdma_bench *b)
{
	doca_error_t rc;

	for (uint32_t i = 0; i < b->made; i++)
		api.doca_task_free(api.doca_rdma_task_write_as_task(b->tasks[i]));
	rc = stop_end(b, &b->from);
	if (rc == DOCA_SUCCESS)
		rc = stop_end(b, &b->to);
	for (uint32_t i = 0; b->src != NULL && b->dst != NULL && i < b->count; i++) {
		if (b->src[i] != NULL)
			api.doca_buf_dec_refcount(b->src[i], NULL);
		if (b->dst[i] != NULL)
			api.doca_buf_dec_refcount(b->dst[i], NULL);
	}
	if (b->pe != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_pe_destroy(b->pe);
	if (b->inventory != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_buf_inventory_destroy(b->inventory);
	if (b->remote != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_mmap_destroy(b->remote);
	if (b->target != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_mmap_destroy(b->target);
	if (b->local != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_mmap_destroy(b->local);
	if (b->dev != NULL && rc == DOCA_SUCCESS)
		rc = api.doca_dev_close(b->dev);
	free(b->destination);
	free(b->source);
	free(b->dst);
	free(b->src);
	free(b->tasks);
	free(b);
	return rc;
}
