/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_RDMA_COMMON_H_
#define SDKTEST_RDMA_COMMON_H_

/*
 * What the RDMA samples share: their parameters, one context and one connection. The two programs of a pair exchange
 * their connection details as files, which the user copies, or connect by address (-cm).
 */

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_rdma.h>

#include "sample.h"

#define RDMA_MAX_TEXT 256
#define RDMA_MEMORY 4096

struct rdma_config {
	char device[64]; /* as ibv_devinfo lists it */
	char local_path[1024];
	char remote_path[1024];
	char resource_path[1024]; /* of the descriptor of the responder's memory */
	char text[RDMA_MAX_TEXT];
	char server[64]; /* empty: this is the server */
	bool use_cm;
	bool use_imm;
	int port;
};

struct rdma_core {
	struct rdma_config config;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	char memory[RDMA_MEMORY];
	struct doca_rdma_connection *conn;
	doca_error_t (*connected)(struct rdma_core *core); /* what the sample does when it is connected */
	doca_error_t result;
	bool is_over;
};

/* Reads the parameters. The program's text has a parameter if it is not NULL. */
doca_error_t rdma_parse(struct rdma_core *core, const char *name, const char *text, int argc, char **argv);

/* Opens the device and creates the context; the sample then configures its tasks. */
doca_error_t rdma_open(struct rdma_core *core, uint32_t permissions);
/* Starts, drives the engine until the context is idle, and cleans up. */
doca_error_t rdma_run(struct rdma_core *core);
/* Ends the sample with a result: disconnects, if it has connected by address, and stops. */
void rdma_end(struct rdma_core *core, doca_error_t result);

/* Files, and the key that says that they were copied. */
doca_error_t rdma_write_file(const char *path, const void *bytes, size_t len);
doca_error_t rdma_read_file(const char *path, void *bytes, size_t size, size_t *len);
void rdma_wait_for_enter(const char *what);

#endif /* SDKTEST_RDMA_COMMON_H_ */
