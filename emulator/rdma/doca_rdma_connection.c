/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <string.h>

#include <doca_rdma.h>

#include "core/emu_fault.h"
#include "core/emu_log.h"

#include "emu_rdma.h"
#include "emu_rdma_conn.h"
#include "emu_rdma_details.h"
#include "emu_rdma_dial.h"
#include "emu_rdma_door.h"
#include "emu_rdma_report.h"
#include "emu_rdma_service.h"

/* Connections by connection details. */

static doca_error_t export_details(struct doca_rdma *rdma, struct doca_rdma_connection **conn)
{
	struct emu_rdma_details *details;
	doca_error_t result = emu_rdma_conn_new(rdma, conn);

	if (result != DOCA_SUCCESS)
		return result;
	details = &(*conn)->details;
	result = emu_rdma_door_open(details);
	if (result != DOCA_SUCCESS) {
		(*conn)->state = EMU_RDMA_CLOSED;
		return result;
	}
	details->transport = (uint32_t)rdma->transport;
	memcpy(details->key, (*conn)->key, sizeof(details->key));
	emu_rdma_details_seal(details);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **local_rdma_conn_details,
			      size_t *local_rdma_conn_details_size, struct doca_rdma_connection **rdma_connection)
{
	EMU_CALL("doca_rdma_export");
	doca_error_t result;

	if (rdma == NULL || local_rdma_conn_details == NULL || local_rdma_conn_details_size == NULL ||
	    rdma_connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	emu_rdma_lock();
	result = export_details(rdma, rdma_connection);
	emu_rdma_unlock();
	if (result != DOCA_SUCCESS)
		return result;
	*local_rdma_conn_details = &(*rdma_connection)->details;
	*local_rdma_conn_details_size = sizeof((*rdma_connection)->details);
	return DOCA_SUCCESS;
}

static doca_error_t explain_dial(int error)
{
	switch (error) {
	case EACCES:
		EMU_LOG_ERR("rdma: the peer's process belongs to another user");
		break;
	case ENOENT:
	case ECONNREFUSED:
		EMU_LOG_ERR("rdma: no process has exported these connection details: it has ended, or runs on another host "
			    "or with another runtime directory");
		break;
	case EMFILE:
	case ENFILE:
		EMU_LOG_ERR("rdma: cannot connect: this process may not open more file descriptors (see ulimit -n)");
		break;
	default:
		EMU_LOG_ERR("rdma: cannot connect to the peer's process: %s", strerror(error));
	}
	return DOCA_ERROR_CONNECTION_ABORTED;
}

static doca_error_t connect_to(struct doca_rdma_connection *conn, const struct emu_rdma_details *details)
{
	struct emu_rdma_hello hello = {.version = 0};
	bool is_network;
	pid_t pid = 0;
	int fd;

	if (conn->state != EMU_RDMA_EXPORTED || conn->is_by_address)
		return DOCA_ERROR_BAD_STATE;
	if (memcmp(details->key, conn->key, sizeof(conn->key)) == 0 || details->transport != conn->details.transport)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(conn->peer_key, details->key, sizeof(conn->peer_key));
	if (emu_rdma_conn_adopt(conn))
		return DOCA_SUCCESS;
	fd = emu_rdma_dial_process(details, &pid, &is_network);
	if (fd < 0)
		return explain_dial(-fd);
	emu_rdma_conn_introduce(conn, &hello);
	return emu_rdma_conn_begin(conn, fd, pid, is_network, &hello) == DOCA_SUCCESS ? DOCA_SUCCESS :
										       DOCA_ERROR_CONNECTION_ABORTED;
}

doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
			       size_t remote_rdma_conn_details_size, struct doca_rdma_connection *rdma_connection)
{
	EMU_CALL("doca_rdma_connect");
	struct emu_rdma_details details;
	doca_error_t result;

	if (rdma == NULL || remote_rdma_conn_details == NULL || remote_rdma_conn_details_size == 0 ||
	    rdma_connection == NULL || rdma_connection->rdma != rdma)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	result = emu_rdma_details_read(remote_rdma_conn_details, remote_rdma_conn_details_size, &details);
	if (result != DOCA_SUCCESS)
		return result;
	emu_rdma_lock();
	result = connect_to(rdma_connection, &details);
	emu_rdma_unlock();
	return result;
}

/* The end of a connection. */

static doca_error_t disconnect(struct doca_rdma_connection *conn)
{
	switch (conn->state) {
	case EMU_RDMA_CLOSED:
		return DOCA_ERROR_CONNECTION_ABORTED;
	case EMU_RDMA_DISCONNECTING:
		return DOCA_SUCCESS;
	case EMU_RDMA_LOST:
		conn->state = EMU_RDMA_CLOSED;
		return DOCA_SUCCESS;
	default:
		break;
	}
	emu_rdma_conn_end(conn);
	if (conn->was_established && conn->rdma->disconnection_cb != NULL && conn->rdma->ctx.pe != NULL) {
		conn->state = EMU_RDMA_DISCONNECTING;
		conn->events |= EMU_RDMA_EVENT_DISCONNECTED;
	}
	emu_rdma_notice(conn->rdma);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *rdma_connection)
{
	EMU_CALL("doca_rdma_connection_disconnect");
	doca_error_t result;

	if (rdma_connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_rdma_lock();
	result = disconnect(rdma_connection);
	emu_rdma_unlock();
	return result;
}

/* What a connection knows. */

doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *rdma_connection, uint32_t *connection_id)
{
	EMU_CALL("doca_rdma_connection_get_id");
	if (rdma_connection == NULL || connection_id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*connection_id = rdma_connection->id;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_set_user_data(struct doca_rdma_connection *rdma_connection,
						union doca_data connection_user_data)
{
	EMU_CALL("doca_rdma_connection_set_user_data");
	if (rdma_connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	rdma_connection->user_data = connection_user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_get_user_data(const struct doca_rdma_connection *rdma_connection,
						union doca_data *connection_user_data)
{
	EMU_CALL("doca_rdma_connection_get_user_data");
	if (rdma_connection == NULL || connection_user_data == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*connection_user_data = rdma_connection->user_data;
	return DOCA_SUCCESS;
}
