/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_buf_array.h
 * @brief The buffer array: a fixed number of buffers of one size in one memory map, for code that
 * runs on the DPA or on a GPU.
 *
 * To use it: doca_buf_arr_create(), doca_buf_arr_set_params(), one of the two functions that set
 * the target, doca_buf_arr_start(); then pass the handle to the code on the target. Code on the DPA
 * uses it by means of doca_dpa_dev_buf.h.
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

/** @brief Handle of an array of buffers in code that runs on a GPU. */
struct doca_gpu_buf_arr;

/** @brief Handle of an array of buffers in code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_buf_arr_t;

/**
 * @brief Creates an array of buffers. It has to be given its memory and its target, and be started
 * before use.
 *
 * @param [in] num_elem Number of buffers, not 0.
 * @param [out] buf_arr The new array; to be destroyed with doca_buf_arr_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL, or the number is 0.
 * - DOCA_ERROR_NO_MEMORY: memory could not be allocated.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr);

/**
 * @brief Makes an array of buffers one for a GPU. This or doca_buf_arr_set_target_dpa() is
 * mandatory before the array is started.
 *
 * @param [in] buf_arr The array; must not be started.
 * @param [in] gpu_handler The GPU; must outlive the array.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the array is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_gpu(
		struct doca_buf_arr *buf_arr,
		struct doca_gpu *gpu_handler);

/**
 * @brief Makes an array of buffers one for a DPA. This or doca_buf_arr_set_target_gpu() is
 * mandatory before the array is started.
 *
 * @param [in] buf_arr The array; must not be started.
 * @param [in] dpa_handler The DPA; must outlive the array.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the array is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_target_dpa(
		struct doca_buf_arr *buf_arr,
		struct doca_dpa *dpa_handler);

/**
 * @brief Sets the memory of an array of buffers. Mandatory before the array is started.
 *
 * The buffers lie one behind the other in the map, so it must have room for start_offset bytes and
 * all of them.
 *
 * @param [in] buf_arr The array; must not be started.
 * @param [in] mmap The memory map; must be started before the array is, and outlive the array.
 * @param [in] elem_size Size of each buffer in bytes, not 0.
 * @param [in] start_offset Number of bytes between the start of the map and the first buffer.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the size is 0.
 * - DOCA_ERROR_BAD_STATE: the array is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_set_params(
		struct doca_buf_arr *buf_arr,
		struct doca_mmap *mmap,
		size_t elem_size,
		uint64_t start_offset);

/**
 * @brief Starts an array of buffers: makes it known to its target. An array can be started only
 * once.
 *
 * @param [in] buf_arr The array; its memory and its target must be set, and the memory map started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 * - DOCA_ERROR_BAD_STATE: the array was started before, it has no target, or its memory map is not
 *   started.
 * - DOCA_ERROR_NO_MEMORY: memory could not be allocated, or the memory map is too small for the
 *   buffers.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/**
 * @brief Stops an array of buffers. Its handles become invalid, and it cannot be started again.
 *
 * @param [in] buf_arr The array.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/**
 * @brief Destroys an array of buffers, and stops it before if it is started. The memory map stays.
 *
 * @param [in] buf_arr The array. Code on the target must not use it any more.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/**
 * @brief Returns the handle of an array of buffers for code that runs on a GPU.
 *
 * @param [in] buf_arr The array; started, with a GPU as its target.
 * @param [out] gpu_buf_arr The handle; it belongs to the array and is valid until the array stops.
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
 * @param [in] buf_arr The array; started, with a DPA as its target.
 * @param [out] dpa_buf_arr The handle, an argument of doca_dpa_dev_buf_array_get_buf(); valid until
 * the array stops.
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
