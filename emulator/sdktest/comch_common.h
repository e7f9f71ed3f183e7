/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_COMCH_COMMON_H_
#define SDKTEST_COMCH_COMMON_H_

/*
 * The Comch samples: a client on the host and a server on the DPU, each with one engine for its control path. The
 * user data of the context is the endpoint, which the callbacks need: connections have no user data.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_comch.h>
#include <doca_ctx.h>

#include "sample.h"

#define COMCH_MAX_TEXT 4080
#define COMCH_NUM_SEND_TASKS 1024
#define COMCH_RECV_QUEUE_SIZE 10

struct comch_config {
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char rep_pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	char text[COMCH_MAX_TEXT + 1];
	uint32_t max_msg_size; /* 0: the device's maximum */
};

struct comch_callbacks {
	doca_ctx_state_changed_callback_t state_changed;
	doca_comch_task_send_completion_cb_t sent;
	doca_comch_event_msg_recv_cb_t received;
	doca_comch_event_connection_status_changed_cb_t connected; /* server */
	doca_comch_event_consumer_cb_t consumer_new;               /* NULL: control path only */
	doca_comch_event_consumer_cb_t consumer_expired;
};

/* A server or a client: the first member of a sample's own struct. */
struct comch_endpoint {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *connection; /* NULL while there is none */
	enum doca_ctx_states state;               /* the last one that the state callback reported */
	doca_error_t result;                      /* the first error in a callback */
};

/* Creates the endpoint's objects and starts it. A client has its connection in the state RUNNING. */
doca_error_t comch_start_server(struct comch_endpoint *endpoint, const struct comch_config *config,
				const char *name, const struct comch_callbacks *callbacks);
doca_error_t comch_start_client(struct comch_endpoint *endpoint, const struct comch_config *config,
				const char *name, const struct comch_callbacks *callbacks);
/* Destroys whatever was created. Stops the endpoint first if it has not ended. */
doca_error_t comch_destroy(struct comch_endpoint *endpoint);

/* Returns the endpoint of a connection, for callbacks. */
struct comch_endpoint *comch_endpoint_of(const struct doca_comch_connection *connection);

/* Submits a message to the peer. */
doca_error_t comch_send(struct comch_endpoint *endpoint, const void *message, size_t len);
/* Stops the context. An error is kept in the endpoint's result. */
void comch_stop(struct comch_endpoint *endpoint);
/* Keeps the first error of the callbacks. */
void comch_keep_error(struct comch_endpoint *endpoint, doca_error_t result);

/* Callbacks that most samples use. */
void comch_on_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		    enum doca_ctx_states next);
void comch_on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data);
void comch_on_connected(struct doca_comch_event_connection_status_changed *event,
			struct doca_comch_connection *connection, uint8_t is_successful);

/* main of a sample. */
int comch_main(int argc, char **argv, const char *name, bool is_server,
	       doca_error_t (*run)(const struct comch_config *config));

#endif /* SDKTEST_COMCH_COMMON_H_ */
