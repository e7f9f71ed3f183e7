/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_comch_msgq.h
 * @brief MsgQ: a queue of short messages between a program on the host or DPU and code on the DPA
 * of the same device, without a Comch server or client.
 *
 * A queue has one direction: doca_comch_msgq_set_dpa_consumer() makes one to the DPA,
 * doca_comch_msgq_set_dpa_producer() one from it; both directions take two queues. After the queue
 * is started, consumers and producers for it are created here and used as doca_comch_consumer.h
 * and doca_comch_producer.h say, but for what they carry: immediate data alone, at most 32 bytes,
 * and no buffer. Those at the end that is on the DPA get their data path there, with
 * doca_ctx_set_datapath_on_dpa(), before they are started, and code on the DPA uses them by means
 * of doca_dpa_dev_comch_msgq.h.
 */
#ifndef DOCA_COMCH_MSGQ_H_
#define DOCA_COMCH_MSGQ_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A queue of messages to or from the DPA. */
struct doca_comch_msgq;

struct doca_comch_producer;
struct doca_comch_consumer;
struct doca_dev;
struct doca_dpa;

/**
 * @brief Creates a queue of messages. Its direction has to be set, and it has to be started before
 * use.
 *
 * @param [in] dev The device. It must stay open as long as the queue exists.
 * @param [out] msgq The new queue. Destroy it with doca_comch_msgq_destroy().
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq);

/**
 * @brief Destroys a queue of messages.
 *
 * @param [in] msgq The queue. Its consumers and producers must have been destroyed.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq);

/**
 * @brief Makes a queue one to the DPA: consumers are on the DPA, producers in this program. This
 * or doca_comch_msgq_set_dpa_producer() is mandatory before the queue is started; they exclude
 * each other.
 *
 * @param [in] msgq The queue. It must not be started.
 * @param [in] dpa The DPA of the consumers. It must be on the device of the queue and outlive the
 * queue.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/**
 * @brief Sets how many consumers a queue can have.
 *
 * @param [in] msgq The queue. It must not be started.
 * @param [in] max_num_consumers Number of consumers.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_consumers(
		struct doca_comch_msgq *msgq,
		uint32_t max_num_consumers);

/**
 * @brief Makes a queue one from the DPA: producers are on the DPA, consumers in this program. This
 * or doca_comch_msgq_set_dpa_consumer() is mandatory before the queue is started; they exclude
 * each other.
 *
 * @param [in] msgq The queue. It must not be started.
 * @param [in] dpa The DPA of the producers. It must be on the device of the queue and outlive the
 * queue.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);

/**
 * @brief Sets how many producers a queue can have.
 *
 * @param [in] msgq The queue. It must not be started.
 * @param [in] max_num_producers Number of producers.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_producers(
		struct doca_comch_msgq *msgq,
		uint32_t max_num_producers);

/**
 * @brief Starts a queue of messages. Consumers and producers can then be created for it.
 *
 * @param [in] msgq The queue; its direction must be set.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq);

/**
 * @brief Stops a queue of messages.
 *
 * @param [in] msgq The queue. Its consumers and producers must have been destroyed.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq);

/**
 * @brief Creates a consumer of a queue: on the DPA if the queue leads to it, else in this program.
 *
 * A consumer on the DPA also needs doca_comch_consumer_set_completion() and
 * doca_comch_consumer_set_dev_max_num_recv(), and takes no progress engine. One in this program
 * posts its receives without a buffer.
 *
 * @param [in] msgq The queue. It must be started and outlive the consumer.
 * @param [out] consumer The new consumer. Destroy it with doca_comch_consumer_destroy().
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_consumer_create(
		struct doca_comch_msgq *msgq,
		struct doca_comch_consumer **consumer);

/**
 * @brief Creates a producer of a queue: on the DPA if the queue comes from it, else in this
 * program.
 *
 * A producer on the DPA also needs doca_comch_producer_dpa_completion_attach() and
 * doca_comch_producer_set_dev_max_num_send(), and takes no progress engine. One in this program
 * sends immediate data without a buffer.
 *
 * @param [in] msgq The queue. It must be started and outlive the producer.
 * @param [out] producer The new producer. Destroy it with doca_comch_producer_destroy().
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_producer_create(
		struct doca_comch_msgq *msgq,
		struct doca_comch_producer **producer);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_MSGQ_H_ */
