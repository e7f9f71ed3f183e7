/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_SECURE_CHANNEL_H_
#define SDKTEST_SECURE_CHANNEL_H_

/*
 * Sends a number of messages to the peer and receives a number of messages from it, each in its own thread. Each
 * thread has its own engine, and the main thread drives that of the connection.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>

#include "sample.h"

#define CHANNEL_MAX_TASKS 1024
#define CHANNEL_MAX_MSG_SIZE 65535
#define CACHE_LINE 64

struct channel_config {
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char rep_pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	int msg_size;
	int num_msgs;
};

/* The messages of one direction. */
struct channel_load {
	uint32_t num_msgs;
	uint32_t msg_size;
};

struct channel_memory {
	uint8_t *addr;
	size_t stride; /* from one buffer to the next */
	uint32_t num_bufs;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
};

/* The connection, and what its callbacks on the main thread learn. It is the connection's user data. */
struct channel {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server; /* on the DPU */
	struct doca_comch_client *client; /* on the host */
	struct doca_ctx *ctx;
	struct doca_comch_connection *connection; /* NULL while there is none */
	bool is_start_received;
	bool is_end_received;
	struct channel_load peer; /* what it sends */
	doca_error_t result;      /* first error in a callback */
	uint32_t consumer_id;     /* of the peer; 0: there is none yet; read by the threads */
	bool has_failed;          /* threads read and write it */
};

/* One of the two threads. */
struct channel_thread {
	struct channel *channel;
	struct channel_load load;
	struct channel_memory memory;
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_comch_producer *producer;
	struct doca_comch_consumer *consumer;
	struct doca_comch_consumer_task_post_recv **posted;
	uint32_t num_posted;
	uint32_t num_submitted;
	uint32_t num_done;
	bool is_stopping;
	double milliseconds;
	doca_error_t result;
	bool has_ended; /* the main thread reads it */
};

/* secure_channel_control.c */
doca_error_t channel_connect(struct channel *channel, const struct channel_config *config);
doca_error_t channel_send_start(struct channel *channel, const struct channel_load *load);
doca_error_t channel_send_end(struct channel *channel);
/* Drives the control path until the flag is set. */
doca_error_t channel_wait(struct channel *channel, const bool *flag);
doca_error_t channel_destroy(struct channel *channel);

/* secure_channel_threads.c: the main thread starts both after it has allocated the memory. */
doca_error_t channel_make_memory(struct channel_thread *thread, uint32_t permissions, uint32_t num_bufs);
doca_error_t channel_destroy_memory(struct channel_memory *memory);
void *channel_producer(void *arg);
void *channel_consumer(void *arg);

#endif /* SDKTEST_SECURE_CHANNEL_H_ */
