/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSGQ_ECHO_ARGS_H_
#define MSGQ_ECHO_ARGS_H_

/* For host and device. DOCA's headers for one or the other come before it: they cannot be included together. */

/** @brief What the echo thread has, in DPA memory. */
struct echo_args {
	doca_dpa_dev_comch_consumer_t consumer;			/**< For messages of the host. */
	doca_dpa_dev_comch_consumer_completion_t consumer_comp; /**< Their completions. They wake the thread. */
	doca_dpa_dev_comch_producer_t producer;			/**< For the answers. */
	doca_dpa_dev_completion_t producer_comp;		/**< Their completions. */
	uint32_t consumer_id;					/**< The host's consumer. */
	uint32_t copy_len; /**< Bytes to copy for each message, from source to destination. 0: answers alone. */
	uint64_t source;   /**< Host memory, copy_len bytes for each number below slots. */
	uint64_t destination;
	doca_dpa_dev_mmap_t source_mmap;
	doca_dpa_dev_mmap_t destination_mmap;
	uint32_t slots;
	uint32_t errors; /**< Completions that were none of a success. */
};

#endif /* MSGQ_ECHO_ARGS_H_ */
