/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_COMCH_DATA_PATH_COMMON_H_
#define SDKTEST_COMCH_DATA_PATH_COMMON_H_

/*
 * The Comch data path samples. The client's producer sends its text to the server's consumer, then the server's
 * producer sends its text to the client. Each producer and consumer has an engine of its own and exists for one
 * text.
 */

#include <doca_buf.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include "comch_common.h"

#define DATA_PATH_SERVER_NAME "comch_data_path_sample_server"
#define DATA_PATH_START "start_data_path_test"
#define DATA_PATH_STOP "stop_data_path_test"
#define DATA_PATH_NUM_TASKS 2
#define DATA_PATH_NO_CONSUMER 0xffff

/* The current producer or consumer. */
struct data_path_phase {
	char *memory;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_comch_producer *producer;
	struct doca_comch_consumer *consumer;
	struct doca_ctx *ctx;
	enum doca_ctx_states state;
	bool is_done;
	doca_error_t result; /* first error in a callback */
};

struct data_path {
	struct comch_endpoint endpoint;
	const char *text;
	bool is_started;
	bool is_stopped;
	uint32_t remote_consumer_id;
	uint32_t num_consumers_new;
	uint32_t num_consumers_expired;
	struct data_path_phase phase;
};

/* Waits for the peer's consumer and sends the text to it. */
doca_error_t data_path_send(struct data_path *path);
/* Receives one text with a consumer. */
doca_error_t data_path_receive(struct data_path *path);

/* True if the message is this text. */
bool data_path_is(const uint8_t *message, uint32_t len, const char *text);

/* Checks what must hold when the endpoint has ended. */
doca_error_t data_path_check(const struct data_path *path);

/* Callbacks of the endpoint. */
void data_path_on_consumer_new(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			       uint32_t id);
void data_path_on_consumer_expired(struct doca_comch_event_consumer *event,
				   struct doca_comch_connection *connection, uint32_t id);

#endif /* SDKTEST_COMCH_DATA_PATH_COMMON_H_ */
