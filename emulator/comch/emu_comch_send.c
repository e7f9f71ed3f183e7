/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>
#include <string.h>

#include "core/emu_task.h"
#include "emu_comch_conn.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_frame.h"
#include "emu_comch_send.h"

static doca_error_t send_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_task_send *task = (struct doca_comch_task_send *)base;
	struct emu_comch_ctrl *ctrl = emu_comch_ctrl_of(base->ctx);
	struct doca_comch_connection *conn = ctrl->conns;
	doca_error_t result = DOCA_ERROR_NOT_CONNECTED;

	(void)flags;
	while (conn != NULL && (conn != task->peer || conn->serial != task->serial))
		conn = conn->next;
	if (conn == NULL)
		return result;
	pthread_mutex_lock(&conn->lock);
	if (emu_comch_conn_is_up(conn)) {
		bool sent = false;

		task->out = (struct emu_comch_out){
			.type = EMU_COMCH_MSG, .len = task->len, .bytes = task->msg, .sent = &sent};
		emu_comch_push(conn, &task->out);
		if (sent) {
			base->status = DOCA_SUCCESS;
			base->state = EMU_TASK_DECIDED;
		} else {
			/* After submission the program may change its message. */
			if (task->msg != task->copy)
				memcpy(task->copy, task->msg, task->len);
			task->out.bytes = task->copy;
			task->out.task = base;
			task->out.sent = NULL;
		}
		result = DOCA_SUCCESS;
	}
	pthread_mutex_unlock(&conn->lock);
	return result;
}

static void send_keep(struct doca_task *base)
{
	struct doca_comch_task_send *task = (struct doca_comch_task_send *)base;

	memcpy(task->copy, task->msg, task->len);
	task->of_program = task->msg;
	task->msg = task->copy;
}

static void send_restore(struct doca_task *base)
{
	struct doca_comch_task_send *task = (struct doca_comch_task_send *)base;

	task->msg = task->of_program;
}

static void send_notify(struct doca_task *base, doca_error_t status)
{
	struct emu_comch_ctrl *ctrl = emu_comch_ctrl_of(base->ctx);
	doca_comch_task_send_completion_cb_t cb = status == DOCA_SUCCESS ? ctrl->completion_cb : ctrl->error_cb;

	cb((struct doca_comch_task_send *)base, base->user_data, ctrl->ctx.user_data);
}

static const void *send_connection(const struct doca_task *base)
{
	return ((const struct doca_comch_task_send *)base)->peer;
}

/* The peer may have ended before. */
static void send_cut(struct doca_task *base)
{
	struct doca_comch_connection *conn = emu_comch_ctrl_of(base->ctx)->conns;

	while (conn != NULL && conn != send_connection(base))
		conn = conn->next;
	if (conn == NULL)
		return;
	pthread_mutex_lock(&conn->lock);
	emu_comch_conn_cut(conn);
	pthread_mutex_unlock(&conn->lock);
}

const struct emu_task_ops emu_comch_send_ops = {
	.kind = "send",
	.submit = send_submit,
	.keep = send_keep,
	.restore = send_restore,
	.notify = send_notify,
	.connection = send_connection,
	.cut = send_cut,
};

void emu_comch_free_copies(struct emu_task_pool *pool)
{
	for (struct emu_task_chunk *chunk = pool->chunks; chunk != NULL; chunk = chunk->next) {
		struct doca_comch_task_send *tasks = (struct doca_comch_task_send *)(void *)chunk->tasks;

		for (uint32_t i = 0; i < chunk->num_used; i++) {
			free(tasks[i].copy);
			tasks[i].copy = NULL;
		}
	}
}
