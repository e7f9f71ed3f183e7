/* SPDX-License-Identifier: Apache-2.0 */

/* Each allocation of an import fails once, and each descriptor that it or its exporter needs: the call returns
 * an error, and nothing leaks. The program is linked so that calloc and malloc come to this file. */

#include <sys/resource.h>

#include "export_host.h"

void *__real_calloc(size_t num, size_t size);
void *__real_malloc(size_t size);
void *__wrap_calloc(size_t num, size_t size);
void *__wrap_malloc(size_t size);

static long until_failure = -1; /* allocations that succeed before one fails */

static bool fails(void)
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

static void no_memory(void)
{
	struct host host = start_exporter(HOST_0, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct doca_dev *dev = open_dev(DPU_0);
	int fds = count_fds();
	struct doca_mmap *import;
	long num_failed;

	for (num_failed = 0;; num_failed++) {
		doca_error_t result;

		until_failure = num_failed;
		result = import_host(&host, dev, &import);
		until_failure = -1;
		if (result == DOCA_SUCCESS)
			break;
		CHECK(result == DOCA_ERROR_NO_MEMORY);
		CHECK(count_fds() == fds);
	}
	CHECK(num_failed >= 3);
	MUST(doca_mmap_destroy(import));
	MUST(doca_dev_close(dev));
	quit_host(&host);
}

/* File descriptors: the limit leaves one more each time. */
static struct rlimit limit_fds(rlim_t num)
{
	struct rlimit before, limit;

	CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
	limit = before;
	limit.rlim_cur = num;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	return before;
}

static rlim_t first_free_fd(void)
{
	int fd = dup(0);

	close(fd);
	return (rlim_t)fd;
}

static void no_descriptors(void)
{
	struct host host = start_exporter(HOST_0, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct doca_dev *dev = open_dev(DPU_0), *own = open_dev(HOST_0);
	static uint8_t memory[64];
	struct doca_mmap *import, *map;
	int fds = count_fds();
	const void *desc;
	size_t len;

	for (int what = 0; what < 2; what++) {
		rlim_t num = 0;

		map = make_mmap(own, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_ONLY);
		for (;; num++) {
			struct rlimit before = limit_fds(first_free_fd() + num);
			doca_error_t result = what == 0 ? import_host(&host, dev, &import) :
							  doca_mmap_export_pci(map, own, &desc, &len);

			CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
			if (result == DOCA_SUCCESS)
				break;
			CHECK(result == DOCA_ERROR_DRIVER);
			CHECK(count_fds() == fds);
			if (num > 20)
				break;
		}
		CHECK(num >= 2 && num <= 20);
		MUST(doca_mmap_destroy(map));
		if (what == 0)
			MUST(doca_mmap_destroy(import));
		CHECK(count_fds() == fds);
	}
	MUST(doca_dev_close(own));
	MUST(doca_dev_close(dev));
	quit_host(&host);
}

TEST_MAIN(no_memory, no_descriptors, left_nothing)
