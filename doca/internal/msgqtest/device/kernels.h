/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSGQTEST_KERNELS_H_
#define MSGQTEST_KERNELS_H_

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_comch_msgq.h>

/** @brief What a thread has, in DPA memory. */
struct ends {
	doca_dpa_dev_comch_consumer_t consumer;
	doca_dpa_dev_comch_consumer_completion_t consumer_comp;
	doca_dpa_dev_comch_producer_t producer;
	doca_dpa_dev_completion_t producer_comp;
	uint32_t to;          /**< The host's consumer. */
	uint32_t producer_id; /**< Of the last message. */
	uint64_t messages;    /**< How many have come. */
	uint64_t bytes;       /**< How many bytes they had. */
	uint64_t sent;        /**< How many sends have ended well. */
	uint32_t user_data;   /**< Of the last one. */
	uint32_t failed;      /**< How many have not. */
};

/** @brief Sends each message back. @param [in] arg Address of the ends. */
__dpa_global__ void echo(uint64_t arg);

/** @brief Takes each message and makes room for the next. @param [in] arg Address of the ends. */
__dpa_global__ void sink(uint64_t arg);

/** @brief Crashes when a message has come. @param [in] arg Address of the ends. */
__dpa_global__ void crash(uint64_t arg);

/** @brief Makes room for messages. @param [in] ends Address of the ends. @param [in] count How many. @return 0 */
__dpa_rpc__ uint64_t make_room(doca_dpa_dev_uintptr_t ends, uint32_t count);

/**
 * @brief Sends 8-byte numbers, as long as the host's consumer has room.
 *
 * @param [in] ends Address of the ends.
 * @param [in] first The first number.
 * @param [in] count How many.
 * @return how many were sent
 */
__dpa_rpc__ uint64_t send_numbers(doca_dpa_dev_uintptr_t ends, uint64_t first, uint32_t count);

#endif /* MSGQTEST_KERNELS_H_ */
