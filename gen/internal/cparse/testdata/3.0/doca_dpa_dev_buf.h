/**
 * @file doca_dpa_dev_buf.h
 * @brief Buffers on the DPA.
 */
#ifndef DOCA_DPA_DEV_BUF_H_
#define DOCA_DPA_DEV_BUF_H_

#include <doca_dpa_dev.h>

typedef uint32_t doca_dpa_dev_mmap_t;
typedef uint64_t doca_dpa_dev_buf_t;
typedef uint64_t doca_dpa_dev_buf_arr_t;

/**
 * @brief An element of an array.
 */
struct doca_dpa_dev_buf {
	uintptr_t addr;		    /**< Where. */
	uint64_t len;		    /**< How much. */
	doca_dpa_dev_mmap_t mmap;   /**< Of which memory. */
	unsigned char reserved[12]; /**< Nothing. */
} __attribute__((__packed__));

/**
 * @brief Head of an array.
 */
struct doca_dpa_dev_buf_arr {
	struct doca_dpa_dev_buf *bufs;
	unsigned char reserved[64 - sizeof(uint64_t) * 4 - sizeof(void *) - 4];
} __attribute__((__packed__, aligned(64)));

/**
 * @brief An element of an array.
 */
DOCA_EXPERIMENTAL
__attribute__((always_inline)) static inline doca_dpa_dev_buf_t
doca_dpa_dev_buf_array_get_buf(doca_dpa_dev_buf_arr_t buf_arr, const uint64_t buf_idx)
{
	struct doca_dpa_dev_buf_arr *arr = (struct doca_dpa_dev_buf_arr *)buf_arr;

	return (doca_dpa_dev_buf_t)&arr->bufs[buf_idx];
}

#endif
