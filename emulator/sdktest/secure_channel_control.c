/* SPDX-License-Identifier: Apache-2.0 */
/* The connection and its messages: START says what a side is going to send, END comes when all is done. */

#include <arpa/inet.h>
#include <string.h>

#include "secure_channel.h"

DOCA_LOG_REGISTER(SECURE_CHANNEL::CONTROL);

#define SERVER_NAME "secure_channel_server"
#define NUM_SEND_TASKS 1024
#define RECV_QUEUE_SIZE 10

enum message_type {
	MESSAGE_START = 0,
	MESSAGE_END = 1,
};

struct message {
	uint32_t type;
	doca_be32_t num_msgs;
	doca_be32_t msg_size;
};

static struct channel *channel_of(const struct doca_comch_connection *connection)
{
	return doca_comch_connection_get_user_data(connection).ptr;
}

static void keep_error(struct channel *channel, doca_error_t result)
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

static void on_received(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
			struct doca_comch_connection *connection)
{
	struct channel *channel = channel_of(connection);
	struct message message;

	(void)event;
	if (len != sizeof(message)) {
		DOCA_LOG_ERR("A message of %u bytes, not %zu", len, sizeof(message));
		keep_error(channel, DOCA_ERROR_INVALID_VALUE);
		return;
	}
	memcpy(&message, bytes, sizeof(message));
	if (message.type == MESSAGE_START) {
		channel->peer.num_msgs = ntohl(message.num_msgs);
		channel->peer.msg_size = ntohl(message.msg_size);
		if (channel->peer.num_msgs == 0 || channel->peer.msg_size == 0 ||
		    channel->peer.msg_size > CHANNEL_MAX_MSG_SIZE) {
			DOCA_LOG_ERR("The peer wants to send %u messages of %u bytes", channel->peer.num_msgs,
				     channel->peer.msg_size);
			keep_error(channel, DOCA_ERROR_INVALID_VALUE);
		}
		channel->is_start_received = true;
	} else if (message.type == MESSAGE_END) {
		channel->is_end_received = true;
	} else {
		DOCA_LOG_ERR("A message of type %u", message.type);
		keep_error(channel, DOCA_ERROR_INVALID_VALUE);
	}
}

static void on_consumer_new(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			    uint32_t id)
{
	(void)event;
	__atomic_store_n(&channel_of(connection)->consumer_id, id, __ATOMIC_RELEASE);
}

static void on_consumer_expired(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
				uint32_t id)
{
	struct channel *channel = channel_of(connection);

	(void)event;
	if (id != __atomic_load_n(&channel->consumer_id, __ATOMIC_ACQUIRE))
		keep_error(channel, DOCA_ERROR_UNEXPECTED);
}

#ifdef DOCA_ARCH_DPU

/* Serves one client and rejects others at once. */
static void on_connected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t is_successful)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	union doca_data user_data = {0};
	struct channel *channel;

	(void)event;
	(void)doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &user_data);
	channel = user_data.ptr;
	if (is_successful == 0)
		return;
	if (channel->connection != NULL) {
		DOCA_LOG_ERR("There is a client already: another one was turned away");
		keep_error(channel, doca_comch_server_disconnect(server, connection));
		return;
	}
	keep_error(channel, doca_comch_connection_set_user_data(connection, user_data));
	channel->connection = connection;
}

static void on_disconnected(struct doca_comch_event_connection_status_changed *event,
			    struct doca_comch_connection *connection, uint8_t is_successful)
{
	struct channel *channel = channel_of(connection);

	(void)event;
	(void)is_successful;
	/* The other clients have no user data. */
	if (channel != NULL && connection == channel->connection)
		channel->connection = NULL;
}

static doca_error_t create(struct channel *channel, const struct channel_config *config)
{
	uint32_t max_msg_size;

	TRY(sample_open_device(config->pci_addr, doca_comch_cap_server_is_supported, &channel->dev));
	TRY(sample_open_representor(channel->dev, config->rep_pci_addr, &channel->rep));
	TRY(doca_pe_create(&channel->pe));
	TRY(doca_comch_server_create(channel->dev, channel->rep, SERVER_NAME, &channel->server));
	TRY(doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(channel->dev), &max_msg_size));
	TRY(doca_comch_server_set_max_msg_size(channel->server, max_msg_size));
	TRY(doca_comch_server_set_recv_queue_size(channel->server, RECV_QUEUE_SIZE));
	channel->ctx = doca_comch_server_as_ctx(channel->server);
	TRY(doca_pe_connect_ctx(channel->pe, channel->ctx));
	TRY(doca_comch_server_task_send_set_conf(channel->server, on_sent, on_sent, NUM_SEND_TASKS));
	TRY(doca_comch_server_event_msg_recv_register(channel->server, on_received));
	TRY(doca_comch_server_event_connection_status_changed_register(channel->server, on_connected,
								       on_disconnected));
	TRY(doca_comch_server_event_consumer_register(channel->server, on_consumer_new, on_consumer_expired));
	TRY(doca_ctx_set_user_data(channel->ctx, (union doca_data){.ptr = channel}));
	TRY(doca_ctx_start(channel->ctx));
	return DOCA_SUCCESS;
}

static doca_error_t wait_for_connection(struct channel *channel)
{
	while (channel->connection == NULL)
		sample_progress(channel->pe);
	return channel->result;
}

/* The client ends first, so that it has received all messages. */
static void wait_for_disconnection(struct channel *channel)
{
	while (channel->connection != NULL)
		sample_progress(channel->pe);
}

static doca_error_t alloc_send(struct channel *channel, const struct message *message,
			       struct doca_comch_task_send **task)
{
	return doca_comch_server_task_send_alloc_init(channel->server, channel->connection, message,
						      sizeof(*message), task);
}

static bool is_connected(struct channel *channel)
{
	return channel->connection != NULL;
}

#else

static doca_error_t create(struct channel *channel, const struct channel_config *config)
{
	uint32_t max_msg_size;
	doca_error_t result;

	TRY(sample_open_device(config->pci_addr, doca_comch_cap_client_is_supported, &channel->dev));
	TRY(doca_pe_create(&channel->pe));
	TRY(doca_comch_client_create(channel->dev, SERVER_NAME, &channel->client));
	TRY(doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(channel->dev), &max_msg_size));
	TRY(doca_comch_client_set_max_msg_size(channel->client, max_msg_size));
	TRY(doca_comch_client_set_recv_queue_size(channel->client, RECV_QUEUE_SIZE));
	channel->ctx = doca_comch_client_as_ctx(channel->client);
	TRY(doca_pe_connect_ctx(channel->pe, channel->ctx));
	TRY(doca_comch_client_task_send_set_conf(channel->client, on_sent, on_sent, NUM_SEND_TASKS));
	TRY(doca_comch_client_event_msg_recv_register(channel->client, on_received));
	TRY(doca_comch_client_event_consumer_register(channel->client, on_consumer_new, on_consumer_expired));
	TRY(doca_ctx_set_user_data(channel->ctx, (union doca_data){.ptr = channel}));
	result = doca_ctx_start(channel->ctx);
	REQUIRE(result == DOCA_ERROR_IN_PROGRESS);
	return DOCA_SUCCESS;
}

/* No message can have arrived before the connection has its user data, since one call of progress does one
 * thing. */
static doca_error_t wait_for_connection(struct channel *channel)
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

static void wait_for_disconnection(struct channel *channel)
{
	(void)channel;
}

static doca_error_t alloc_send(struct channel *channel, const struct message *message,
			       struct doca_comch_task_send **task)
{
	return doca_comch_client_task_send_alloc_init(channel->client, channel->connection, message,
						      sizeof(*message), task);
}

static bool is_connected(struct channel *channel)
{
	enum doca_ctx_states state;

	return doca_ctx_get_state(channel->ctx, &state) == DOCA_SUCCESS && state == DOCA_CTX_STATE_RUNNING;
}

#endif

/* ---- For both sides ---- */

doca_error_t channel_connect(struct channel *channel, const struct channel_config *config)
{
	TRY(create(channel, config));
	TRY(wait_for_connection(channel));
	return DOCA_SUCCESS;
}

/* The message is on the stack and no longer exists when this returns: the submission has copied it. */
static doca_error_t send_message(struct channel *channel, struct message message)
{
	struct doca_comch_task_send *task;
	doca_error_t result;

	while ((result = alloc_send(channel, &message, &task)) == DOCA_ERROR_NO_MEMORY)
		sample_progress(channel->pe);
	TRY(result);
	TRY(doca_task_submit(doca_comch_task_send_as_task(task)));
	memset(&message, 0xff, sizeof(message));
	/* Prevents the compiler from removing the memset. */
	__asm__ volatile("" : : "r"(&message) : "memory");
	return DOCA_SUCCESS;
}

doca_error_t channel_send_start(struct channel *channel, const struct channel_load *load)
{
	return send_message(channel, (struct message){.type = MESSAGE_START,
						      .num_msgs = htonl(load->num_msgs),
						      .msg_size = htonl(load->msg_size)});
}

doca_error_t channel_send_end(struct channel *channel)
{
	return send_message(channel, (struct message){.type = MESSAGE_END});
}

doca_error_t channel_wait(struct channel *channel, const bool *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {
		sample_progress(channel->pe);
		TRY(channel->result);
		/* Everything that came before the end of the connection has been received by now. */
		if (!__atomic_load_n(flag, __ATOMIC_ACQUIRE) && !is_connected(channel)) {
			DOCA_LOG_ERR("The peer has left");
			return DOCA_ERROR_NOT_CONNECTED;
		}
	}
	return DOCA_SUCCESS;
}

doca_error_t channel_destroy(struct channel *channel)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
	doca_error_t result = DOCA_SUCCESS, stopped;

	if (channel->ctx != NULL) {
		if (channel->result == DOCA_SUCCESS && !channel->has_failed)
			wait_for_disconnection(channel);
		stopped = doca_ctx_stop(channel->ctx);
		if (stopped != DOCA_SUCCESS && stopped != DOCA_ERROR_IN_PROGRESS)
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
	DOCA_ERROR_PROPAGATE(result, channel->result);
	return result;
}
