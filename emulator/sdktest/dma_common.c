/* SPDX-License-Identifier: Apache-2.0 */
#include "dma_common.h"

DOCA_LOG_REGISTER(DMA_COMMON);

/* ---- Arguments ---- */

static doca_error_t set_count(int value, int *count)
{
	if (value < 1) {
		DOCA_LOG_ERR("There must be at least one buffer");
		return DOCA_ERROR_INVALID_VALUE;
	}
	*count = value;
	return DOCA_SUCCESS;
}

static doca_error_t set_num_src(void *value, void *cfg)
{
	return set_count(*(int *)value, &((struct dma_counts *)cfg)->num_src);
}

static doca_error_t set_num_dst(void *value, void *cfg)
{
	return set_count(*(int *)value, &((struct dma_counts *)cfg)->num_dst);
}

doca_error_t dma_add_count_params(void)
{
	TRY(sample_add_param("ns", "num-src-buf", "Number of source buffers", set_num_src, DOCA_ARGP_TYPE_INT,
			     false));
	TRY(sample_add_param("nd", "num-dst-buf", "Number of destination buffers", set_num_dst,
			     DOCA_ARGP_TYPE_INT, false));
	return DOCA_SUCCESS;
}

/* ---- Callbacks ---- */

static void on_end(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	struct dma_core *core = ctx_data.ptr;
	doca_error_t *result = task_data.ptr;

	*result = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	core->done = true;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	(void)doca_ctx_stop(core->ctx);
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		     enum doca_ctx_states next)
{
	struct dma_core *core = user_data.ptr;

	(void)ctx;
	(void)prev;
	if (next == DOCA_CTX_STATE_RUNNING)
		core->running = true;
	else if (next == DOCA_CTX_STATE_IDLE)
		core->running = false;
}

/* ---- Objects ---- */

doca_error_t dma_open(struct dma_core *core, const char *pci_addr, const struct dma_counts *counts)
{
	union doca_data user_data = {.ptr = core};
	size_t num = (size_t)counts->num_src + (size_t)counts->num_dst;
	uint32_t max_list_len;

	TRY(sample_open_device(pci_addr, doca_dma_cap_task_memcpy_is_supported, &core->dev));
	TRY(doca_dma_cap_task_memcpy_get_max_buf_list_len(doca_dev_as_devinfo(core->dev), &max_list_len));
	if (num > max_list_len) {
		DOCA_LOG_ERR("The device copies at most %u buffers", max_list_len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	TRY(doca_buf_inventory_create(num, &core->inventory));
	TRY(doca_buf_inventory_start(core->inventory));
	TRY(doca_pe_create(&core->pe));
	TRY(doca_dma_create(core->dev, &core->dma));
	core->ctx = doca_dma_as_ctx(core->dma);
	TRY(doca_ctx_set_user_data(core->ctx, user_data));
	TRY(doca_ctx_set_state_changed_cb(core->ctx, on_state));
	TRY(doca_dma_task_memcpy_set_conf(core->dma, on_end, on_end, 1));
	TRY(doca_pe_connect_ctx(core->pe, core->ctx));
	return DOCA_SUCCESS;
}

doca_error_t dma_max_len(const struct dma_core *core, size_t *len)
{
	uint64_t max_buf_size;

	TRY(doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(core->dev), &max_buf_size));
	*len = max_buf_size;
	return DOCA_SUCCESS;
}

/* Divides [addr, addr + len) into num buffers and chains them. The buffers of a source are full. */
static doca_error_t make_list(struct dma_core *core, struct doca_mmap *mmap, char *addr, size_t len, int num,
			      bool is_src, struct doca_buf **head)
{
	size_t segment = len / (size_t)num, first = segment + len % (size_t)num;
	uint32_t list_len;

	*head = NULL;
	for (int i = 0; i < num; i++) {
		size_t size = i == 0 ? first : segment;
		struct doca_buf *buf;

		TRY(doca_buf_inventory_buf_get_by_addr(core->inventory, mmap, addr, size, &buf));
		if (i == 0)
			*head = buf;
		else
			TRY(doca_buf_chain_list(*head, buf));
		if (is_src)
			TRY(doca_buf_set_data(buf, addr, size));
		addr += size;
	}
	TRY(doca_buf_get_list_len(*head, &list_len));
	REQUIRE(list_len == (uint32_t)num);
	return DOCA_SUCCESS;
}

doca_error_t dma_copy(struct dma_core *core, const struct dma_counts *counts, char *src, char *dst, size_t len)
{
	union doca_data user_data = {.ptr = &core->task_result};
	struct doca_dma_task_memcpy *task;
	size_t copied = 0;

	TRY(doca_ctx_start(core->ctx));
	REQUIRE(core->running);
	TRY(make_list(core, core->src_mmap, src, len, counts->num_src, true, &core->src_head));
	TRY(make_list(core, core->dst_mmap, dst, len, counts->num_dst, false, &core->dst_head));
	TRY(doca_dma_task_memcpy_alloc_init(core->dma, core->src_head, core->dst_head, user_data, &task));
	TRY(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	while (core->running)
		sample_progress(core->pe);
	REQUIRE(core->done);
	TRY(core->task_result);
	for (struct doca_buf *buf = core->dst_head; buf != NULL;) {
		size_t data_len;

		TRY(doca_buf_get_data_len(buf, &data_len));
		TRY(doca_buf_get_next_in_list(buf, &buf));
		copied += data_len;
	}
	REQUIRE(copied == len);
	return DOCA_SUCCESS;
}

doca_error_t dma_close(struct dma_core *core)
{
	doca_error_t result = DOCA_SUCCESS;

	if (core->ctx != NULL)
		CLEAN(result, doca_ctx_stop(core->ctx));
	if (core->src_head != NULL)
		CLEAN(result, doca_buf_dec_refcount(core->src_head, NULL));
	if (core->dst_head != NULL)
		CLEAN(result, doca_buf_dec_refcount(core->dst_head, NULL));
	if (core->dma != NULL)
		CLEAN(result, doca_dma_destroy(core->dma));
	if (core->pe != NULL)
		CLEAN(result, doca_pe_destroy(core->pe));
	if (core->inventory != NULL)
		CLEAN(result, doca_buf_inventory_destroy(core->inventory));
	if (core->src_mmap != NULL)
		CLEAN(result, doca_mmap_destroy(core->src_mmap));
	if (core->dst_mmap != NULL)
		CLEAN(result, doca_mmap_destroy(core->dst_mmap));
	if (core->dev != NULL)
		CLEAN(result, doca_dev_close(core->dev));
	/* Programs close objects that they have closed already. */
	CLEAN(result, doca_dev_close(NULL));
	return result;
}
