/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SDKTEST_DMA_COMMON_H_
#define SDKTEST_DMA_COMMON_H_

/* What the DMA samples share: one task from one list of buffers to another. */

#include <stdbool.h>
#include <stddef.h>

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dma.h>

#include "sample.h"

struct dma_core {
	struct doca_dev *dev;
	struct doca_mmap *src_mmap;
	struct doca_mmap *dst_mmap;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_buf *src_head;
	struct doca_buf *dst_head;
	bool running;
	bool done;
	doca_error_t task_result;
};

struct dma_counts {
	int num_src;
	int num_dst;
};

/* Adds -ns and -nd. The configuration that the program gives doca_argp_init begins with a struct dma_counts. */
doca_error_t dma_add_count_params(void);

/* Opens the device and creates everything except the maps, for one copy. */
doca_error_t dma_open(struct dma_core *core, const char *pci_addr, const struct dma_counts *counts);
/* Returns the size of the largest task of the device. */
doca_error_t dma_max_len(const struct dma_core *core, size_t *len);
/* Copies len bytes from an address in src_mmap to one in dst_mmap, in lists of the given lengths, and checks the
 * lists afterwards. */
doca_error_t dma_copy(struct dma_core *core, const struct dma_counts *counts, char *src, char *dst, size_t len);
/* Destroys whatever was created. */
doca_error_t dma_close(struct dma_core *core);

#endif /* SDKTEST_DMA_COMMON_H_ */
