/* SPDX-License-Identifier: Apache-2.0 */
#include "rdma_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DOCA_LOG_REGISTER(RDMA::CONNECT);

#define MAX_DETAILS 4096

static struct rdma_resources *resources_of(union doca_data user_data)
{
	return user_data.ptr;
}

/* The connection is ready for the sample. */
static doca_error_t be_connected(struct rdma_resources *resources, struct doca_rdma_connection *connection)
{
	if (resources->sample->connected != NULL)
		TRY(resources->sample->connected(resources, connection));
	return DOCA_SUCCESS;
}

/* ---- By files. The user copies them ---- */

static doca_error_t connect_by_files(struct rdma_resources *resources)
{
	const struct rdma_sample *sample = resources->sample;
	const struct rdma_config *config = &resources->config;
	char bytes[MAX_DETAILS];
	const void *details;
	size_t len;

	if (sample->export_resource != NULL) {
		TRY(sample->export_resource(resources, &details, &len));
		TRY(rdma_write_file(config->resource_path, details, len));
	}
	/* Several connections are made in turn, each with new contents of the files. */
	for (uint32_t i = 0; i < config->num_connections; i++) {
		TRY(doca_rdma_export(resources->rdma, &details, &len, &resources->connections[i]));
		TRY(rdma_write_file(config->local_path, details, len));
		DOCA_LOG_INFO("Connection %u: copy %s to the peer, and the peer's file to %s", i, config->local_path,
			      config->remote_path);
		rdma_wait_for_enter("When the files are copied");
		TRY(rdma_read_file(config->remote_path, bytes, sizeof(bytes), &len));
		if (i == 0 && sample->import_resource != NULL) {
			char desc[MAX_DETAILS];
			size_t desc_len;

			TRY(rdma_read_file(config->resource_path, desc, sizeof(desc), &desc_len));
			TRY(sample->import_resource(resources, desc, desc_len));
		}
		TRY(doca_rdma_connect(resources->rdma, bytes, len, resources->connections[i]));
		resources->num_connections++;
	}
	for (uint32_t i = 0; i < config->num_connections; i++)
		TRY(be_connected(resources, resources->connections[i]));
	return DOCA_SUCCESS;
}

/* ---- The resource's descriptor as a message ---- */

static doca_error_t map_desc(struct rdma_resources *resources, const void *desc, size_t len)
{
	TRY(doca_mmap_create(&resources->desc_mmap));
	TRY(doca_mmap_set_permissions(resources->desc_mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	TRY(doca_mmap_set_memrange(resources->desc_mmap, (void *)(uintptr_t)desc, len));
	TRY(doca_mmap_add_dev(resources->desc_mmap, resources->dev));
	TRY(doca_mmap_start(resources->desc_mmap));
	return DOCA_SUCCESS;
}

static doca_error_t send_desc(struct rdma_resources *resources, struct doca_rdma_connection *connection)
{
	const union doca_data none = {.u64 = 0};
	struct doca_rdma_task_send *task;
	struct doca_buf *src;
	const void *desc;
	size_t len;

	TRY(resources->sample->export_resource(resources, &desc, &len));
	TRY(map_desc(resources, desc, len)); /* where the library has it */
	TRY(doca_buf_inventory_buf_get_by_data(resources->inventory, resources->desc_mmap, (void *)(uintptr_t)desc, len,
					       &src));
	rdma_wait_for_enter("When the requester waits for the descriptor");
	TRY(doca_rdma_task_send_allocate_init(resources->rdma, connection, src, none, &task));
	TRY(doca_task_submit(doca_rdma_task_send_as_task(task)));
	return DOCA_SUCCESS;
}

static void desc_sent(struct doca_rdma_task_send *task, union doca_data user_data, union doca_data ctx_user_data)
{
	struct rdma_resources *resources = resources_of(ctx_user_data);
	doca_error_t result = doca_task_get_status(doca_rdma_task_send_as_task(task));
	struct doca_buf *src = (struct doca_buf *)(uintptr_t)doca_rdma_task_send_get_src_buf(task);

	(void)user_data;
	doca_task_free(doca_rdma_task_send_as_task(task));
	CLEAN(result, doca_buf_dec_refcount(src, NULL));
	if (result == DOCA_SUCCESS)
		result = be_connected(resources, resources->connections[0]);
	if (result != DOCA_SUCCESS)
		rdma_end(resources, result);
}

static doca_error_t receive_desc(struct rdma_resources *resources)
{
	const union doca_data none = {.u64 = 0};
	struct doca_rdma_task_receive *task;
	struct doca_buf *dst;

	resources->desc = calloc(1, MAX_DETAILS);
	if (resources->desc == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TRY(map_desc(resources, resources->desc, MAX_DETAILS));
	TRY(doca_buf_inventory_buf_get_by_addr(resources->inventory, resources->desc_mmap, resources->desc, MAX_DETAILS,
					       &dst));
	TRY(doca_rdma_task_receive_allocate_init(resources->rdma, dst, none, &task));
	TRY(doca_task_submit(doca_rdma_task_receive_as_task(task)));
	return DOCA_SUCCESS;
}

static void desc_received(struct doca_rdma_task_receive *task, union doca_data user_data, union doca_data ctx_user_data)
{
	struct rdma_resources *resources = resources_of(ctx_user_data);
	doca_error_t result = doca_task_get_status(doca_rdma_task_receive_as_task(task));
	struct doca_buf *dst = doca_rdma_task_receive_get_dst_buf(task);
	size_t len = 0;

	(void)user_data;
	CLEAN(result, doca_buf_get_data_len(dst, &len));
	doca_task_free(doca_rdma_task_receive_as_task(task));
	CLEAN(result, doca_buf_dec_refcount(dst, NULL));
	if (result == DOCA_SUCCESS)
		result = resources->sample->import_resource(resources, resources->desc, len);
	if (result == DOCA_SUCCESS)
		result = be_connected(resources, resources->connections[0]);
	if (result != DOCA_SUCCESS)
		rdma_end(resources, result);
}

/* ---- By address ---- */

static doca_error_t connect_by_address(struct rdma_resources *resources)
{
	const struct rdma_config *config = &resources->config;
	const union doca_data user_data = {.ptr = resources};
	struct doca_rdma_addr *addr;
	doca_error_t result = DOCA_SUCCESS;

	if (config->server[0] == '\0') {
		TRY(doca_rdma_start_listen_to_port(resources->rdma, config->port));
		DOCA_LOG_INFO("Listening on port %u", config->port);
		return DOCA_SUCCESS;
	}
	TRY(doca_rdma_addr_create(config->server_type, config->server, config->port, &addr));
	for (uint32_t i = 0; i < config->num_connections && result == DOCA_SUCCESS; i++)
		CLEAN(result, doca_rdma_connect_to_addr(resources->rdma, addr, user_data));
	CLEAN(result, doca_rdma_addr_destroy(addr));
	return result;
}

static void on_request(struct doca_rdma_connection *connection, union doca_data ctx_user_data)
{
	struct rdma_resources *resources = resources_of(ctx_user_data);
	doca_error_t result = DOCA_SUCCESS;

	CLEAN(result, doca_rdma_connection_accept(connection, NULL, 0));
	CLEAN(result, doca_rdma_connection_set_user_data(connection, ctx_user_data));
	if (result != DOCA_SUCCESS)
		rdma_end(resources, result);
}

static doca_error_t establish(struct rdma_resources *resources, struct doca_rdma_connection *connection)
{
	const struct rdma_config *config = &resources->config;
	enum doca_rdma_addr_type type;
	struct doca_rdma_addr *addr;
	const char *text;
	uint16_t port;
	uint32_t id;

	REQUIRE(resources->num_connections < config->num_connections);
	resources->connections[resources->num_connections++] = connection;
	TRY(doca_rdma_connection_get_id(connection, &id));
	TRY(doca_rdma_connection_get_addr(connection, &addr));
	TRY(doca_rdma_addr_get_params(addr, &type, &text, &port));
	DOCA_LOG_INFO("Connection %u is established, with %s port %u", id, text, port);
	if (config->server[0] == '\0' && resources->num_connections == config->num_connections)
		TRY(doca_rdma_stop_listen_to_port(resources->rdma, config->port)); /* what there is stays */
	if (resources->sample->export_resource != NULL)
		return send_desc(resources, connection);
	if (resources->sample->import_resource != NULL)
		return receive_desc(resources);
	return be_connected(resources, connection);
}

static void on_established(struct doca_rdma_connection *connection, union doca_data user_data,
			   union doca_data ctx_user_data)
{
	struct rdma_resources *resources = resources_of(ctx_user_data);
	doca_error_t result = user_data.ptr == resources ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;

	if (result == DOCA_SUCCESS)
		result = establish(resources, connection);
	if (result != DOCA_SUCCESS)
		rdma_end(resources, result);
}

static void on_failure(struct doca_rdma_connection *connection, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)connection;
	(void)user_data;
	DOCA_LOG_ERR("The connection failed");
	rdma_end(resources_of(ctx_user_data), DOCA_ERROR_CONNECTION_ABORTED);
}

static void on_disconnection(struct doca_rdma_connection *connection, union doca_data user_data,
			     union doca_data ctx_user_data)
{
	struct rdma_resources *resources = resources_of(ctx_user_data);
	doca_error_t result = DOCA_SUCCESS;
	bool is_last = true;

	(void)user_data;
	DOCA_LOG_INFO("The peer has disconnected");
	for (uint32_t i = 0; i < resources->num_connections; i++) {
		if (resources->connections[i] == connection) {
			resources->connections[i] = NULL;
			CLEAN(result, doca_rdma_connection_disconnect(connection));
		}
		is_last = is_last && resources->connections[i] == NULL;
	}
	if (result == DOCA_SUCCESS && is_last && resources->num_tasks > 0)
		result = DOCA_ERROR_NOT_CONNECTED;
	if (is_last || result != DOCA_SUCCESS)
		rdma_end(resources, result);
}

/* ---- Both ways ---- */

doca_error_t rdma_prepare_connections(struct rdma_resources *resources)
{
	const bool is_server = resources->config.server[0] == '\0';

	if (!resources->config.use_cm)
		return DOCA_SUCCESS;
	TRY(doca_rdma_set_connection_state_callbacks(resources->rdma, is_server ? on_request : NULL, on_established,
						     on_failure, on_disconnection));
	if (resources->sample->export_resource != NULL)
		TRY(doca_rdma_task_send_set_conf(resources->rdma, desc_sent, desc_sent, 1));
	if (resources->sample->import_resource != NULL)
		TRY(doca_rdma_task_receive_set_conf(resources->rdma, desc_received, desc_received, 1));
	return DOCA_SUCCESS;
}

doca_error_t rdma_connect(struct rdma_resources *resources)
{
	return resources->config.use_cm ? connect_by_address(resources) : connect_by_files(resources);
}
