/* SPDX-License-Identifier: Apache-2.0 */
/* What a program for a release after 3.0 uses. */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "check.h"

static void on_copied(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task, (void)task_data, (void)ctx_data;
}

static void test_ordered_completions(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev;
	struct doca_dma *dma;
	struct doca_pe *pe;
	uint8_t ordered = 0;
	uint32_t n;

	CHECK(doca_devinfo_create_list(&list, &n) == DOCA_SUCCESS && doca_dev_open(list[0], &dev) == DOCA_SUCCESS);
	CHECK(doca_devinfo_destroy_list(list) == DOCA_SUCCESS);
	CHECK(doca_dma_create(dev, &dma) == DOCA_SUCCESS && doca_pe_create(&pe) == DOCA_SUCCESS);
	CHECK(doca_dma_get_ordered_completions(dma, &ordered) == DOCA_SUCCESS && ordered == 1);
	CHECK(doca_dma_set_ordered_completions(dma, 0) == DOCA_SUCCESS);
	CHECK(doca_dma_get_ordered_completions(dma, &ordered) == DOCA_SUCCESS && ordered == 0);
	CHECK(doca_dma_set_ordered_completions(dma, 1) == DOCA_SUCCESS);
	CHECK(doca_dma_set_ordered_completions(NULL, 1) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_dma_get_ordered_completions(dma, NULL) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)) == DOCA_SUCCESS);
	CHECK(doca_dma_task_memcpy_set_conf(dma, on_copied, on_copied, 1) == DOCA_SUCCESS);
	CHECK(doca_ctx_start(doca_dma_as_ctx(dma)) == DOCA_SUCCESS);
	CHECK(doca_dma_set_ordered_completions(dma, 0) == DOCA_ERROR_BAD_STATE);
	CHECK(doca_dma_get_ordered_completions(dma, &ordered) == DOCA_SUCCESS && ordered == 1);
	CHECK(doca_ctx_stop(doca_dma_as_ctx(dma)) == DOCA_SUCCESS);
	CHECK(doca_dma_destroy(dma) == DOCA_SUCCESS && doca_pe_destroy(pe) == DOCA_SUCCESS);
	CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
}

int main(void)
{
	static char memory[4096];
	struct doca_devinfo **list;
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_buf *buf;
	enum doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_SF;
	uint32_t n, sf;
	size_t len;
	void *data;

	CHECK(doca_devinfo_create_list(&list, &n) == DOCA_SUCCESS);
	CHECK(doca_devinfo_get_pci_func_type(list[0], &type) == DOCA_SUCCESS && type == DOCA_PCI_FUNC_TYPE_PF);
	CHECK(doca_devinfo_get_pci_func_type(NULL, &type) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_devinfo_get_sf_index(list[0], &sf) == DOCA_ERROR_NOT_SUPPORTED);
	CHECK(doca_devinfo_destroy_list(list) == DOCA_SUCCESS);

	CHECK(doca_mmap_create(&mmap) == DOCA_SUCCESS);
	CHECK(doca_mmap_set_memrange(mmap, memory, sizeof(memory)) == DOCA_SUCCESS);
	CHECK(doca_buf_inventory_create(1, &inventory) == DOCA_SUCCESS);
	CHECK(doca_buf_inventory_start(inventory) == DOCA_SUCCESS);
	CHECK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 64, &buf) == DOCA_SUCCESS);
	CHECK(doca_buf_inventory_buf_reuse_by_data(buf, memory + 128, 100) == DOCA_SUCCESS);
	CHECK(doca_buf_get_data(buf, &data) == DOCA_SUCCESS && data == memory + 128);
	CHECK(doca_buf_get_data_len(buf, &len) == DOCA_SUCCESS && len == 100);
	CHECK(doca_buf_inventory_buf_reuse_by_addr(buf, memory + 256, 50) == DOCA_SUCCESS);
	CHECK(doca_buf_get_head(buf, &data) == DOCA_SUCCESS && data == memory + 256);
	CHECK(doca_buf_get_len(buf, &len) == DOCA_SUCCESS && len == 50);
	CHECK(doca_buf_get_data_len(buf, &len) == DOCA_SUCCESS && len == 0);
	CHECK(doca_buf_inventory_buf_reuse_by_args(buf, memory, 100, memory + 10, 90) == DOCA_SUCCESS);
	CHECK(doca_buf_get_len(buf, &len) == DOCA_SUCCESS && len == 100);
	CHECK(doca_buf_get_data(buf, &data) == DOCA_SUCCESS && data == memory + 10);
	CHECK(doca_buf_inventory_buf_reuse_by_args(buf, memory, 100, memory + 10, 91) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_buf_inventory_buf_reuse_by_args(buf, memory + 10, 90, memory, 1) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_buf_inventory_buf_reuse_by_args(NULL, memory, 1, memory, 1) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_buf_inventory_buf_reuse_by_data(buf, NULL, 0) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_buf_get_len(buf, &len) == DOCA_SUCCESS && len == 100);
	CHECK(doca_buf_dec_refcount(buf, NULL) == DOCA_SUCCESS);
	CHECK(doca_buf_inventory_destroy(inventory) == DOCA_SUCCESS);
	CHECK(doca_mmap_destroy(mmap) == DOCA_SUCCESS);
	test_ordered_completions();
	return check_done("later");
}
