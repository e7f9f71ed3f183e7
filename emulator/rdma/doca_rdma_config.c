/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <doca_rdma.h>

#include "core/emu_fault.h"

#include "emu_rdma.h"

#define PERMISSIONS                                                                                \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE | \
	 DOCA_ACCESS_FLAG_RDMA_ATOMIC)

#define MAX_SL 15

static uint32_t round_up(uint32_t number)
{
	uint32_t power = 1;

	while (power < number)
		power *= 2;
	return power;
}

doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions)
{
	EMU_CALL("doca_rdma_set_permissions");
	if (rdma == NULL || (permissions & ~(uint32_t)PERMISSIONS) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	rdma->permissions = permissions;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions)
{
	EMU_CALL("doca_rdma_get_permissions");
	if (rdma == NULL || permissions == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*permissions = rdma->permissions;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma, enum doca_rdma_transport_type transport_type)
{
	EMU_CALL("doca_rdma_set_transport_type");
	if (rdma == NULL || (transport_type != DOCA_RDMA_TRANSPORT_TYPE_RC && transport_type != DOCA_RDMA_TRANSPORT_TYPE_DC))
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (transport_type != DOCA_RDMA_TRANSPORT_TYPE_RC)
		return DOCA_ERROR_NOT_SUPPORTED;
	rdma->transport = transport_type;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
					  enum doca_rdma_transport_type *transport_type)
{
	EMU_CALL("doca_rdma_get_transport_type");
	if (rdma == NULL || transport_type == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*transport_type = rdma->transport;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma, uint16_t max_num_connections)
{
	EMU_CALL("doca_rdma_set_max_num_connections");
	if (rdma == NULL || max_num_connections == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (max_num_connections > EMU_RDMA_MAX_NUM_CONNECTIONS)
		return DOCA_ERROR_NOT_SUPPORTED;
	rdma->max_num_connections = max_num_connections;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma, uint16_t *max_num_connections)
{
	EMU_CALL("doca_rdma_get_max_num_connections");
	if (rdma == NULL || max_num_connections == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_connections = rdma->max_num_connections;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size)
{
	EMU_CALL("doca_rdma_set_send_queue_size");
	if (rdma == NULL || send_queue_size == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (send_queue_size > EMU_RDMA_MAX_QUEUE_SIZE)
		return DOCA_ERROR_NOT_SUPPORTED;
	rdma->send_queue_size = round_up(send_queue_size);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size)
{
	EMU_CALL("doca_rdma_get_send_queue_size");
	if (rdma == NULL || send_queue_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*send_queue_size = rdma->send_queue_size;
	return DOCA_SUCCESS;
}

/* Only data paths on a GPU or DPA, which the emulator does not have, have this size. */
doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size)
{
	EMU_CALL("doca_rdma_set_recv_queue_size");
	if (rdma == NULL || recv_queue_size == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (recv_queue_size > EMU_RDMA_MAX_QUEUE_SIZE)
		return DOCA_ERROR_NOT_SUPPORTED;
	rdma->recv_queue_size = round_up(recv_queue_size);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *recv_queue_size)
{
	EMU_CALL("doca_rdma_get_recv_queue_size");
	if (rdma == NULL || recv_queue_size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*recv_queue_size = rdma->recv_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma, uint32_t max_send_buf_list_len)
{
	EMU_CALL("doca_rdma_set_max_send_buf_list_len");
	if (rdma == NULL || max_send_buf_list_len == 0 || max_send_buf_list_len > EMU_RDMA_MAX_BUF_LIST_LEN)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	rdma->max_send_buf_list_len = max_send_buf_list_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma, uint32_t *max_send_buf_list_len)
{
	EMU_CALL("doca_rdma_get_max_send_buf_list_len");
	if (rdma == NULL || max_send_buf_list_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_send_buf_list_len = rdma->max_send_buf_list_len;
	return DOCA_SUCCESS;
}

/* The emulator stores the properties below for programs; they change nothing. */

doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu)
{
	EMU_CALL("doca_rdma_set_mtu");
	if (rdma == NULL || (unsigned int)mtu > DOCA_MTU_SIZE_RAW_ETHERNET)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	if (mtu == DOCA_MTU_SIZE_RAW_ETHERNET)
		return DOCA_ERROR_NOT_SUPPORTED;
	rdma->mtu = mtu;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu)
{
	EMU_CALL("doca_rdma_get_mtu");
	if (rdma == NULL || mtu == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*mtu = rdma->mtu;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled)
{
	EMU_CALL("doca_rdma_set_grh_enabled");
	if (rdma == NULL || grh_enabled > 1)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	rdma->grh_enabled = grh_enabled;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled)
{
	EMU_CALL("doca_rdma_get_grh_enabled");
	if (rdma == NULL || grh_enabled == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*grh_enabled = rdma->grh_enabled;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index)
{
	EMU_CALL("doca_rdma_set_gid_index");
	if (rdma == NULL || gid_index >= EMU_RDMA_GID_TABLE_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	rdma->gid_index = gid_index;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index)
{
	EMU_CALL("doca_rdma_get_gid_index");
	if (rdma == NULL || gid_index == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*gid_index = rdma->gid_index;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl)
{
	EMU_CALL("doca_rdma_set_sl");
	if (rdma == NULL || sl > MAX_SL)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	rdma->sl = sl;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl)
{
	EMU_CALL("doca_rdma_get_sl");
	if (rdma == NULL || sl == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*sl = rdma->sl;
	return DOCA_SUCCESS;
}

/* Retries, and time limits of requests. */

doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma, uint8_t rnr_retry_count)
{
	EMU_CALL("doca_rdma_set_rnr_retry_count");
	if (rdma == NULL || rnr_retry_count > EMU_RDMA_INFINITE_RNR_RETRIES)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	rdma->rnr_retry_count = rnr_retry_count;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count)
{
	EMU_CALL("doca_rdma_get_rnr_retry_count");
	if (rdma == NULL || rnr_retry_count == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*rnr_retry_count = rdma->rnr_retry_count;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_connection_request_timeout(struct doca_rdma *rdma, uint16_t timeout)
{
	EMU_CALL("doca_rdma_set_connection_request_timeout");
	if (rdma == NULL || timeout == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	rdma->request_timeout = timeout;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_connection_request_timeout(const struct doca_rdma *rdma, uint16_t *timeout)
{
	EMU_CALL("doca_rdma_get_connection_request_timeout");
	if (rdma == NULL || timeout == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*timeout = rdma->request_timeout;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_connection_state_callbacks(struct doca_rdma *rdma,
						      doca_rdma_connection_request_cb_t doca_rdma_connect_request_cb,
						      doca_rdma_connection_established_cb_t doca_rdma_connect_established_cb,
						      doca_rdma_connection_failure_cb_t doca_rdma_connect_failure_cb,
						      doca_rdma_connection_disconnection_cb_t doca_rdma_disconnect_cb)
{
	EMU_CALL("doca_rdma_set_connection_state_callbacks");
	if (rdma == NULL || doca_rdma_connect_established_cb == NULL || doca_rdma_connect_failure_cb == NULL ||
	    doca_rdma_disconnect_cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	rdma->request_cb = doca_rdma_connect_request_cb;
	rdma->established_cb = doca_rdma_connect_established_cb;
	rdma->failure_cb = doca_rdma_connect_failure_cb;
	rdma->disconnection_cb = doca_rdma_disconnect_cb;
	return DOCA_SUCCESS;
}
