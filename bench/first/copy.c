/* Makes one copy and ends, as first/copy does in Go. */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call)                                                  \
	do {                                                       \
		doca_error_t try_ = (call);                        \
		if (try_ != DOCA_SUCCESS) {                        \
			fprintf(stderr, #call ": %d\n", try_);     \
			exit(1);                                   \
		}                                                  \
	} while (0)

static int done;

static void completed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
	done = 1;
}

static void failed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	TRY(doca_task_get_status(doca_dma_task_memcpy_as_task(task)));
}

static struct doca_dev *open_dev(const char *address)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t n;

	TRY(doca_devinfo_create_list(&list, &n));
	for (uint32_t i = 0; i < n && dev == NULL; i++) {
		uint8_t equal = 0;

		TRY(doca_devinfo_is_equal_pci_addr(list[i], address, &equal));
		if (equal)
			TRY(doca_dev_open(list[i], &dev));
	}
	TRY(doca_devinfo_destroy_list(list));
	return dev;
}

int main(void)
{
	struct doca_dev *dev = open_dev("0000:03:00.0");
	union doca_data none = {.u64 = 0};
	struct doca_buf_inventory *inventory;
	struct doca_dma_task_memcpy *task;
	char *memory = aligned_alloc(4096, 4096);
	struct doca_buf *src, *dst;
	struct doca_mmap *mmap;
	struct doca_ctx *ctx;
	struct doca_dma *dma;
	struct doca_pe *pe;

	if (dev == NULL || memory == NULL)
		return 1;
	strcpy(memory, "hello");
	TRY(doca_pe_create(&pe));
	TRY(doca_dma_create(dev, &dma));
	ctx = doca_dma_as_ctx(dma);
	TRY(doca_dma_task_memcpy_set_conf(dma, completed, failed, 1));
	TRY(doca_pe_connect_ctx(pe, ctx));
	TRY(doca_ctx_start(ctx));
	TRY(doca_mmap_create(&mmap));
	TRY(doca_mmap_set_memrange(mmap, memory, 4096));
	TRY(doca_mmap_add_dev(mmap, dev));
	TRY(doca_mmap_start(mmap));
	TRY(doca_buf_inventory_create(2, &inventory));
	TRY(doca_buf_inventory_start(inventory));
	TRY(doca_buf_inventory_buf_get_by_args(inventory, mmap, memory, 2048, memory, 5, &src));
	TRY(doca_buf_inventory_buf_get_by_args(inventory, mmap, memory + 2048, 2048, memory + 2048, 0, &dst));
	TRY(doca_dma_task_memcpy_alloc_init(dma, src, dst, none, &task));
	TRY(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	while (!done)
		doca_pe_progress(pe);
	return memcmp(memory, memory + 2048, 5) != 0;
}
