/* SPDX-License-Identifier: Apache-2.0 */
/* What a program for a release after 3.0 uses. */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include "check.h"

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
	CHECK(doca_buf_dec_refcount(buf, NULL) == DOCA_SUCCESS);
	CHECK(doca_buf_inventory_destroy(inventory) == DOCA_SUCCESS);
	CHECK(doca_mmap_destroy(mmap) == DOCA_SUCCESS);
	return check_done("later");
}
