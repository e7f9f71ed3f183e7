/* In the style of DOCA 2.2, for tests. */
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include "doca_ctx.h"

struct doca_buf;
struct doca_dma;

enum doca_dma_job_types {
	DOCA_DMA_JOB_MEMCPY = DOCA_ACTION_DMA_FIRST + 1,
};

/** @brief A copy */
struct doca_dma_job_memcpy {
	struct doca_job base;           /**< in front of every job */
	struct doca_buf *dst_buff;      /**< where to */
	struct doca_buf const *src_buff; /**< where from */
};

struct doca_dma_memcpy_result {
	doca_error_t result;
};

DOCA_STABLE
doca_error_t doca_dma_create(struct doca_dma **dma);
DOCA_STABLE
doca_error_t doca_dma_destroy(struct doca_dma *dma);
DOCA_STABLE
doca_error_t doca_dma_job_get_supported(struct doca_devinfo *devinfo, enum doca_dma_job_types job_type);
DOCA_STABLE
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

#endif
