/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <stdlib.h>
#include <string.h>

#include <doca_comch.h>

#include "emu_comch.h"
#include "emu_dev.h"
#include "emu_fault.h"

/* The two kinds of context are one inside. */
struct doca_comch_server {
	struct emu_comch_ctrl ctrl;
};

struct doca_comch_client {
	struct emu_comch_ctrl ctrl;
};

/* NULL stays NULL. */
static struct emu_comch_ctrl *server_ctrl(struct doca_comch_server *server)
{
	return (struct emu_comch_ctrl *)server;
}

static struct emu_comch_ctrl *client_ctrl(struct doca_comch_client *client)
{
	return (struct emu_comch_ctrl *)client;
}

/* Connections. */

doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection, union doca_data user_data)
{
	EMU_CALL("doca_comch_connection_set_user_data");
	if (connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	connection->user_data = user_data;
	return DOCA_SUCCESS;
}

union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection)
{
	return connection == NULL ? (union doca_data){.u64 = 0} : connection->user_data;
}

struct doca_comch_server *doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection)
{
	if (connection == NULL || connection->ctrl == NULL || !connection->ctrl->is_server)
		return NULL;
	return (struct doca_comch_server *)connection->ctrl;
}

struct doca_comch_client *doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection)
{
	if (connection == NULL || connection->ctrl == NULL || connection->ctrl->is_server)
		return NULL;
	return (struct doca_comch_client *)connection->ctrl;
}

doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection)
{
	EMU_CALL("doca_comch_connection_update_info");
	doca_error_t result = DOCA_SUCCESS;

	if (comch_connection == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&comch_connection->lock);
	if (emu_comch_conn_state(comch_connection) < EMU_COMCH_ESTABLISHED)
		result = DOCA_ERROR_CONNECTION_INPROGRESS;
	else if (!emu_comch_conn_is_up(comch_connection))
		result = DOCA_ERROR_CONNECTION_ABORTED;
	else
		memcpy(comch_connection->snapshot, comch_connection->counters, sizeof(comch_connection->snapshot));
	pthread_mutex_unlock(&comch_connection->lock);
	return result;
}

doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
					       enum doca_comch_counter counter_type, uint64_t *counter_value)
{
	EMU_CALL("doca_comch_connection_get_counter");
	if (comch_connection == NULL || counter_value == NULL ||
	    counter_type < DOCA_COMCH_COUNTER_SENT_MESSAGES || counter_type > DOCA_COMCH_COUNTER_RECV_BYTES)
		return DOCA_ERROR_INVALID_VALUE;
	*counter_value = comch_connection->snapshot[counter_type];
	return DOCA_SUCCESS;
}

/* Capabilities. */

static doca_error_t limit(const struct doca_devinfo *devinfo, uint32_t *out, uint32_t value)
{
	if (devinfo == NULL || out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*out = value;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo, uint32_t *max_name_len)
{
	EMU_CALL("doca_comch_cap_get_max_name_len");
	return limit(devinfo, max_name_len, EMU_COMCH_MAX_NAME_LEN);
}

doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	EMU_CALL("doca_comch_cap_get_max_msg_size");
	return limit(devinfo, size, EMU_COMCH_MAX_MSG_SIZE);
}

doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	EMU_CALL("doca_comch_cap_get_max_recv_queue_size");
	return limit(devinfo, size, EMU_COMCH_MAX_RECV_QUEUE_SIZE);
}

doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo, uint32_t *num_clients)
{
	EMU_CALL("doca_comch_cap_get_max_clients");
	return limit(devinfo, num_clients, EMU_COMCH_MAX_CLIENTS);
}

doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo, uint32_t *max_send_tasks)
{
	EMU_CALL("doca_comch_cap_get_max_send_tasks");
	return limit(devinfo, max_send_tasks, EMU_COMCH_MAX_SEND_TASKS);
}

static doca_error_t side_is_supported(const struct doca_devinfo *devinfo, enum emu_side side)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return devinfo->function->side == side ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_comch_cap_server_is_supported");
	return side_is_supported(devinfo, EMU_SIDE_DPU);
}

doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_comch_cap_client_is_supported");
	return side_is_supported(devinfo, EMU_SIDE_HOST);
}

/* Configuration, the same for both. */

static bool is_name(const char *name)
{
	return name[0] != '\0' && strnlen(name, EMU_COMCH_MAX_NAME_LEN) < EMU_COMCH_MAX_NAME_LEN;
}

static doca_error_t create(struct doca_dev *dev, const char *name, size_t size, struct emu_comch_ctrl **ctrl)
{
	struct emu_comch_ctrl *made;
	doca_error_t result;

	if (!is_name(name))
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, size);
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = emu_comch_ctrl_init(made, dev, name);
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

static doca_error_t set_max_msg_size(struct emu_comch_ctrl *ctrl, uint32_t size)
{
	return set_size(ctrl, ctrl == NULL ? NULL : &ctrl->max_msg_size, size, EMU_COMCH_MAX_MSG_SIZE);
}

static doca_error_t set_recv_queue_size(struct emu_comch_ctrl *ctrl, uint32_t size)
{
	return set_size(ctrl, ctrl == NULL ? NULL : &ctrl->recv_queue_size, size, EMU_COMCH_MAX_RECV_QUEUE_SIZE);
}

static doca_error_t set_send_conf(struct emu_comch_ctrl *ctrl, doca_comch_task_send_completion_cb_t completion_cb,
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

static doca_error_t set_msg_recv(struct emu_comch_ctrl *ctrl, doca_comch_event_msg_recv_cb_t cb)
{
	if (ctrl == NULL || cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctrl->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	ctrl->msg_recv_cb = cb;
	return DOCA_SUCCESS;
}

static doca_error_t set_consumer_events(struct emu_comch_ctrl *ctrl, doca_comch_event_consumer_cb_t new_cb,
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

/* The connection is one that this context has. */
static bool owns(const struct emu_comch_ctrl *ctrl, const struct doca_comch_connection *conn)
{
	for (const struct doca_comch_connection *at = ctrl->conns; at != NULL; at = at->next) {
		if (at == conn)
			return true;
	}
	return false;
}

static doca_error_t alloc_send(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *peer, const void *msg,
			       uint32_t len, struct doca_comch_task_send **task)
{
	struct doca_comch_task_send *made;
	struct doca_task *base;
	doca_error_t result;

	if (ctrl == NULL || peer == NULL || msg == NULL || task == NULL || len == 0 || len > ctrl->max_msg_size ||
	    !owns(ctrl, peer))
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_task_alloc(&ctrl->pool, (union doca_data){.u64 = 0}, &base);
	if (result != DOCA_SUCCESS)
		return result;
	made = (struct doca_comch_task_send *)base;
	made->peer = peer;
	made->serial = peer->serial;
	made->msg = msg;
	made->len = len;
	*task = made;
	return DOCA_SUCCESS;
}

/* Server. */

doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr, const char *name,
				      struct doca_comch_server **comch_server)
{
	EMU_CALL("doca_comch_server_create");
	struct emu_comch_ctrl *ctrl;
	doca_error_t result;

	if (dev == NULL || repr == NULL || name == NULL || comch_server == NULL || repr->info.dev != dev)
		return DOCA_ERROR_INVALID_VALUE;
	if (dev->info.function->side != EMU_SIDE_DPU)
		return DOCA_ERROR_INITIALIZATION;
	result = create(dev, name, sizeof(struct doca_comch_server), &ctrl);
	if (result != DOCA_SUCCESS)
		return result;
	ctrl->is_server = true;
	ctrl->rep = repr;
	ctrl->function = repr->info.function;
	*comch_server = (struct doca_comch_server *)ctrl;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server)
{
	EMU_CALL("doca_comch_server_destroy");
	return comch_server == NULL ? DOCA_ERROR_INVALID_VALUE : emu_comch_ctrl_fini(&comch_server->ctrl);
}

doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server, uint32_t size)
{
	EMU_CALL("doca_comch_server_set_max_msg_size");
	return set_max_msg_size(server_ctrl(comch_server), size);
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
	return set_recv_queue_size(server_ctrl(comch_server), size);
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

	if (comch_server == NULL || connection == NULL || !owns(&comch_server->ctrl, connection))
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&connection->lock);
	if (connection->parties != NULL)
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
	return set_send_conf(server_ctrl(comch_server), task_completion_cb, task_error_cb, num_send_tasks);
}

doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
						    struct doca_comch_connection *peer, const void *msg, uint32_t len,
						    struct doca_comch_task_send **task)
{
	EMU_CALL("doca_comch_server_task_send_alloc_init");
	return alloc_send(server_ctrl(comch_server), peer, msg, len, task);
}

doca_error_t doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
						       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
	EMU_CALL("doca_comch_server_event_msg_recv_register");
	return set_msg_recv(server_ctrl(comch_server), recv_event_cb);
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
	return set_consumer_events(server_ctrl(comch_server), new_consumer_event_cb, expired_consumer_event_cb);
}

/* Client. */

doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name, struct doca_comch_client **comch_client)
{
	EMU_CALL("doca_comch_client_create");
	struct emu_comch_ctrl *ctrl;
	doca_error_t result;

	if (dev == NULL || name == NULL || comch_client == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dev->info.function->side != EMU_SIDE_HOST)
		return DOCA_ERROR_INITIALIZATION;
	result = create(dev, name, sizeof(struct doca_comch_client), &ctrl);
	if (result != DOCA_SUCCESS)
		return result;
	ctrl->function = dev->info.function;
	*comch_client = (struct doca_comch_client *)ctrl;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client)
{
	EMU_CALL("doca_comch_client_destroy");
	return comch_client == NULL ? DOCA_ERROR_INVALID_VALUE : emu_comch_ctrl_fini(&comch_client->ctrl);
}

doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client, uint32_t size)
{
	EMU_CALL("doca_comch_client_set_max_msg_size");
	return set_max_msg_size(client_ctrl(comch_client), size);
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
	return set_recv_queue_size(client_ctrl(comch_client), size);
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
	return set_send_conf(client_ctrl(comch_client), task_completion_cb, task_error_cb, num_send_tasks);
}

doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
						    struct doca_comch_connection *peer, const void *msg, uint32_t len,
						    struct doca_comch_task_send **task)
{
	EMU_CALL("doca_comch_client_task_send_alloc_init");
	return alloc_send(client_ctrl(comch_client), peer, msg, len, task);
}

doca_error_t doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
						       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
	EMU_CALL("doca_comch_client_event_msg_recv_register");
	return set_msg_recv(client_ctrl(comch_client), recv_event_cb);
}

doca_error_t doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
						       doca_comch_event_consumer_cb_t new_consumer_event_cb,
						       doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
	EMU_CALL("doca_comch_client_event_consumer_register");
	return set_consumer_events(client_ctrl(comch_client), new_consumer_event_cb, expired_consumer_event_cb);
}

/* Tasks. */

struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task)
{
	return task == NULL ? NULL : &task->base;
}
