#ifndef BENCH_COMCH_LOOP_H
#define BENCH_COMCH_LOOP_H

#include <stddef.h>
#include <stdint.h>

/* As in loop.h. */
const char *comch_function(size_t i);
void comch_bind(void *const *functions);

struct comch;

/*
 * A server and a client in one process and their connection; a producer at the client with depth tasks, and
 * a consumer at the server with as many buffers of size bytes. NULL and a doca_error_t in case of failure.
 */
struct comch *comch_new(const char *dpu, const char *host, const char *name, uint32_t depth, size_t size, int *error);
/* Sends rounds times depth messages, all of them at once, and receives them. Returns a doca_error_t. */
int comch_run(struct comch *b, uint64_t rounds);
/* Sends bursts of so many messages while another thread receives them. Each begins when all of the one before are sent. Returns a
 * doca_error_t. */
int comch_stream(struct comch *b, uint64_t bursts, uint64_t messages);
/* Has the client send a control message of len bytes that the server returns, rounds times. Returns a
 * doca_error_t. */
int comch_ping(struct comch *b, size_t len, uint64_t rounds);
/* 1 when every buffer of the consumer holds what the producer's does. */
int comch_verify(const struct comch *b);
int comch_free(struct comch *b);

#endif
