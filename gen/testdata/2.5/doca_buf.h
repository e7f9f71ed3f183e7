/* The names and types of DOCA 2.5's doca_buf.h, for tests. */
#ifndef G_doca_buf_h
#define G_doca_buf_h
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
struct doca_buf;
DOCA_STABLE doca_error_t doca_buf_inc_refcount(struct doca_buf * buf, uint16_t * refcount);
DOCA_STABLE doca_error_t doca_buf_dec_refcount(struct doca_buf * buf, uint16_t * refcount);
DOCA_STABLE doca_error_t doca_buf_get_refcount(const struct doca_buf * buf, uint16_t * refcount);
DOCA_STABLE doca_error_t doca_buf_get_len(const struct doca_buf * buf, size_t * len);
DOCA_STABLE doca_error_t doca_buf_get_head(const struct doca_buf * buf, void ** head);
DOCA_STABLE doca_error_t doca_buf_get_data_len(const struct doca_buf * buf, size_t * data_len);
DOCA_STABLE doca_error_t doca_buf_get_data(const struct doca_buf * buf, void ** data);
DOCA_STABLE doca_error_t doca_buf_set_data(struct doca_buf * buf, void * data, size_t data_len);
DOCA_STABLE doca_error_t doca_buf_reset_data_len(struct doca_buf * buf);
DOCA_STABLE doca_error_t doca_buf_get_next_in_list(struct doca_buf * buf, struct doca_buf ** next_buf);
DOCA_STABLE doca_error_t doca_buf_get_last_in_list(struct doca_buf * buf, struct doca_buf ** last_buf);
DOCA_STABLE doca_error_t doca_buf_is_last_in_list(const struct doca_buf * buf, uint8_t * is_last);
DOCA_STABLE doca_error_t doca_buf_is_first_in_list(const struct doca_buf * buf, uint8_t * is_first);
DOCA_STABLE doca_error_t doca_buf_is_in_list(const struct doca_buf * buf, uint8_t * is_in_list);
DOCA_STABLE doca_error_t doca_buf_get_list_len(const struct doca_buf * buf, uint32_t * num_elements);
DOCA_STABLE doca_error_t doca_buf_chain_list(struct doca_buf * list1, struct doca_buf * list2);
DOCA_STABLE doca_error_t doca_buf_unchain_list(struct doca_buf * list1, struct doca_buf * list2);
#endif
