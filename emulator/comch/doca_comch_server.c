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
static struct emu_comch_ctrl *server_ctrl(struct doca_comch_server *server)
{
	return (struct emu_comch_ctrl *)server;
}

doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr, const char *name,
				      struct doca_comch_server **comch_server)
{
	EMU_CALL("doca_comch_server_create");
	struct emu_comch_ctrl *ctrl;
	doca_error_t result;

	if (dev == NULL || repr == NULL || name == NULL || comch_server == NULL || repr->info.dev != dev)
		return DOCA_ERROR_INVALID_VALUE;
	if (dev->info.function->side != EMU_SIDE_DPU || emu_devinfo_supports(&dev->info, EMU_PART_COMCH) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	result = emu_comch_create(dev, name, &ctrl);
	if (result != DOCA_SUCCESS)
		return result;
	ctrl->is_server = true;
	ctrl->rep = repr;
	__atomic_add_fetch(&repr->num_servers, 1, __ATOMIC_RELAXED);
	ctrl->function = repr->info.function;
	*comch_server = (struct doca_comch_server *)ctrl;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server)
{
	EMU_CALL("doca_comch_server_destroy");
	return comch_server == NULL ? DOCA_ERROR_INVALID_VALUE : emu_comch_ctx_fini(&comch_server->ctrl);
}

doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server, uint32_t size)
{
	EMU_CALL("doca_comch_server_set_max_msg_size");
	return emu_comch_set_max_msg_size(server_ctrl(comch_server), size);
}

doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server, uint32_t *size)
{
	EMU_CALL("doca_comch_server_get_max_msg_size");
	if (comch_server == NULL || size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*size = comch_server->ctrl.max_msg_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server, uint32_t size)
{
	EMU_CALL("doca_comch_server_set_recv_queue_size");
	return emu_comch_set_recv_queue_size(server_ctrl(comch_server), size);
}

doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server, uint32_t *size)
{
	EMU_CALL("doca_comch_server_get_recv_queue_size");
	if (comch_server == NULL || size == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*size = comch_server->ctrl.recv_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server, struct doca_dev **dev)
{
	EMU_CALL("doca_comch_server_get_device");
	if (comch_server == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*dev = comch_server->ctrl.ctx.dev;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server, struct doca_dev_rep **rep)
{
	EMU_CALL("doca_comch_server_get_device_rep");
	if (comch_server == NULL || rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*rep = comch_server->ctrl.rep;
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server)
{
	return comch_server == NULL ? NULL : &comch_server->ctrl.ctx;
}

doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
					  struct doca_comch_connection *connection)
{
	EMU_CALL("doca_comch_server_disconnect");
	doca_error_t result = DOCA_SUCCESS;

	if (comch_server == NULL || connection == NULL || !emu_comch_owns(&comch_server->ctrl, connection))
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&connection->lock);
	if (connection->endpoints != NULL)
		result = DOCA_ERROR_IN_USE;
	else
		emu_comch_ctrl_disconnect(&comch_server->ctrl, connection);
	pthread_mutex_unlock(&connection->lock);
	return result;
}

doca_error_t doca_comch_server_task_send_set_conf(struct doca_comch_server *comch_server,
						  doca_comch_task_send_completion_cb_t task_completion_cb,
						  doca_comch_task_send_completion_cb_t task_error_cb,
						  uint32_t num_send_tasks)
{
	EMU_CALL("doca_comch_server_task_send_set_conf");
	return emu_comch_set_send_conf(server_ctrl(comch_server), task_completion_cb, task_error_cb, num_send_tasks);
}

doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
						    struct doca_comch_connection *peer, const void *msg, uint32_t len,
						    struct doca_comch_task_send **task)
{
	EMU_CALL("doca_comch_server_task_send_alloc_init");
	return emu_comch_alloc_send(server_ctrl(comch_server), peer, msg, len, task);
}

doca_error_t doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
						       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
	EMU_CALL("doca_comch_server_event_msg_recv_register");
	return emu_comch_set_msg_recv(server_ctrl(comch_server), recv_event_cb);
}

doca_error_t doca_comch_server_event_connection_status_changed_register(
	struct doca_comch_server *comch_server, doca_comch_event_connection_status_changed_cb_t connect_event_cb,
	doca_comch_event_connection_status_changed_cb_t disconnect_event_cb)
{
	EMU_CALL("doca_comch_server_event_connection_status_changed_register");
	if (comch_server == NULL || connect_event_cb == NULL || disconnect_event_cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (comch_server->ctrl.ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	comch_server->ctrl.connect_cb = connect_event_cb;
	comch_server->ctrl.disconnect_cb = disconnect_event_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
						       doca_comch_event_consumer_cb_t new_consumer_event_cb,
						       doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
	EMU_CALL("doca_comch_server_event_consumer_register");
	return emu_comch_set_consumer_events(server_ctrl(comch_server), new_consumer_event_cb,
					     expired_consumer_event_cb);
}
