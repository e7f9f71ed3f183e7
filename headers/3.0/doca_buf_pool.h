/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_buf_pool.h
 * @brief The buffer pool: a fixed number of buffers of equal size, each with its own part of one
 * memory map.
 */
#ifndef DOCA_BUF_POOL_H_
#define DOCA_BUF_POOL_H_

#include <stddef.h>
#include <stdint.h>

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
 * The buffers follow one another from the start of the map. doca_buf_pool_set_element_alignment()
 * sets the alignment of their starts.
 *
 * @param [in] num_elements Number of buffers. It must not be 0.
 * @param [in] element_size Size of each buffer in bytes. It must not be 0.
 * @param [in] mmap The memory map. Its memory range must be set, and it must outlive the pool.
 * @param [out] buf_pool The new pool. Destroy it with doca_buf_pool_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, a number is 0, or the map has no memory range.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_create(
		size_t num_elements,
		size_t element_size,
		const struct doca_mmap *mmap,
		struct doca_buf_pool **buf_pool);

/**
 * @brief @brief Destroys a pool of buffers, and stops it first if it is started. The memory map
 * remains.
 *
 * @param [in] buf_pool The pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL.
 * - DOCA_ERROR_IN_USE: a buffer has not been released.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/**
 * @brief Starts a pool of buffers. The program can then take buffers from it.
 *
 * @param [in] buf_pool The pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL.
 * - DOCA_ERROR_INITIALIZATION: the memory map is too small for the number of buffers times their
 *   aligned size.
 * - DOCA_ERROR_BAD_STATE: the memory map is not started.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);

/**
 * @brief Stops a pool of buffers. The program can then configure it again.
 *
 * @param [in] buf_pool The pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL.
 * - DOCA_ERROR_IN_USE: a buffer has not been released.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/**
 * @brief Takes a buffer from a pool.
 *
 * The buffer is empty: its data starts at its head and is 0 bytes long. It has one reference and
 * is in no list.
 *
 * @param [in] buf_pool The pool. It must be started.
 * @param [out] buf The buffer. Release it with doca_buf_dec_refcount().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the pool is not started.
 * - DOCA_ERROR_EMPTY: the pool has no free buffer.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf);

/**
 * @brief Sets the user data of a pool.
 *
 * @param [in] buf_pool The pool. It must not be started.
 * @param [in] user_data The user data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL.
 * - DOCA_ERROR_BAD_STATE: the pool is started.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data);

/**
 * @brief Sets the alignment of the buffers of a pool.
 *
 * @param [in] buf_pool The pool. It must not be started.
 * @param [in] element_alignment Alignment in bytes: a power of two. The default is 1.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_pool is NULL, or element_alignment is not a power of two.
 * - DOCA_ERROR_BAD_STATE: the pool is started.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_element_alignment(
		struct doca_buf_pool *buf_pool,
		size_t element_alignment);

/**
 * @brief Returns the number of buffers of a pool, free or not.
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
 * @brief Returns the number of free buffers of a pool.
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
 * @param [out] user_data The user data, or 0 if none was set.
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
