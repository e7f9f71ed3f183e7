/* SPDX-License-Identifier: Apache-2.0 */
/* Sends one message to the server of comch_ctrl_path_server.c and waits for one. */

#include <string.h>

#include "comch_common.h"

DOCA_LOG_REGISTER(COMCH_CTRL_PATH_CLIENT);

struct client {
	struct comch_endpoint endpoint;
	const char *text;
	bool is_sent;
	bool is_received;
};

static void on_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		     enum doca_ctx_states next)
{
	struct client *client = user_data.ptr;

	comch_on_state(user_data, ctx, prev, next);
	if (next == DOCA_CTX_STATE_RUNNING)
		comch_keep_error(&client->endpoint,
				 comch_send(&client->endpoint, client->text, strlen(client->text)));
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	((struct client *)ctx_data.ptr)->is_sent = true;
	comch_on_sent(task, task_data, ctx_data);
}

static void on_received(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t len,
			struct doca_comch_connection *connection)
{
	struct client *client = (struct client *)comch_endpoint_of(connection);

	(void)event;
	DOCA_LOG_INFO("Message received: '%.*s'", (int)len, (char *)message);
	/* The bytes are the program's until the callback returns. */
	memset(message, 0, len);
	client->is_received = true;
	comch_stop(&client->endpoint);
}

static doca_error_t exchange(struct client *client, const struct comch_config *config)
{
	static const struct comch_callbacks callbacks = {
		.state_changed = on_state, .sent = on_sent, .received = on_received};

	TRY(comch_start_client(&client->endpoint, config, "comch_ctrl_path_sample_server", &callbacks));
	REQUIRE(client->endpoint.state == DOCA_CTX_STATE_STARTING);
	while (client->endpoint.state != DOCA_CTX_STATE_IDLE)
		sample_progress(client->endpoint.pe);
	TRY(client->endpoint.result);
	REQUIRE(client->is_sent && client->is_received);
	return DOCA_SUCCESS;
}

static doca_error_t run(const struct comch_config *config)
{
	struct client client = {.text = config->text};
	doca_error_t result = exchange(&client, config), destroyed = comch_destroy(&client.endpoint);

	DOCA_ERROR_PROPAGATE(result, destroyed);
	return result;
}

int main(int argc, char **argv)
{
	return comch_main(argc, argv, "doca_comch_ctrl_path_client", false, run);
}
