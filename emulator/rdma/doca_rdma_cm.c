/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <string.h>

#include <doca_rdma.h>

#include "core/emu_clock.h"
#include "core/emu_fault.h"
#include "core/emu_log.h"

#include "emu_rdma.h"
#include "emu_rdma_conn.h"
#include "emu_rdma_dial.h"
#include "emu_rdma_door.h"
#include "emu_rdma_report.h"
#include "emu_rdma_service.h"

/* Connections by address. The context needs the callbacks, to which it reports, and so an engine even if its data path is on
 * a DPA. */
static bool has_engine(const struct doca_rdma *rdma)
{
	if (rdma->ctx.pe == NULL)
		EMU_LOG_ERR("rdma: a progress engine reports connections by address: connect the context to one");
	return rdma->ctx.pe != NULL;
}

doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port)
{
	EMU_CALL("doca_rdma_start_listen_to_port");
	doca_error_t result;

	if (rdma == NULL || port == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	if (rdma->request_cb == NULL || !has_engine(rdma))
		return DOCA_ERROR_NOT_SUPPORTED;
	emu_rdma_lock();
	result = emu_rdma_listen(rdma, port);
	emu_rdma_unlock();
	return result;
}

doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port)
{
	EMU_CALL("doca_rdma_stop_listen_to_port");
	doca_error_t result;

	if (rdma == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_rdma_lock();
	result = emu_rdma_unlisten(rdma, port);
	emu_rdma_unlock();
	return result;
}

/* The program learns from the failure callback that the connection cannot be made. */
static void fail_later(struct doca_rdma_connection *conn, int error)
{
	const struct doca_rdma_addr *addr = &conn->addr;

	if (error == ENOENT || error == ECONNREFUSED)
		EMU_LOG_WARN("rdma: nobody listens on port %u of %s", addr->port, addr->text);
	else if (error == EACCES)
		EMU_LOG_ERR("rdma: the process that listens on port %u of %s belongs to another user", addr->port,
			    addr->text);
	else
		EMU_LOG_ERR("rdma: cannot connect to port %u of %s: %s", addr->port, addr->text, strerror(error));
	conn->state = EMU_RDMA_CLOSED;
	conn->events = EMU_RDMA_EVENT_FAILURE;
	emu_rdma_notice(conn->rdma);
}

static doca_error_t connect_to_addr(struct doca_rdma *rdma, const struct doca_rdma_addr *addr,
				    union doca_data user_data)
{
	struct emu_rdma_hello hello = {.is_by_address = 1, .port = addr->port};
	struct doca_rdma_connection *conn;
	bool is_network;
	pid_t pid;
	int fd;

	switch (emu_rdma_conn_new(rdma, &conn)) {
	case DOCA_SUCCESS:
		break;
	case DOCA_ERROR_FULL:
		EMU_LOG_ERR("rdma: the context has its maximum number of connections "
			    "(doca_rdma_set_max_num_connections)");
		return DOCA_ERROR_CONNECTION_ABORTED;
	default:
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
	conn->is_by_address = true;
	conn->user_data = user_data;
	conn->addr = *addr;
	conn->addr.is_of_connection = true;
	fd = emu_rdma_dial_addr(addr, &pid, &is_network);
	if (fd < 0) {
		fail_later(conn, -fd);
		return DOCA_SUCCESS;
	}
	emu_rdma_conn_introduce(conn, &hello);
	conn->deadline = emu_clock_ns() + rdma->request_timeout * (EMU_NS_PER_S / 1000);
	if (emu_rdma_conn_begin(conn, fd, pid, is_network, &hello) != DOCA_SUCCESS) {
		conn->state = EMU_RDMA_CLOSED;
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connect_to_addr(struct doca_rdma *rdma, struct doca_rdma_addr *addr,
				       union doca_data connection_user_data)
{
	EMU_CALL("doca_rdma_connect_to_addr");
	doca_error_t result;

	if (rdma == NULL || addr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	if (rdma->established_cb == NULL || !has_engine(rdma))
		return DOCA_ERROR_NOT_SUPPORTED;
	emu_rdma_lock();
	result = connect_to_addr(rdma, addr, connection_user_data);
	emu_rdma_unlock();
	return result;
}

doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *rdma_connection, void *private_data,
					 uint8_t private_data_len)
{
	EMU_CALL("doca_rdma_connection_accept");
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;

	if (rdma_connection == NULL || (private_data == NULL && private_data_len > 0))
		return DOCA_ERROR_INVALID_VALUE;
	emu_rdma_lock();
	if (rdma_connection->state == EMU_RDMA_REQUESTED) {
		emu_rdma_conn_accept(rdma_connection, private_data, private_data_len);
		result = DOCA_SUCCESS;
	}
	emu_rdma_unlock();
	return result;
}

doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *rdma_connection)
{
	EMU_CALL("doca_rdma_connection_reject");
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;

	if (rdma_connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_rdma_lock();
	if (rdma_connection->state == EMU_RDMA_REQUESTED) {
		emu_rdma_conn_reject(rdma_connection);
		result = DOCA_SUCCESS;
	}
	emu_rdma_unlock();
	return result;
}

doca_error_t doca_rdma_connection_get_addr(const struct doca_rdma_connection *rdma_connection,
					   struct doca_rdma_addr **addr)
{
	EMU_CALL("doca_rdma_connection_get_addr");
	if (rdma_connection == NULL || addr == NULL || !rdma_connection->is_by_address)
		return DOCA_ERROR_INVALID_VALUE;
	*addr = (struct doca_rdma_addr *)(uintptr_t)&rdma_connection->addr;
	return DOCA_SUCCESS;
}
