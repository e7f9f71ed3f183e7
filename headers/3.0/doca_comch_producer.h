/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_comch_producer.h
 * @brief Comch, data path: the producer, which writes to the buffers that a consumer of the peer
 * has posted.
 *
 * Create a producer on a connection with doca_comch_producer_create(), set its send tasks, connect
 * its context to a progress engine and start it with doca_ctx_start(), which completes
 * immediately. Stop and destroy the producer before its connection ends.
 *
 * Only one thread at a time may use a producer. It need not be the thread of the connection.
 */
#ifndef DOCA_COMCH_PRODUCER_H_
#define DOCA_COMCH_PRODUCER_H_

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

/** @brief A thread that runs on the DPA. */
struct doca_dpa_thread;

/** @brief A connection between a client and a server. See doca_comch.h. */
struct doca_comch_connection;

/** @brief A producer. */
struct doca_comch_producer;

/** @brief A completion queue, which code on the DPA reads. */
struct doca_dpa_completion;

struct doca_ctx;

/** @brief A send task: it sends data to a consumer. */
struct doca_comch_producer_task_send;

struct doca_task;

/** @brief Handle of a producer for code that runs on the DPA. */
typedef uint64_t doca_dpa_dev_comch_producer_t;

/**
 * @brief Called when a send task ends.
 *
 * It runs inside doca_pe_progress(), on the calling thread. One callback is set for success and
 * one for failure. The callback of the peer can run before or after it. The caller owns the task
 * again and may free it, keep it or submit it again.
 *
 * @param [in] task The task that ended. Its status is doca_task_get_status() of
 * doca_comch_producer_task_send_as_task().
 * @param [in] task_user_data The user data of the task.
 * @param [in] ctx_user_data The user data of the context.
 */
typedef void (*doca_comch_producer_task_send_completion_cb_t)(
		struct doca_comch_producer_task_send *task,
		union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * @brief Creates a producer on a connection.
 *
 * @param [in] comch_connection The connection. It must be established and outlive the producer.
 * @param [out] producer The new producer. Destroy it with doca_comch_producer_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed, or the connection has its maximum number of
 *   producers.
 * - DOCA_ERROR_BAD_STATE: the connection is not established.
 * - DOCA_ERROR_NOT_PERMITTED: the Comch version of the peer does not support producers.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_create(
		struct doca_comch_connection *comch_connection,
		struct doca_comch_producer **producer);

/**
 * @brief Destroys a producer.
 *
 * @param [in] producer The producer. It must be idle.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: producer is NULL.
 * - DOCA_ERROR_INITIALIZATION: the library cannot lock the connection.
 * - DOCA_ERROR_IN_USE: the producer is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);

/**
 * @brief Reports whether a device supports producers.
 *
 * @param [in] devinfo The device.
 * @return DOCA_SUCCESS if it does, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support producers.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * @brief Returns the ID of a producer, which tells the consumers of the peer where their data
 * comes from.
 *
 * @param [in] producer The producer.
 * @param [out] id The ID. It is unique in its connection.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id);

/**
 * @brief Returns the maximum number of send tasks of a producer, which is the limit of
 * doca_comch_producer_task_send_set_conf().
 *
 * @param [in] devinfo The device.
 * @param [out] max_num_tasks Number of tasks.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_num_tasks(
		const struct doca_devinfo *devinfo,
		uint32_t *max_num_tasks);

/**
 * @brief Returns the maximum size of the buffer of a send task.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_size Number of bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support producers.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_size(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_size);

/**
 * @brief Returns the maximum number of elements of the buffer list of a send task.
 *
 * @param [in] devinfo The device.
 * @param [out] max_buf_list_len Number of elements. 1 means that the device does not support
 * lists.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support producers.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_list_len(
		const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len);

/**
 * @brief Returns the maximum number of producers of a connection.
 *
 * @param [in] devinfo The device.
 * @param [out] max_producers Number of producers.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_producers(
		const struct doca_devinfo *devinfo,
		uint32_t *max_producers);

/**
 * @brief Returns a producer as a struct doca_ctx.
 *
 * @param [in] producer The producer. It must not be NULL.
 * @return The same object as a struct doca_ctx. It is destroyed with producer.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer);

/**
 * @brief Sets the maximum number of sends in flight of a producer on the DPA.
 *
 * @param [in] producer The producer. It must be idle, with its data path on the DPA.
 * @param [in] dev_num_send Number of sends.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: producer is NULL, or dev_num_send is out of range.
 * - DOCA_ERROR_BAD_STATE: the producer is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_set_dev_max_num_send(
		struct doca_comch_producer *producer,
		uint32_t dev_num_send);

/**
 * @brief Attaches a producer on the DPA to the completion queue that receives its completions.
 *
 * @param [in] producer The producer. It must be idle, with its data path on the DPA.
 * @param [in] dpa_comp The queue. It must outlive the producer.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the producer is not idle.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_dpa_completion_attach(
		struct doca_comch_producer *producer,
		struct doca_dpa_completion *dpa_comp);

/**
 * @brief Returns the handle of a producer for code that runs on the DPA.
 *
 * @param [in] producer The producer. It must be started.
 * @param [out] dpa_producer The handle. It is valid until the producer stops.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the producer is not started, or its data path is not on the DPA.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_get_dpa_handle(
		struct doca_comch_producer *producer,
		doca_dpa_dev_comch_producer_t *dpa_producer);

/**
 * @brief Sets the callbacks and the pool size of the send tasks of a producer. The producer cannot
 * start without it.
 *
 * @param [in] producer The producer. It must be idle.
 * @param [in] task_completion_cb Called for each task that succeeds.
 * @param [in] task_error_cb Called for each task that fails or is flushed because the context
 * stops.
 * @param [in] num_send_tasks Number of tasks in the pool, up to
 * doca_comch_producer_cap_get_max_num_tasks().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or num_send_tasks is out of range.
 * - DOCA_ERROR_BAD_STATE: the producer is not idle.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_set_conf(
		struct doca_comch_producer *producer,
		doca_comch_producer_task_send_completion_cb_t task_completion_cb,
		doca_comch_producer_task_send_completion_cb_t task_error_cb,
		uint32_t num_send_tasks);

/**
 * @brief Allocates a send task from the pool of a producer.
 *
 * doca_task_submit() of the task returns DOCA_ERROR_AGAIN, and does not queue the task, while the
 * consumer has no posted buffer. A consumer that never posts keeps it so: limit the number of
 * attempts. The data must fit into the tail of the consumer's buffer.
 *
 * @param [in] producer The producer. It must be running.
 * @param [in] buf The buffer whose data the task sends, or NULL to send only immediate data. The
 * caller keeps ownership and must not change the buffer or its memory while the task is in flight.
 * @param [in] imm_data Immediate data, which the consumer receives apart from the buffer, or NULL.
 * DOCA reads it at the latest when the task is submitted.
 * @param [in] imm_data_len Length of the immediate data in bytes, up to what the consumer accepts.
 * @param [in] consumer_id The ID of the consumer, as passed to doca_comch_event_consumer_cb_t.
 * @param [out] task The task. Free it with doca_task_free().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: producer or task is NULL, or an argument is out of range.
 * - DOCA_ERROR_NO_MEMORY: all tasks of the pool are in use.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_alloc_init(
		struct doca_comch_producer *producer,
		const struct doca_buf *buf,
		uint8_t *imm_data,
		uint32_t imm_data_len,
		uint32_t consumer_id,
		struct doca_comch_producer_task_send **task);

/**
 * @brief Returns the buffer of a send task.
 *
 * @param [in] task The send task. It must not be NULL.
 * @return The buffer, or NULL.
 */
DOCA_STABLE
const struct doca_buf *doca_comch_producer_task_send_get_buf(
		const struct doca_comch_producer_task_send *task);

/**
 * @brief Sets the buffer of a send task.
 *
 * @param [in] task The send task. It must not be NULL or in flight.
 * @param [in] buf The buffer, or NULL to send only immediate data.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_buf(
		struct doca_comch_producer_task_send *task,
		const struct doca_buf *buf);

/**
 * @brief Returns the consumer of a send task.
 *
 * @param [in] task The send task. It must not be NULL.
 * @return The ID of the consumer.
 */
DOCA_STABLE
uint32_t doca_comch_producer_task_send_get_consumer_id(
		const struct doca_comch_producer_task_send *task);

/**
 * @brief Sets the consumer of a send task.
 *
 * @param [in] task The send task. It must not be NULL or in flight.
 * @param [in] consumer_id The ID of the consumer.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_consumer_id(
		struct doca_comch_producer_task_send *task,
		const uint32_t consumer_id);

/**
 * @brief Returns the immediate data of a send task.
 *
 * @param [in] task The send task. It must not be NULL.
 * @return The data, of doca_comch_producer_task_send_get_imm_data_len() bytes, or NULL.
 */
DOCA_STABLE
uint8_t *doca_comch_producer_task_send_get_imm_data(
		const struct doca_comch_producer_task_send *task);

/**
 * @brief Returns the length of the immediate data of a send task.
 *
 * @param [in] task The send task. It must not be NULL.
 * @return Number of bytes.
 */
DOCA_STABLE
uint32_t doca_comch_producer_task_send_get_imm_data_len(
		const struct doca_comch_producer_task_send *task);

/**
 * @brief Sets the immediate data of a send task.
 *
 * @param [in] task The send task. It must not be NULL or in flight.
 * @param [in] imm_data The data, or NULL for none. DOCA reads it at the latest when the task is
 * submitted.
 * @param [in] imm_data_len Number of bytes.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_imm_data(
		struct doca_comch_producer_task_send *task,
		uint8_t *imm_data,
		uint32_t imm_data_len);

/**
 * @brief Returns a send task as a struct doca_task.
 *
 * @param [in] task The send task. It must not be NULL.
 * @return The same task as a struct doca_task.
 */
DOCA_STABLE
struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_PRODUCER_H_ */
