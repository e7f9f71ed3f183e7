/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/emu_ctx.h"
#include "core/emu_log.h"
#include "core/emu_notify.h"
#include "core/emu_task.h"
#include "emu_comch_conn.h"
#include "emu_comch_connect.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_ctx.h"
#include "emu_comch_dir.h"
#include "emu_comch_progress.h"
#include "emu_comch_send.h"
#include "emu_comch_wake.h"

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void stop_listening(struct emu_comch_ctrl *ctrl)
{
	int fd;

	if (ctrl->listen_fd < 0)
		return;
	emu_comch_dir_unlisten(ctrl->function, ctrl->name);
	/* A child of this process may have a copy of the socket; clients must not wait there to be accepted. */
	epoll_ctl(ctrl->epoll_fd, EPOLL_CTL_DEL, ctrl->listen_fd, NULL);
	shutdown(ctrl->listen_fd, SHUT_RDWR);
	while ((fd = accept(ctrl->listen_fd, NULL, NULL)) >= 0)
		close(fd);
	close_fd(&ctrl->listen_fd);
	close_fd(&ctrl->spare_fd);
}

static void ctrl_idle(struct doca_ctx *ctx)
{
	struct emu_comch_ctrl *ctrl = emu_comch_ctrl_of(ctx);

	stop_listening(ctrl);
	if (ctrl->epoll_fd >= 0)
		emu_pe_remove_fd(ctx->pe, ctrl->epoll_fd);
	close_fd(&ctrl->epoll_fd);
	close_fd(&ctrl->timer_fd);
	free(ctrl->recv_buf);
	ctrl->recv_buf = NULL;
	emu_comch_free_copies(&ctrl->pool);
	ctrl->timer_at = 0;
	ctrl->ready = NULL;
	ctrl->stop_wanted = ctrl->is_deaf = false;
	__atomic_store_n(&ctrl->attention, false, __ATOMIC_SEQ_CST);
}

static doca_error_t open_all(struct emu_comch_ctrl *ctrl)
{
	if (emu_task_pool_start(&ctrl->pool, &ctrl->ctx, &emu_comch_send_ops, sizeof(struct doca_comch_task_send),
				ctrl->num_tasks) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	ctrl->recv_buf = malloc(emu_comch_recv_size(ctrl));
	ctrl->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (ctrl->recv_buf == NULL || ctrl->epoll_fd < 0 || (ctrl->is_server && !emu_comch_ctrl_open_timer(ctrl)))
		return DOCA_ERROR_INITIALIZATION;
	return emu_pe_add_fd(ctrl->ctx.pe, ctrl->epoll_fd) == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_INITIALIZATION;
}

static doca_error_t start_server(struct emu_comch_ctrl *ctrl)
{
	doca_error_t result = emu_comch_dir_listen(ctrl->function, ctrl->name, &ctrl->listen_fd);

	if (result == DOCA_ERROR_ALREADY_EXIST) {
		EMU_LOG_ERR("Comch: a server \"%s\" for the clients on %s exists already", ctrl->name,
			    ctrl->function->pci_addr);
		return result;
	}
	if (result == DOCA_SUCCESS)
		emu_comch_connect_spare(ctrl);
	if (result != DOCA_SUCCESS || !emu_comch_ctrl_add_fd(ctrl, ctrl->listen_fd, &ctrl->listen_fd))
		return DOCA_ERROR_INITIALIZATION;
	return DOCA_SUCCESS;
}

static doca_error_t start_client(struct emu_comch_ctrl *ctrl)
{
	struct doca_comch_connection *conn = emu_comch_conn_new(ctrl, -1);
	doca_error_t result;

	if (conn == NULL)
		return DOCA_ERROR_INITIALIZATION;
	ctrl->start_error = DOCA_SUCCESS;
	conn->give_up_at = emu_comch_connect_deadline();
	result = emu_comch_connect_try(ctrl);
	if (result != DOCA_SUCCESS) {
		emu_comch_conn_leave(conn);
		return result;
	}
	return DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t ctrl_start(struct doca_ctx *ctx)
{
	struct emu_comch_ctrl *ctrl = emu_comch_ctrl_of(ctx);
	doca_error_t result;

	if (ctrl->num_tasks == 0 || ctrl->msg_recv_cb == NULL || (ctrl->is_server && ctrl->connect_cb == NULL))
		return DOCA_ERROR_INITIALIZATION;
	result = open_all(ctrl);
	if (result == DOCA_SUCCESS)
		result = ctrl->is_server ? start_server(ctrl) : start_client(ctrl);
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
		ctrl_idle(ctx);
	return result;
}

static doca_error_t ctrl_may_stop(struct doca_ctx *ctx)
{
	struct emu_comch_ctrl *ctrl = emu_comch_ctrl_of(ctx);

	if (!emu_comch_ctrl_has_endpoints(ctrl))
		return DOCA_SUCCESS;
	/* Programs take this result for the beginning of a stop, and wait for its end. */
	ctrl->stop_wanted = true;
	return DOCA_ERROR_IN_USE;
}

static bool ctrl_stop(struct doca_ctx *ctx)
{
	struct emu_comch_ctrl *ctrl = emu_comch_ctrl_of(ctx);

	stop_listening(ctrl);
	for (struct doca_comch_connection *conn = ctrl->conns; conn != NULL; conn = conn->next) {
		pthread_mutex_lock(&conn->lock);
		if (emu_comch_conn_is_up(conn))
			emu_comch_ctrl_disconnect(ctrl, conn);
		else if (emu_comch_conn_state(conn) < EMU_COMCH_ESTABLISHED)
			emu_comch_conn_drop(conn);
		pthread_mutex_unlock(&conn->lock);
	}
	if (ctrl->num_ended != 0)
		emu_comch_wake(ctrl);
	return ctrl->conns == NULL;
}

static bool ctrl_drained(const struct doca_ctx *ctx)
{
	return ((const struct emu_comch_ctrl *)ctx)->conns == NULL;
}

static const struct emu_ctx_ops ctrl_ops = {
	.start = ctrl_start,
	.may_stop = ctrl_may_stop,
	.stop = ctrl_stop,
	.drained = ctrl_drained,
	.progress = emu_comch_progress,
	.pending = emu_comch_pending,
	.idle = ctrl_idle,
};

doca_error_t emu_comch_ctx_init(struct emu_comch_ctrl *ctrl, struct doca_dev *dev, const char *name)
{
	ctrl->epoll_fd = ctrl->timer_fd = ctrl->listen_fd = ctrl->spare_fd = -1;
	ctrl->max_msg_size = EMU_COMCH_MAX_MSG_SIZE;
	ctrl->recv_queue_size = EMU_COMCH_DEFAULT_RECV_QUEUE_SIZE;
	memcpy(ctrl->name, name, strlen(name));
	return emu_ctx_init(&ctrl->ctx, &ctrl_ops, dev);
}

doca_error_t emu_comch_ctx_fini(struct emu_comch_ctrl *ctrl)
{
	doca_error_t result = emu_ctx_fini(&ctrl->ctx);

	if (result != DOCA_SUCCESS)
		return result;
	if (ctrl->is_server)
		__atomic_sub_fetch(&ctrl->rep->num_servers, 1, __ATOMIC_RELEASE);
	emu_task_pool_destroy(&ctrl->pool);
	free(ctrl);
	return DOCA_SUCCESS;
}
