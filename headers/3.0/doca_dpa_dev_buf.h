/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa_dev_buf.h
 * @brief The device API for buffers, for code that runs on the DPA: the arrays of
 * doca_buf_array.h, and copies between buffers or memory maps.
 *
 * A buffer has an address, a length and the handle of its memory map, which the host gets with
 * doca_mmap_dev_get_dpa_handle().
 */
#ifndef DOCA_DPA_DEV_BUF_H_
#define DOCA_DPA_DEV_BUF_H_

#include <doca_dpa_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Handle of a memory map. See doca_mmap_dev_get_dpa_handle(). */
__dpa_global__ typedef uint32_t doca_dpa_dev_mmap_t;

/** @brief Handle of a buffer: the address of a struct doca_dpa_dev_buf. */
__dpa_global__ typedef uint64_t doca_dpa_dev_buf_t;

/**
 * @brief Handle of an array of buffers: the address of a struct doca_dpa_dev_buf_arr. See
 * doca_buf_arr_get_dpa_handle().
 */
__dpa_global__ typedef uint64_t doca_dpa_dev_buf_arr_t;

/** @brief A buffer: an element of an array. It has 32 bytes. */
struct doca_dpa_dev_buf {
	uintptr_t addr; /**< Start of the buffer. */
	uint64_t len; /**< Length of the buffer in bytes. */
	doca_dpa_dev_mmap_t mmap; /**< Handle of the memory map of the buffer. */
	unsigned char reserved[12]; /**< Reserved. */
} __attribute__((__packed__));

/** @brief An array of buffers. It is aligned to 64 bytes. */
struct doca_dpa_dev_buf_arr {
	struct doca_dpa_dev_buf *bufs; /**< The buffers, one after the other. */
	unsigned char reserved[20]; /**< Reserved. */
} __attribute__((__packed__, aligned(64)));

#pragma GCC diagnostic push
/* DOCA_EXPERIMENTAL asks for visible symbols, which static functions cannot have. */
#pragma GCC diagnostic ignored "-Wattributes"

/**
 * @brief Returns a buffer of an array.
 *
 * @param [in] buf_arr Handle of the array.
 * @param [in] buf_idx Index of the buffer, from 0 to the number of buffers minus 1. The call does
 * not check it.
 * @return Handle of the buffer.
 */
DOCA_EXPERIMENTAL
__attribute__((always_inline))
static inline doca_dpa_dev_buf_t doca_dpa_dev_buf_array_get_buf(
		doca_dpa_dev_buf_arr_t buf_arr,
		const uint64_t buf_idx)
{
	const struct doca_dpa_dev_buf_arr *array =
			(const struct doca_dpa_dev_buf_arr *)(uintptr_t)buf_arr;

	return (doca_dpa_dev_buf_t)(uintptr_t)&array->bufs[buf_idx];
}

/**
 * @brief Sets the start of a buffer.
 *
 * @param [in] buf Handle of the buffer.
 * @param [in] addr The address, inside the memory map of the buffer.
 */
DOCA_EXPERIMENTAL
__attribute__((always_inline))
static inline void doca_dpa_dev_buf_set_addr(doca_dpa_dev_buf_t buf, uintptr_t addr)
{
	((struct doca_dpa_dev_buf *)(uintptr_t)buf)->addr = addr;
}

/**
 * @brief Sets the length of a buffer.
 *
 * @param [in] buf Handle of the buffer.
 * @param [in] len Number of bytes. The buffer must not exceed its memory map.
 */
DOCA_EXPERIMENTAL
__attribute__((always_inline))
static inline void doca_dpa_dev_buf_set_len(doca_dpa_dev_buf_t buf, size_t len)
{
	((struct doca_dpa_dev_buf *)(uintptr_t)buf)->len = len;
}

/**
 * @brief Sets the memory map of a buffer.
 *
 * @param [in] buf Handle of the buffer.
 * @param [in] mmap Handle of the memory map.
 */
DOCA_EXPERIMENTAL
__attribute__((always_inline))
static inline void doca_dpa_dev_buf_set_mmap(doca_dpa_dev_buf_t buf, doca_dpa_dev_mmap_t mmap)
{
	((struct doca_dpa_dev_buf *)(uintptr_t)buf)->mmap = mmap;
}

/**
 * @brief Returns the start of a buffer.
 *
 * @param [in] buf Handle of the buffer.
 * @return The address in the memory map. Device code must not dereference it: see
 * doca_dpa_dev_buf_get_external_ptr().
 */
DOCA_EXPERIMENTAL
__attribute__((always_inline))
static inline uintptr_t doca_dpa_dev_buf_get_addr(doca_dpa_dev_buf_t buf)
{
	return ((const struct doca_dpa_dev_buf *)(uintptr_t)buf)->addr;
}

/**
 * @brief Returns the length of a buffer.
 *
 * @param [in] buf Handle of the buffer.
 * @return Number of bytes.
 */
DOCA_EXPERIMENTAL
__attribute__((always_inline))
static inline uint64_t doca_dpa_dev_buf_get_len(doca_dpa_dev_buf_t buf)
{
	return ((const struct doca_dpa_dev_buf *)(uintptr_t)buf)->len;
}

/**
 * @brief Returns the memory map of a buffer.
 *
 * @param [in] buf Handle of the buffer.
 * @return Handle of the memory map.
 */
DOCA_EXPERIMENTAL
__attribute__((always_inline))
static inline doca_dpa_dev_mmap_t doca_dpa_dev_buf_get_mmap(doca_dpa_dev_buf_t buf)
{
	return ((const struct doca_dpa_dev_buf *)(uintptr_t)buf)->mmap;
}

#pragma GCC diagnostic pop

/**
 * @brief Returns a pointer with which code on the DPA can read and write the memory of a buffer.
 *
 * @param [in] buf Handle of the buffer.
 * @return The pointer to the start of the buffer.
 */
DOCA_EXPERIMENTAL
doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(doca_dpa_dev_buf_t buf);

/**
 * @brief Posts an asynchronous copy from one buffer to another. It ends with a completion.
 *
 * @param [in] async_ops_handle Handle of the queue of asynchronous operations for the copy. The
 * completion goes to its completion queue.
 * @param [in] dst_buf_handle Handle of the buffer to copy to.
 * @param [in] src_buf_handle Handle of the buffer to copy from.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_post_buf_memcpy(
		doca_dpa_dev_async_ops_t async_ops_handle,
		doca_dpa_dev_buf_t dst_buf_handle,
		doca_dpa_dev_buf_t src_buf_handle,
		uint32_t flags);

/**
 * @brief Posts an asynchronous copy from one memory map to another. It ends with a completion.
 *
 * @param [in] async_ops_handle Handle of the queue of asynchronous operations for the copy. The
 * completion goes to its completion queue.
 * @param [in] dst_mmap_handle Handle of the memory map to copy to.
 * @param [in] dst_addr Address to copy to, inside that map.
 * @param [in] src_mmap_handle Handle of the memory map to copy from.
 * @param [in] src_addr Address to copy from, inside that map.
 * @param [in] length Number of bytes.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_post_memcpy(
		doca_dpa_dev_async_ops_t async_ops_handle,
		doca_dpa_dev_mmap_t dst_mmap_handle,
		uint64_t dst_addr,
		doca_dpa_dev_mmap_t src_mmap_handle,
		uint64_t src_addr,
		size_t length,
		uint32_t flags);

/**
 * @brief Returns a pointer with which code on the DPA can read and write the memory of a memory
 * map.
 *
 * @param [in] mmap_handle Handle of the memory map.
 * @param [in] addr Address of the memory, inside the map.
 * @return The pointer for addr.
 */
DOCA_EXPERIMENTAL
doca_dpa_dev_uintptr_t doca_dpa_dev_mmap_get_external_ptr(
		doca_dpa_dev_mmap_t mmap_handle,
		uint64_t addr);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_DEV_BUF_H_ */
