/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_mmap_advise.h
 * @brief Advice to a device about the memory of memory maps: its tasks invalidate the cache of a
 * memory range.
 *
 * Create a context with doca_mmap_advise_create(), set its task callbacks with
 * doca_mmap_advise_task_invalidate_cache_set_conf(), connect it to a progress engine with
 * doca_pe_connect_ctx() and start it with doca_ctx_start(), which completes immediately. Then
 * allocate and submit tasks.
 */
#ifndef DOCA_MMAP_ADVISE_H_
#define DOCA_MMAP_ADVISE_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_devinfo;

/** @brief A memory advice context: it advises a device about memory. */
struct doca_mmap_advise;

struct doca_buf;

/** @brief A cache invalidation task: it invalidates the cache of the memory of a buffer. */
struct doca_mmap_advise_task_invalidate_cache;

struct doca_task;

/**
 * @brief Called when a cache invalidation task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_mmap_advise_task_invalidate_cache_as_doca_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_mmap_advise_task_invalidate_cache_completion_cb_t)(
		struct doca_mmap_advise_task_invalidate_cache *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Creates a memory advice context on a device.
 *
 * @param [in] dev The device. It must stay open as long as the context exists.
 * doca_mmap_advise_cap_task_cache_invalidate_is_supported() reports whether it supports cache
 * invalidation.
 * @param [out] mmap_advise The new context. Destroy it with doca_mmap_advise_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_create(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise);

/**
 * @brief Destroys a memory advice context and disconnects it from its progress engine.
 *
 * @param [in] mmap_advise The context. It must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap_advise is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_destroy(struct doca_mmap_advise *mmap_advise);

/**
 * @brief Returns a memory advice context as a struct doca_ctx.
 *
 * @param [in] mmap_advise The context. It must not be NULL.
 * @return The same context as a struct doca_ctx. It is destroyed with mmap_advise.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_mmap_advise_as_ctx(struct doca_mmap_advise *mmap_advise);

/**
 * @brief Reports whether a device can invalidate the cache of memory.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot invalidate the cache of memory.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_cap_task_cache_invalidate_is_supported(
		const struct doca_devinfo *devinfo);

/**
 * @brief Returns the maximum size of the buffer of a cache invalidation task.
 *
 * @param [in] devinfo The device.
 * @param [out] buf_size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_cache_invalidate_get_max_buf_size(
		const struct doca_devinfo *devinfo,
		uint64_t *buf_size);

/**
 * @brief Sets the callbacks and the pool size of the cache invalidation tasks of a memory advice
 * context. Without this call the context has no such tasks.
 *
 * @param [in] mmap_advise The context. It must be idle.
 * @param [in] completion_cb Called for each task that succeeds.
 * @param [in] error_cb Called for each task that fails or is flushed because the context stops.
 * @param [in] num_tasks Number of tasks in the pool.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_NOT_PERMITTED: the context is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_set_conf(
		struct doca_mmap_advise *mmap_advise,
		doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
		doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb,
		uint32_t num_tasks);

/**
 * @brief Allocates a cache invalidation task from the pool of a memory advice context, and sets
 * its buffer and user data.
 *
 * @param [in] mmap_advise The context. It must be running.
 * @param [in] buf The buffer, of at most doca_mmap_advise_task_cache_invalidate_get_max_buf_size()
 * bytes. The caller keeps ownership and must not release the buffer while the task is in flight.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_advise_task_invalidate_cache_alloc_init(
		struct doca_mmap_advise *mmap_advise,
		struct doca_buf *buf,
		union doca_data user_data,
		struct doca_mmap_advise_task_invalidate_cache **task);

/**
 * @brief Returns a cache invalidation task as a struct doca_task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_mmap_advise_task_invalidate_cache_as_doca_task(
		struct doca_mmap_advise_task_invalidate_cache *task);

/**
 * @brief Sets the buffer of a cache invalidation task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] buf The buffer.
 */
DOCA_EXPERIMENTAL
void doca_mmap_advise_task_invalidate_cache_set_buf(
		struct doca_mmap_advise_task_invalidate_cache *task,
		struct doca_buf *buf);

/**
 * @brief Returns the buffer of a cache invalidation task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The buffer.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_mmap_advise_task_invalidate_cache_get_buf(
		const struct doca_mmap_advise_task_invalidate_cache *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_ADVISE_H_ */
