/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>
#include <string.h>

#include "core/emu_apart.h"
#include "core/emu_task.h"
#include "emu_comch_config.h"
#include "emu_comch_conn.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_ctx.h"
#include "emu_comch_frame.h"
#include "emu_comch_send.h"

static bool is_name(const char *name)
{
	return name[0] != '\0' && strnlen(name, EMU_COMCH_MAX_NAME_LEN) < EMU_COMCH_MAX_NAME_LEN;
}

doca_error_t emu_comch_create(struct doca_dev *dev, const char *name, struct emu_comch_ctrl **ctrl)
{
	struct emu_comch_ctrl *made;
	doca_error_t result;

	if (!is_name(name))
		return DOCA_ERROR_INVALID_VALUE;
	made = emu_calloc_apart(sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = emu_comch_ctx_init(made, dev, name);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	*ctrl = made;
	return DOCA_SUCCESS;
}

static doca_error_t set_size(struct emu_comch_ctrl *ctrl, uint32_t *field, uint32_t size, uint32_t max)
{
	if (ctrl == NULL || size == 0 || size > max)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctrl->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	*field = size;
	return DOCA_SUCCESS;
}

doca_error_t emu_comch_set_max_msg_size(struct emu_comch_ctrl *ctrl, uint32_t size)
{
	return set_size(ctrl, ctrl == NULL ? NULL : &ctrl->max_msg_size, size, EMU_COMCH_MAX_MSG_SIZE);
}

doca_error_t emu_comch_set_recv_queue_size(struct emu_comch_ctrl *ctrl, uint32_t size)
{
	return set_size(ctrl, ctrl == NULL ? NULL : &ctrl->recv_queue_size, size, EMU_COMCH_MAX_RECV_QUEUE_SIZE);
}

doca_error_t emu_comch_set_send_conf(struct emu_comch_ctrl *ctrl, doca_comch_task_send_completion_cb_t completion_cb,
				     doca_comch_task_send_completion_cb_t error_cb, uint32_t num)
{
	doca_error_t result;

	if (ctrl == NULL || completion_cb == NULL || error_cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = set_size(ctrl, &ctrl->num_tasks, num, EMU_COMCH_MAX_SEND_TASKS);
	if (result == DOCA_SUCCESS) {
		ctrl->completion_cb = completion_cb;
		ctrl->error_cb = error_cb;
	}
	return result;
}

doca_error_t emu_comch_set_msg_recv(struct emu_comch_ctrl *ctrl, doca_comch_event_msg_recv_cb_t cb)
{
	if (ctrl == NULL || cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctrl->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	ctrl->msg_recv_cb = cb;
	return DOCA_SUCCESS;
}

doca_error_t emu_comch_set_consumer_events(struct emu_comch_ctrl *ctrl, doca_comch_event_consumer_cb_t new_cb,
					   doca_comch_event_consumer_cb_t expired_cb)
{
	if (ctrl == NULL || new_cb == NULL || expired_cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctrl->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	ctrl->new_consumer_cb = new_cb;
	ctrl->expired_consumer_cb = expired_cb;
	return DOCA_SUCCESS;
}

bool emu_comch_owns(const struct emu_comch_ctrl *ctrl, const struct doca_comch_connection *conn)
{
	for (const struct doca_comch_connection *at = ctrl->conns; at != NULL; at = at->next) {
		if (at == conn)
			return true;
	}
	return false;
}

doca_error_t emu_comch_alloc_send(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *peer, const void *msg,
				  uint32_t len, struct doca_comch_task_send **task)
{
	struct doca_comch_task_send *made;
	struct doca_task *base;
	doca_error_t result;

	if (ctrl == NULL || peer == NULL || msg == NULL || task == NULL || len == 0 || len > ctrl->max_msg_size)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctrl->ctx.state != DOCA_CTX_STATE_RUNNING) /* the connection may no longer exist */
		return DOCA_ERROR_BAD_STATE;
	if (!emu_comch_owns(ctrl, peer))
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_task_alloc(&ctrl->pool, (union doca_data){.u64 = 0}, &base);
	if (result != DOCA_SUCCESS)
		return result;
	made = (struct doca_comch_task_send *)base;
	if (made->copy == NULL && (made->copy = malloc(ctrl->max_msg_size)) == NULL) {
		emu_task_put(base);
		return DOCA_ERROR_NO_MEMORY;
	}
	made->peer = peer;
	made->serial = peer->serial;
	made->msg = msg;
	made->len = len;
	*task = made;
	return DOCA_SUCCESS;
}

doca_error_t emu_comch_get_limit(const struct doca_devinfo *devinfo, uint32_t *out, uint32_t value)
{
	if (devinfo == NULL || out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*out = value;
	return DOCA_SUCCESS;
}
