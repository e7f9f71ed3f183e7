/* In the style of DOCA 2.2, for tests. */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include "doca_dev.h"

struct doca_mmap;

typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *opaque);
typedef int (*doca_mmap_iter_cb)(struct doca_mmap *mmap, void *opaque);

DOCA_STABLE
doca_error_t doca_mmap_create(const union doca_data *user_data, struct doca_mmap **mmap);
DOCA_STABLE
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);
DOCA_STABLE
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb, void *opaque);
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_iterate(doca_mmap_iter_cb cb, void *opaque);
DOCA_STABLE
doca_error_t doca_mmap_export_dpu(struct doca_mmap *mmap, const struct doca_dev *dev, const void **export_desc,
				  size_t *export_desc_len);

#endif
