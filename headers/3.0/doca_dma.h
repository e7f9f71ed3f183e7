/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dma.h
 * @brief DMA: memory copies by the device, within one machine or between a host and its DPU.
 *
 * Create a context with doca_dma_create(), set its task callbacks with
 * doca_dma_task_memcpy_set_conf(), connect it to a progress engine with doca_pe_connect_ctx() and
 * start it with doca_ctx_start(), which completes immediately. Then allocate and submit tasks.
 *
 * Tasks of one context can complete in any order. There is no order between tasks of different
 * contexts.
 */
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include <inttypes.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_task;

/** @brief Handle of a DMA context for code that runs on a GPU. */
struct doca_gpu_dma;

/** @brief A memory copy task: it copies from one buffer, or list of buffers, to another. */
struct doca_dma_task_memcpy;

/** @brief A DMA context. */
struct doca_dma;

/**
 * @brief Called when a memory copy task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The caller owns the task again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_dma_task_memcpy_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_dma_task_memcpy_completion_cb_t)(
		struct doca_dma_task_memcpy *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Creates a DMA context on a device.
 *
 * @param [in] dev The device. It must stay open as long as the context exists.
 * doca_dma_cap_task_memcpy_is_supported() reports whether it can copy.
 * @param [out] dma The new context. Destroy it with doca_dma_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_INITIALIZATION: the library cannot initialise the context.
 */
DOCA_STABLE
doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma);

/**
 * @brief Destroys a DMA context and disconnects it from its progress engine.
 *
 * @param [in] dma The context. It must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_IN_USE: the context is not idle.
 */
DOCA_STABLE
doca_error_t doca_dma_destroy(struct doca_dma *dma);

/**
 * @brief Reports whether a device can copy memory.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot copy memory.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Returns a DMA context as a struct doca_ctx.
 *
 * @param [in] dma The DMA context. It must not be NULL.
 * @return The same context as a struct doca_ctx. It is destroyed with dma.
 */
DOCA_STABLE
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

/**
 * @brief Returns the maximum number of tasks of a DMA context, which is the limit of
 * doca_dma_task_memcpy_set_conf().
 *
 * @param [in] dma The context itself, rather than the info of its device.
 * @param [out] max_num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks);

/**
 * @brief Returns the maximum number of elements of a buffer list in a memory copy task.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_list_len Number of elements. 1 means that the device does not support
 * lists.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len);

/**
 * @brief Returns the maximum number of bytes that one memory copy task can copy.
 *
 * @param [in] devinfo The device.
 * @param [out] buf_size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(
		const struct doca_devinfo *devinfo,
		uint64_t *buf_size);

/**
 * @brief Sets the callbacks and the pool size of the memory copy tasks of a DMA context. The
 * context cannot start without it.
 *
 * @param [in] dma The context. It must be idle.
 * @param [in] task_completion_cb Called for each task that succeeds.
 * @param [in] task_error_cb Called for each task that fails or is flushed because the context
 * stops.
 * @param [in] num_memcpy_tasks Number of tasks in the pool, up to
 * doca_dma_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_memcpy_tasks is out of range.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot copy memory.
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_set_conf(
		struct doca_dma *dma,
		doca_dma_task_memcpy_completion_cb_t task_completion_cb,
		doca_dma_task_memcpy_completion_cb_t task_error_cb,
		uint32_t num_memcpy_tasks);

/**
 * @brief Allocates a memory copy task from the pool of a DMA context, and sets its buffers and
 * user data.
 *
 * The task copies the data of all elements of the source list. It writes after the data of the
 * destination and extends the data of the destination by the same length. To write from the start
 * of the destination, use one with a data length of 0. The destination list must have room for the
 * data; its elements need not match those of the source list. Source and destination must not
 * overlap. The source must not be empty: a task with an empty source fails.
 *
 * A task that fails moves the whole context to DOCA_CTX_STATE_STOPPING. It leaves the buffers
 * unchanged and the memory of the destination undefined.
 *
 * @param [in] dma The context. It must be running.
 * @param [in] src The source. It can be in memory of a peer.
 * @param [in] dst The destination. It can be in memory of a peer that grants
 * DOCA_ACCESS_FLAG_PCI_READ_WRITE.
 * @param [in] user_data User data that the callback receives.
 * @param [out] task The task. Free it with doca_task_free(). The caller keeps ownership of src and
 * dst, and must not touch them or their memory while the task is in flight.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_alloc_init(
		struct doca_dma *dma,
		const struct doca_buf *src,
		struct doca_buf *dst,
		union doca_data user_data,
		struct doca_dma_task_memcpy **task);

/**
 * @brief Returns a memory copy task as a struct doca_task.
 *
 * @param [in] task The memory copy task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_STABLE
struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task);

/**
 * @brief Sets the source of a memory copy task.
 *
 * @param [in] task The memory copy task. It must not be NULL or in flight.
 * @param [in] src The source.
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src);

/**
 * @brief Returns the source of a memory copy task.
 *
 * @param [in] task The memory copy task. It must not be NULL.
 * @return The source.
 */
DOCA_STABLE
const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task);

/**
 * @brief Sets the destination of a memory copy task.
 *
 * @param [in] task The memory copy task. It must not be NULL or in flight.
 * @param [in] dst The destination.
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst);

/**
 * @brief Returns the destination of a memory copy task.
 *
 * @param [in] task The memory copy task. It must not be NULL.
 * @return The destination.
 */
DOCA_STABLE
struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task);

/**
 * @brief Returns the handle of a DMA context for code that runs on a GPU.
 *
 * @param [in] dma The context. It must be started, with its data path on a GPU.
 * @param [out] gpu_dma The handle. The context owns it.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not started, or its data path is not on a GPU.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DMA_H_ */
