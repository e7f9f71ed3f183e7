/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <string.h>

#include <doca_comch.h>

#include "core/emu_dev.h"
#include "core/emu_fault.h"
#include "emu_comch_config.h"
#include "emu_comch_conn.h"
#include "emu_comch_ctrl.h"
#include "emu_comch_frame.h"
#include "emu_comch_send.h"

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

static struct emu_comch_ctrl *ctrl_of(const struct doca_comch_connection *connection)
{
	return connection == NULL ? NULL : __atomic_load_n(&connection->ctrl, __ATOMIC_ACQUIRE);
}

struct doca_comch_server *doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection)
{
	struct emu_comch_ctrl *ctrl = ctrl_of(connection);

	return ctrl == NULL || !ctrl->is_server ? NULL : (struct doca_comch_server *)ctrl;
}

struct doca_comch_client *doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection)
{
	struct emu_comch_ctrl *ctrl = ctrl_of(connection);

	return ctrl == NULL || ctrl->is_server ? NULL : (struct doca_comch_client *)ctrl;
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

doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo, uint32_t *max_name_len)
{
	EMU_CALL("doca_comch_cap_get_max_name_len");
	return emu_comch_get_limit(devinfo, max_name_len, EMU_COMCH_MAX_NAME_LEN);
}

doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	EMU_CALL("doca_comch_cap_get_max_msg_size");
	return emu_comch_get_limit(devinfo, size, EMU_COMCH_MAX_MSG_SIZE);
}

doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	EMU_CALL("doca_comch_cap_get_max_recv_queue_size");
	return emu_comch_get_limit(devinfo, size, EMU_COMCH_MAX_RECV_QUEUE_SIZE);
}

doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo, uint32_t *num_clients)
{
	EMU_CALL("doca_comch_cap_get_max_clients");
	return emu_comch_get_limit(devinfo, num_clients, EMU_COMCH_MAX_CLIENTS);
}

doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo, uint32_t *max_send_tasks)
{
	EMU_CALL("doca_comch_cap_get_max_send_tasks");
	return emu_comch_get_limit(devinfo, max_send_tasks, EMU_COMCH_MAX_SEND_TASKS);
}

static doca_error_t side_is_supported(const struct doca_devinfo *devinfo, enum emu_side side)
{
	doca_error_t result = emu_devinfo_supports(devinfo, EMU_PART_COMCH);

	if (result != DOCA_SUCCESS)
		return result;
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

/* Tasks. */

struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task)
{
	return task == NULL ? NULL : &task->base;
}
