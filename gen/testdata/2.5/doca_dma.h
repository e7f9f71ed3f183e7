/* The names and types of DOCA 2.5's doca_dma.h, for tests. */
#ifndef G_doca_dma_h
#define G_doca_dma_h
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdarg.h>
#include <linux/types.h>
#include "doca_error.h"
#include "doca_types.h"
#include "doca_compat.h"
#include "doca_version.h"
#include "doca_log.h"
#include "doca_argp.h"
#include "doca_dev.h"
#include "doca_ctx.h"
#include "doca_pe.h"
#include "doca_mmap.h"
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_buf_pool.h"
struct doca_dma_task_memcpy;
struct doca_dma;
typedef void (*doca_dma_task_memcpy_completion_cb_t)(struct doca_dma_task_memcpy *, union doca_data, union doca_data);
DOCA_STABLE doca_error_t doca_dma_create(struct doca_dev * dev, struct doca_dma ** dma);
DOCA_STABLE doca_error_t doca_dma_destroy(struct doca_dma * dma);
DOCA_STABLE doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo * devinfo);
DOCA_STABLE struct doca_ctx * doca_dma_as_ctx(struct doca_dma * dma);
DOCA_STABLE doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma * dma, uint32_t * max_num_tasks);
DOCA_STABLE doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo * devinfo, uint32_t * max_buf_list_len);
DOCA_STABLE doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo * devinfo, uint64_t * buf_size);
DOCA_STABLE doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma * dma, doca_dma_task_memcpy_completion_cb_t task_completion_cb, doca_dma_task_memcpy_completion_cb_t task_error_cb, uint32_t num_memcpy_tasks);
DOCA_STABLE doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma * dma, const struct doca_buf * src, struct doca_buf * dst, union doca_data user_data, struct doca_dma_task_memcpy ** task);
DOCA_STABLE struct doca_task * doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy * task);
DOCA_STABLE void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy * task, const struct doca_buf * src);
DOCA_STABLE const struct doca_buf * doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy * task);
DOCA_STABLE void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy * task, struct doca_buf * dst);
DOCA_STABLE struct doca_buf * doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy * task);
#endif
