/* The names and types of DOCA 2.5's doca_buf_inventory.h, for tests. */
#ifndef G_doca_buf_inventory_h
#define G_doca_buf_inventory_h
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
struct doca_buf_inventory;
DOCA_STABLE doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory ** inventory);
DOCA_STABLE doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory * inventory);
DOCA_STABLE doca_error_t doca_buf_inventory_start(struct doca_buf_inventory * inventory);
DOCA_STABLE doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory * inventory);
DOCA_STABLE doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory * inventory, struct doca_mmap * mmap, void * addr, size_t len, void * data, size_t data_len, struct doca_buf ** buf);
static inline doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory * inventory, struct doca_mmap * mmap, void * addr, size_t len, struct doca_buf ** buf) { return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, addr, 0, buf); }
static inline doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory * inventory, struct doca_mmap * mmap, void * data, size_t data_len, struct doca_buf ** buf) { return doca_buf_inventory_buf_get_by_args(inventory, mmap, data, data_len, data, data_len, buf); }
DOCA_STABLE doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory * inventory, const struct doca_buf * src_buf, struct doca_buf ** dst_buf);
DOCA_STABLE doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory * inventory, union doca_data user_data);
DOCA_STABLE doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory * inventory, uint32_t * num_of_elements);
DOCA_STABLE doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory * inventory, uint32_t * num_of_free_elements);
DOCA_STABLE doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory * inventory, union doca_data * user_data);
#endif
