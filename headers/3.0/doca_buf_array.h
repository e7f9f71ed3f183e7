/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_buf_array.h
 * @brief The buffer array: a fixed number of buffers of equal size in one memory map, for code
 * that runs on a DPA or GPU.
 *
 * Create an array with doca_buf_arr_create(), set its memory with doca_buf_arr_set_params() and
 * its target with doca_buf_arr_set_target_dpa() or doca_buf_arr_set_target_gpu(), and start it
 * with doca_buf_arr_start(). Then pass its handle to the code on the target. Code on the DPA uses
 * the functions of doca_dpa_dev_buf.h.
 */
#ifndef DOCA_BUF_ARRAY_H_
#define DOCA_BUF_ARRAY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A GPU. */
struct doca_gpu;

struct doca_dpa;
struct doca_mmap;

/** @brief An array of buffers. */
struct doca_buf_arr;

/** @brief Handle of an array of buffers for code that runs on a GPU. */
struct doca_gpu_buf_arr;

/** @brief Handle of an array of buffers for code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_buf_arr_t;

/**
 * @brief Creates an array of buffers. Set its memory and its target, and start it, before use.
 *
 * @param [in] num_elem Number of buffers. It must not be 0.
 * @param [out] buf_arr The new array. Destroy it with doca_buf_arr_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL, or num_elem is 0.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr);

/**
 * @brief Makes a GPU the target of an array of buffers. An array needs a target before it can
 * start.
 *
 * @param [in] buf_arr The array. It must not be started.
 * @param [in] gpu_handler The GPU. It must outlive the array.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the array is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_gpu(
		struct doca_buf_arr *buf_arr,
		struct doca_gpu *gpu_handler);

/**
 * @brief Makes a DPA the target of an array of buffers. An array needs a target before it can
 * start.
 *
 * @param [in] buf_arr The array. It must not be started.
 * @param [in] dpa_handler The DPA. It must outlive the array.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the array is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_dpa(
		struct doca_buf_arr *buf_arr,
		struct doca_dpa *dpa_handler);

/**
 * @brief Sets the memory of an array of buffers. An array needs memory before it can start.
 *
 * The buffers follow one another in the map, which must be large enough for start_offset bytes and
 * all buffers.
 *
 * @param [in] buf_arr The array. It must not be started.
 * @param [in] mmap The memory map. It must be started before the array starts, and must outlive
 * the array.
 * @param [in] elem_size Size of each buffer in bytes. It must not be 0.
 * @param [in] start_offset Offset in bytes of the first buffer from the start of the map.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or elem_size is 0.
 * - DOCA_ERROR_BAD_STATE: the array is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_params(
		struct doca_buf_arr *buf_arr,
		struct doca_mmap *mmap,
		size_t elem_size,
		uint64_t start_offset);

/**
 * @brief Starts an array of buffers, which makes it available to its target. An array can be
 * started only once.
 *
 * @param [in] buf_arr The array. Its memory and its target must be set, and its memory map must be
 * started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 * - DOCA_ERROR_BAD_STATE: the array was started before, has no target, or its memory map is not
 *   started.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed, or the memory map is too small for the
 *   buffers.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/**
 * @brief Stops an array of buffers. Its handles become invalid, and it cannot start again.
 *
 * @param [in] buf_arr The array.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/**
 * @brief Destroys an array of buffers, and stops it first if it is started. The memory map
 * remains.
 *
 * @param [in] buf_arr The array. Code on the target must no longer use it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/**
 * @brief Returns the handle of an array of buffers for code that runs on a GPU.
 *
 * @param [in] buf_arr The array. It must be started and have a GPU as its target.
 * @param [out] gpu_buf_arr The handle. The array owns it, and it is valid until the array stops.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the array is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_gpu_handle(
		const struct doca_buf_arr *buf_arr,
		struct doca_gpu_buf_arr **gpu_buf_arr);

/**
 * @brief Returns the handle of an array of buffers for code that runs on the DPA.
 *
 * @param [in] buf_arr The array. It must be started and have a DPA as its target.
 * @param [out] dpa_buf_arr The handle, for doca_dpa_dev_buf_array_get_buf(). It is valid until the
 * array stops.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the array is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_get_dpa_handle(
		const struct doca_buf_arr *buf_arr,
		doca_dpa_dev_buf_arr_t *dpa_buf_arr);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_ARRAY_H_ */
