/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for one message of comch_ctrl_path_client.c, answers with one, and stops when the answer was sent. */

#include <string.h>

#include "comch_common.h"

DOCA_LOG_REGISTER(COMCH_CTRL_PATH_SERVER);

struct server {
	struct comch_endpoint endpoint;
	const char *text;
	bool is_received;
	bool is_sent;
};

static void on_received(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t len,
			struct doca_comch_connection *connection)
{
	struct server *server = (struct server *)comch_endpoint_of(connection);

	(void)event;
	DOCA_LOG_INFO("Message received: '%.*s'", (int)len, (char *)message);
	memset(message, 0, len);
	if (server->is_received || connection != server->endpoint.connection)
		comch_keep_error(&server->endpoint, DOCA_ERROR_UNEXPECTED);
	server->is_received = true;
	comch_keep_error(&server->endpoint, comch_send(&server->endpoint, server->text, strlen(server->text)));
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct server *server = ctx_data.ptr;

	server->is_sent = true;
	comch_on_sent(task, task_data, ctx_data);
	/* The task is freed and nothing is in flight, but its callback is still running: the stop cannot
	 * complete here. */
	if (doca_ctx_stop(server->endpoint.ctx) != DOCA_ERROR_IN_PROGRESS)
		comch_keep_error(&server->endpoint, DOCA_ERROR_UNEXPECTED);
}

static doca_error_t exchange(struct server *server, const struct comch_config *config)
{
	static const struct comch_callbacks callbacks = {.state_changed = comch_on_state,
							 .sent = on_sent,
							 .received = on_received,
							 .connected = comch_on_connected};

	TRY(comch_start_server(&server->endpoint, config, "comch_ctrl_path_sample_server", &callbacks));
	REQUIRE(server->endpoint.state == DOCA_CTX_STATE_RUNNING);
	while (server->endpoint.state != DOCA_CTX_STATE_IDLE)
		sample_progress(server->endpoint.pe);
	TRY(server->endpoint.result);
	REQUIRE(server->is_received && server->is_sent);
	return DOCA_SUCCESS;
}

static doca_error_t run(const struct comch_config *config)
{
	struct server server = {.text = config->text};
	doca_error_t result = exchange(&server, config), destroyed = comch_destroy(&server.endpoint);

	DOCA_ERROR_PROPAGATE(result, destroyed);
	return result;
}

int main(int argc, char **argv)
{
	return comch_main(argc, argv, "doca_comch_ctrl_path_server", true, run);
}
