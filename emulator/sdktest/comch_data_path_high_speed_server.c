/* SPDX-License-Identifier: Apache-2.0 */
/* Receives a text of comch_data_path_high_speed_client.c with a consumer, then sends one with a producer. */

#include <string.h>

#include "comch_data_path_common.h"

DOCA_LOG_REGISTER(COMCH_DATA_PATH_SERVER);

static void on_received(struct doca_comch_event_msg_recv *event, uint8_t *message, uint32_t len,
			struct doca_comch_connection *connection)
{
	struct data_path *path = (struct data_path *)comch_endpoint_of(connection);

	(void)event;
	if (connection != path->endpoint.connection)
		comch_keep_error(&path->endpoint, DOCA_ERROR_UNEXPECTED);
	if (data_path_is(message, len, DATA_PATH_START)) {
		comch_keep_error(&path->endpoint, comch_send(&path->endpoint, message, len));
		path->is_started = true;
	} else if (data_path_is(message, len, DATA_PATH_STOP)) {
		/* The answer still has to be delivered when the context stops, and its task succeeds. */
		comch_keep_error(&path->endpoint, comch_send(&path->endpoint, message, len));
		path->is_stopped = true;
		comch_stop(&path->endpoint);
	} else {
		comch_keep_error(&path->endpoint, DOCA_ERROR_UNEXPECTED);
	}
	memset(message, 0, len);
}

static doca_error_t exchange(struct data_path *path, const struct comch_config *config)
{
	static const struct comch_callbacks callbacks = {.state_changed = comch_on_state,
							 .sent = comch_on_sent,
							 .received = on_received,
							 .connected = comch_on_connected,
							 .consumer_new = data_path_on_consumer_new,
							 .consumer_expired = data_path_on_consumer_expired};

	TRY(comch_start_server(&path->endpoint, config, DATA_PATH_SERVER_NAME, &callbacks));
	while (!path->is_started && path->endpoint.state != DOCA_CTX_STATE_IDLE)
		sample_progress(path->endpoint.pe);
	TRY(path->endpoint.result);
	REQUIRE(path->is_started);
	TRY(data_path_receive(path));
	TRY(data_path_send(path));
	while (path->endpoint.state != DOCA_CTX_STATE_IDLE)
		sample_progress(path->endpoint.pe);
	return data_path_check(path);
}

static doca_error_t run(const struct comch_config *config)
{
	struct data_path path = {.text = config->text, .remote_consumer_id = DATA_PATH_NO_CONSUMER};
	doca_error_t result = exchange(&path, config), destroyed = comch_destroy(&path.endpoint);

	DOCA_ERROR_PROPAGATE(result, destroyed);
	return result;
}

int main(int argc, char **argv)
{
	return comch_main(argc, argv, "doca_comch_data_path_high_speed_server", true, run);
}
