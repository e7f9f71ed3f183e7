/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_comch_consumer.h
 * @brief Comch, data path: the consumer, which posts buffers that the producers of the peer write
 * to.
 *
 * Create a consumer on a connection with doca_comch_consumer_create(), set its tasks, connect its
 * context to a progress engine and start it. doca_ctx_start() returns DOCA_ERROR_IN_PROGRESS. To
 * complete the start, progress both the engine of the consumer and that of its server or client.
 * The peer then gets an event. Stop and destroy the consumer before its connection ends.
 *
 * Only one thread at a time may use a consumer. It need not be the thread of the connection.
 */
#ifndef DOCA_COMCH_CONSUMER_H_
#define DOCA_COMCH_CONSUMER_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
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

/** @brief A connection between a client and a server. See doca_comch.h. */
struct doca_comch_connection;

/** @brief A consumer. */
struct doca_comch_consumer;

/** @brief A completion queue for consumers on the DPA, which code on the DPA reads. */
struct doca_comch_consumer_completion;

struct doca_ctx;

/** @brief A receive task: it posts a buffer for a producer to write to. */
struct doca_comch_consumer_task_post_recv;

struct doca_task;

/** @brief Handle of a consumer completion queue for code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;

/** @brief Handle of a consumer for code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_comch_consumer_t;

/**
 * @brief Called when a receive task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success, which
 * means that a producer has sent data, and one for failure. The failure callback also gets the
 * tasks that are still posted when the consumer stops. Tasks succeed in the order in which they
 * were posted. The caller owns the task again and may free it, keep it or submit it again. To
 * overwrite the received data, call doca_buf_reset_data_len() first.
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
 * @param [in] buf_mmap The memory map of all buffers that the consumer posts. It must be started,
 * grant DOCA_ACCESS_FLAG_PCI_READ_WRITE and outlive the consumer.
 * @param [out] consumer The new consumer. Destroy it with doca_comch_consumer_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed, or the connection has its maximum number of
 *   consumers.
 * - DOCA_ERROR_BAD_STATE: the connection is not established.
 * - DOCA_ERROR_NOT_PERMITTED: the Comch version of the peer does not support consumers.
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
 * - DOCA_ERROR_INITIALIZATION: the library cannot lock the connection.
 * - DOCA_ERROR_IN_USE: the consumer is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

/**
 * @brief Reports whether a device supports consumers.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Returns the ID of a consumer, with which the producers of the peer address it.
 *
 * @param [in] consumer The consumer.
 * @param [out] id The ID. It is unique in its connection and never 0. It is valid before the
 * consumer starts.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id);

/**
 * @brief Returns the maximum number of tasks of a consumer, which is the limit of
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
 * @brief Returns the maximum size of the buffer of a receive task.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_size(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_size);

/**
 * @brief Returns the maximum number of elements of the buffer list of a receive task.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_list_len Number of elements. 1 means that the device does not support
 * lists.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len);

/**
 * @brief Returns the maximum number of consumers of a connection.
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
 * @brief Returns the maximum length of the immediate data of a receive task, which is the limit of
 * doca_comch_consumer_set_imm_data_len().
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
 * @brief Returns the maximum length of the immediate data that a consumer accepts.
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
 * @brief Sets the maximum length of the immediate data that a consumer accepts.
 *
 * @param [in] consumer The consumer. It must be idle.
 * @param [in] imm_data_len Number of bytes, up to doca_comch_consumer_cap_get_max_imm_data_len().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer is NULL, or imm_data_len is out of range.
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
 * @brief Sets the thread that a completion queue wakes. The queue cannot start without it.
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
 * @brief Starts a completion queue. Consumers can then attach to it.
 *
 * @param [in] consumer_comp The queue. It must not be started.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or its configuration is incomplete.
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
 * - DOCA_ERROR_BAD_STATE: the queue is not started, or a consumer is attached to it.
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
 * @brief Sets the maximum number of consumers of a completion queue.
 *
 * @param [in] consumer_comp The queue. It must not be started.
 * @param [in] max_num_consumers Number of consumers. DOCA rounds it up to a power of two.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or max_num_consumers is out of range.
 * - DOCA_ERROR_BAD_STATE: the queue is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
		struct doca_comch_consumer_completion *consumer_comp,
		uint32_t max_num_consumers);

/**
 * @brief Returns the maximum number of consumers of a completion queue.
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
 * @brief Sets the maximum number of receives of all consumers of a completion queue together.
 *
 * @param [in] consumer_comp The queue. It must not be started.
 * @param [in] max_num_recv Number of receives. DOCA rounds it up to a power of two.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or max_num_recv is out of range.
 * - DOCA_ERROR_BAD_STATE: the queue is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_recv(
		struct doca_comch_consumer_completion *consumer_comp,
		uint32_t max_num_recv);

/**
 * @brief Returns the maximum number of receives of all consumers of a completion queue together.
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
 * @brief Sets the maximum length of the immediate data of a completion in a completion queue.
 *
 * @param [in] consumer_comp The queue. It must not be started.
 * @param [in] imm_data_len Number of bytes. It must be at least that of each consumer.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or imm_data_len is out of range.
 * - DOCA_ERROR_BAD_STATE: the queue is started.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_imm_data_len(
		struct doca_comch_consumer_completion *consumer_comp,
		uint32_t imm_data_len);

/**
 * @brief Returns the maximum length of the immediate data of a completion in a completion queue.
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
 * @brief Sets the maximum number of receives of a consumer on the DPA.
 *
 * @param [in] consumer The consumer. It must be idle, with its data path on the DPA.
 * @param [in] dev_num_recv Number of receives. DOCA rounds it up to a power of two.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer is NULL, or dev_num_recv is out of range.
 * - DOCA_ERROR_BAD_STATE: the consumer is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_dev_max_num_recv(
		struct doca_comch_consumer *consumer,
		uint32_t dev_num_recv);

/**
 * @brief Attaches a consumer on the DPA to the completion queue that receives its completions.
 *
 * @param [in] consumer The consumer. It must be idle, with its data path on the DPA.
 * @param [in] consumer_comp The queue. It must be started.
 * @param [in] user_data User data, which the completions of the consumer carry.
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
 * @brief Sets the callbacks and the pool size of the receive tasks of a consumer. The consumer
 * cannot start without it.
 *
 * @param [in] consumer The consumer. It must be idle.
 * @param [in] task_completion_cb Called for each task that has received data.
 * @param [in] task_error_cb Called for each task that fails or is still posted when the consumer
 * stops.
 * @param [in] num_post_recv_tasks Number of tasks in the pool, up to
 * doca_comch_consumer_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_post_recv_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the consumer is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_set_conf(
		struct doca_comch_consumer *consumer,
		doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
		doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb,
		uint32_t num_post_recv_tasks);

/**
 * @brief Allocates a receive task from the pool of a consumer. doca_task_submit() posts its
 * buffer.
 *
 * @param [in] consumer The consumer. It must be running.
 * @param [in] buf The buffer, in the memory map of the consumer, or NULL to receive only immediate
 * data. The producer writes after the data of the buffer and extends the data. The caller keeps
 * ownership and must not touch the buffer or its memory while the task is in flight.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: consumer or task is NULL, or buf is not suitable.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_alloc_init(
		struct doca_comch_consumer *consumer,
		struct doca_buf *buf,
		struct doca_comch_consumer_task_post_recv **task);

/**
 * @brief Returns the buffer of a receive task.
 *
 * @param [in] task The task. It must not be NULL.
 * @return The buffer, or NULL.
 */
DOCA_STABLE
struct doca_buf *doca_comch_consumer_task_post_recv_get_buf(
		const struct doca_comch_consumer_task_post_recv *task);

/**
 * @brief Sets the buffer of a receive task.
 *
 * @param [in] task The task. It must not be NULL or in flight.
 * @param [in] buf The buffer, or NULL to receive only immediate data.
 */
DOCA_STABLE
void doca_comch_consumer_task_post_recv_set_buf(
		struct doca_comch_consumer_task_post_recv *task,
		struct doca_buf *buf);

/**
 * @brief Returns the producer that sent the data of a receive task.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return The ID of the producer. It is 0 if the task has not succeeded.
 */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
		const struct doca_comch_consumer_task_post_recv *task);

/**
 * @brief Returns the immediate data of a receive task.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return The data, of doca_comch_consumer_task_post_recv_get_imm_data_len() bytes, or NULL if
 * there is none. It is valid until the task is submitted again or freed.
 */
DOCA_STABLE
const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
		const struct doca_comch_consumer_task_post_recv *task);

/**
 * @brief Returns the length of the immediate data of a receive task.
 *
 * @param [in] task A task that has succeeded. It must not be NULL.
 * @return Number of bytes. It is 0 if there is no immediate data.
 */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
		const struct doca_comch_consumer_task_post_recv *task);

/**
 * @brief Returns a receive task as a struct doca_task.
 *
 * @param [in] task The receive task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_STABLE
struct doca_task *doca_comch_consumer_task_post_recv_as_task(
		struct doca_comch_consumer_task_post_recv *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_CONSUMER_H_ */
