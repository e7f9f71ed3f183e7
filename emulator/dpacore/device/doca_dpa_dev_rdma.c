/* SPDX-License-Identifier: Apache-2.0 */
#include <doca_dpa_dev_rdma.h>

#include "emu_dpa_dev_library.h"

void doca_dpa_dev_rdma_post_read(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				 doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
				 doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
				 uint32_t flags)
{
	emu_dpa_dev_ops->rdma_post_read(rdma, connection_id, dst_mmap_handle, dst_addr, src_mmap_handle,
					src_addr, length, flags);
}

void doca_dpa_dev_rdma_post_buf_read(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				     doca_dpa_dev_buf_t dst_buf_handle, doca_dpa_dev_buf_t src_buf_handle,
				     uint32_t flags)
{
	emu_dpa_dev_ops->rdma_post_buf_read(rdma, connection_id, dst_buf_handle, src_buf_handle, flags);
}

void doca_dpa_dev_rdma_post_write(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				  doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
				  doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
				  uint32_t flags)
{
	emu_dpa_dev_ops->rdma_post_write(rdma, connection_id, dst_mmap_handle, dst_addr, src_mmap_handle,
					 src_addr, length, flags);
}

void doca_dpa_dev_rdma_post_buf_write(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				      doca_dpa_dev_buf_t dst_buf_handle, doca_dpa_dev_buf_t src_buf_handle,
				      uint32_t flags)
{
	emu_dpa_dev_ops->rdma_post_buf_write(rdma, connection_id, dst_buf_handle, src_buf_handle, flags);
}

void doca_dpa_dev_rdma_post_write_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				      doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
				      doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
				      uint32_t immediate, uint32_t flags)
{
	emu_dpa_dev_ops->rdma_post_write_imm(rdma, connection_id, dst_mmap_handle, dst_addr, src_mmap_handle,
					     src_addr, length, immediate, flags);
}

void doca_dpa_dev_rdma_post_buf_write_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
					  doca_dpa_dev_buf_t dst_buf_handle, doca_dpa_dev_buf_t src_buf_handle,
					  uint32_t immediate, uint32_t flags)
{
	emu_dpa_dev_ops->rdma_post_buf_write_imm(rdma, connection_id, dst_buf_handle, src_buf_handle, immediate,
						 flags);
}

void doca_dpa_dev_rdma_post_send(doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_mmap_t mmap_handle,
				 uint64_t addr, size_t length, uint32_t flags)
{
	emu_dpa_dev_ops->rdma_post_send(rdma, connection_id, mmap_handle, addr, length, flags);
}

void doca_dpa_dev_rdma_post_buf_send(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				     doca_dpa_dev_buf_t send_buf_handle, uint32_t flags)
{
	emu_dpa_dev_ops->rdma_post_buf_send(rdma, connection_id, send_buf_handle, flags);
}

void doca_dpa_dev_rdma_post_send_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				     doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length,
				     uint32_t immediate, uint32_t flags)
{
	emu_dpa_dev_ops->rdma_post_send_imm(rdma, connection_id, mmap_handle, addr, length, immediate, flags);
}

void doca_dpa_dev_rdma_post_buf_send_imm(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
					 doca_dpa_dev_buf_t send_buf_handle, uint32_t immediate, uint32_t flags)
{
	emu_dpa_dev_ops->rdma_post_buf_send_imm(rdma, connection_id, send_buf_handle, immediate, flags);
}

void doca_dpa_dev_rdma_post_receive(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t mmap_handle, uint64_t addr,
				    size_t length)
{
	emu_dpa_dev_ops->rdma_post_receive(rdma, mmap_handle, addr, length);
}

void doca_dpa_dev_rdma_post_buf_receive(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t receive_buf_handle)
{
	emu_dpa_dev_ops->rdma_post_buf_receive(rdma, receive_buf_handle);
}

void doca_dpa_dev_rdma_receive_ack(doca_dpa_dev_rdma_t rdma, uint32_t num_acked)
{
	emu_dpa_dev_ops->rdma_receive_ack(rdma, num_acked);
}

uint32_t doca_dpa_dev_rdma_completion_get_wr_index(doca_dpa_dev_completion_element_t comp_element)
{
	return emu_dpa_dev_ops->rdma_completion_get_wr_index(comp_element);
}

void doca_dpa_dev_rdma_post_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
					     doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
					     uint64_t value, uint32_t flags)
{
	emu_dpa_dev_ops->rdma_post_atomic_fetch_add(rdma, connection_id, dst_mmap_handle, dst_addr, value, flags);
}

void doca_dpa_dev_rdma_post_buf_atomic_fetch_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
						 doca_dpa_dev_buf_t dst_buf_handle, uint64_t value, uint32_t flags)
{
	emu_dpa_dev_ops->rdma_post_buf_atomic_fetch_add(rdma, connection_id, dst_buf_handle, value, flags);
}

void doca_dpa_dev_rdma_signal_set(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				  doca_dpa_dev_sync_event_remote_net_t remote_sync_event, uint64_t count)
{
	emu_dpa_dev_ops->rdma_signal_set(rdma, connection_id, remote_sync_event, count);
}

void doca_dpa_dev_rdma_signal_add(doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
				  doca_dpa_dev_sync_event_remote_net_t remote_sync_event, uint64_t count)
{
	emu_dpa_dev_ops->rdma_signal_add(rdma, connection_id, remote_sync_event, count);
}
