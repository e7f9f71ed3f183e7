/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_comch_consumer.h
 * @brief The receiving end of Comch's data path: it posts buffers for the producers of the peer to
 * write into.
 *
 * To use it: doca_comch_consumer_create() on a connection, set its tasks, connect its context to a
 * progress engine and start it, which returns DOCA_ERROR_IN_PROGRESS: it runs when both its own
 * engine and that of its server or client have made progress. The peer then hears of it. Stop and
 * destroy it before its connection ends. A consumer belongs to one thread at a time, which need
 * not be that of its connection.
 */
#ifndef DOCA_COMCH_CONSUMER_H_
#define DOCA_COMCH_CONSUMER_H_

#include <stdint.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_dev;
struct doca_devinfo;
struct doca_mmap;

/** @brief A thread that runs on the DPA. */
struct doca_dpa_thread;

/** @brief A connection between a client and a server; see doca_comch.h. */
struct doca_comch_connection;

/** @brief A consumer. */
struct doca_comch_consumer;

/** @brief A queue, read on the DPA, of what consumers on the DPA have received. */
struct doca_comch_consumer_completion;

struct doca_ctx;

/** @brief A task that posts a buffer to receive data into. */
struct doca_comch_consumer_task_post_recv;

struct doca_task;

/** @brief Handle of a completion queue of consumers for code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;

/** @brief Handle of a consumer for code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_comch_consumer_t;

/**
 * @brief Called when a posted task ends.
 *
 * There is one callback for success, which means that a producer has sent something, and one for
 * failure, which also gets the tasks that are posted when the consumer stops. Tasks succeed in the
 * order in which they were posted. The task belongs to the caller again, who may free it, keep it,
 * or submit it once more, after doca_buf_reset_data_len() where new data is not to go behind the
 * old.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_comch_consumer_task_post_recv_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_comch_consumer_task_post_recv_completion_cb_t)(
		struct doca_comch_consumer_task_post_recv *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Creates a consumer on a connection.
 *
 * @param [in] comch_connection The connection. It must be established and outlive the consumer.
 * @param [in] buf_mmap The memory of all buffers that will be posted. It must be started, grant
 * DOCA_ACCESS_FLAG_PCI_READ_WRITE, and outlive the consumer.
 * @param [out] consumer The new consumer. Destroy it with doca_comch_consumer_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed, or the connection has as many consumers as it
 *   can have.
 * - DOCA_ERROR_BAD_STATE: the connection is not established.
 * - DOCA_ERROR_NOT_PERMITTED: the peer's version of Comch is too old for consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_create(
		struct doca_comch_connection *comch_connection,
		struct doca_mmap *buf_mmap,
		struct doca_comch_consumer **consumer);

/**
 * @brief Destroys a consumer.
 *
 * @param [in] consumer The consumer. It must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer is NULL.
 * - DOCA_ERROR_INITIALIZATION: the lock of the connection could not be taken.
 * - DOCA_ERROR_IN_USE: the consumer is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

/**
 * @brief Reports whether a device can have consumers.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it can, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot have consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Returns the number of a consumer, by which the peer's producers address it.
 *
 * @param [in] consumer The consumer.
 * @param [out] id Its number: unique in its connection, never 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id);

/**
 * @brief Returns the most tasks that a consumer can have: the limit of
 * doca_comch_consumer_task_post_recv_set_conf().
 *
 * @param [in] devinfo The device.
 * @param [out] max_num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_num_tasks(
		const struct doca_devinfo *devinfo,
		uint32_t *max_num_tasks);

/**
 * @brief Returns the most bytes that a posted buffer can have.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot have consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_size(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_size);

/**
 * @brief Returns the most elements that a posted buffer list can have.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_list_len Number of elements. 1 means that the device does not support
 * lists.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot have consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len);

/**
 * @brief Returns the most consumers that a connection can have.
 *
 * @param [in] devinfo The device.
 * @param [out] max_consumers Number of consumers.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_consumers(
		const struct doca_devinfo *devinfo,
		uint32_t *max_consumers);

/**
 * @brief Returns the most immediate data that a consumer can receive with one task.
 *
 * @param [in] devinfo The device.
 * @param [out] max_imm_data_len Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_imm_data_len);

/**
 * @brief Returns the most immediate data that a consumer accepts.
 *
 * @param [in] consumer The consumer.
 * @param [out] imm_data_len Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_imm_data_len(
		const struct doca_comch_consumer *consumer,
		uint32_t *imm_data_len);

/**
 * @brief Sets the most immediate data that a consumer accepts.
 *
 * @param [in] consumer The consumer. It must be idle.
 * @param [in] imm_data_len Number of bytes, up to doca_comch_consumer_cap_get_max_imm_data_len().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer is NULL, or the length is out of range.
 * - DOCA_ERROR_BAD_STATE: the consumer is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_set_imm_data_len(
		struct doca_comch_consumer *consumer,
		uint32_t imm_data_len);

/**
 * @brief Returns a consumer as a struct doca_ctx.
 *
 * @param [in] consumer The consumer. It must not be NULL.
 * @return The same object as a struct doca_ctx. It is destroyed with consumer.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer);

/**
 * @brief Creates a completion queue for consumers on the DPA.
 *
 * @param [out] consumer_comp The new queue. Destroy it with
 * doca_comch_consumer_completion_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_create(
		struct doca_comch_consumer_completion **consumer_comp);

/**
 * @brief Sets the thread that a completion queue wakes. Mandatory before the queue is started.
 *
 * @param [in] consumer_comp The queue. It must not be started.
 * @param [in] dpa_thread The thread. It must outlive the queue.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the queue is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_dpa_thread(
		struct doca_comch_consumer_completion *consumer_comp,
		struct doca_dpa_thread *dpa_thread);

/**
 * @brief Destroys a completion queue.
 *
 * @param [in] consumer_comp The queue. It must be stopped.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL.
 * - DOCA_ERROR_BAD_STATE: the queue is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_destroy(
		struct doca_comch_consumer_completion *consumer_comp);

/**
 * @brief Starts a completion queue. Consumers can then be given to it.
 *
 * @param [in] consumer_comp The queue. It must not be started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or its settings are incomplete.
 * - DOCA_ERROR_BAD_STATE: the queue is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_start(
		struct doca_comch_consumer_completion *consumer_comp);

/**
 * @brief Stops a completion queue.
 *
 * @param [in] consumer_comp The queue. It must be started and have no consumers.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL.
 * - DOCA_ERROR_BAD_STATE: the queue is not started, or consumers are attached to it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_stop(
		struct doca_comch_consumer_completion *consumer_comp);

/**
 * @brief Returns the handle of a completion queue for code that runs on the DPA.
 *
 * @param [in] consumer_comp The queue. It must be started.
 * @param [out] consumer_comp_handle The handle. It is valid until the queue stops.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the queue is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_dpa_handle(
		struct doca_comch_consumer_completion *consumer_comp,
		doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle);

/**
 * @brief Sets how many consumers can be attached to a completion queue.
 *
 * @param [in] consumer_comp The queue. It must not be started.
 * @param [in] max_num_consumers Number of consumers; rounded up to a power of two.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or the number is out of range.
 * - DOCA_ERROR_BAD_STATE: the queue is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
		struct doca_comch_consumer_completion *consumer_comp,
		uint32_t max_num_consumers);

/**
 * @brief Returns how many consumers can be attached to a completion queue.
 *
 * @param [in] consumer_comp The queue.
 * @param [out] max_num_consumers Number of consumers.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
		const struct doca_comch_consumer_completion *consumer_comp,
		uint32_t *max_num_consumers);

/**
 * @brief Sets how many receives the consumers of a completion queue can have together.
 *
 * @param [in] consumer_comp The queue. It must not be started.
 * @param [in] max_num_recv Number of receives; rounded up to a power of two.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or the number is out of range.
 * - DOCA_ERROR_BAD_STATE: the queue is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_recv(
		struct doca_comch_consumer_completion *consumer_comp,
		uint32_t max_num_recv);

/**
 * @brief Returns how many receives the consumers of a completion queue can have together.
 *
 * @param [in] consumer_comp The queue.
 * @param [out] max_num_recv Number of receives.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_recv(
		const struct doca_comch_consumer_completion *consumer_comp,
		uint32_t *max_num_recv);

/**
 * @brief Sets the most immediate data that a completion queue can carry with one completion.
 *
 * @param [in] consumer_comp The queue. It must not be started.
 * @param [in] imm_data_len Number of bytes; at least that of each consumer.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or the length is out of range.
 * - DOCA_ERROR_BAD_STATE: the queue is started.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_imm_data_len(
		struct doca_comch_consumer_completion *consumer_comp,
		uint32_t imm_data_len);

/**
 * @brief Returns the most immediate data that a completion queue can carry with one completion.
 *
 * @param [in] consumer_comp The queue.
 * @param [out] imm_data_len Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_imm_data_len(
		const struct doca_comch_consumer_completion *consumer_comp,
		uint32_t *imm_data_len);

/**
 * @brief Sets how many receives a consumer on the DPA can have.
 *
 * @param [in] consumer The consumer. It must be idle, with its data path on the DPA.
 * @param [in] dev_num_recv Number of receives; rounded up to a power of two.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer is NULL, or the number is out of range.
 * - DOCA_ERROR_BAD_STATE: the consumer is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_dev_max_num_recv(
		struct doca_comch_consumer *consumer,
		uint32_t dev_num_recv);

/**
 * @brief Attaches a consumer on the DPA to the queue that receives its completions.
 *
 * @param [in] consumer The consumer. It must be idle, with its data path on the DPA.
 * @param [in] consumer_comp The queue. It must be started.
 * @param [in] user_data A number that the consumer's completions carry.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the consumer is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_completion(
		struct doca_comch_consumer *consumer,
		struct doca_comch_consumer_completion *consumer_comp,
		uint32_t user_data);

/**
 * @brief Returns the handle of a consumer for code that runs on the DPA.
 *
 * @param [in] consumer The consumer. It must be started.
 * @param [out] dpa_consumer The handle. It is valid until the consumer stops.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the consumer is not started, or its data path is not on the DPA.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_get_dpa_handle(
		struct doca_comch_consumer *consumer,
		doca_dpa_dev_comch_consumer_t *dpa_consumer);

/**
 * @brief Sets the callbacks and the pool size of the tasks of a consumer. The consumer cannot
 * start without it.
 *
 * @param [in] consumer The consumer. It must be idle.
 * @param [in] task_completion_cb Called for each task that has received something.
 * @param [in] task_error_cb Called for each task that failed or was posted when the consumer
 * stopped.
 * @param [in] num_post_recv_tasks Number of tasks in the pool, up to
 * doca_comch_consumer_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the number is out of range.
 * - DOCA_ERROR_BAD_STATE: the consumer is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_set_conf(
		struct doca_comch_consumer *consumer,
		doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
		doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb,
		uint32_t num_post_recv_tasks);

/**
 * @brief Allocates a task from the pool of a consumer. Submitting it posts the buffer.
 *
 * @param [in] consumer The consumer. It must be running.
 * @param [in] buf The buffer, in the memory that the consumer was created with, or NULL to receive
 * immediate data alone. Received data goes behind its data, which grows by as much. The caller
 * keeps ownership and must not touch the buffer or its memory while the task is in flight.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer or task is NULL, or the buffer cannot be posted.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_alloc_init(
		struct doca_comch_consumer *consumer,
		struct doca_buf *buf,
		struct doca_comch_consumer_task_post_recv **task);

/**
 * @brief Returns the buffer of a task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The buffer, or NULL.
 */
DOCA_STABLE
struct doca_buf *doca_comch_consumer_task_post_recv_get_buf(
		const struct doca_comch_consumer_task_post_recv *task);

/**
 * @brief Sets the buffer of a task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] buf The buffer, or NULL to receive immediate data alone.
 */
DOCA_STABLE
void doca_comch_consumer_task_post_recv_set_buf(
		struct doca_comch_consumer_task_post_recv *task,
		struct doca_buf *buf);

/**
 * @brief Returns the producer that has filled a task's buffer.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return The producer's number; 0 when the task has not succeeded.
 */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
		const struct doca_comch_consumer_task_post_recv *task);

/**
 * @brief Returns the immediate data that a task has received.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return The data, doca_comch_consumer_task_post_recv_get_imm_data_len() bytes, or NULL when
 * there is none. It is valid until the task is submitted again or freed.
 */
DOCA_STABLE
const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
		const struct doca_comch_consumer_task_post_recv *task);

/**
 * @brief Returns the length of the immediate data that a task has received.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return Number of bytes; 0 when there is none.
 */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
		const struct doca_comch_consumer_task_post_recv *task);

/**
 * @brief Returns a posted buffer as a struct doca_task.
 *
 * @param [in] task The posted buffer. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_STABLE
struct doca_task *doca_comch_consumer_task_post_recv_as_task(
		struct doca_comch_consumer_task_post_recv *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_CONSUMER_H_ */
