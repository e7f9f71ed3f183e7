/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include "emu_rdma.h"
#include "emu_rdma_conn.h"
#include "emu_rdma_report.h"
#include "emu_rdma_request.h"
#include "emu_rdma_service.h"
#include "emu_rdma_work.h"

void emu_rdma_work_fail(struct doca_rdma_connection *conn)
{
	doca_error_t status = conn->is_by_address ? DOCA_ERROR_NOT_CONNECTED : DOCA_ERROR_IO_FAILED;
	struct doca_task *task;

	conn->unsent = NULL;
	while ((task = emu_task_queue_pop(&conn->sent)) != NULL)
		emu_rdma_finish(conn->rdma, task, status);
}

bool emu_rdma_work_copy(struct doca_rdma_connection *conn)
{
	struct emu_rdma_task *tasks[EMU_RDMA_MAX_RUN];
	size_t num = emu_rdma_request_direct(conn, tasks), done;

	if (num == 0)
		return false;
	conn->is_copying = true;
	emu_rdma_unlock();
	done = emu_rdma_request_copy(conn, tasks, num);
	emu_rdma_lock();
	emu_rdma_conn_has_copied(conn);
	for (size_t i = 0; i < done; i++)
		emu_rdma_request_copied(conn);
	if (done < num && !emu_rdma_conn_is_over(conn) && !emu_rdma_request_not_copied(conn))
		emu_rdma_conn_lose(conn, true);
	if (conn->unsent != NULL)
		emu_rdma_conn_go_on(conn); /* it may be a task that the peer has to carry out */
	return true;
}
