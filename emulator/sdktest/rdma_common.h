/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_RDMA_COMMON_H_
#define SDKTEST_RDMA_COMMON_H_

/*
 * What the RDMA samples share. The two programs of a pair exchange their connection details as files, which the user
 * copies, or connect by address (-cm). A responder also gives its requester the descriptor of a resource, its memory or
 * its sync event: as a file, or as a message on a connection by address.
 *
 * rdma_common.c has the parameters and the life of the objects, rdma_connect.c the connections.
 */

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_rdma.h>

#include "sample.h"

#define RDMA_MAX_TEXT 256
#define RDMA_MAX_PATH 1024
#define RDMA_MAX_CONNECTIONS 8
#define RDMA_MEMORY 4096
#define RDMA_INVENTORY 16

/* Parameters that not all of the samples have. */
enum rdma_param {
	RDMA_PARAM_RESOURCE = 1 << 0,
	RDMA_PARAM_SEND = 1 << 1,
	RDMA_PARAM_READ = 1 << 2,
	RDMA_PARAM_WRITE = 1 << 3,
	RDMA_PARAM_NUM_CONNECTIONS = 1 << 4,
};

struct rdma_config {
	char device[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	char local_path[RDMA_MAX_PATH];	   /* of the file for this side's connection details */
	char remote_path[RDMA_MAX_PATH];   /* of the file with the peer's */
	char resource_path[RDMA_MAX_PATH]; /* of the file for the responder's resource */
	char text[RDMA_MAX_TEXT + 1];
	bool has_gid_index;
	uint32_t gid_index;
	enum doca_rdma_transport_type transport;
	bool use_cm;
	uint16_t port;
	char server[64]; /* empty: this is the server */
	enum doca_rdma_addr_type server_type;
	uint32_t num_connections;
};

struct rdma_resources;

/* What makes one sample different from the others. */
struct rdma_sample {
	const char *name;
	uint32_t params;      /* flags of enum rdma_param */
	uint32_t permissions; /* of the memory, flags of enum doca_access_flag */
	uint32_t rdma_permissions;
	capability_check is_supported;
	/* Sets up the context's tasks. */
	doca_error_t (*configure)(struct rdma_resources *resources);
	/* Of a responder, else NULL: the descriptor for the requester. */
	doca_error_t (*export_resource)(struct rdma_resources *resources, const void **desc, size_t *len);
	/* Of a requester, else NULL: takes it. */
	doca_error_t (*import_resource)(struct rdma_resources *resources, const void *desc, size_t len);
	/* Both sides are connected and have what they need. NULL: there is nothing to do. */
	doca_error_t (*connected)(struct rdma_resources *resources, struct doca_rdma_connection *connection);
	/* All has gone well, and the context is idle. NULL: there is nothing to do. */
	doca_error_t (*over)(struct rdma_resources *resources);
	/* Destroys what the sample has made. NULL: that is nothing. */
	doca_error_t (*destroy)(struct rdma_resources *resources);
};

struct rdma_resources {
	const struct rdma_sample *sample;
	struct rdma_config config;
	struct doca_dev *dev;
	char *memory; /* RDMA_MEMORY bytes */
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_rdma_connection *connections[RDMA_MAX_CONNECTIONS];
	uint32_t num_connections; /* made so far */
	uint32_t num_tasks;	  /* in flight */
	char *desc;		  /* of the resource, on its way by message */
	struct doca_mmap *desc_mmap;
	bool is_ending;
	bool is_over;
	doca_error_t result;
};

/* The main function of each sample. */
int rdma_main(const struct rdma_sample *sample, int argc, char **argv);

/* Submits a task, or frees it if that fails. */
doca_error_t rdma_submit(struct rdma_resources *resources, struct doca_task *task);
/* For the completion callbacks: frees the task and its buffers, which may be NULL. The last task ends the sample, and so
 * does an error. */
void rdma_task_over(struct rdma_resources *resources, struct doca_task *task, doca_error_t result,
		    const struct doca_buf *src, struct doca_buf *dst);
/* Keeps the result, disconnects what is connected by address, and stops the context. */
void rdma_end(struct rdma_resources *resources, doca_error_t result);

/* Copies the program's text to the memory, and makes a buffer of it. */
doca_error_t rdma_text_buf(struct rdma_resources *resources, struct doca_buf **src);

void rdma_wait_for_enter(const char *what);
doca_error_t rdma_write_file(const char *path, const void *bytes, size_t len);
doca_error_t rdma_read_file(const char *path, void *bytes, size_t size, size_t *len);

/* The callbacks and the tasks for the connections. */
doca_error_t rdma_prepare_connections(struct rdma_resources *resources);
/* Connects. The context is running. */
doca_error_t rdma_connect(struct rdma_resources *resources);

#endif /* SDKTEST_RDMA_COMMON_H_ */
