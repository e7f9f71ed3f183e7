/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_sha.h
 * @brief SHA: the device computes message digests. A library made up for this example, in the manner of DOCA's.
 *
 * Create a context with doca_sha_create(), set its task callbacks with doca_sha_task_hash_set_conf(), connect it to a
 * progress engine with doca_pe_connect_ctx() and start it with doca_ctx_start(), which completes immediately. Then
 * allocate and submit tasks. The tasks of a context can complete in any order.
 */
#ifndef DOCA_SHA_H_
#define DOCA_SHA_H_

#include <stdint.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A message digest function of FIPS 180-4. */
enum doca_sha_algorithm {
	DOCA_SHA_ALGORITHM_SHA1,   /**< SHA-1, digests of 20 bytes. */
	DOCA_SHA_ALGORITHM_SHA256, /**< SHA-256, digests of 32 bytes. */
};

/** @brief A SHA context. */
struct doca_sha;

/** @brief A hash task: it computes the digest of a buffer, or of a list of buffers. */
struct doca_sha_task_hash;

/**
 * @brief Called when a hash task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and one for failure. The
 * caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended.
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_sha_task_hash_completion_cb_t)(struct doca_sha_task_hash *task, union doca_data task_user_data,
						   union doca_data ctx_user_data);

/**
 * @brief Creates a SHA context on a device.
 *
 * @param [in] dev The device. It must stay open until the context is destroyed.
 * @param [out] sha The context, in state DOCA_CTX_STATE_IDLE. Destroy it with doca_sha_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory has run out.
 * - DOCA_ERROR_INITIALIZATION: the device is lost.
 */
DOCA_STABLE
doca_error_t doca_sha_create(struct doca_dev *dev, struct doca_sha **sha);

/**
 * @brief Destroys a SHA context.
 *
 * @param [in] sha The context. It must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: sha is NULL.
 * - DOCA_ERROR_IN_USE: the context is not idle.
 */
DOCA_STABLE
doca_error_t doca_sha_destroy(struct doca_sha *sha);

/**
 * @brief Returns a SHA context as a struct doca_ctx.
 *
 * @param [in] sha The SHA context. It must not be NULL.
 * @return The same context as a struct doca_ctx. It is destroyed with sha.
 */
DOCA_STABLE
struct doca_ctx *doca_sha_as_ctx(struct doca_sha *sha);

/**
 * @brief Tells whether a device can run hash tasks for an algorithm.
 *
 * @param [in] devinfo The device.
 * @param [in] algorithm The algorithm.
 * @return DOCA_SUCCESS if it can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: it cannot.
 */
DOCA_STABLE
doca_error_t doca_sha_cap_task_hash_get_supported(const struct doca_devinfo *devinfo,
						  enum doca_sha_algorithm algorithm);

/**
 * @brief Returns the maximum number of bytes that one hash task can read.
 *
 * @param [in] devinfo The device.
 * @param [out] max_src_buf_size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_sha_cap_get_max_src_buf_size(const struct doca_devinfo *devinfo, uint64_t *max_src_buf_size);

/**
 * @brief Returns the maximum number of elements of the source list of a hash task.
 *
 * @param [in] devinfo The device.
 * @param [out] max_src_list_len Number of elements. 1 means that the device does not support lists.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_sha_cap_get_max_src_list_len(const struct doca_devinfo *devinfo, uint32_t *max_src_list_len);

/**
 * @brief Returns the number of bytes of a digest, which the destination of a hash task needs room for.
 *
 * @param [in] devinfo The device.
 * @param [in] algorithm The algorithm.
 * @param [out] min_dst_buf_size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not have the algorithm.
 */
DOCA_STABLE
doca_error_t doca_sha_cap_get_min_dst_buf_size(const struct doca_devinfo *devinfo, enum doca_sha_algorithm algorithm,
					       uint32_t *min_dst_buf_size);

/**
 * @brief Returns the maximum number of tasks of a SHA context.
 *
 * @param [in] sha The context itself, rather than the info of its device.
 * @param [out] max_num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_sha_cap_get_max_num_tasks(struct doca_sha *sha, uint32_t *max_num_tasks);

/**
 * @brief Sets the callbacks and the pool size of the hash tasks of a SHA context. The context cannot start without it.
 *
 * @param [in] sha The context. It must be idle.
 * @param [in] task_completion_cb Called for each task that succeeds.
 * @param [in] task_error_cb Called for each task that fails or is flushed because the context stops.
 * @param [in] num_hash_tasks Number of tasks in the pool, up to doca_sha_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_hash_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the context is not idle.
 */
DOCA_STABLE
doca_error_t doca_sha_task_hash_set_conf(struct doca_sha *sha, doca_sha_task_hash_completion_cb_t task_completion_cb,
					 doca_sha_task_hash_completion_cb_t task_error_cb, uint32_t num_hash_tasks);

/**
 * @brief Allocates a hash task from the pool of a SHA context, and sets its algorithm, buffers and user data.
 *
 * The task reads the data of all elements of the source list, which may be empty. It writes the digest behind the data
 * of the destination and extends the data of the destination by the digest's length. Source and destination must not
 * overlap.
 *
 * A task that fails moves the whole context to DOCA_CTX_STATE_STOPPING. It leaves the buffers unchanged and the memory of
 * the destination undefined.
 *
 * @param [in] sha The context. It must be running.
 * @param [in] algorithm The algorithm.
 * @param [in] src The source.
 * @param [in] dst The destination, a single buffer.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free(). The caller keeps ownership of src and dst, and must not touch
 * them or their memory while the task is in flight.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: sha or task is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not have the algorithm.
 * - DOCA_ERROR_BAD_STATE: the context is not running.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_STABLE
doca_error_t doca_sha_task_hash_alloc_init(struct doca_sha *sha, enum doca_sha_algorithm algorithm,
					   const struct doca_buf *src, struct doca_buf *dst, union doca_data user_data,
					   struct doca_sha_task_hash **task);

/**
 * @brief Returns a hash task as a struct doca_task.
 *
 * @param [in] task The hash task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_STABLE
struct doca_task *doca_sha_task_hash_as_task(struct doca_sha_task_hash *task);

/**
 * @brief Sets the source of a hash task.
 *
 * @param [in] task The hash task. It must not be NULL or in flight.
 * @param [in] src The source.
 */
DOCA_STABLE
void doca_sha_task_hash_set_src(struct doca_sha_task_hash *task, const struct doca_buf *src);

/**
 * @brief Returns the source of a hash task.
 *
 * @param [in] task The hash task. It must not be NULL.
 * @return The source.
 */
DOCA_STABLE
const struct doca_buf *doca_sha_task_hash_get_src(const struct doca_sha_task_hash *task);

/**
 * @brief Sets the destination of a hash task.
 *
 * @param [in] task The hash task. It must not be NULL or in flight.
 * @param [in] dst The destination.
 */
DOCA_STABLE
void doca_sha_task_hash_set_dst(struct doca_sha_task_hash *task, struct doca_buf *dst);

/**
 * @brief Returns the destination of a hash task.
 *
 * @param [in] task The hash task. It must not be NULL.
 * @return The destination.
 */
DOCA_STABLE
struct doca_buf *doca_sha_task_hash_get_dst(const struct doca_sha_task_hash *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_SHA_H_ */
