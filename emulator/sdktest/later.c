/* SPDX-License-Identifier: Apache-2.0 */
/* What a program for a release after 3.0 uses. */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <string.h>

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

/* Devices, and representors where this side has them. */
static void test_devices(void)
{
	char name[DOCA_DEVINFO_REP_VUID_SIZE], pf[DOCA_DEVINFO_REP_VUID_SIZE];
	struct doca_devinfo **list;
	struct doca_devinfo_rep **reps;
	struct doca_dev *dev;
	uint16_t port = 0;
	uint32_t n, number, index;

	CHECK(doca_devinfo_create_list(&list, &n) == DOCA_SUCCESS);
	CHECK(doca_devinfo_get_uplink_ib_port(list[0], &port) == DOCA_SUCCESS && port == 1);
	CHECK(doca_devinfo_get_uplink_ib_port(list[0], NULL) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_devinfo_get_iface_index(list[0], &number) == DOCA_SUCCESS && number >= 4096);
	CHECK(doca_devinfo_get_iface_index(list[0], NULL) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_devinfo_get_data_direct_pci_dev(list[0], name) == DOCA_ERROR_NOT_FOUND);
	CHECK(doca_devinfo_get_data_direct_pci_dev(NULL, name) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_dev_open(list[0], &dev) == DOCA_SUCCESS);
	CHECK(doca_devinfo_destroy_list(list) == DOCA_SUCCESS);
	CHECK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &reps, &n) == DOCA_SUCCESS && n > 0);
	CHECK(doca_devinfo_rep_get_iface_index(reps[0], &index) == DOCA_SUCCESS && index > number);
	CHECK(doca_devinfo_rep_get_ib_port(reps[0], &port) == DOCA_SUCCESS && port == 2);
	CHECK(doca_devinfo_rep_get_ib_port(NULL, &port) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_devinfo_rep_get_host_index(reps[0], &number) == DOCA_SUCCESS && number == 0);
	number = 9;
	CHECK(doca_devinfo_rep_get_pf_index(reps[0], &number) == DOCA_SUCCESS && number == 0);
	CHECK(doca_devinfo_rep_get_vf_index(reps[0], &number) == DOCA_ERROR_DRIVER);
	CHECK(doca_devinfo_rep_get_sf_index(reps[0], &number) == DOCA_ERROR_DRIVER);
	number = 9;
	CHECK(doca_devinfo_rep_get_total_vfs(reps[0], &number) == DOCA_SUCCESS && number == 0);
	CHECK(doca_devinfo_rep_get_total_vfs(NULL, &number) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_devinfo_rep_get_vuid(reps[0], name, sizeof(name)) == DOCA_SUCCESS);
	CHECK(doca_devinfo_rep_get_pf_vuid(reps[0], pf, sizeof(pf)) == DOCA_SUCCESS && strcmp(name, pf) == 0);
	CHECK(doca_devinfo_rep_get_pf_vuid(reps[0], pf, sizeof(pf) - 1) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_devinfo_rep_get_data_direct_pci_dev(reps[0], name) == DOCA_ERROR_NOT_FOUND);
	CHECK(doca_devinfo_rep_destroy_list(reps) == DOCA_SUCCESS);
	CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
}

/* Keys of memory, and what the emulator lacks. */
static void test_lacking(void)
{
	struct doca_devinfo **list;
	struct doca_mmap *mmap;
	struct doca_dev *dev;
	struct doca_dma *dma;
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_ip address = {.ip = {0, 0, 0, 1}, .is_ipv4 = 1};
	uint8_t token[16] = {1};
	uint32_t n, key;
	size_t size;

	CHECK(doca_devinfo_create_list(&list, &n) == DOCA_SUCCESS && doca_dev_open(list[0], &dev) == DOCA_SUCCESS);
	CHECK(doca_mmap_cap_get_max_export_access_token_size(list[0], &size) == DOCA_ERROR_NOT_SUPPORTED);
	CHECK(doca_devinfo_destroy_list(list) == DOCA_SUCCESS);
	CHECK(doca_mmap_create(&mmap) == DOCA_SUCCESS);
	CHECK(doca_mmap_add_dev(mmap, dev) == DOCA_SUCCESS);
	CHECK(doca_mmap_set_memrange(mmap, token, sizeof(token)) == DOCA_SUCCESS);
	CHECK(doca_mmap_get_mkey(mmap, dev, &key) == DOCA_ERROR_INVALID_VALUE); /* not started */
	CHECK(doca_mmap_set_export_access_token(mmap, dev, token, sizeof(token)) == DOCA_ERROR_NOT_SUPPORTED);
	CHECK(doca_mmap_start(mmap) == DOCA_SUCCESS);
	CHECK(doca_mmap_get_mkey(mmap, dev, &key) == DOCA_SUCCESS && key != 0);
	CHECK(doca_mmap_get_mkey(mmap, NULL, &key) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_mmap_get_mkey(mmap, dev, NULL) == DOCA_ERROR_INVALID_VALUE);
	CHECK(doca_mmap_destroy(mmap) == DOCA_SUCCESS);
	CHECK(doca_dma_create(dev, &dma) == DOCA_SUCCESS && doca_pe_create(&pe) == DOCA_SUCCESS);
	ctx = doca_dma_as_ctx(dma);
	CHECK(doca_ctx_profiler_set_max_nranges(ctx, 255) == DOCA_ERROR_NOT_SUPPORTED);
	CHECK(doca_pe_connect_ctx(pe, ctx) == DOCA_SUCCESS);
	CHECK(doca_dma_task_memcpy_set_conf(dma, on_copied, on_copied, 1) == DOCA_SUCCESS);
	CHECK(doca_ctx_start(ctx) == DOCA_SUCCESS);
	CHECK(doca_ctx_stop(ctx) == DOCA_SUCCESS);
	CHECK(doca_dma_destroy(dma) == DOCA_SUCCESS && doca_pe_destroy(pe) == DOCA_SUCCESS);
	CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
	CHECK(sizeof(address) == 20 && DOCA_ERROR_DEVICE_FATAL_ERROR == 31 &&
	      DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_REQUESTED == 4 && DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_PROCESSED == 8);
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
	test_devices();
	test_lacking();
	return check_done("later");
}
