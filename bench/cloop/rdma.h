#ifndef BENCH_RDMA_LOOP_H
#define BENCH_RDMA_LOOP_H

#include <stddef.h>
#include <stdint.h>

struct rdma_bench;

/*
 * Two connected RDMA contexts on the first device, depth tasks, and count writes of size bytes each from one to the
 * memory of the other. With moving, each write sets its buffers to a new range. NULL and a doca_error_t in case of
 * failure.
 */
struct rdma_bench *rdma_bench_new(uint32_t depth, uint32_t count, size_t size, int moving, int *error);
/* Runs rounds times: all writes, depth of them in flight. Returns a doca_error_t. */
int rdma_bench_run(struct rdma_bench *b, uint64_t rounds);
/* The same, one write at a time: each is submitted when the one before has been seen to end. */
int rdma_bench_run_blocking(struct rdma_bench *b, uint64_t rounds);
/* Copies the same bytes without DOCA. */
void rdma_bench_memcpy(struct rdma_bench *b, uint64_t rounds);
/* 1 when the target holds what the source does. */
int rdma_bench_verify(const struct rdma_bench *b);
int rdma_bench_free(struct rdma_bench *b);

#endif
