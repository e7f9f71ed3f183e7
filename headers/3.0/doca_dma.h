/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dma.h
 * @brief DMA: copying memory by the device, within one machine or between a host and its DPU.
 *
 * To use it: doca_dma_create(), doca_dma_task_memcpy_set_conf(), connect the context to a progress
 * engine, doca_ctx_start(), which succeeds at once; then allocate and submit tasks.
 */
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include <stdint.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_task;

/** @brief Handle of a DMA context in code that runs on a GPU. */
struct doca_gpu_dma;

/** @brief A task that copies memory from one buffer, or list of buffers, to another. */
struct doca_dma_task_memcpy;

/** @brief A DMA context. */
struct doca_dma;

/**
 * @brief Called when a memory copy has ended; inside doca_pe_progress(), on the thread that runs
 * it.
 *
 * There is one callback for success and one for failure. The task belongs to the caller again, who
 * may free it, keep it, or submit it once more.
 *
 * @param [in] task The task; doca_task_get_status() of its doca_dma_task_memcpy_as_task() tells
 * how it ended.
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
 * @param [in] dev The device; must stay open as long as the context lives.
 * doca_dma_cap_task_memcpy_is_supported() tells whether it can copy.
 * @param [out] dma The new context; to be destroyed with doca_dma_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory could not be allocated.
 * - DOCA_ERROR_INITIALIZATION: the context could not be initialised.
 */
DOCA_STABLE
doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma);

/**
 * @brief Destroys a DMA context and breaks its connection to its progress engine.
 *
 * @param [in] dma The context; must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_IN_USE: the context is not idle.
 */
DOCA_STABLE
doca_error_t doca_dma_destroy(struct doca_dma *dma);

/**
 * @brief Tells whether a device can copy memory.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS when it can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_DRIVER: the driver could not be asked.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot copy memory.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Returns the context of a DMA object, for the doca_ctx functions.
 *
 * @param [in] dma The DMA object; must not be NULL.
 * @return The context. It belongs to dma.
 */
DOCA_STABLE
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

/**
 * @brief Returns the most tasks that a DMA context can have: the limit of
 * doca_dma_task_memcpy_set_conf().
 *
 * @param [in] dma The context itself, not a device info.
 * @param [out] max_num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks);

/**
 * @brief Returns the most elements that the buffer lists of a memory copy can have.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_list_len Number of elements; 1 means that lists are not supported.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len);

/**
 * @brief Returns the most bytes that one memory copy can move.
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
 * @brief Sets the callbacks of the memory copies of a DMA context and allocates room for the
 * tasks. Mandatory before the context is started.
 *
 * @param [in] dma The context; must be idle.
 * @param [in] task_completion_cb Called for each copy that succeeded.
 * @param [in] task_error_cb Called for each copy that failed or was flushed because the context
 * stops.
 * @param [in] num_memcpy_tasks Number of tasks that can be allocated at the same time, up to
 * doca_dma_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the number is out of range.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot copy memory.
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_set_conf(
		struct doca_dma *dma,
		doca_dma_task_memcpy_completion_cb_t task_completion_cb,
		doca_dma_task_memcpy_completion_cb_t task_error_cb,
		uint32_t num_memcpy_tasks);

/**
 * @brief Allocates a memory copy task from the pool of a DMA context and sets its buffers and user
 * data.
 *
 * The task copies the data of the source, all elements of its list together. It is written behind
 * the data of the destination, whose data grows by as much; use a destination with a data length
 * of 0 to write from its start. Source and destination must not overlap. The source must have
 * data: an empty one makes the task fail. The destination must have room for all of it behind its
 * data; the elements of its list need not match those of the source.
 *
 * A task that fails in flight moves the whole context to DOCA_CTX_STATE_STOPPING; the buffers are
 * then as they were, the memory of the destination is undefined.
 *
 * @param [in] dma The context; must be running.
 * @param [in] src The source; may be in memory of a peer.
 * @param [in] dst The destination; may be in memory of a peer that grants
 * DOCA_ACCESS_FLAG_PCI_READ_WRITE.
 * @param [in] user_data The data that the callback receives.
 * @param [out] task The task; to be freed with doca_task_free(). The caller keeps src and dst, and
 * must not touch them or their memory while the task is in flight.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated.
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_alloc_init(
		struct doca_dma *dma,
		const struct doca_buf *src,
		struct doca_buf *dst,
		union doca_data user_data,
		struct doca_dma_task_memcpy **task);

/**
 * @brief Returns the task of a memory copy, for the doca_task functions.
 *
 * @param [in] task The memory copy; must not be NULL.
 * @return The task. It is the same object in another type.
 */
DOCA_STABLE
struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task);

/**
 * @brief Sets the source of a memory copy.
 *
 * @param [in] task The memory copy, not submitted; must not be NULL.
 * @param [in] src The source.
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src);

/**
 * @brief Returns the source of a memory copy.
 *
 * @param [in] task The memory copy; must not be NULL.
 * @return The source.
 */
DOCA_STABLE
const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task);

/**
 * @brief Sets the destination of a memory copy.
 *
 * @param [in] task The memory copy, not submitted; must not be NULL.
 * @param [in] dst The destination.
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst);

/**
 * @brief Returns the destination of a memory copy.
 *
 * @param [in] task The memory copy; must not be NULL.
 * @return The destination.
 */
DOCA_STABLE
struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task);

/**
 * @brief Returns the handle of a DMA context for code that runs on a GPU.
 *
 * @param [in] dma The context; started, with its data path on a GPU.
 * @param [out] gpu_dma The handle; it belongs to the context.
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
