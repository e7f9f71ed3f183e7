/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa_dev_rdma.h
 * @brief The device API for RDMA, for code that runs on the DPA.
 *
 * The program creates an RDMA context with its data path on the DPA, starts it, connects it and
 * passes its handle to the DPA. The functions that post an operation are asynchronous. The
 * completion goes to the completion queue of the context, and carries the ID of the connection.
 *
 * Most operations have two forms. The post form takes the handle of a memory map and an address
 * inside it. The post_buf form takes buffers. Remote memory is a map or buffer that was created
 * from an export of the peer. It must grant the access that the operation needs.
 */
#ifndef DOCA_DPA_DEV_RDMA_H_
#define DOCA_DPA_DEV_RDMA_H_

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_sync_event.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Handle of an RDMA context. See doca_rdma_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_rdma_t;

/**
 * @brief Posts a read from remote memory.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] dst_mmap_handle Handle of the local memory map to read to.
 * @param [in] dst_addr Address to read to, inside that map.
 * @param [in] src_mmap_handle Handle of the remote memory map to read from.
 * @param [in] src_addr Address to read from, inside that map.
 * @param [in] length Number of bytes.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_read(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_mmap_t dst_mmap_handle,
		uint64_t dst_addr,
		doca_dpa_dev_mmap_t src_mmap_handle,
		uint64_t src_addr,
		size_t length,
		uint32_t flags);

/**
 * @brief Posts a read from a remote buffer.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] dst_buf_handle Handle of the local buffer to read to.
 * @param [in] src_buf_handle Handle of the remote buffer to read from.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_read(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_buf_t dst_buf_handle,
		doca_dpa_dev_buf_t src_buf_handle,
		uint32_t flags);

/**
 * @brief Posts a write to remote memory. The peer gets no completion.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] dst_mmap_handle Handle of the remote memory map to write to.
 * @param [in] dst_addr Address to write to, inside that map.
 * @param [in] src_mmap_handle Handle of the local memory map to write from.
 * @param [in] src_addr Address to write from, inside that map.
 * @param [in] length Number of bytes.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_write(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_mmap_t dst_mmap_handle,
		uint64_t dst_addr,
		doca_dpa_dev_mmap_t src_mmap_handle,
		uint64_t src_addr,
		size_t length,
		uint32_t flags);

/**
 * @brief Posts a write to a remote buffer. The peer gets no completion.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] dst_buf_handle Handle of the remote buffer to write to.
 * @param [in] src_buf_handle Handle of the local buffer to write from.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_write(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_buf_t dst_buf_handle,
		doca_dpa_dev_buf_t src_buf_handle,
		uint32_t flags);

/**
 * @brief Posts a write with an immediate value to remote memory. It completes a receive of the
 * peer without using the receive's memory.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] dst_mmap_handle Handle of the remote memory map to write to.
 * @param [in] dst_addr Address to write to, inside that map.
 * @param [in] src_mmap_handle Handle of the local memory map to write from.
 * @param [in] src_addr Address to write from, inside that map.
 * @param [in] length Number of bytes.
 * @param [in] immediate The immediate value, which the completion of the peer's receive carries.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_write_imm(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_mmap_t dst_mmap_handle,
		uint64_t dst_addr,
		doca_dpa_dev_mmap_t src_mmap_handle,
		uint64_t src_addr,
		size_t length,
		uint32_t immediate,
		uint32_t flags);

/**
 * @brief Posts a write with an immediate value to a remote buffer. It completes a receive of the
 * peer without using the receive's memory.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] dst_buf_handle Handle of the remote buffer to write to.
 * @param [in] src_buf_handle Handle of the local buffer to write from.
 * @param [in] immediate The immediate value, which the completion of the peer's receive carries.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_write_imm(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_buf_t dst_buf_handle,
		doca_dpa_dev_buf_t src_buf_handle,
		uint32_t immediate,
		uint32_t flags);

/**
 * @brief Posts the send of a message. The peer must post a receive for it.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] mmap_handle Handle of the local memory map to send from.
 * @param [in] addr Address to send from, inside that map.
 * @param [in] length Number of bytes.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_send(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_mmap_t mmap_handle,
		uint64_t addr,
		size_t length,
		uint32_t flags);

/**
 * @brief Posts the send of a buffer as a message. The peer must post a receive for it.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] send_buf_handle Handle of the local buffer to send.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_send(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_buf_t send_buf_handle,
		uint32_t flags);

/**
 * @brief Posts the send of a message with an immediate value. The peer must post a receive for it.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] mmap_handle Handle of the local memory map to send from.
 * @param [in] addr Address to send from, inside that map.
 * @param [in] length Number of bytes.
 * @param [in] immediate The immediate value, which the completion of the peer's receive carries.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_send_imm(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_mmap_t mmap_handle,
		uint64_t addr,
		size_t length,
		uint32_t immediate,
		uint32_t flags);

/**
 * @brief Posts the send of a buffer as a message with an immediate value. The peer must post a
 * receive for it.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] send_buf_handle Handle of the local buffer to send.
 * @param [in] immediate The immediate value, which the completion of the peer's receive carries.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_send_imm(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_buf_t send_buf_handle,
		uint32_t immediate,
		uint32_t flags);

/**
 * @brief Posts a receive: memory for a message from the peer.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] mmap_handle Handle of the local memory map to receive to.
 * @param [in] addr Address to receive to, inside that map.
 * @param [in] length Maximum length of the message in bytes.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_receive(
		doca_dpa_dev_rdma_t rdma,
		doca_dpa_dev_mmap_t mmap_handle,
		uint64_t addr,
		size_t length);

/**
 * @brief Posts a receive: a buffer for a message from the peer.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] receive_buf_handle Handle of the local buffer to receive to. Its length is the
 * maximum length of the message.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_receive(
		doca_dpa_dev_rdma_t rdma,
		doca_dpa_dev_buf_t receive_buf_handle);

/**
 * @brief Acknowledges completed receives, which frees their places in the receive queue.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] num_acked Number of receives.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_receive_ack(doca_dpa_dev_rdma_t rdma, uint32_t num_acked);

/**
 * @brief Returns the index of the work request of a completion.
 *
 * @param [in] comp_element The completion from doca_dpa_dev_get_completion(). It must not be
 * acknowledged yet.
 * @return Index of the work request in its queue.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_rdma_completion_get_wr_index(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Posts an atomic addition to 8 bytes of remote memory.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] dst_mmap_handle Handle of the remote memory map to add to.
 * @param [in] dst_addr Address to add to, inside that map.
 * @param [in] value The number to add.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_atomic_fetch_add(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_mmap_t dst_mmap_handle,
		uint64_t dst_addr,
		uint64_t value,
		uint32_t flags);

/**
 * @brief Posts an atomic addition to a remote buffer of 8 bytes.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] dst_buf_handle Handle of the remote buffer to add to.
 * @param [in] value The number to add.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_atomic_fetch_add(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_buf_t dst_buf_handle,
		uint64_t value,
		uint32_t flags);

/**
 * @brief Sets the value of a remote synchronisation event.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] remote_sync_event Handle of the remote event.
 * @param [in] count The new value of the event.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_signal_set(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
		uint64_t count);

/**
 * @brief Adds to the value of a remote synchronisation event.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id ID of the connection. See doca_rdma_connection_get_id().
 * @param [in] remote_sync_event Handle of the remote event.
 * @param [in] count The number to add.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_signal_add(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
		uint64_t count);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_DEV_RDMA_H_ */
