/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_DMA_COPY_H_
#define SDKTEST_DMA_COPY_H_

/*
 * Copies a file between host and DPU with one DMA task, which the DPU runs. The side without the file creates it.
 * Which side the program is on depends on the SDK that it is compiled with.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_comch.h>
#include <doca_ctx.h>

#include "sample.h"

#define COPY_MAX_PATH 128
#define COPY_MAX_DESCRIPTOR 4096

struct copy_config {
	char file[COPY_MAX_PATH];
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char rep_pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
};

/* The messages on the wire. Numbers are in network byte order, except the type. */
enum copy_message_type {
	COPY_DIRECTION = 1,
	COPY_EXPORT_DESCRIPTOR = 2,
	COPY_STATUS = 3,
};

struct copy_direction {
	uint32_t type;
	bool is_file_in_host;
	doca_be64_t file_size;
};

struct copy_export_descriptor {
	uint32_t type;
	doca_be64_t host_addr;
	doca_be64_t desc_len;
	uint8_t desc[];
};

struct copy_status {
	uint32_t type;
	bool is_success;
};

/* The connection, and what its callback has learned. */
struct copy_channel {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server; /* on the DPU */
	struct doca_comch_client *client; /* on the host */
	struct doca_ctx *ctx;
	struct doca_comch_connection *connection; /* NULL while there is none */
	uint32_t max_msg_size;

	bool has_direction;
	bool is_file_in_host;
	uint64_t file_size;
	bool has_descriptor;
	uint8_t *host_addr;
	size_t desc_len;
	uint8_t desc[COPY_MAX_DESCRIPTOR];
	bool has_status;
	bool is_success;
	doca_error_t result; /* first error in a callback */
};

/* dma_copy_channel.c */
doca_error_t copy_connect(struct copy_channel *channel, const struct copy_config *config);
doca_error_t copy_send(struct copy_channel *channel, const void *message, size_t len);
doca_error_t copy_send_status(struct copy_channel *channel, bool is_success);
/* Makes progress until the flag is set, the peer has reported a failure, or the connection has ended. */
doca_error_t copy_wait(struct copy_channel *channel, const bool *flag);
void copy_wait_for_disconnection(struct copy_channel *channel);
doca_error_t copy_destroy(struct copy_channel *channel);

#endif /* SDKTEST_DMA_COPY_H_ */
