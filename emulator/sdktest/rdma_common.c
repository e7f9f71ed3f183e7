/* SPDX-License-Identifier: Apache-2.0 */
#include "rdma_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DOCA_LOG_REGISTER(RDMA::COMMON);

#define DEFAULT_PORT 13579

/* Parameters. */

#define STRING_PARAM(field, what)                                                                          \
	static doca_error_t set_##field(void *value, void *config)                                         \
	{                                                                                                  \
		struct rdma_core *core = config;                                                           \
                                                                                                           \
		return sample_copy_value(what, value, core->config.field, sizeof(core->config.field));     \
	}

STRING_PARAM(device, "device")
STRING_PARAM(local_path, "path")
STRING_PARAM(remote_path, "path")
STRING_PARAM(resource_path, "path")
STRING_PARAM(text, "text")
STRING_PARAM(server, "address")

static doca_error_t set_use_cm(void *value, void *config)
{
	struct rdma_core *core = config;

	core->config.use_cm = *(bool *)value;
	return DOCA_SUCCESS;
}

static doca_error_t set_use_imm(void *value, void *config)
{
	struct rdma_core *core = config;

	core->config.use_imm = *(bool *)value;
	return DOCA_SUCCESS;
}

static doca_error_t set_port(void *value, void *config)
{
	struct rdma_core *core = config;

	core->config.port = *(int *)value;
	return core->config.port > 0 && core->config.port < 65536 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t add_params(const char *text)
{
	TRY(sample_add_param("d", "device", "IB device name", set_device, DOCA_ARGP_TYPE_STRING, true));
	TRY(sample_add_param("ld", "local-descriptor-path", "Path of the file for this side's connection details",
			     set_local_path, DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("re", "remote-descriptor-path", "Path of the file with the peer's connection details",
			     set_remote_path, DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("m", "remote-resource-descriptor-path", "Path of the file for the responder's memory",
			     set_resource_path, DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("cm", "use-rdma-cm", "Connect by address", set_use_cm, DOCA_ARGP_TYPE_BOOLEAN, false));
	TRY(sample_add_param("i", "immediate", "With immediate data", set_use_imm, DOCA_ARGP_TYPE_BOOLEAN, false));
	TRY(sample_add_param("lp", "listen-port", "Port of the server", set_port, DOCA_ARGP_TYPE_INT, false));
	TRY(sample_add_param("sa", "server-addr", "IPv4 address of the server", set_server, DOCA_ARGP_TYPE_STRING,
			     false));
	if (text != NULL)
		TRY(sample_add_param("s", "string", "Text to send", set_text, DOCA_ARGP_TYPE_STRING, false));
	return DOCA_SUCCESS;
}

doca_error_t rdma_parse(struct rdma_core *core, const char *name, const char *text, int argc, char **argv)
{
	doca_error_t result, destroyed;

	strcpy(core->config.local_path, "/tmp/local_rdma_details");
	strcpy(core->config.remote_path, "/tmp/remote_rdma_details");
	strcpy(core->config.resource_path, "/tmp/rdma_memory");
	strcpy(core->config.text, text != NULL ? text : "");
	core->config.port = DEFAULT_PORT;
	TRY(doca_argp_init(name, core));
	result = add_params(text);
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	destroyed = doca_argp_destroy();
	DOCA_ERROR_PROPAGATE(result, destroyed);
	return result;
}

/* Files. */

doca_error_t rdma_write_file(const char *path, const void *bytes, size_t len)
{
	char temporary[1100];
	FILE *file;
	bool is_written;

	/* A file that is there is complete. */
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	file = fopen(temporary, "w");
	REQUIRE(file != NULL);
	is_written = fwrite(bytes, 1, len, file) == len;
	REQUIRE(fclose(file) == 0 && is_written);
	REQUIRE(rename(temporary, path) == 0);
	return DOCA_SUCCESS;
}

doca_error_t rdma_read_file(const char *path, void *bytes, size_t size, size_t *len)
{
	FILE *file = fopen(path, "r");

	if (file == NULL) {
		DOCA_LOG_ERR("Cannot open %s", path);
		return DOCA_ERROR_IO_FAILED;
	}
	*len = fread(bytes, 1, size, file);
	fclose(file);
	return *len > 0 ? DOCA_SUCCESS : DOCA_ERROR_EMPTY;
}

void rdma_wait_for_enter(const char *what)
{
	int c;

	DOCA_LOG_INFO("%s, then press Enter", what);
	do {
		c = getchar();
	} while (c != '\n' && c != EOF);
}

/* Connections. All of this runs in the state callback, as in NVIDIA's samples. */

static doca_error_t connect_by_details(struct rdma_core *core)
{
	char bytes[4096];
	const void *details;
	size_t len;

	TRY(doca_rdma_export(core->rdma, &details, &len, &core->conn));
	TRY(rdma_write_file(core->config.local_path, details, len));
	rdma_wait_for_enter("Copy the connection details of both sides");
	TRY(rdma_read_file(core->config.remote_path, bytes, sizeof(bytes), &len));
	TRY(doca_rdma_connect(core->rdma, bytes, len, core->conn));
	return core->connected(core);
}

static doca_error_t connect_by_address(struct rdma_core *core)
{
	struct doca_rdma_addr *addr;
	doca_error_t result;

	if (core->config.server[0] == '\0')
		return doca_rdma_start_listen_to_port(core->rdma, (uint16_t)core->config.port);
	TRY(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, core->config.server, (uint16_t)core->config.port, &addr));
	result = doca_rdma_connect_to_addr(core->rdma, addr, (union doca_data){.ptr = core});
	CLEAN(result, doca_rdma_addr_destroy(addr));
	return result;
}

static void on_request(struct doca_rdma_connection *conn, union doca_data ctx_user_data)
{
	struct rdma_core *core = ctx_user_data.ptr;
	doca_error_t result = doca_rdma_connection_accept(conn, NULL, 0);

	if (result == DOCA_SUCCESS)
		result = doca_rdma_connection_set_user_data(conn, (union doca_data){.ptr = core});
	if (result != DOCA_SUCCESS)
		rdma_end(core, result);
}

static void on_established(struct doca_rdma_connection *conn, union doca_data user_data, union doca_data ctx_user_data)
{
	struct rdma_core *core = ctx_user_data.ptr;
	doca_error_t result;

	if (user_data.ptr != core)
		DOCA_LOG_ERR("The connection has other user data");
	core->conn = conn;
	result = core->connected(core);
	if (result != DOCA_SUCCESS)
		rdma_end(core, result);
}

static void on_failure(struct doca_rdma_connection *conn, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)conn;
	(void)user_data;
	rdma_end(ctx_user_data.ptr, DOCA_ERROR_CONNECTION_ABORTED);
}

static void on_disconnection(struct doca_rdma_connection *conn, union doca_data user_data,
			     union doca_data ctx_user_data)
{
	struct rdma_core *core = ctx_user_data.ptr;

	(void)user_data;
	(void)doca_rdma_connection_disconnect(conn);
	core->conn = NULL;
	(void)doca_ctx_stop(core->ctx);
}

static void on_state(union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		     enum doca_ctx_states next)
{
	struct rdma_core *core = user_data.ptr;
	doca_error_t result;

	(void)ctx;
	(void)prev;
	if (next == DOCA_CTX_STATE_IDLE)
		core->is_over = true;
	if (next != DOCA_CTX_STATE_RUNNING)
		return;
	result = core->config.use_cm ? connect_by_address(core) : connect_by_details(core);
	if (result != DOCA_SUCCESS)
		rdma_end(core, result);
}

void rdma_end(struct rdma_core *core, doca_error_t result)
{
	DOCA_ERROR_PROPAGATE(core->result, result);
	if (core->config.use_cm && core->conn != NULL && result == DOCA_SUCCESS)
		(void)doca_rdma_connection_disconnect(core->conn); /* the context stops when it is done */
	else
		(void)doca_ctx_stop(core->ctx);
}

/* Life. */

static doca_error_t open_device(const char *name, struct doca_dev **dev)
{
	char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	struct doca_devinfo **list;
	doca_error_t result = DOCA_ERROR_NOT_FOUND;
	uint32_t num;

	TRY(doca_devinfo_create_list(&list, &num));
	for (uint32_t i = 0; i < num && result != DOCA_SUCCESS; i++) {
		if (doca_devinfo_get_ibdev_name(list[i], ibdev, sizeof(ibdev)) == DOCA_SUCCESS && strcmp(ibdev, name) == 0 &&
		    doca_rdma_cap_task_send_is_supported(list[i]) == DOCA_SUCCESS)
			result = doca_dev_open(list[i], dev);
	}
	CLEAN(result, doca_devinfo_destroy_list(list));
	return result;
}

doca_error_t rdma_open(struct rdma_core *core, uint32_t permissions)
{
	TRY(open_device(core->config.device, &core->dev));
	TRY(doca_mmap_create(&core->mmap));
	TRY(doca_mmap_set_permissions(core->mmap, permissions));
	TRY(doca_mmap_set_memrange(core->mmap, core->memory, sizeof(core->memory)));
	TRY(doca_mmap_add_dev(core->mmap, core->dev));
	TRY(doca_mmap_start(core->mmap));
	TRY(doca_buf_inventory_create(16, &core->inventory));
	TRY(doca_buf_inventory_start(core->inventory));
	TRY(doca_pe_create(&core->pe));
	TRY(doca_rdma_create(core->dev, &core->rdma));
	core->ctx = doca_rdma_as_ctx(core->rdma);
	TRY(doca_rdma_set_permissions(core->rdma, permissions));
	TRY(doca_rdma_set_gid_index(core->rdma, 0));
	TRY(doca_rdma_set_max_num_connections(core->rdma, 1));
	TRY(doca_rdma_set_transport_type(core->rdma, DOCA_RDMA_TRANSPORT_TYPE_RC));
	if (core->config.use_cm)
		TRY(doca_rdma_set_connection_state_callbacks(core->rdma,
							     core->config.server[0] == '\0' ? on_request : NULL,
							     on_established, on_failure, on_disconnection));
	TRY(doca_ctx_set_user_data(core->ctx, (union doca_data){.ptr = core}));
	TRY(doca_ctx_set_state_changed_cb(core->ctx, on_state));
	TRY(doca_pe_connect_ctx(core->pe, core->ctx));
	return DOCA_SUCCESS;
}

static doca_error_t drive(struct rdma_core *core)
{
	TRY(doca_ctx_start(core->ctx));
	while (!core->is_over)
		sample_progress(core->pe);
	return core->result;
}

doca_error_t rdma_run(struct rdma_core *core)
{
	doca_error_t result = drive(core);

	CLEAN(result, doca_rdma_destroy(core->rdma));
	CLEAN(result, doca_pe_destroy(core->pe));
	CLEAN(result, doca_buf_inventory_destroy(core->inventory));
	CLEAN(result, doca_mmap_destroy(core->mmap));
	CLEAN(result, doca_dev_close(core->dev));
	return result;
}
