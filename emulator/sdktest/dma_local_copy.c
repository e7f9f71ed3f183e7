/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a text from one buffer to another with one DMA task; either side may be a list of buffers. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_types.h>

#include "sample.h"

DOCA_LOG_REGISTER(DMA_LOCAL_COPY::MAIN);

#define MAX_TEXT 4096

struct config {
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char text[MAX_TEXT + 1];
	int num_src;
	int num_dst;
};

struct core {
	struct doca_dev *dev;
	struct doca_mmap *src_mmap;
	struct doca_mmap *dst_mmap;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_buf *src_head;
	struct doca_buf *dst_head;
	bool running;
	bool done;
	doca_error_t task_result;
};

/* ---- Arguments ---- */

static doca_error_t set_pci_addr(void *value, void *cfg)
{
	struct config *config = cfg;

	return sample_copy_value("PCI address", value, config->pci_addr, sizeof(config->pci_addr));
}

static doca_error_t set_text(void *value, void *cfg)
{
	struct config *config = cfg;

	return sample_copy_value("text", value, config->text, sizeof(config->text));
}

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
	return set_count(*(int *)value, &((struct config *)cfg)->num_src);
}

static doca_error_t set_num_dst(void *value, void *cfg)
{
	return set_count(*(int *)value, &((struct config *)cfg)->num_dst);
}

static doca_error_t add_params(void)
{
	TRY(sample_add_param("p", "pci-addr", "PCI address of the DMA device", set_pci_addr,
			     DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("t", "text", "Text to copy", set_text, DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("ns", "num-src-buf", "Number of source buffers", set_num_src, DOCA_ARGP_TYPE_INT,
			     false));
	TRY(sample_add_param("nd", "num-dst-buf", "Number of destination buffers", set_num_dst,
			     DOCA_ARGP_TYPE_INT, false));
	return DOCA_SUCCESS;
}

#ifdef DOCA_ARCH_DPU

/* ---- Callbacks ---- */

static void on_end(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	struct core *core = ctx_data.ptr;
	doca_error_t *result = task_data.ptr;

	*result = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	core->done = true;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	(void)doca_ctx_stop(core->ctx);
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		     enum doca_ctx_states next)
{
	struct core *core = user_data.ptr;

	(void)ctx;
	(void)prev;
	if (next == DOCA_CTX_STATE_RUNNING)
		core->running = true;
	else if (next == DOCA_CTX_STATE_IDLE)
		core->running = false;
}

/* ---- Objects ---- */

static doca_error_t create_core(struct core *core, const struct config *config, char *src, char *dst, size_t len)
{
	union doca_data user_data = {.ptr = core};
	uint32_t max_list_len;
	uint64_t max_buf_size;

	TRY(sample_open_device(config->pci_addr, doca_dma_cap_task_memcpy_is_supported, &core->dev));
	TRY(doca_dma_cap_task_memcpy_get_max_buf_list_len(doca_dev_as_devinfo(core->dev), &max_list_len));
	TRY(doca_dma_cap_task_memcpy_get_max_buf_size(doca_dev_as_devinfo(core->dev), &max_buf_size));
	if ((uint32_t)config->num_src + (uint32_t)config->num_dst > max_list_len || len > max_buf_size) {
		DOCA_LOG_ERR("The device copies at most %u buffers and %lu bytes", max_list_len,
			     (unsigned long)max_buf_size);
		return DOCA_ERROR_INVALID_VALUE;
	}

	TRY(sample_map(core->dev, src, len, &core->src_mmap));
	TRY(sample_map(core->dev, dst, len, &core->dst_mmap));
	TRY(doca_buf_inventory_create((size_t)config->num_src + (size_t)config->num_dst, &core->inventory));
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

/* Cuts [addr, addr + len) in num buffers and chains them. A source's buffers are full. */
static doca_error_t make_list(struct core *core, struct doca_mmap *mmap, char *addr, size_t len, int num,
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

static doca_error_t destroy_core(struct core *core)
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
	/* Programs close what they have closed already. */
	CLEAN(result, doca_dev_close(NULL));
	return result;
}

/* ---- The copy ---- */

static doca_error_t run(struct core *core, const struct config *config, char *src, char *dst, size_t len)
{
	union doca_data user_data = {.ptr = &core->task_result};
	struct doca_dma_task_memcpy *task;
	size_t copied = 0;

	TRY(create_core(core, config, src, dst, len));
	TRY(doca_ctx_start(core->ctx));
	REQUIRE(core->running);
	TRY(make_list(core, core->src_mmap, src, len, config->num_src, true, &core->src_head));
	TRY(make_list(core, core->dst_mmap, dst, len, config->num_dst, false, &core->dst_head));
	TRY(doca_dma_task_memcpy_alloc_init(core->dma, core->src_head, core->dst_head, user_data, &task));
	TRY(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	while (core->running)
		sample_progress(core->pe);
	REQUIRE(core->done);
	TRY(core->task_result);

	if (memcmp(src, dst, len) != 0) {
		DOCA_LOG_ERR("The copy differs");
		return DOCA_ERROR_UNEXPECTED;
	}
	for (struct doca_buf *buf = core->dst_head; buf != NULL;) {
		size_t data_len;

		TRY(doca_buf_get_data_len(buf, &data_len));
		TRY(doca_buf_get_next_in_list(buf, &buf));
		copied += data_len;
	}
	REQUIRE(copied == len);
	DOCA_LOG_INFO("Memory was copied and verified as correct: %s", dst);
	return DOCA_SUCCESS;
}

static doca_error_t copy(const struct config *config)
{
	size_t len = strlen(config->text) + 1;
	char *src = strdup(config->text), *dst = calloc(1, len);
	struct core core = {0};
	doca_error_t result = DOCA_ERROR_NO_MEMORY, destroyed;

	if (src != NULL && dst != NULL) {
		result = run(&core, config, src, dst, len);
		/* The memory goes before its maps: they do not look at it any more. */
		free(src);
		free(dst);
		destroyed = destroy_core(&core);
		DOCA_ERROR_PROPAGATE(result, destroyed);
		return result;
	}
	free(src);
	free(dst);
	return result;
}

#else

static doca_error_t copy(const struct config *config)
{
	(void)config;
	DOCA_LOG_ERR("Local DMA copy can run on the DPU only");
	return DOCA_ERROR_NOT_SUPPORTED;
}

#endif

int main(int argc, char **argv)
{
	struct config config = {
		.pci_addr = "03:00.0", .text = "This is a sample piece of text", .num_src = 1, .num_dst = 1};
	doca_error_t result;

	if (sample_start_log() != DOCA_SUCCESS)
		return EXIT_FAILURE;
	DOCA_LOG_INFO("Starting the sample");

	result = doca_argp_init("dma_local_copy", &config);
	if (result != DOCA_SUCCESS)
		return sample_finish(result);
	result = add_params();
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	if (result == DOCA_SUCCESS)
		result = copy(&config);
	(void)doca_argp_destroy();
	return sample_finish(result);
}
