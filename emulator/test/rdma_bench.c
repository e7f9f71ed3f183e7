/* SPDX-License-Identifier: Apache-2.0 */

/* Measures the time of one RDMA write to another process, from submission to callback, with a fixed number of tasks in
 * flight; each callback resubmits its task. For comparison: memcpy. */

#include "rdma_peer.h"

#define DEPTH 32
#define NUM_RUNS 5

static unsigned long remaining;
static struct end *bench_end;

static void resubmit(struct doca_rdma_task_write *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	if (remaining == 0) {
		doca_task_free(doca_rdma_task_write_as_task(task));
		return;
	}
	remaining--;
	MUST(doca_task_submit(doca_rdma_task_write_as_task(task)));
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double writes(struct doca_buf **src, struct doca_buf **dst, unsigned long num)
{
	double begin = now_ns();
	unsigned long done = 0;

	remaining = num - DEPTH;
	for (int i = 0; i < DEPTH; i++)
		submit_write(bench_end, src[i], dst[i]);
	while (done < num)
		done += doca_pe_progress(bench_end->pe);
	return (now_ns() - begin) / (double)num;
}

static void bench(size_t size, unsigned long num)
{
	struct doca_buf *src[DEPTH], *dst[DEPTH];
	uint8_t *other = malloc(END_SIZE);
	double best = 1e18, best_memcpy = 1e18;

	memset(other, 1, END_SIZE);
	for (int i = 0; i < DEPTH; i++) {
		size_t offset = (size_t)i * size % END_SIZE;

		src[i] = local_src(bench_end, offset, size);
		dst[i] = remote_dst(bench_end, offset, size);
	}
	for (int run = 0; run < NUM_RUNS; run++) {
		double time = writes(src, dst, num), begin = now_ns();

		best = time < best ? time : best;
		for (unsigned long i = 0; i < num; i++) {
			size_t offset = (size_t)(i % DEPTH) * size % END_SIZE;

			memcpy(other + offset, bench_end->memory + offset, size);
			__asm__ volatile("" : : : "memory");
		}
		time = (now_ns() - begin) / (double)num;
		best_memcpy = time < best_memcpy ? time : best_memcpy;
	}
	printf("%8zu bytes, %d in flight: %10.1f ns, memcpy %10.1f ns, %.2f of its rate\n", size, DEPTH, best, best_memcpy,
	       best_memcpy / best);
	for (int i = 0; i < DEPTH; i++) {
		put_buf(src[i]);
		put_buf(dst[i]);
	}
	free(other);
}

int main(void)
{
	struct peer peer = start_peer();

	bench_end = end_create();
	MUST(doca_rdma_task_write_set_conf(bench_end->rdma, resubmit, end_write_failed, DEPTH));
	MUST(doca_ctx_start(bench_end->ctx));
	connect_peer(bench_end, &peer);
	memset(bench_end->memory, 3, END_SIZE);
	bench(64, 2000000);
	bench(4096, 500000);
	bench(65536, 50000);
	bench(END_SIZE, 4000);
	end_destroy(bench_end);
	quit_peer(&peer);
	return 0;
}
