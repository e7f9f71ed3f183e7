/* SPDX-License-Identifier: Apache-2.0 */

/* Measures the time of one copy, from submission to callback: a fixed number of tasks are in flight, and each
 * callback resubmits its task. For comparison it measures memcpy of the same sizes and, for memory of another
 * process, process_vm_readv. */

#include "core/emulator.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/emu_clock.h"
#include "fixture.h"

#define DEPTH 32
#define NUM_RUNS 5

static unsigned long remaining;

static void resubmit(struct doca_dma_task_memcpy *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	if (remaining == 0) {
		doca_task_free(doca_dma_task_memcpy_as_task(task));
		return;
	}
	remaining--;
	doca_buf_reset_data_len(doca_dma_task_memcpy_get_dst(task));
	doca_task_submit(doca_dma_task_memcpy_as_task(task));
}

static double copies(struct doca_dma *dma, struct doca_pe *pe, struct doca_buf **src, struct doca_buf **dst,
		     unsigned long num)
{
	struct doca_dma_task_memcpy *task;
	uint64_t begin = emu_clock_ns();
	unsigned long done = 0;

	remaining = num - DEPTH;
	for (int i = 0; i < DEPTH; i++) {
		MUST(doca_buf_reset_data_len(dst[i]));
		MUST(doca_dma_task_memcpy_alloc_init(dma, src[i], dst[i], (union doca_data){.u64 = 0}, &task));
		MUST(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	}
	while (doca_pe_progress(pe))
		done++;
	if (done != num)
		exit(1);
	return (double)(emu_clock_ns() - begin) / (double)num;
}

static double memcpys(uint8_t *dst, const uint8_t *src, size_t size, unsigned long num)
{
	uint64_t begin = emu_clock_ns();

	for (unsigned long i = 0; i < num; i++) {
		memcpy(dst + i % DEPTH * size, src + i % DEPTH * size, size);
		__asm__ volatile("" : : : "memory");
	}
	return (double)(emu_clock_ns() - begin) / (double)num;
}

static void bench(size_t size, unsigned long num)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_buf_inventory *inventory = make_inventory(2 * DEPTH);
	uint8_t *src = malloc(DEPTH * size), *dst = malloc(DEPTH * size);
	struct doca_mmap *src_mmap, *dst_mmap;
	struct doca_buf *srcs[DEPTH], *dsts[DEPTH];
	double best = 1e18, best_memcpy = 1e18;
	struct doca_dma *dma;
	struct doca_pe *pe;

	if (src == NULL || dst == NULL)
		exit(1);
	memset(src, 1, DEPTH * size);
	memset(dst, 2, DEPTH * size);
	src_mmap = make_mmap(dev, src, DEPTH * size, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	dst_mmap = make_mmap(dev, dst, DEPTH * size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	for (size_t i = 0; i < DEPTH; i++) {
		srcs[i] = src_buf(inventory, src_mmap, src + i * size, size);
		dsts[i] = dst_buf(inventory, dst_mmap, dst + i * size, size);
	}
	MUST(doca_pe_create(&pe));
	MUST(doca_dma_create(dev, &dma));
	MUST(doca_dma_task_memcpy_set_conf(dma, resubmit, resubmit, DEPTH));
	MUST(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	MUST(doca_ctx_start(doca_dma_as_ctx(dma)));
	for (int i = 0; i < NUM_RUNS; i++) {
		double ns = copies(dma, pe, srcs, dsts, num);

		best = ns < best ? ns : best;
		ns = memcpys(dst, src, size, num);
		best_memcpy = ns < best_memcpy ? ns : best_memcpy;
	}
	if (memcmp(src, dst, DEPTH * size) != 0)
		exit(1);
	printf("%8zu bytes: %9.1f ns per copy, memcpy %9.1f ns, %6.2f GB/s\n", size, best, best_memcpy,
	       (double)size / best);
	MUST(doca_ctx_stop(doca_dma_as_ctx(dma)));
	MUST(doca_dma_destroy(dma));
	MUST(doca_pe_destroy(pe));
	for (size_t i = 0; i < DEPTH; i++) {
		put_buf(srcs[i]);
		put_buf(dsts[i]);
	}
	MUST(doca_buf_inventory_destroy(inventory));
	MUST(doca_mmap_destroy(src_mmap));
	MUST(doca_mmap_destroy(dst_mmap));
	MUST(doca_dev_close(dev));
	free(src);
	free(dst);
}

/* Memory of another process. */

struct offer {
	uint8_t desc[512];
	size_t desc_len;
	uint8_t *addr;
};

static void export_memory(int fd, size_t len)
{
	struct doca_dev *dev = open_dev(HOST_0);
	uint8_t *memory = malloc(len);
	struct doca_mmap *mmap;
	struct offer offer;
	const void *desc;

	memset(memory, 3, len);
	mmap = make_mmap(dev, memory, len, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	MUST(doca_mmap_export_pci(mmap, dev, &desc, &offer.desc_len));
	memcpy(offer.desc, desc, offer.desc_len);
	offer.addr = memory;
	if (send(fd, &offer, sizeof(offer), 0) != (ssize_t)sizeof(offer) || recv(fd, &offer, 1, 0) != 0)
		exit(1);
	MUST(doca_mmap_destroy(mmap));
	_exit(0);
}

static double reads(pid_t pid, uint8_t *dst, const uint8_t *src, size_t size, unsigned long num)
{
	uint64_t begin = emu_clock_ns();

	for (unsigned long i = 0; i < num; i++) {
		struct iovec local = {.iov_base = dst + i % DEPTH * size, .iov_len = size};
		struct iovec remote = {.iov_base = (void *)(uintptr_t)(src + i % DEPTH * size), .iov_len = size};

		if (process_vm_readv(pid, &local, 1, &remote, 1, 0) != (ssize_t)size)
			exit(1);
	}
	return (double)(emu_clock_ns() - begin) / (double)num;
}

static void bench_import(size_t size, unsigned long num)
{
	struct doca_buf_inventory *inventory = make_inventory(2 * DEPTH);
	struct doca_dev *dev;
	struct doca_mmap *import, *dst_mmap;
	struct doca_buf *srcs[DEPTH], *dsts[DEPTH];
	double best = 1e18, best_read = 1e18;
	uint8_t *dst = malloc(DEPTH * size);
	struct doca_dma *dma;
	struct doca_pe *pe;
	struct offer offer;
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) != 0 || (pid = fork()) < 0)
		exit(1);
	if (pid == 0) {
		close(fds[0]);
		export_memory(fds[1], DEPTH * size);
	}
	close(fds[1]);
	if (dst == NULL || recv(fds[0], &offer, sizeof(offer), 0) != (ssize_t)sizeof(offer))
		exit(1);
	memset(dst, 2, DEPTH * size);
	dev = open_dev(DPU_0);
	MUST(doca_mmap_create_from_export(NULL, offer.desc, offer.desc_len, dev, &import));
	dst_mmap = make_mmap(dev, dst, DEPTH * size, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	for (size_t i = 0; i < DEPTH; i++) {
		srcs[i] = src_buf(inventory, import, offer.addr + i * size, size);
		dsts[i] = dst_buf(inventory, dst_mmap, dst + i * size, size);
	}
	MUST(doca_pe_create(&pe));
	MUST(doca_dma_create(dev, &dma));
	MUST(doca_dma_task_memcpy_set_conf(dma, resubmit, resubmit, DEPTH));
	MUST(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	MUST(doca_ctx_start(doca_dma_as_ctx(dma)));
	for (int i = 0; i < NUM_RUNS; i++) {
		double ns = copies(dma, pe, srcs, dsts, num);

		best = ns < best ? ns : best;
		ns = reads(pid, dst, offer.addr, size, num);
		best_read = ns < best_read ? ns : best_read;
	}
	printf("%8zu bytes of another process: %9.1f ns per copy, process_vm_readv %9.1f ns, %6.2f GB/s\n", size, best,
	       best_read, (double)size / best);
	MUST(doca_ctx_stop(doca_dma_as_ctx(dma)));
	MUST(doca_dma_destroy(dma));
	MUST(doca_pe_destroy(pe));
	for (size_t i = 0; i < DEPTH; i++) {
		put_buf(srcs[i]);
		put_buf(dsts[i]);
	}
	MUST(doca_buf_inventory_destroy(inventory));
	MUST(doca_mmap_destroy(import));
	MUST(doca_mmap_destroy(dst_mmap));
	MUST(doca_dev_close(dev));
	free(dst);
	close(fds[0]);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	bench(64, 5000000);
	bench(4096, 2000000);
	bench(65536, 100000);
	bench(1 << 20, 5000);
	bench_import(64, 500000);
	bench_import(4096, 200000);
	bench_import(1 << 20, 1024);
	return 0;
}
