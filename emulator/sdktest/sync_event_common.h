/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_SYNC_EVENT_COMMON_H_
#define SDKTEST_SYNC_EVENT_COMMON_H_

/*
 * The sync event samples: one program makes an event, and the other one, at the other end of the PCI bus, imports it. Its
 * blob goes as a Comch message; the program for the DPU is the server.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_sync_event.h>

#include "comch_common.h"
#include "sample.h"

#define SYNC_EVENT_MAX_BLOB 1024

struct sync_event_config {
	struct comch_config comch;
	bool is_async;
	bool is_atomic;
	int num_tasks;
};

struct sync_event_peer {
	struct comch_endpoint endpoint; /* first, for the callbacks */
	const struct sync_event_config *config;
	struct doca_dev *dev;
	struct doca_sync_event *event;
	struct doca_pe *pe; /* of the event, with tasks */
	bool is_blob;
	uint8_t blob[SYNC_EVENT_MAX_BLOB];
	uint32_t blob_len;
	uint64_t fetched;
	doca_error_t task_result;
};

/* Connects to the other program. */
doca_error_t sync_event_connect(struct sync_event_peer *peer);
/* Waits for the blob. */
doca_error_t sync_event_receive(struct sync_event_peer *peer);
/* Starts the event, which is configured, with tasks or without. */
doca_error_t sync_event_begin(struct sync_event_peer *peer);
/* Changes the value from value - 1 to value. */
doca_error_t sync_event_signal(struct sync_event_peer *peer, uint64_t value);
/* Waits until the event has that value. */
doca_error_t sync_event_await(struct sync_event_peer *peer, uint64_t value);
/* Ends the connection: the host leaves first. */
doca_error_t sync_event_end(struct sync_event_peer *peer);

/* main of a sample. */
int sync_event_main(int argc, char **argv, const char *name, capability_check check,
		    doca_error_t (*talk)(struct sync_event_peer *peer));

#endif /* SDKTEST_SYNC_EVENT_COMMON_H_ */
