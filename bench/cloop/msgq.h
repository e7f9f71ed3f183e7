#ifndef BENCH_MSGQ_LOOP_H
#define BENCH_MSGQ_LOOP_H

#include <stdint.h>

struct doca_dpa_app;
struct msgq_bench;

/*
 * Two MsgQs of the first device, to a thread of the application that sends each message back and from it, with window
 * messages on their way. NULL and a doca_error_t in case of failure.
 */
struct msgq_bench *msgq_bench_new(struct doca_dpa_app *app, uint32_t window, int *error);
/* Sends that many messages, and gets them back in order. Returns a doca_error_t. */
int msgq_bench_run(struct msgq_bench *b, uint64_t messages);
int msgq_bench_free(struct msgq_bench *b);

#endif
