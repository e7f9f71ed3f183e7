/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_DPA_COMMON_H_
#define SDKTEST_DPA_COMMON_H_

/*
 * What the DPA samples share: the parameters, the DPA context with the sample's application, an endpoint (memory, RDMA
 * context and completion queue on the DPA), and an event that the DPA sets and the host waits for.
 */

#include <doca_ctx.h>
#include <doca_dpa.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>

#include "../sample.h"

#define DPA_MAX_NAME 64

struct dpa_config {
	char pf_device[DPA_MAX_NAME];	/* "NOT_SET": any device with a DPA */
	char rdma_device[DPA_MAX_NAME]; /* "NOT_SET": the same device */
	bool has_gid_index;
	uint32_t gid_index;
};

struct dpa_resources {
	struct dpa_config config;
	struct doca_dev *dev;	   /* with the DPA */
	struct doca_dev *rdma_dev; /* the same one, unless the user has named another */
	struct doca_dpa *dpa;
	struct doca_dpa *rdma_dpa;   /* the context for what belongs to rdma_dev */
	doca_dpa_dev_t rdma_dpa_set; /* for doca_dpa_dev_device_set; 0: not needed */
};

/* Starts the log, reads the arguments, opens the devices and starts a DPA context with the application. */
doca_error_t dpa_begin(const char *name, struct doca_dpa_app *app, int argc, char **argv, struct dpa_resources *resources);
/* Destroys all that. Returns the first error, result if that is one. */
doca_error_t dpa_end(struct dpa_resources *resources, doca_error_t result);

/* Creates and starts an event that the CPU publishes and the DPA waits for, or the other way round. */
doca_error_t dpa_event_to_dpa(struct dpa_resources *resources, struct doca_sync_event **event);
doca_error_t dpa_event_to_cpu(struct dpa_resources *resources, struct doca_sync_event **event);

/* Memory of the host, and its map's handle for code on the DPA. */
struct dpa_memory {
	void *addr;
	struct doca_mmap *mmap;
	uint32_t handle;
};

doca_error_t dpa_memory_create(struct dpa_resources *resources, size_t size, struct dpa_memory *memory);
doca_error_t dpa_memory_destroy(struct dpa_memory *memory);

/* An RDMA context on the DPA with its completion queue. */
struct dpa_rdma {
	struct doca_dpa_completion *comp;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_rdma_connection *connection;
	doca_dpa_dev_completion_t comp_handle;
	doca_dpa_dev_rdma_t rdma_handle;
};

/* Creates and starts both. The thread, which is started, runs when a completion arrives. NULL: the queue is polled. */
doca_error_t dpa_rdma_create(struct dpa_resources *resources, struct doca_dpa_thread *thread, struct dpa_rdma *rdma);
doca_error_t dpa_rdma_destroy(struct dpa_rdma *rdma);

/* Connects two contexts of this process, one of which may be on the CPU. Both are started. */
doca_error_t dpa_connect(struct doca_rdma *a, struct doca_rdma_connection **conn_a, struct doca_rdma *b,
			 struct doca_rdma_connection **conn_b);

/* Creates and starts a thread that runs func with the address of its argument, size bytes of DPA memory. */
doca_error_t dpa_thread_create(struct dpa_resources *resources, doca_dpa_func_t *func, size_t size,
			       struct doca_dpa_thread **thread, doca_dpa_dev_uintptr_t *arg);

#endif /* SDKTEST_DPA_COMMON_H_ */
