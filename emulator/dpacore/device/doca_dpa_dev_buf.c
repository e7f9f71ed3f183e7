/* SPDX-License-Identifier: Apache-2.0 */
#include <doca_dpa_dev_buf.h>

#include "emu_dpa_dev_library.h"

doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(doca_dpa_dev_buf_t buf)
{
	return emu_dpa_dev_ops->buf_get_external_ptr(buf);
}

void doca_dpa_dev_post_buf_memcpy(doca_dpa_dev_async_ops_t async_ops_handle, doca_dpa_dev_buf_t dst_buf_handle,
				  doca_dpa_dev_buf_t src_buf_handle, uint32_t flags)
{
	emu_dpa_dev_ops->post_buf_memcpy(async_ops_handle, dst_buf_handle, src_buf_handle, flags);
}

void doca_dpa_dev_post_memcpy(doca_dpa_dev_async_ops_t async_ops_handle, doca_dpa_dev_mmap_t dst_mmap_handle,
			      uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr,
			      size_t length, uint32_t flags)
{
	emu_dpa_dev_ops->post_memcpy(async_ops_handle, dst_mmap_handle, dst_addr, src_mmap_handle, src_addr,
				     length, flags);
}

doca_dpa_dev_uintptr_t doca_dpa_dev_mmap_get_external_ptr(doca_dpa_dev_mmap_t mmap_handle, uint64_t addr)
{
	return emu_dpa_dev_ops->mmap_get_external_ptr(mmap_handle, addr);
}
