/* SPDX-License-Identifier: Apache-2.0 */

/* Each allocation of a whole run fails once: every call returns an error, and nothing leaks. The program is
 * linked so that calloc, malloc, realloc and strdup come to this file. */

#include "core/emu_fault.h"
#include "fixture.h"

void *__real_calloc(size_t num, size_t size);
void *__real_malloc(size_t size);
void *__real_realloc(void *addr, size_t size);
char *__real_strdup(const char *text);
void *__wrap_calloc(size_t num, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *addr, size_t size);
char *__wrap_strdup(const char *text);

static long until_failure = -1; /* allocations that succeed before one fails */

static int fails(void)
{
	return until_failure >= 0 && until_failure-- == 0;
}

void *__wrap_calloc(size_t num, size_t size)
{
	return fails() ? NULL : __real_calloc(num, size);
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *addr, size_t size)
{
	return fails() ? NULL : __real_realloc(addr, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

static void completed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		      union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

/* Remembers the first error and skips what depends on it. */
#define TRY(call)                                                                                  \
	do {                                                                                       \
		if (result == DOCA_SUCCESS)                                                        \
			result = (call);                                                           \
	} while (0)

static uint8_t memory[128];

static doca_error_t scenario(void)
{
	doca_error_t result = DOCA_SUCCESS;
	struct doca_devinfo **list = NULL;
	struct doca_devinfo_rep **reps = NULL;
	struct doca_dev_rep *rep = NULL;
	struct doca_dev *dev = NULL;
	struct doca_pe *pe = NULL;
	struct doca_dma *dma = NULL;
	struct doca_mmap *mmap = NULL, *import = NULL;
	struct doca_buf_inventory *inventory = NULL;
	struct doca_dma_task_memcpy *task;
	struct doca_buf *src, *dst;
	const void *desc;
	size_t len;
	uint32_t num;

	TRY(emu_fault_set("fail-task=99", NULL, 0));
	TRY(doca_devinfo_create_list(&list, &num));
	TRY(doca_dev_open(list[0], &dev));
	TRY(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &reps, &num));
	TRY(doca_dev_rep_open(reps[0], &rep));
	TRY(doca_mmap_create(&mmap));
	TRY(doca_mmap_add_dev(mmap, dev));
	TRY(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	TRY(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	TRY(doca_mmap_start(mmap));
	TRY(doca_mmap_export_pci(mmap, dev, &desc, &len));
	TRY(doca_mmap_create_from_export(NULL, desc, len, dev, &import));
	TRY(doca_buf_inventory_create(1, &inventory));
	TRY(doca_buf_inventory_start(inventory));
	TRY(doca_buf_inventory_expand(inventory, 1));
	TRY(doca_pe_create(&pe));
	TRY(doca_dma_create(dev, &dma));
	TRY(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	TRY(doca_dma_task_memcpy_set_conf(dma, completed, completed, 4));
	TRY(doca_ctx_start(doca_dma_as_ctx(dma)));
	if (result == DOCA_SUCCESS) {
		/* The data path allocates nothing: nothing may fail from here on. */
		until_failure = 0;
		src = src_buf(inventory, import, memory, 64);
		dst = dst_buf(inventory, mmap, memory + 64, 64);
		MUST(doca_dma_task_memcpy_alloc_init(dma, src, dst, (union doca_data){.u64 = 0}, &task));
		MUST(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
		CHECK(drain_pe(pe) == 1 && data_len(dst) == 64);
		put_buf(src);
		put_buf(dst);
		MUST(doca_ctx_stop(doca_dma_as_ctx(dma)));
		until_failure = -1;
	}
	if (dma != NULL)
		MUST(doca_dma_destroy(dma));
	if (pe != NULL)
		MUST(doca_pe_destroy(pe));
	if (inventory != NULL)
		MUST(doca_buf_inventory_destroy(inventory));
	if (import != NULL)
		MUST(doca_mmap_destroy(import));
	if (mmap != NULL)
		MUST(doca_mmap_destroy(mmap));
	if (rep != NULL)
		MUST(doca_dev_rep_close(rep));
	if (reps != NULL)
		MUST(doca_devinfo_rep_destroy_list(reps));
	MUST(doca_dev_close(dev));
	if (list != NULL)
		MUST(doca_devinfo_destroy_list(list));
	emu_fault_clear();
	return result;
}

static void every_allocation(void)
{
	long num_failed = 0;

	EXPECT(SUCCESS, scenario());
	for (;; num_failed++) {
		doca_error_t result;

		until_failure = num_failed;
		result = scenario();
		until_failure = -1;
		if (result == DOCA_SUCCESS)
			break;
		CHECK(result == DOCA_ERROR_NO_MEMORY || result == DOCA_ERROR_INITIALIZATION);
	}
	CHECK(num_failed >= 12);
}

TEST_MAIN(every_allocation)
