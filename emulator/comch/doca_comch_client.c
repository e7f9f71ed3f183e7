/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <doca_comch.h>

#include "core/emu_dev.h"
#include "core/emu_fault.h"
#include "emu_comch_config.h"
#include "emu_comch_conn.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_ctx.h"

/* Returns NULL for NULL. */
static struct emu_comch_ctrl *client_ctrl(struct doca_comch_client *client)
{
	return (struct emu_comch_ctrl *)client;
}

doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name, struct doca_comch_client **comch_client)
{
	EMU_CALL("doca_comch_client_create");
	struct emu_comch_ctrl *ctrl;
	doca_error_t result;

	if (dev == NULL || name == NULL || comch_client == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dev->info.function->side != EMU_SIDE_HOST || emu_devinfo_supports(&dev->info, EMU_PART_COMCH) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	result = emu_comch_create(dev, name, &ctrl);
	if (result != DOCA_SUCCESS)
		return result;
	ctrl->function = dev->info.function;
	*comch_client = (struct doca_comch_client *)ctrl;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client)
{
	EMU_CALL("doca_comch_client_destroy");
	return comch_client == NULL ? DOCA_ERROR_INVALID_VALUE : emu_comch_ctx_fini(&comch_client->ctrl);
}

doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client, uint32_t size)
{
	EMU_CALL("doca_comch_client_set_max_msg_size");
	return emu_comch_set_max_msg_size(client_ctrl(comch_client), size);
}

doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client, uint32_t *size)
{
	EMU_CALL("doca_comch_client_get_max_msg_size");
	if (comch_client == NULL || size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*size = comch_client->ctrl.max_msg_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client, uint32_t size)
{
	EMU_CALL("doca_comch_client_set_recv_queue_size");
	return emu_comch_set_recv_queue_size(client_ctrl(comch_client), size);
}

doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client, uint32_t *size)
{
	EMU_CALL("doca_comch_client_get_recv_queue_size");
	if (comch_client == NULL || size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*size = comch_client->ctrl.recv_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client, struct doca_dev **dev)
{
	EMU_CALL("doca_comch_client_get_device");
	if (comch_client == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*dev = comch_client->ctrl.ctx.dev;
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client)
{
	return comch_client == NULL ? NULL : &comch_client->ctrl.ctx;
}

doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
					      struct doca_comch_connection **connection)
{
	EMU_CALL("doca_comch_client_get_connection");
	if (comch_client == NULL || connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (comch_client->ctrl.start_error != DOCA_SUCCESS && comch_client->ctrl.ctx.state == DOCA_CTX_STATE_IDLE)
		return comch_client->ctrl.start_error;
	if (comch_client->ctrl.conns == NULL || !emu_comch_conn_is_up(comch_client->ctrl.conns))
		return DOCA_ERROR_BAD_STATE;
	*connection = comch_client->ctrl.conns;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_task_send_set_conf(struct doca_comch_client *comch_client,
						  doca_comch_task_send_completion_cb_t task_completion_cb,
						  doca_comch_task_send_completion_cb_t task_error_cb,
						  uint32_t num_send_tasks)
{
	EMU_CALL("doca_comch_client_task_send_set_conf");
	return emu_comch_set_send_conf(client_ctrl(comch_client), task_completion_cb, task_error_cb, num_send_tasks);
}

doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
						    struct doca_comch_connection *peer, const void *msg, uint32_t len,
						    struct doca_comch_task_send **task)
{
	EMU_CALL("doca_comch_client_task_send_alloc_init");
	return emu_comch_alloc_send(client_ctrl(comch_client), peer, msg, len, task);
}

doca_error_t doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
						       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
	EMU_CALL("doca_comch_client_event_msg_recv_register");
	return emu_comch_set_msg_recv(client_ctrl(comch_client), recv_event_cb);
}

doca_error_t doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
						       doca_comch_event_consumer_cb_t new_consumer_event_cb,
						       doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
	EMU_CALL("doca_comch_client_event_consumer_register");
	return emu_comch_set_consumer_events(client_ctrl(comch_client), new_consumer_event_cb,
					     expired_consumer_event_cb);
}
