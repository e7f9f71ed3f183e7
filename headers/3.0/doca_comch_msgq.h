/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_comch_msgq.h
 * @brief Comch, message queue (MsgQ): short messages between a program on the host or DPU and code
 * on the DPA of the same device, without a server or client.
 *
 * A queue has one direction: doca_comch_msgq_set_dpa_consumer() makes a queue to the DPA,
 * doca_comch_msgq_set_dpa_producer() a queue from the DPA. Use two queues for both directions.
 * Start the queue, and then create its consumers and producers with the functions of this header.
 * Use them as in doca_comch_consumer.h and doca_comch_producer.h, but without buffers: a message
 * is immediate data of at most 32 bytes. Those on the DPA need doca_ctx_set_datapath_on_dpa()
 * before they start. Code on the DPA uses them through doca_dpa_dev_comch_msgq.h.
 */
#ifndef DOCA_COMCH_MSGQ_H_
#define DOCA_COMCH_MSGQ_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A message queue to or from the DPA. */
struct doca_comch_msgq;

struct doca_comch_producer;
struct doca_comch_consumer;
struct doca_dev;
struct doca_dpa;

/**
 * @brief Creates a message queue. Set its direction and start it before use.
 *
 * @param [in] dev The device. It must stay open as long as the queue exists.
 * @param [out] msgq The new queue. Destroy it with doca_comch_msgq_destroy().
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq);

/**
 * @brief Destroys a message queue.
 *
 * @param [in] msgq The queue. Its consumers and producers must be destroyed first.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq);

/**
 * @brief Makes a message queue a queue to the DPA: its consumers run on the DPA, its producers in
 * this program.
 *
 * A queue needs either this call or doca_comch_msgq_set_dpa_producer() before it can start. They
 * exclude each other.
 *
 * @param [in] msgq The queue. It must not be started.
 * @param [in] dpa The DPA of the consumers. It must be on the device of the queue and outlive the
 * queue.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/**
 * @brief Sets the maximum number of consumers of a message queue.
 *
 * @param [in] msgq The queue. It must not be started.
 * @param [in] max_num_consumers Number of consumers.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_consumers(
		struct doca_comch_msgq *msgq,
		uint32_t max_num_consumers);

/**
 * @brief Makes a message queue a queue from the DPA: its producers run on the DPA, its consumers
 * in this program.
 *
 * A queue needs either this call or doca_comch_msgq_set_dpa_consumer() before it can start. They
 * exclude each other.
 *
 * @param [in] msgq The queue. It must not be started.
 * @param [in] dpa The DPA of the producers. It must be on the device of the queue and outlive the
 * queue.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/**
 * @brief Sets the maximum number of producers of a message queue.
 *
 * @param [in] msgq The queue. It must not be started.
 * @param [in] max_num_producers Number of producers.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_producers(
		struct doca_comch_msgq *msgq,
		uint32_t max_num_producers);

/**
 * @brief Starts a message queue. The program can then create consumers and producers for it.
 *
 * @param [in] msgq The queue. Its direction must be set.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq);

/**
 * @brief Stops a message queue.
 *
 * @param [in] msgq The queue. Its consumers and producers must be destroyed first.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq);

/**
 * @brief Creates a consumer of a message queue: on the DPA if the queue leads to the DPA, else in
 * this program.
 *
 * A consumer on the DPA also needs doca_comch_consumer_set_completion() and
 * doca_comch_consumer_set_dev_max_num_recv(), and no progress engine. A consumer in this program
 * posts its receive tasks without a buffer.
 *
 * @param [in] msgq The queue. It must be started and outlive the consumer.
 * @param [out] consumer The new consumer. Destroy it with doca_comch_consumer_destroy().
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_consumer_create(
		struct doca_comch_msgq *msgq,
		struct doca_comch_consumer **consumer);

/**
 * @brief Creates a producer of a message queue: on the DPA if the queue comes from the DPA, else
 * in this program.
 *
 * A producer on the DPA also needs doca_comch_producer_dpa_completion_attach() and
 * doca_comch_producer_set_dev_max_num_send(), and no progress engine. A producer in this program
 * sends immediate data without a buffer.
 *
 * @param [in] msgq The queue. It must be started and outlive the producer.
 * @param [out] producer The new producer. Destroy it with doca_comch_producer_destroy().
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_producer_create(
		struct doca_comch_msgq *msgq,
		struct doca_comch_producer **producer);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_MSGQ_H_ */
