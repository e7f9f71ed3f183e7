/* SPDX-License-Identifier: Apache-2.0 */

/* Servers and clients before they are started: capabilities, arguments, limits, names, mandatory settings. */

#include "comch_fixture.h"

typedef doca_error_t (*cap_fn)(const struct doca_devinfo *devinfo, uint32_t *value);

static uint32_t cap(const struct doca_dev *dev, cap_fn get)
{
	uint32_t value = 0;

	EXPECT(ERROR_INVALID_VALUE, get(NULL, &value));
	EXPECT(ERROR_INVALID_VALUE, get(doca_dev_as_devinfo(dev), NULL));
	CHECK(value == 0);
	EXPECT(SUCCESS, get(doca_dev_as_devinfo(dev), &value));
	CHECK(value != 0);
	return value;
}

static void capabilities(void)
{
	struct doca_dev *dpu = open_dev(DPU_0), *host = open_dev(HOST_0);
	struct doca_devinfo *on_dpu = doca_dev_as_devinfo(dpu), *on_host = doca_dev_as_devinfo(host);

	EXPECT(ERROR_INVALID_VALUE, doca_comch_cap_server_is_supported(NULL));
	EXPECT(SUCCESS, doca_comch_cap_server_is_supported(on_dpu));
	EXPECT(ERROR_NOT_SUPPORTED, doca_comch_cap_server_is_supported(on_host));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_cap_client_is_supported(NULL));
	EXPECT(SUCCESS, doca_comch_cap_client_is_supported(on_host));
	EXPECT(ERROR_NOT_SUPPORTED, doca_comch_cap_client_is_supported(on_dpu));
	CHECK(cap(dpu, doca_comch_cap_get_max_msg_size) == 4080);
	CHECK(cap(host, doca_comch_cap_get_max_name_len) >= 32);
	CHECK(cap(host, doca_comch_cap_get_max_recv_queue_size) >= 1024);
	CHECK(cap(host, doca_comch_cap_get_max_send_tasks) >= 1024);
	CHECK(cap(dpu, doca_comch_cap_get_max_clients) >= 16);
	MUST(doca_dev_close(dpu));
	MUST(doca_dev_close(host));
}

static void creation(void)
{
	struct doca_dev *dpu = open_dev(DPU_0), *dpu1 = open_dev(DPU_1), *host = open_dev(HOST_0);
	struct doca_dev_rep *rep = open_rep(dpu), *rep1 = open_rep(dpu1), *of_server = NULL;
	struct doca_comch_server *server = NULL;
	struct doca_comch_client *client = NULL;
	uint32_t max = cap(dpu, doca_comch_cap_get_max_name_len);
	char *name = malloc(max + 1);

	memset(name, 'n', max);
	name[max] = '\0';
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_create(NULL, rep, "a", &server));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_create(dpu, NULL, "a", &server));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_create(dpu, rep, NULL, &server));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_create(dpu, rep, "a", NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_create(dpu, rep1, "a", &server));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_create(dpu, rep, "", &server));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_create(dpu, rep, name, &server));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_create(NULL, "a", &client));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_create(host, NULL, &client));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_create(host, "a", NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_create(host, "", &client));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_create(host, name, &client));
	EXPECT(ERROR_INITIALIZATION, doca_comch_client_create(dpu, "a", &client));
	CHECK(server == NULL && client == NULL);
	name[max - 1] = '\0'; /* the longest name, with its NUL */
	EXPECT(SUCCESS, doca_comch_server_create(dpu, rep, name, &server));
	EXPECT(SUCCESS, doca_comch_client_create(host, name, &client));
	CHECK(doca_comch_server_as_ctx(NULL) == NULL && doca_comch_client_as_ctx(NULL) == NULL);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_destroy(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_destroy(NULL));
	EXPECT(ERROR_IN_USE, doca_dev_rep_close(rep)); /* the server's */
	EXPECT(SUCCESS, doca_comch_server_get_device_rep(server, &of_server));
	CHECK(of_server == rep && doca_dev_rep_as_devinfo(of_server) != NULL);
	EXPECT(SUCCESS, doca_comch_server_destroy(server));
	EXPECT(SUCCESS, doca_comch_client_destroy(client));
	free(name);
	MUST(doca_dev_rep_close(rep));
	MUST(doca_dev_rep_close(rep1));
	MUST(doca_dev_close(dpu));
	MUST(doca_dev_close(dpu1));
	MUST(doca_dev_close(host));
}

static void server_settings(void)
{
	struct end *end = new_server("settings");
	struct doca_comch_server *s = end->server;
	uint32_t max_msg = cap(end->dev, doca_comch_cap_get_max_msg_size), size = 0;
	uint32_t max_queue = cap(end->dev, doca_comch_cap_get_max_recv_queue_size);
	uint32_t max_tasks = cap(end->dev, doca_comch_cap_get_max_send_tasks);
	struct doca_dev_rep *rep = NULL;
	struct doca_dev *dev = NULL;

	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_set_max_msg_size(NULL, 64));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_set_max_msg_size(s, max_msg + 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_get_max_msg_size(NULL, &size));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_get_max_msg_size(s, NULL));
	EXPECT(SUCCESS, doca_comch_server_get_max_msg_size(s, &size));
	CHECK(size == max_msg); /* the default */
	EXPECT(SUCCESS, doca_comch_server_set_max_msg_size(s, max_msg));
	EXPECT(SUCCESS, doca_comch_server_set_max_msg_size(s, 64));
	EXPECT(SUCCESS, doca_comch_server_get_max_msg_size(s, &size));
	CHECK(size == 64);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_set_recv_queue_size(NULL, 4));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_set_recv_queue_size(s, max_queue + 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_get_recv_queue_size(NULL, &size));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_get_recv_queue_size(s, NULL));
	EXPECT(SUCCESS, doca_comch_server_get_recv_queue_size(s, &size));
	CHECK(size >= 1 && size <= max_queue);
	EXPECT(SUCCESS, doca_comch_server_set_recv_queue_size(s, 4));
	EXPECT(SUCCESS, doca_comch_server_get_recv_queue_size(s, &size));
	CHECK(size == 4);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_task_send_set_conf(NULL, end_sent, end_failed, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_task_send_set_conf(s, NULL, end_failed, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_task_send_set_conf(s, end_sent, NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_task_send_set_conf(s, end_sent, end_failed, max_tasks + 1));
	EXPECT(SUCCESS, doca_comch_server_task_send_set_conf(s, end_sent, end_failed, max_tasks));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_event_msg_recv_register(NULL, end_message));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_event_msg_recv_register(s, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_event_connection_status_changed_register(NULL, end_connected,
											     end_disconnected));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_server_event_connection_status_changed_register(s, NULL, end_disconnected));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_server_event_connection_status_changed_register(s, end_connected, NULL));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_server_event_consumer_register(NULL, end_new_consumer, end_expired_consumer));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_event_consumer_register(s, NULL, end_expired_consumer));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_event_consumer_register(s, end_new_consumer, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_get_device(NULL, &dev));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_get_device(s, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_get_device_rep(NULL, &rep));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_get_device_rep(s, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_disconnect(NULL, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_server_disconnect(s, NULL));

	MUST(doca_ctx_start(end->ctx));
	EXPECT(ERROR_BAD_STATE, doca_comch_server_set_max_msg_size(s, 128));
	EXPECT(ERROR_BAD_STATE, doca_comch_server_set_recv_queue_size(s, 8));
	EXPECT(ERROR_BAD_STATE, doca_comch_server_task_send_set_conf(s, end_sent, end_failed, 1));
	EXPECT(ERROR_BAD_STATE, doca_comch_server_event_msg_recv_register(s, end_message));
	EXPECT(ERROR_BAD_STATE, doca_comch_server_event_connection_status_changed_register(s, end_connected,
											 end_disconnected));
	EXPECT(ERROR_BAD_STATE, doca_comch_server_event_consumer_register(s, end_new_consumer, end_expired_consumer));
	EXPECT(ERROR_IN_USE, doca_comch_server_destroy(s));
	EXPECT(SUCCESS, doca_comch_server_get_max_msg_size(s, &size)); /* readable in any state */
	CHECK(size == 64);
	EXPECT(SUCCESS, doca_comch_server_get_device(s, &dev));
	EXPECT(SUCCESS, doca_comch_server_get_device_rep(s, &rep));
	CHECK(dev == end->dev && rep == end->rep);
	stop(end);
	EXPECT(SUCCESS, doca_comch_server_set_max_msg_size(s, 128)); /* IDLE again */
	delete_end(end);
}

static void client_settings(void)
{
	struct end *server = new_server("settings"), *end = new_client("settings");
	struct doca_comch_client *c = end->client;
	uint32_t max_msg = cap(end->dev, doca_comch_cap_get_max_msg_size), size = 0;
	uint32_t max_queue = cap(end->dev, doca_comch_cap_get_max_recv_queue_size);
	uint32_t max_tasks = cap(end->dev, doca_comch_cap_get_max_send_tasks);
	struct doca_comch_connection *conn;
	struct doca_dev *dev = NULL;

	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_set_max_msg_size(NULL, 64));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_set_max_msg_size(c, max_msg + 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_get_max_msg_size(NULL, &size));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_get_max_msg_size(c, NULL));
	EXPECT(SUCCESS, doca_comch_client_get_max_msg_size(c, &size));
	CHECK(size == max_msg);
	EXPECT(SUCCESS, doca_comch_client_set_max_msg_size(c, 64));
	EXPECT(SUCCESS, doca_comch_client_get_max_msg_size(c, &size));
	CHECK(size == 64);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_set_recv_queue_size(NULL, 4));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_set_recv_queue_size(c, max_queue + 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_get_recv_queue_size(NULL, &size));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_get_recv_queue_size(c, NULL));
	EXPECT(SUCCESS, doca_comch_client_set_recv_queue_size(c, max_queue));
	EXPECT(SUCCESS, doca_comch_client_get_recv_queue_size(c, &size));
	CHECK(size == max_queue);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_task_send_set_conf(NULL, end_sent, end_failed, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_task_send_set_conf(c, NULL, end_failed, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_task_send_set_conf(c, end_sent, NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_task_send_set_conf(c, end_sent, end_failed, max_tasks + 1));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_event_msg_recv_register(NULL, end_message));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_event_msg_recv_register(c, NULL));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_comch_client_event_consumer_register(NULL, end_new_consumer, end_expired_consumer));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_event_consumer_register(c, NULL, end_expired_consumer));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_event_consumer_register(c, end_new_consumer, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_get_device(NULL, &dev));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_get_device(c, NULL));
	EXPECT(SUCCESS, doca_comch_client_get_device(c, &dev));
	CHECK(dev == end->dev);
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_get_connection(NULL, &conn));
	EXPECT(ERROR_INVALID_VALUE, doca_comch_client_get_connection(c, NULL));
	EXPECT(ERROR_BAD_STATE, doca_comch_client_get_connection(c, &conn));

	MUST(doca_comch_server_set_max_msg_size(server->server, 64));
	MUST(doca_ctx_start(server->ctx));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(end->ctx));
	for (int i = 0; i < 2; i++) { /* STARTING, then RUNNING */
		EXPECT(ERROR_BAD_STATE, doca_comch_client_set_max_msg_size(c, 128));
		EXPECT(ERROR_BAD_STATE, doca_comch_client_set_recv_queue_size(c, 8));
		EXPECT(ERROR_BAD_STATE, doca_comch_client_task_send_set_conf(c, end_sent, end_failed, 1));
		EXPECT(ERROR_BAD_STATE, doca_comch_client_event_msg_recv_register(c, end_message));
		EXPECT(ERROR_BAD_STATE,
		       doca_comch_client_event_consumer_register(c, end_new_consumer, end_expired_consumer));
		EXPECT(ERROR_IN_USE, doca_comch_client_destroy(c));
		EXPECT(ERROR_BAD_STATE, doca_ctx_start(end->ctx));
		if (i == 0) {
			EXPECT(ERROR_BAD_STATE, doca_comch_client_get_connection(c, &conn));
			connect_ends(server, end);
		}
	}
	EXPECT(SUCCESS, doca_comch_client_get_connection(c, &conn));
	delete_end(end);
	delete_end(server);
}

/* The settings without which a start fails. */
static void mandatory(void)
{
	struct doca_dev *dpu = open_dev(DPU_0), *host = open_dev(HOST_0);
	struct doca_dev_rep *rep = open_rep(dpu);
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_pe *pe;

	MUST(doca_pe_create(&pe));
	MUST(doca_comch_server_create(dpu, rep, "mandatory", &server));
	ctx = doca_comch_server_as_ctx(server);
	EXPECT(ERROR_NOT_CONNECTED, doca_ctx_start(ctx));
	MUST(doca_pe_connect_ctx(pe, ctx));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(ctx));
	MUST(doca_comch_server_task_send_set_conf(server, end_sent, end_failed, 1));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(ctx));
	MUST(doca_comch_server_event_msg_recv_register(server, end_message));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(ctx));
	MUST(doca_comch_server_event_connection_status_changed_register(server, end_connected, end_disconnected));
	EXPECT(SUCCESS, doca_ctx_start(ctx)); /* without consumer events */
	CHECK(ctx_state(ctx) == DOCA_CTX_STATE_RUNNING);
	EXPECT(SUCCESS, doca_ctx_stop(ctx)); /* nobody is connected */
	CHECK(ctx_state(ctx) == DOCA_CTX_STATE_IDLE);
	MUST(doca_comch_server_destroy(server));

	MUST(doca_comch_client_create(host, "mandatory", &client));
	ctx = doca_comch_client_as_ctx(client);
	MUST(doca_pe_connect_ctx(pe, ctx));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(ctx));
	MUST(doca_comch_client_task_send_set_conf(client, end_sent, end_failed, 1));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(ctx));
	MUST(doca_comch_client_event_msg_recv_register(client, end_message));
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_start(ctx));
	CHECK(ctx_state(ctx) == DOCA_CTX_STATE_STARTING);
	EXPECT(ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
	drain_pe(pe);
	CHECK(ctx_state(ctx) == DOCA_CTX_STATE_IDLE);
	MUST(doca_comch_client_destroy(client));
	MUST(doca_pe_destroy(pe));
	MUST(doca_dev_rep_close(rep));
	MUST(doca_dev_close(dpu));
	MUST(doca_dev_close(host));
}

/* A name on a representor has one server at most; names may have any characters. */
static void names(void)
{
	struct end *first = start_server("name"), *second = new_server("name"), *other = start_server("name2");
	struct end *odd = start_server("../odd /\n\xff"), *client;

	EXPECT(ERROR_ALREADY_EXIST, doca_ctx_start(second->ctx));
	CHECK(state_of(second) == DOCA_CTX_STATE_IDLE);
	stop(first);
	EXPECT(SUCCESS, doca_ctx_start(second->ctx));
	EXPECT(ERROR_ALREADY_EXIST, doca_ctx_start(first->ctx));
	client = start_client("../odd /\n\xff");
	connect_ends(odd, client);
	delete_end(client);
	delete_end(first);
	delete_end(second);
	delete_end(odd);
	CHECK(there_are_servers());
	delete_end(other);
	CHECK(!there_are_servers());
}

TEST_MAIN(capabilities, creation, server_settings, client_settings, mandatory, names, left_nothing)
