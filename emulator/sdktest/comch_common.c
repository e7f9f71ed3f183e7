/* SPDX-License-Identifier: Apache-2.0 */
#include "comch_common.h"

#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>

DOCA_LOG_REGISTER(COMCH_COMMON);

/* ---- Callbacks ---- */

struct comch_endpoint *comch_endpoint_of(const struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	struct doca_comch_client *client = doca_comch_client_get_client_ctx(connection);
	union doca_data user_data = {0};

	(void)doca_ctx_get_user_data(server != NULL ? doca_comch_server_as_ctx(server) :
						      doca_comch_client_as_ctx(client),
				     &user_data);
	return user_data.ptr;
}

void comch_keep_error(struct comch_endpoint *endpoint, doca_error_t result)
{
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("In a callback: %s", doca_error_get_descr(result));
	DOCA_ERROR_PROPAGATE(endpoint->result, result);
}

void comch_stop(struct comch_endpoint *endpoint)
{
	doca_error_t result = doca_ctx_stop(endpoint->ctx);

	/* IN_USE: a producer has not seen the end yet. The context stops when it has. */
	if (result != DOCA_ERROR_IN_PROGRESS && result != DOCA_ERROR_IN_USE)
		comch_keep_error(endpoint, result);
}

void comch_on_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		    enum doca_ctx_states next)
{
	struct comch_endpoint *endpoint = user_data.ptr;
	enum doca_ctx_states reported;

	comch_keep_error(endpoint, doca_ctx_get_state(ctx, &reported));
	if (reported != next || prev != endpoint->state || prev == next)
		comch_keep_error(endpoint, DOCA_ERROR_UNEXPECTED);
	endpoint->state = next;
	if (next == DOCA_CTX_STATE_RUNNING && endpoint->client != NULL)
		comch_keep_error(endpoint,
				 doca_comch_client_get_connection(endpoint->client, &endpoint->connection));
	else if (next == DOCA_CTX_STATE_IDLE)
		endpoint->connection = NULL;
}

void comch_on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	comch_keep_error(ctx_data.ptr, doca_task_get_status(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_send_failed(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct comch_endpoint *endpoint = ctx_data.ptr;
	doca_error_t status = doca_task_get_status(doca_comch_task_send_as_task(task));

	(void)task_data;
	comch_keep_error(endpoint, status != DOCA_SUCCESS ? status : DOCA_ERROR_UNEXPECTED);
	doca_task_free(doca_comch_task_send_as_task(task));
	comch_stop(endpoint);
}

void comch_on_connected(struct doca_comch_event_connection_status_changed *event,
			struct doca_comch_connection *connection, uint8_t is_successful)
{
	struct comch_endpoint *endpoint = comch_endpoint_of(connection);

	(void)event;
	if (is_successful == 0 || endpoint->connection != NULL) {
		comch_keep_error(endpoint, DOCA_ERROR_UNEXPECTED);
		return;
	}
	DOCA_LOG_INFO("A client has connected");
	endpoint->connection = connection;
}

static void on_disconnected(struct doca_comch_event_connection_status_changed *event,
			    struct doca_comch_connection *connection, uint8_t is_successful)
{
	struct comch_endpoint *endpoint = comch_endpoint_of(connection);

	(void)event;
	if (is_successful == 0 || endpoint->connection != connection)
		comch_keep_error(endpoint, DOCA_ERROR_UNEXPECTED);
	DOCA_LOG_INFO("The client has disconnected");
	endpoint->connection = NULL;
}

/* ---- Objects ---- */

static doca_error_t start(struct comch_endpoint *endpoint, const struct comch_callbacks *callbacks,
			  doca_error_t expected)
{
	union doca_data user_data = {.ptr = endpoint};
	doca_error_t result;

	TRY(doca_pe_create(&endpoint->pe));
	TRY(doca_pe_connect_ctx(endpoint->pe, endpoint->ctx));
	TRY(doca_ctx_set_user_data(endpoint->ctx, user_data));
	TRY(doca_ctx_set_state_changed_cb(endpoint->ctx, callbacks->state_changed));
	result = doca_ctx_start(endpoint->ctx);
	if (result != expected) {
		DOCA_LOG_ERR("The start is %s, not %s", doca_error_get_name(result), doca_error_get_name(expected));
		return result != DOCA_SUCCESS ? result : DOCA_ERROR_UNEXPECTED;
	}
	return DOCA_SUCCESS;
}

doca_error_t comch_start_server(struct comch_endpoint *endpoint, const struct comch_config *config,
				const char *name, const struct comch_callbacks *callbacks)
{
	uint32_t max_msg_size;

	TRY(sample_open_device(config->pci_addr, doca_comch_cap_server_is_supported, &endpoint->dev));
	TRY(sample_open_representor(endpoint->dev, config->rep_pci_addr, &endpoint->rep));
	TRY(doca_comch_server_create(endpoint->dev, endpoint->rep, name, &endpoint->server));
	endpoint->ctx = doca_comch_server_as_ctx(endpoint->server);
	TRY(doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(endpoint->dev), &max_msg_size));
	if (config->max_msg_size != 0)
		max_msg_size = config->max_msg_size;
	TRY(doca_comch_server_set_max_msg_size(endpoint->server, max_msg_size));
	TRY(doca_comch_server_set_recv_queue_size(endpoint->server, COMCH_RECV_QUEUE_SIZE));
	TRY(doca_comch_server_task_send_set_conf(endpoint->server, callbacks->sent, on_send_failed,
						 COMCH_NUM_SEND_TASKS));
	TRY(doca_comch_server_event_msg_recv_register(endpoint->server, callbacks->received));
	TRY(doca_comch_server_event_connection_status_changed_register(endpoint->server, callbacks->connected,
								       on_disconnected));
	if (callbacks->consumer_new != NULL)
		TRY(doca_comch_server_event_consumer_register(endpoint->server, callbacks->consumer_new,
							      callbacks->consumer_expired));
	return start(endpoint, callbacks, DOCA_SUCCESS);
}

doca_error_t comch_start_client(struct comch_endpoint *endpoint, const struct comch_config *config,
				const char *name, const struct comch_callbacks *callbacks)
{
	uint32_t max_msg_size;

	TRY(sample_open_device(config->pci_addr, doca_comch_cap_client_is_supported, &endpoint->dev));
	TRY(doca_comch_client_create(endpoint->dev, name, &endpoint->client));
	endpoint->ctx = doca_comch_client_as_ctx(endpoint->client);
	TRY(doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(endpoint->dev), &max_msg_size));
	if (config->max_msg_size != 0)
		max_msg_size = config->max_msg_size;
	TRY(doca_comch_client_set_max_msg_size(endpoint->client, max_msg_size));
	TRY(doca_comch_client_set_recv_queue_size(endpoint->client, COMCH_RECV_QUEUE_SIZE));
	TRY(doca_comch_client_task_send_set_conf(endpoint->client, callbacks->sent, on_send_failed,
						 COMCH_NUM_SEND_TASKS));
	TRY(doca_comch_client_event_msg_recv_register(endpoint->client, callbacks->received));
	if (callbacks->consumer_new != NULL)
		TRY(doca_comch_client_event_consumer_register(endpoint->client, callbacks->consumer_new,
							      callbacks->consumer_expired));
	return start(endpoint, callbacks, DOCA_ERROR_IN_PROGRESS);
}

doca_error_t comch_destroy(struct comch_endpoint *endpoint)
{
	doca_error_t result = DOCA_SUCCESS;

	if (endpoint->ctx != NULL && endpoint->state != DOCA_CTX_STATE_IDLE) {
		comch_stop(endpoint);
		while (endpoint->state != DOCA_CTX_STATE_IDLE)
			sample_progress(endpoint->pe);
	}
	if (endpoint->server != NULL)
		CLEAN(result, doca_comch_server_destroy(endpoint->server));
	if (endpoint->client != NULL)
		CLEAN(result, doca_comch_client_destroy(endpoint->client));
	if (endpoint->pe != NULL)
		CLEAN(result, doca_pe_destroy(endpoint->pe));
	if (endpoint->rep != NULL)
		CLEAN(result, doca_dev_rep_close(endpoint->rep));
	if (endpoint->dev != NULL)
		CLEAN(result, doca_dev_close(endpoint->dev));
	return result;
}

doca_error_t comch_send(struct comch_endpoint *endpoint, const void *message, size_t len)
{
	struct doca_comch_task_send *task;
	doca_error_t result;

	if (endpoint->server != NULL)
		TRY(doca_comch_server_task_send_alloc_init(endpoint->server, endpoint->connection, message,
							   (uint32_t)len, &task));
	else
		TRY(doca_comch_client_task_send_alloc_init(endpoint->client, endpoint->connection, message,
							   (uint32_t)len, &task));
	result = doca_task_submit(doca_comch_task_send_as_task(task));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_task_send_as_task(task));
	TRY(result);
	return DOCA_SUCCESS;
}

/* ---- Arguments ---- */

static doca_error_t set_pci_addr(void *value, void *cfg)
{
	struct comch_config *config = cfg;

	return sample_copy_value("PCI address", value, config->pci_addr, sizeof(config->pci_addr));
}

static doca_error_t set_rep_pci_addr(void *value, void *cfg)
{
	struct comch_config *config = cfg;

	return sample_copy_value("PCI address", value, config->rep_pci_addr, sizeof(config->rep_pci_addr));
}

static doca_error_t set_text(void *value, void *cfg)
{
	struct comch_config *config = cfg;

	return sample_copy_value("text", value, config->text, sizeof(config->text));
}

static doca_error_t add_params(bool is_server)
{
	TRY(sample_add_param("p", "pci-addr", "PCI address of the Comch device", set_pci_addr,
			     DOCA_ARGP_TYPE_STRING, false));
	if (is_server)
		TRY(sample_add_param("r", "rep-pci", "PCI address of the host function, as the host sees it",
				     set_rep_pci_addr, DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("t", "text", "Text to send to the other side", set_text, DOCA_ARGP_TYPE_STRING,
			     false));
	return DOCA_SUCCESS;
}

int comch_main(int argc, char **argv, const char *name, bool is_server,
	       doca_error_t (*run)(const struct comch_config *config))
{
	struct comch_config config = {.rep_pci_addr = "b1:00.0", .text = "Message from the client"};
	doca_error_t result;

	strcpy(config.pci_addr, is_server ? "03:00.0" : "b1:00.0");
	if (sample_start_log() != DOCA_SUCCESS)
		return EXIT_FAILURE;
	DOCA_LOG_INFO("Starting the sample");

	result = doca_argp_init(name, &config);
	if (result == DOCA_SUCCESS) {
		result = add_params(is_server);
		if (result == DOCA_SUCCESS)
			result = doca_argp_start(argc, argv);
		if (result == DOCA_SUCCESS)
			result = run(&config);
		(void)doca_argp_destroy();
	}
	return sample_finish(result);
}
