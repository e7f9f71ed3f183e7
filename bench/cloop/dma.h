#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#include <stddef.h>
#include <stdint.h>

struct bench;

/* What a copy needs of its buffers. */
enum bench_buffers {
	BENCH_FIXED,	/* they stay as they are */
	BENCH_SET_DATA, /* they cover all memory and are set to a new range */
	BENCH_SET_SOURCE_DATA, /* the source is set to new data in its range */
	BENCH_GET,	/* they are taken for a new range and given back after the copy */
	BENCH_MEMORIES, /* each range is a memory of its own, which has a buffer that is set to the range again */
};

/*
 * A DMA context on the first device, depth tasks, and count copies of size bytes each. With into_go,
 * completions call Go. NULL and a doca_error_t in case of failure.
 */
struct bench *bench_new(uint32_t depth, uint32_t count, size_t size, int into_go, enum bench_buffers buffers,
			int *error);
/* Runs rounds times: all copies, depth of them in flight. Returns a doca_error_t. */
int bench_run(struct bench *b, uint64_t rounds);
/* Runs rounds times: as many rounds as there are copies in one, the first of one copy, the next of two, and so on until all. */
int bench_run_varied(struct bench *b, uint64_t rounds);
/* The same as bench_run without a pause: the copies of a round begin while those of the one before are in flight. With depth copies in a round
 * their ranges must be those of the round before, else there must be twice as many. */
int bench_run_on(struct bench *b, uint64_t rounds);
/* The same as bench_run, one copy at a time: each is submitted when the one before has been seen to end. */
int bench_run_blocking(struct bench *b, uint64_t rounds);
/* The steps of a round one by one. The completion calls Go with the handle. */
int bench_submit(struct bench *b, uint32_t copy, uintptr_t handle);
int bench_progress(struct bench *b);
/* Copies count ranges of size bytes without DOCA, rounds times. */
void bench_copy(uint8_t *to, const uint8_t *from, uint32_t count, size_t size, uint64_t rounds);
/* Copies the same bytes without DOCA. */
void bench_memcpy(struct bench *b, uint64_t rounds);
/* 1 when the destinations hold what the sources do. */
int bench_verify(const struct bench *b);
int bench_free(struct bench *b);

#endif
