/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RDMATEST_KERNELS_H_
#define RDMATEST_KERNELS_H_

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_rdma.h>

/** @brief What code has, in DPA memory. */
struct end {
	doca_dpa_dev_rdma_t rdma;
	doca_dpa_dev_completion_t comp;
	uint64_t addr;            /**< The slots: what arrives, one after the other. */
	uint64_t out;             /**< What is sent, or read into. */
	doca_dpa_dev_mmap_t mmap; /**< Of both. */
	doca_dpa_dev_mmap_t peer; /**< The peer's memory. */
	uint64_t peer_addr;       /**< In that. */
	uint32_t slots;           /**< How many there are. */
	uint32_t slot_len;        /**< Bytes of each. */
	uint64_t posted;          /**< How many receives were posted. */
	uint64_t received;        /**< How many messages have come. */
	uint64_t written;         /**< How many writes with immediate data. */
	uint64_t sent;            /**< How many requests have ended well. */
	uint64_t send_errors;     /**< How many have failed. */
	uint64_t receive_errors;  /**< How many receives have failed. */
	uint32_t immediate;       /**< Of the last message. */
	uint32_t connection;      /**< Of the last completion. */
};

/** @brief Sends each message back on its connection, with its immediate data. @param [in] arg Address of the end. */
__dpa_global__ void echo(uint64_t arg);

/** @brief Counts what comes. @param [in] arg Address of the end. */
__dpa_global__ void sink(uint64_t arg);

/** @brief Crashes when a message has come. @param [in] arg Address of the end. */
__dpa_global__ void crash(uint64_t arg);

/** @brief Posts receives. @param [in] end Address of the end. @param [in] count How many. @return 0 */
__dpa_rpc__ uint64_t post_receives(doca_dpa_dev_uintptr_t end, uint32_t count);

/**
 * @brief Sends from out.
 *
 * @param [in] end Address of the end.
 * @param [in] connection Its number.
 * @param [in] len Bytes.
 * @param [in] immediate The immediate value.
 * @return 0
 */
__dpa_rpc__ uint64_t send_out(doca_dpa_dev_uintptr_t end, uint32_t connection, uint32_t len, uint32_t immediate);

/**
 * @brief Writes out to the peer's memory.
 *
 * @param [in] end Address of the end.
 * @param [in] connection Its number.
 * @param [in] len Bytes.
 * @return 0
 */
__dpa_rpc__ uint64_t write_out(doca_dpa_dev_uintptr_t end, uint32_t connection, uint32_t len);

/**
 * @brief Reads the peer's memory to out.
 *
 * @param [in] end Address of the end.
 * @param [in] connection Its number.
 * @param [in] len Bytes.
 * @return 0
 */
__dpa_rpc__ uint64_t read_in(doca_dpa_dev_uintptr_t end, uint32_t connection, uint32_t len);

/**
 * @brief Adds to the first number of the peer's memory.
 *
 * @param [in] end Address of the end.
 * @param [in] connection Its number.
 * @param [in] value What is added.
 * @return 0
 */
__dpa_rpc__ uint64_t add(doca_dpa_dev_uintptr_t end, uint32_t connection, uint64_t value);

#endif /* RDMATEST_KERNELS_H_ */
