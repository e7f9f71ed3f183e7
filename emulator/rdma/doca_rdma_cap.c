/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <string.h>

#include <doca_rdma.h>

#include "core/emu_dev.h"
#include "core/emu_fault.h"

#include "emu_rdma.h"
#include "emu_rdma_gid.h"

/* Capabilities. All devices have the same. */

doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_recv_queue_size)
{
	EMU_CALL("doca_rdma_cap_get_max_recv_queue_size");
	if (devinfo == NULL || max_recv_queue_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_recv_queue_size = EMU_RDMA_MAX_QUEUE_SIZE;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_send_queue_size)
{
	EMU_CALL("doca_rdma_cap_get_max_send_queue_size");
	if (devinfo == NULL || max_send_queue_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_send_queue_size = EMU_RDMA_MAX_QUEUE_SIZE;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
						     uint32_t *max_send_buf_list_len)
{
	EMU_CALL("doca_rdma_cap_get_max_send_buf_list_len");
	if (devinfo == NULL || max_send_buf_list_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_send_buf_list_len = EMU_RDMA_MAX_BUF_LIST_LEN;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo, uint32_t *max_message_size)
{
	EMU_CALL("doca_rdma_cap_get_max_message_size");
	if (devinfo == NULL || max_message_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_message_size = EMU_RDMA_MAX_MESSAGE_SIZE;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo, uint32_t *gid_table_size)
{
	EMU_CALL("doca_rdma_cap_get_gid_table_size");
	if (devinfo == NULL || gid_table_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*gid_table_size = EMU_RDMA_GID_TABLE_SIZE;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo, uint32_t start_index,
				   uint32_t num_entries, struct doca_rdma_gid *gid_array)
{
	EMU_CALL("doca_rdma_cap_get_gid");
	if (devinfo == NULL || gid_array == NULL || num_entries == 0 || start_index >= EMU_RDMA_GID_TABLE_SIZE ||
	    num_entries > EMU_RDMA_GID_TABLE_SIZE - start_index)
		return DOCA_ERROR_INVALID_VALUE;
	for (uint32_t i = 0; i < num_entries; i++)
		emu_rdma_gid(devinfo->function, start_index + i, gid_array[i].raw);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
						       enum doca_rdma_transport_type transport_type)
{
	EMU_CALL("doca_rdma_cap_transport_type_is_supported");
	if (devinfo == NULL ||
	    (transport_type != DOCA_RDMA_TRANSPORT_TYPE_RC && transport_type != DOCA_RDMA_TRANSPORT_TYPE_DC))
		return DOCA_ERROR_INVALID_VALUE;
	return transport_type == DOCA_RDMA_TRANSPORT_TYPE_RC ? emu_devinfo_supports(devinfo, EMU_PART_RDMA) :
							       DOCA_ERROR_NOT_SUPPORTED;
}
