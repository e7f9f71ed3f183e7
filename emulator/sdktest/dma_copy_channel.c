/* SPDX-License-Identifier: Apache-2.0 */
/* The connection and the messages on it. */

#include <endian.h>
#include <string.h>

#include "dma_copy.h"

DOCA_LOG_REGISTER(DMA_COPY::CHANNEL);

#define SERVER_NAME "dma copy server"
#define NUM_SEND_TASKS 1024
#define RECV_QUEUE_SIZE 10

static void keep_error(struct copy_channel *channel, doca_error_t result)
{
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("In a callback: %s", doca_error_get_descr(result));
	DOCA_ERROR_PROPAGATE(channel->result, result);
}

/* ---- Callbacks ---- */

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	keep_error(ctx_data.ptr, doca_task_get_status(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
}

static doca_error_t take_direction(struct copy_channel *channel, const uint8_t *bytes, uint32_t len)
{
	struct copy_direction message;

	if (len != sizeof(message))
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(&message, bytes, sizeof(message));
	channel->is_file_in_host = message.is_file_in_host;
	channel->file_size = be64toh(message.file_size);
	channel->has_direction = true;
	return DOCA_SUCCESS;
}

static doca_error_t take_descriptor(struct copy_channel *channel, const uint8_t *bytes, uint32_t len)
{
	struct copy_export_descriptor message;
	uint64_t desc_len;

	if (len < sizeof(message))
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(&message, bytes, sizeof(message));
	desc_len = be64toh(message.desc_len);
	if (desc_len != len - sizeof(message) || desc_len > sizeof(channel->desc))
		return DOCA_ERROR_INVALID_VALUE;
	channel->host_addr = (uint8_t *)(uintptr_t)be64toh(message.host_addr);
	channel->desc_len = desc_len;
	memcpy(channel->desc, bytes + sizeof(message), desc_len);
	channel->has_descriptor = true;
	return DOCA_SUCCESS;
}

static doca_error_t take_status(struct copy_channel *channel, const uint8_t *bytes, uint32_t len)
{
	struct copy_status message;

	if (len != sizeof(message))
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(&message, bytes, sizeof(message));
	channel->is_success = message.is_success;
	channel->has_status = true;
	return DOCA_SUCCESS;
}

static void on_received(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
			struct doca_comch_connection *connection)
{
	struct copy_channel *channel = doca_comch_connection_get_user_data(connection).ptr;
	doca_error_t result = DOCA_ERROR_INVALID_VALUE;
	uint32_t type = 0;

	(void)event;
	if (len >= sizeof(type))
		memcpy(&type, bytes, sizeof(type));
	if (type == COPY_DIRECTION)
		result = take_direction(channel, bytes, len);
	else if (type == COPY_EXPORT_DESCRIPTOR)
		result = take_descriptor(channel, bytes, len);
	else if (type == COPY_STATUS)
		result = take_status(channel, bytes, len);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("A message of type %u with %u bytes", type, len);
		keep_error(channel, result);
	}
}

#ifdef DOCA_ARCH_DPU

/* Serves one client and rejects others at once. */
static void on_connected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t is_successful)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	union doca_data user_data = {0};
	struct copy_channel *channel;

	(void)event;
	(void)doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &user_data);
	channel = user_data.ptr;
	if (is_successful == 0)
		return;
	if (channel->connection != NULL) {
		keep_error(channel, doca_comch_server_disconnect(server, connection));
		return;
	}
	keep_error(channel, doca_comch_connection_set_user_data(connection, user_data));
	channel->connection = connection;
}

static void on_disconnected(struct doca_comch_event_connection_status_changed *event,
			    struct doca_comch_connection *connection, uint8_t is_successful)
{
	struct copy_channel *channel = doca_comch_connection_get_user_data(connection).ptr;

	(void)event;
	(void)is_successful;
	/* The other clients have no user data. */
	if (channel != NULL && connection == channel->connection)
		channel->connection = NULL;
}

static doca_error_t create(struct copy_channel *channel, const struct copy_config *config)
{
	TRY(sample_open_device(config->pci_addr, doca_comch_cap_server_is_supported, &channel->dev));
	TRY(sample_open_representor(channel->dev, config->rep_pci_addr, &channel->rep));
	TRY(doca_pe_create(&channel->pe));
	TRY(doca_comch_server_create(channel->dev, channel->rep, SERVER_NAME, &channel->server));
	TRY(doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(channel->dev), &channel->max_msg_size));
	TRY(doca_comch_server_set_max_msg_size(channel->server, channel->max_msg_size));
	TRY(doca_comch_server_set_recv_queue_size(channel->server, RECV_QUEUE_SIZE));
	channel->ctx = doca_comch_server_as_ctx(channel->server);
	TRY(doca_pe_connect_ctx(channel->pe, channel->ctx));
	TRY(doca_comch_server_task_send_set_conf(channel->server, on_sent, on_sent, NUM_SEND_TASKS));
	TRY(doca_comch_server_event_msg_recv_register(channel->server, on_received));
	TRY(doca_comch_server_event_connection_status_changed_register(channel->server, on_connected,
								       on_disconnected));
	TRY(doca_ctx_set_user_data(channel->ctx, (union doca_data){.ptr = channel}));
	TRY(doca_ctx_start(channel->ctx));
	return DOCA_SUCCESS;
}

static doca_error_t wait_for_connection(struct copy_channel *channel)
{
	while (channel->connection == NULL)
		sample_progress(channel->pe);
	return channel->result;
}

/* The client ends first, so that it has received all messages. */
void copy_wait_for_disconnection(struct copy_channel *channel)
{
	while (channel->connection != NULL)
		sample_progress(channel->pe);
}

static doca_error_t alloc_send(struct copy_channel *channel, const void *message, size_t len,
			       struct doca_comch_task_send **task)
{
	return doca_comch_server_task_send_alloc_init(channel->server, channel->connection, message, (uint32_t)len,
						      task);
}

static bool is_connected(struct copy_channel *channel)
{
	return channel->connection != NULL;
}

#else

static doca_error_t create(struct copy_channel *channel, const struct copy_config *config)
{
	doca_error_t result;

	TRY(sample_open_device(config->pci_addr, doca_comch_cap_client_is_supported, &channel->dev));
	TRY(doca_pe_create(&channel->pe));
	TRY(doca_comch_client_create(channel->dev, SERVER_NAME, &channel->client));
	TRY(doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(channel->dev), &channel->max_msg_size));
	TRY(doca_comch_client_set_max_msg_size(channel->client, channel->max_msg_size));
	TRY(doca_comch_client_set_recv_queue_size(channel->client, RECV_QUEUE_SIZE));
	channel->ctx = doca_comch_client_as_ctx(channel->client);
	TRY(doca_pe_connect_ctx(channel->pe, channel->ctx));
	TRY(doca_comch_client_task_send_set_conf(channel->client, on_sent, on_sent, NUM_SEND_TASKS));
	TRY(doca_comch_client_event_msg_recv_register(channel->client, on_received));
	TRY(doca_ctx_set_user_data(channel->ctx, (union doca_data){.ptr = channel}));
	result = doca_ctx_start(channel->ctx);
	REQUIRE(result == DOCA_ERROR_IN_PROGRESS);
	return DOCA_SUCCESS;
}

static doca_error_t wait_for_connection(struct copy_channel *channel)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;

	while (state != DOCA_CTX_STATE_RUNNING) {
		sample_progress(channel->pe);
		TRY(doca_ctx_get_state(channel->ctx, &state));
		if (state == DOCA_CTX_STATE_IDLE) {
			DOCA_LOG_ERR("There is no server");
			return DOCA_ERROR_NOT_CONNECTED;
		}
	}
	TRY(doca_comch_client_get_connection(channel->client, &channel->connection));
	TRY(doca_comch_connection_set_user_data(channel->connection, (union doca_data){.ptr = channel}));
	return DOCA_SUCCESS;
}

void copy_wait_for_disconnection(struct copy_channel *channel)
{
	(void)channel;
}

static doca_error_t alloc_send(struct copy_channel *channel, const void *message, size_t len,
			       struct doca_comch_task_send **task)
{
	return doca_comch_client_task_send_alloc_init(channel->client, channel->connection, message, (uint32_t)len,
						      task);
}

static bool is_connected(struct copy_channel *channel)
{
	enum doca_ctx_states state;

	return doca_ctx_get_state(channel->ctx, &state) == DOCA_SUCCESS && state == DOCA_CTX_STATE_RUNNING;
}

#endif

/* ---- For both sides ---- */

doca_error_t copy_connect(struct copy_channel *channel, const struct copy_config *config)
{
	TRY(create(channel, config));
	TRY(wait_for_connection(channel));
	return DOCA_SUCCESS;
}

doca_error_t copy_send(struct copy_channel *channel, const void *message, size_t len)
{
	struct doca_comch_task_send *task;

	if (len > channel->max_msg_size) {
		DOCA_LOG_ERR("A message of %zu bytes is too long", len);
		return DOCA_ERROR_TOO_BIG;
	}
	if (!is_connected(channel))
		return DOCA_ERROR_NOT_CONNECTED;
	TRY(alloc_send(channel, message, len, &task));
	TRY(doca_task_submit(doca_comch_task_send_as_task(task)));
	return DOCA_SUCCESS;
}

doca_error_t copy_send_status(struct copy_channel *channel, bool is_success)
{
	struct copy_status message = {.type = COPY_STATUS, .is_success = is_success};

	return copy_send(channel, &message, sizeof(message));
}

doca_error_t copy_wait(struct copy_channel *channel, const bool *flag)
{
	while (!*flag) {
		if (channel->result != DOCA_SUCCESS)
			return channel->result;
		if (channel->has_status && !channel->is_success) {
			DOCA_LOG_ERR("The other side has given up");
			return DOCA_ERROR_UNEXPECTED;
		}
		if (!is_connected(channel)) {
			DOCA_LOG_ERR("The other side has gone");
			return DOCA_ERROR_NOT_CONNECTED;
		}
		sample_progress(channel->pe);
	}
	return channel->result;
}

doca_error_t copy_destroy(struct copy_channel *channel)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
	doca_error_t result = DOCA_SUCCESS;

	if (channel->ctx != NULL) {
		doca_error_t stopped = doca_ctx_stop(channel->ctx);

		if (stopped != DOCA_ERROR_IN_PROGRESS)
			CLEAN(result, stopped);
		CLEAN(result, doca_ctx_get_state(channel->ctx, &state));
		while (state != DOCA_CTX_STATE_IDLE) {
			sample_progress(channel->pe);
			CLEAN(result, doca_ctx_get_state(channel->ctx, &state));
		}
	}
	if (channel->server != NULL)
		CLEAN(result, doca_comch_server_destroy(channel->server));
	if (channel->client != NULL)
		CLEAN(result, doca_comch_client_destroy(channel->client));
	if (channel->rep != NULL)
		CLEAN(result, doca_dev_rep_close(channel->rep));
	if (channel->dev != NULL)
		CLEAN(result, doca_dev_close(channel->dev));
	if (channel->pe != NULL)
		CLEAN(result, doca_pe_destroy(channel->pe));
	return result;
}
