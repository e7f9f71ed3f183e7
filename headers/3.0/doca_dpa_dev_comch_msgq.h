/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa_dev_comch_msgq.h
 * @brief The device API for Comch message queues (MsgQ), for code that runs on the DPA. Consumers
 * receive messages from a program on the host or DPU, and producers send messages to it. See
 * doca_comch_msgq.h.
 *
 * A message is immediate data of at most 32 bytes. The program creates and starts consumers and
 * producers, and passes their handles to the DPA.
 */
#ifndef DOCA_DPA_DEV_COMCH_MSGQ_H_
#define DOCA_DPA_DEV_COMCH_MSGQ_H_

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_sync_event.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Handle of a consumer. See doca_comch_consumer_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_comch_consumer_t;

/**
 * @brief Handle of a consumer completion queue. See
 * doca_comch_consumer_completion_get_dpa_handle().
 */
__dpa_global__ typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;

/** @brief A completion that was taken from a consumer completion queue: one message. */
__dpa_global__ typedef uint64_t doca_dpa_dev_comch_consumer_completion_element_t;

/** @brief Handle of a producer. See doca_comch_producer_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_comch_producer_t;

/**
 * @brief Posts receives of a consumer. Producers can then send that many more messages to it.
 *
 * @param [in] consumer Handle of the consumer.
 * @param [in] num_msg Number of receives. Together with the posted receives they must not exceed
 * the number of doca_comch_consumer_set_dev_max_num_recv().
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg);

/**
 * @brief Takes the next completion from a consumer completion queue, if there is one. It does not
 * wait.
 *
 * The completion occupies its place in the queue until
 * doca_dpa_dev_comch_consumer_completion_ack().
 *
 * @param [in] consumer_comp_handle Handle of the queue.
 * @param [out] comp_element The completion. Valid only if there is one.
 * @return 1 if there is one, else 0.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_comch_consumer_get_completion(
		doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
		doca_dpa_dev_comch_consumer_completion_element_t *comp_element);

/**
 * @brief Returns the immediate data of a message.
 *
 * @param [in] comp_element The completion of the message. It must not be acknowledged yet.
 * @param [out] imm_length Number of bytes.
 * @return The data. It is valid until the completion is acknowledged.
 */
DOCA_EXPERIMENTAL
const uint8_t *doca_dpa_dev_comch_consumer_get_completion_imm(
		doca_dpa_dev_comch_consumer_completion_element_t comp_element,
		uint32_t *imm_length);

/**
 * @brief Returns the producer of a message.
 *
 * @param [in] comp_element The completion of the message. It must not be acknowledged yet.
 * @return ID of the producer.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_comch_consumer_get_completion_producer_id(
		doca_dpa_dev_comch_consumer_completion_element_t comp_element);

/**
 * @brief Acknowledges completions of consumers, which frees their places in the queue. Without it
 * the queue fills up.
 *
 * @param [in] consumer_comp_handle Handle of the queue.
 * @param [in] num_comp Number of completions that the caller has taken and no longer needs.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_consumer_completion_ack(
		doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
		uint64_t num_comp);

/**
 * @brief Arms a consumer completion queue: its next completion wakes the thread. Arm the queue
 * again after each wake-up.
 *
 * @param [in] consumer_comp_handle Handle of the queue.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_consumer_completion_request_notification(
		doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle);

/**
 * @brief Reports whether a consumer has no posted receive. Do not send to such a consumer.
 *
 * @param [in] producer Handle of the producer.
 * @param [in] consumer_id ID of the consumer.
 * @return 1 if the consumer has no posted receive, else 0.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_comch_producer_is_consumer_empty(
		doca_dpa_dev_comch_producer_t producer,
		uint32_t consumer_id);

/**
 * @brief Posts the send of a message of immediate data to a consumer.
 *
 * The completion goes to the completion queue of the producer: see doca_dpa_dev_get_completion().
 *
 * @param [in] producer Handle of the producer.
 * @param [in] consumer_id ID of the consumer. It must have a posted receive: see
 * doca_dpa_dev_comch_producer_is_consumer_empty().
 * @param [in] imm The data.
 * @param [in] imm_length Number of bytes, at most 32.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_producer_post_send_imm_only(
		doca_dpa_dev_comch_producer_t producer,
		uint32_t consumer_id,
		const uint8_t *imm,
		uint32_t imm_length,
		uint32_t flags);

/**
 * @brief Posts a memory copy, followed by the send of a message of immediate data to a consumer.
 *
 * The completion of both goes to the completion queue of the producer: see
 * doca_dpa_dev_get_completion().
 *
 * @param [in] producer Handle of the producer.
 * @param [in] consumer_id ID of the consumer. It must have a posted receive: see
 * doca_dpa_dev_comch_producer_is_consumer_empty().
 * @param [in] dst_mmap Handle of the memory map to copy to. It must grant
 * DOCA_ACCESS_FLAG_LOCAL_READ_WRITE.
 * @param [in] dst_addr Address to copy to, inside that map.
 * @param [in] src_mmap Handle of the memory map to copy from.
 * @param [in] src_addr Address to copy from, inside that map.
 * @param [in] length Number of bytes to copy. Source and destination must not overlap.
 * @param [in] imm The data of the message.
 * @param [in] imm_length Number of bytes of the message, at most 32.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_producer_dma_copy(
		doca_dpa_dev_comch_producer_t producer,
		uint32_t consumer_id,
		doca_dpa_dev_mmap_t dst_mmap,
		uint64_t dst_addr,
		doca_dpa_dev_mmap_t src_mmap,
		uint64_t src_addr,
		size_t length,
		const uint8_t *imm,
		uint32_t imm_length,
		uint32_t flags);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_DEV_COMCH_MSGQ_H_ */
