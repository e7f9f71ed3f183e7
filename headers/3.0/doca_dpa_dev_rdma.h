/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa_dev_rdma.h
 * @brief RDMA for code that runs on the DPA.
 *
 * The program makes, starts and connects the RDMA context, with its data path on the DPA, and
 * passes its handle on. Calls that post an operation return at once; the completion queue that the
 * program has attached to the context tells how it ended, and its completions carry the number of
 * the connection.
 *
 * Most operations have two forms: one takes memory by the handle of a memory map and an address in
 * it, the other, named post_buf, takes buffers, whose addresses and lengths say what is meant.
 * Memory of the peer is named by a map or buffer that was made from what the peer has exported,
 * and must grant the access that the operation needs.
 */
#ifndef DOCA_DPA_DEV_RDMA_H_
#define DOCA_DPA_DEV_RDMA_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_sync_event.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Handle of an RDMA context; see doca_rdma_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_rdma_t;

/**
 * @brief Posts a read from memory of the peer.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] dst_mmap_handle Handle of the memory map of this side to read to.
 * @param [in] dst_addr Address to read to, within that map.
 * @param [in] src_mmap_handle Handle of the memory map of the peer to read from.
 * @param [in] src_addr Address to read from, within that map.
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
 * @brief Posts a read from a buffer of the peer.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] dst_buf_handle Handle of the buffer of this side to read to.
 * @param [in] src_buf_handle Handle of the buffer of the peer to read from.
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
 * @brief Posts a write to memory of the peer, who is not told of it.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] dst_mmap_handle Handle of the memory map of the peer to write to.
 * @param [in] dst_addr Address to write to, within that map.
 * @param [in] src_mmap_handle Handle of the memory map of this side to write from.
 * @param [in] src_addr Address to write from, within that map.
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
 * @brief Posts a write to a buffer of the peer, who is not told of it.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] dst_buf_handle Handle of the buffer of the peer to write to.
 * @param [in] src_buf_handle Handle of the buffer of this side to write from.
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
 * @brief Posts a write to memory of the peer. The peer is told of it by a number: the write takes
 * up one of the peer's receives, though not its memory.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] dst_mmap_handle Handle of the memory map of the peer to write to.
 * @param [in] dst_addr Address to write to, within that map.
 * @param [in] src_mmap_handle Handle of the memory map of this side to write from.
 * @param [in] src_addr Address to write from, within that map.
 * @param [in] length Number of bytes.
 * @param [in] immediate A number that the completion of the peer's receive carries.
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
 * @brief Posts a write to a buffer of the peer. The peer is told of it by a number: the write
 * takes up one of the peer's receives, though not its memory.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] dst_buf_handle Handle of the buffer of the peer to write to.
 * @param [in] src_buf_handle Handle of the buffer of this side to write from.
 * @param [in] immediate A number that the completion of the peer's receive carries.
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
 * @brief Posts a message to the peer, who must have posted a receive for it.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] mmap_handle Handle of the memory map of this side to send from.
 * @param [in] addr Address to send from, within that map.
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
 * @brief Posts a buffer as a message to the peer, who must have posted a receive for it.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] send_buf_handle Handle of the buffer of this side to send.
 * @param [in] flags Bit mask of enum doca_dpa_dev_submit_flag.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_send(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_buf_t send_buf_handle,
		uint32_t flags);

/**
 * @brief Posts a message and a number to the peer, who must have posted a receive for it.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] mmap_handle Handle of the memory map of this side to send from.
 * @param [in] addr Address to send from, within that map.
 * @param [in] length Number of bytes.
 * @param [in] immediate A number that the completion of the peer's receive carries.
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
 * @brief Posts a buffer as a message, and a number, to the peer, who must have posted a receive
 * for it.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] send_buf_handle Handle of the buffer of this side to send.
 * @param [in] immediate A number that the completion of the peer's receive carries.
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
 * @brief Posts a receive: gives memory for a message of the peer.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] mmap_handle Handle of the memory map of this side to receive to.
 * @param [in] addr Address to receive to, within that map.
 * @param [in] length Number of bytes that the message can have.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_receive(
		doca_dpa_dev_rdma_t rdma,
		doca_dpa_dev_mmap_t mmap_handle,
		uint64_t addr,
		size_t length);

/**
 * @brief Posts a receive: gives a buffer for a message of the peer.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] receive_buf_handle Handle of the buffer of this side to receive to. Its length is
 * what the message can have.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_post_buf_receive(
		doca_dpa_dev_rdma_t rdma,
		doca_dpa_dev_buf_t receive_buf_handle);

/**
 * @brief Acknowledges receives that have ended: gives their places in the receive queue back.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] num_acked Number of receives.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_receive_ack(doca_dpa_dev_rdma_t rdma, uint32_t num_acked);

/**
 * @brief Returns which work request of its queue a completion is about.
 *
 * @param [in] comp_element The completion, from doca_dpa_dev_get_completion(), not yet
 * acknowledged.
 * @return Index of the work request.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_rdma_completion_get_wr_index(doca_dpa_dev_completion_element_t comp_element);

/**
 * @brief Posts an atomic addition to 8 bytes of memory of the peer.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] dst_mmap_handle Handle of the memory map of the peer to add to.
 * @param [in] dst_addr Address to add to, within that map.
 * @param [in] value What is added.
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
 * @brief Posts an atomic addition to an 8-byte buffer of the peer.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] dst_buf_handle Handle of the buffer of the peer to add to.
 * @param [in] value What is added.
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
 * @brief Sets a synchronisation event of the peer.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] remote_sync_event Handle of the event.
 * @param [in] count The new value of the event.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_rdma_signal_set(
		doca_dpa_dev_rdma_t rdma,
		uint32_t connection_id,
		doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
		uint64_t count);

/**
 * @brief Adds to a synchronisation event of the peer.
 *
 * @param [in] rdma Handle of the RDMA context.
 * @param [in] connection_id Number of the connection; see doca_rdma_connection_get_id().
 * @param [in] remote_sync_event Handle of the event.
 * @param [in] count What is added to the value of the event.
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
