/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_PE_COMMON_H_
#define SDKTEST_PE_COMMON_H_

/*
 * The progress engine samples: each copies a number of small buffers with DMA tasks, and shows one way to drive the
 * engine. Source buffer i is filled with the byte i + 1, and destination i must be afterwards.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_types.h>

#include "sample.h"

#define NUM_TASKS 16
#define BUFFER_SIZE 1024

struct pe_sample {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	uint8_t *memory; /* all sources, then all destinations */
	size_t num_copies;
	struct doca_buf **srcs;
	struct doca_buf **dsts;
};

/* One DMA context of a sample. Its user data points to it. */
struct pe_dma {
	struct pe_sample *sample;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_dma_task_memcpy **tasks;
	size_t num_tasks;
	size_t num_completed;
	size_t num_failed;
	enum doca_ctx_states state;         /* the last state that the state callback reported */
	enum doca_ctx_states previous;      /* the state before that */
	size_t num_transitions;
	bool idle_seen;
	doca_error_t callback_result; /* the first error in a callback */
	void *opaque;
};

/* Creates everything except contexts, for num_copies copies. */
doca_error_t pe_sample_create(struct pe_sample *sample, size_t num_copies);
doca_error_t pe_sample_destroy(struct pe_sample *sample);

/* True if destination i has the bytes of source i. */
bool pe_copy_is_right(const struct pe_sample *sample, size_t i);
/* True if nothing was written to destination i. */
bool pe_copy_is_missing(const struct pe_sample *sample, size_t i);

/* Creates a context for num_tasks tasks, connected to the sample's engine and not started. */
doca_error_t pe_dma_create(struct pe_dma *dma, struct pe_sample *sample, size_t num_tasks,
			   doca_dma_task_memcpy_completion_cb_t completion_cb,
			   doca_dma_task_memcpy_completion_cb_t error_cb);
/* Allocates task i of dma for copy number copy; the number is its user data. */
doca_error_t pe_dma_alloc(struct pe_dma *dma, size_t i, size_t copy);
void pe_dma_free_tasks(struct pe_dma *dma);
/* Stops a context whose tasks are done, makes progress until it is idle, and destroys it. Accepts an empty one. */
doca_error_t pe_dma_destroy(struct pe_dma *dma);

/* Callbacks that count. */
void pe_on_completed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data);
void pe_on_failed(struct doca_dma_task_memcpy *task, union doca_data task_data, union doca_data ctx_data);

/* Keeps the first error of the callbacks. */
void pe_keep_error(struct pe_dma *dma, doca_error_t result);

/* main of a sample. */
int pe_main(int argc, char **argv, const char *name, doca_error_t (*run)(struct pe_sample *sample),
	    size_t num_copies);

#endif /* SDKTEST_PE_COMMON_H_ */
