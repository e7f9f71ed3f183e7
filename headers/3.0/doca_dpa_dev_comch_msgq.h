/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa_dev_comch_msgq.h
 * @brief MsgQ for code that runs on the DPA: consumers receive messages from, and producers send
 * them to, a program on the host or DPU; see doca_comch_msgq.h.
 *
 * Messages are immediate data of at most 32 bytes. Consumers and producers are made and started by
 * the program, which passes their handles to the DPA.
 */
#ifndef DOCA_DPA_DEV_COMCH_MSGQ_H_
#define DOCA_DPA_DEV_COMCH_MSGQ_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_dev_buf.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Handle of a consumer; see doca_comch_consumer_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_comch_consumer_t;

/**
 * @brief Handle of a completion queue of consumers; see
 * doca_comch_consumer_completion_get_dpa_handle().
 */
__dpa_global__ typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;

/** @brief A completion that was taken from a queue of consumers: one message. */
__dpa_global__ typedef uint64_t doca_dpa_dev_comch_consumer_completion_element_t;

/** @brief Handle of a producer; see doca_comch_producer_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_comch_producer_t;

/**
 * @brief Posts receives of a consumer: lets producers send it as many messages more.
 *
 * @param [in] consumer Handle of the consumer.
 * @param [in] num_msg Number of receives. With those that are posted already they must not be more
 * than doca_comch_consumer_set_dev_max_num_recv() has made room for.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg);

/**
 * @brief Takes the next completion, one message, from a queue of consumers, if there is one. It
 * does not wait.
 *
 * The completion keeps its place in the queue until doca_dpa_dev_comch_consumer_completion_ack().
 *
 * @param [in] consumer_comp_handle Handle of the queue.
 * @param [out] comp_element The completion, if there is one.
 * @return 1 when there is one, else 0.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_comch_consumer_get_completion(
		doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
		doca_dpa_dev_comch_consumer_completion_element_t *comp_element);

/**
 * @brief Returns the immediate data of a message.
 *
 * @param [in] comp_element The completion of the message, not yet acknowledged.
 * @param [out] imm_length Number of bytes.
 * @return The data; valid until the completion is acknowledged.
 */
DOCA_EXPERIMENTAL
const uint8_t *doca_dpa_dev_comch_consumer_get_completion_imm(
		doca_dpa_dev_comch_consumer_completion_element_t comp_element,
		uint32_t *imm_length);

/**
 * @brief Returns which producer has sent a message.
 *
 * @param [in] comp_element The completion of the message, not yet acknowledged.
 * @return Number of the producer.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_comch_consumer_get_completion_producer_id(
		doca_dpa_dev_comch_consumer_completion_element_t comp_element);

/**
 * @brief Acknowledges completions of consumers: gives their places in the queue back. Without it
 * the queue fills up.
 *
 * @param [in] consumer_comp_handle Handle of the queue.
 * @param [in] num_comp Number of completions that were taken and are not needed any more.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_consumer_completion_ack(
		doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
		uint64_t num_comp);

/**
 * @brief Asks a completion queue of consumers to wake its thread at the next completion. It is
 * needed again after each time that the thread was woken.
 *
 * @param [in] consumer_comp_handle Handle of the queue.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_consumer_completion_request_notification(
		doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle);

/**
 * @brief Reports whether a consumer has no receive posted, so that nothing must be sent to it now.
 *
 * @param [in] producer Handle of the producer that is to send.
 * @param [in] consumer_id Number of the consumer.
 * @return 1 when the consumer has no receive, else 0.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_comch_producer_is_consumer_empty(
		doca_dpa_dev_comch_producer_t producer,
		uint32_t consumer_id);

/**
 * @brief Posts a message of immediate data to a consumer.
 *
 * The producer's completion queue is told when it was sent; see doca_dpa_dev_get_completion().
 *
 * @param [in] producer Handle of the producer.
 * @param [in] consumer_id Number of the consumer. It must have a receive posted, which
 * doca_dpa_dev_comch_producer_is_consumer_empty() tells.
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
 * @brief Posts a copy of memory, and a message of immediate data to a consumer once it is done.
 *
 * The producer's completion queue is told when both are done; see doca_dpa_dev_get_completion().
 *
 * @param [in] producer Handle of the producer.
 * @param [in] consumer_id Number of the consumer. It must have a receive posted, which
 * doca_dpa_dev_comch_producer_is_consumer_empty() tells.
 * @param [in] dst_mmap Handle of the memory map to copy to. It must grant
 * DOCA_ACCESS_FLAG_LOCAL_READ_WRITE.
 * @param [in] dst_addr Address to copy to, within that map.
 * @param [in] src_mmap Handle of the memory map to copy from.
 * @param [in] src_addr Address to copy from, within that map.
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
