/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_buf_pool.h
 * @brief The buffer pool: a fixed number of buffers of one size, each with a place of its own in
 * one memory map.
 */
#ifndef DOCA_BUF_POOL_H_
#define DOCA_BUF_POOL_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap;
struct doca_buf;

/** @brief A pool of buffers. */
struct doca_buf_pool;

/**
 * @brief Creates a pool of buffers on a memory map.
 *
 * The elements lie one behind the other from the start of the map on, each start aligned as
 * doca_buf_pool_set_element_alignment() says.
 *
 * @param [in] num_elements Number of buffers, not 0.
 * @param [in] element_size Size of each buffer in bytes, not 0.
 * @param [in] mmap The memory map; its memory range must be set. It must outlive the pool.
 * @param [out] buf_pool The new pool; to be destroyed with doca_buf_pool_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, a number is 0, or the map has no memory range.
 * - DOCA_ERROR_NO_MEMORY: memory could not be allocated.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_create(
		size_t num_elements,
		size_t element_size,
		const struct doca_mmap *mmap,
		struct doca_buf_pool **buf_pool);

/**
 * @brief Destroys a pool of buffers, and stops it before if it is started. The memory map stays.
 *
 * @param [in] buf_pool The pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL.
 * - DOCA_ERROR_IN_USE: buffers are still out.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/**
 * @brief Starts a pool of buffers; needed before doca_buf_pool_buf_alloc().
 *
 * @param [in] buf_pool The pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL.
 * - DOCA_ERROR_INITIALIZATION: the memory of the map is too small for the number of buffers times
 *   their aligned size.
 * - DOCA_ERROR_BAD_STATE: the memory map is not started.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);

/**
 * @brief Stops a pool of buffers, so that it can be configured again.
 *
 * @param [in] buf_pool The pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL.
 * - DOCA_ERROR_IN_USE: buffers are still out.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/**
 * @brief Takes a buffer from a pool.
 *
 * It covers one element of the pool; its data starts at its head and is 0 bytes long. It has one
 * reference and is not in a list.
 *
 * @param [in] buf_pool The pool; started.
 * @param [out] buf The buffer; to be returned with doca_buf_dec_refcount().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the pool is not started.
 * - DOCA_ERROR_EMPTY: all buffers are out.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf);

/**
 * @brief Sets the user data of a pool.
 *
 * @param [in] buf_pool The pool; not started.
 * @param [in] user_data The data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL.
 * - DOCA_ERROR_BAD_STATE: the pool is started.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data);

/**
 * @brief Sets the alignment of the buffers of a pool.
 *
 * @param [in] buf_pool The pool; not started.
 * @param [in] element_alignment Alignment in bytes, a power of two; 1 by default.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL or element_alignment is not a power of two.
 * - DOCA_ERROR_BAD_STATE: the pool is started.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_element_alignment(
		struct doca_buf_pool *buf_pool,
		size_t element_alignment);

/**
 * @brief Returns how many buffers a pool has, free or not.
 *
 * @param [in] buf_pool The pool.
 * @param [out] num_of_elements Number of buffers.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_elements(
		const struct doca_buf_pool *buf_pool,
		uint32_t *num_of_elements);

/**
 * @brief Returns how many buffers can still be taken from a pool.
 *
 * @param [in] buf_pool The pool.
 * @param [out] num_of_free_elements Number of free buffers.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_free_elements(
		const struct doca_buf_pool *buf_pool,
		uint32_t *num_of_free_elements);

/**
 * @brief Returns the user data of a pool.
 *
 * @param [in] buf_pool The pool.
 * @param [out] user_data The data; 0 when none was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_user_data(
		const struct doca_buf_pool *buf_pool,
		union doca_data *user_data);

/**
 * @brief Returns the alignment of the buffers of a pool.
 *
 * @param [in] buf_pool The pool.
 * @param [out] element_alignment Alignment in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_element_alignment(
		const struct doca_buf_pool *buf_pool,
		size_t *element_alignment);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_POOL_H_ */
