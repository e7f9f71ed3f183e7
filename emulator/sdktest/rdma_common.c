/* SPDX-License-Identifier: Apache-2.0 */
#include "rdma_common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

DOCA_LOG_REGISTER(RDMA::COMMON);

#define DEFAULT_TEXT "Hi DOCA RDMA!"
#define DEFAULT_PORT 13579

/* ---- Parameters ---- */

#define STRING_PARAM(field, what)                                                                                    \
	static doca_error_t set_##field(void *value, void *config)                                                   \
	{                                                                                                            \
		struct rdma_config *c = config;                                                                      \
                                                                                                                     \
		return sample_copy_value(what, value, c->field, sizeof(c->field));                                   \
	}

STRING_PARAM(device, "device name")
STRING_PARAM(local_path, "path")
STRING_PARAM(remote_path, "path")
STRING_PARAM(resource_path, "path")
STRING_PARAM(text, "text")
STRING_PARAM(server, "address")

static doca_error_t set_gid_index(void *value, void *config)
{
	struct rdma_config *c = config;
	int index = *(int *)value;

	if (index < 0) {
		DOCA_LOG_ERR("The GID index is at least 0");
		return DOCA_ERROR_INVALID_VALUE;
	}
	c->has_gid_index = true;
	c->gid_index = (uint32_t)index;
	return DOCA_SUCCESS;
}

static doca_error_t set_transport(void *value, void *config)
{
	struct rdma_config *c = config;

	if (strcmp(value, "RC") == 0 || strcmp(value, "rc") == 0) {
		c->transport = DOCA_RDMA_TRANSPORT_TYPE_RC;
	} else if (strcmp(value, "DC") == 0 || strcmp(value, "dc") == 0) {
		c->transport = DOCA_RDMA_TRANSPORT_TYPE_DC;
	} else {
		DOCA_LOG_ERR("The transport type is RC or DC");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t set_use_cm(void *value, void *config)
{
	struct rdma_config *c = config;

	c->use_cm = *(bool *)value;
	return DOCA_SUCCESS;
}

static doca_error_t set_port(void *value, void *config)
{
	struct rdma_config *c = config;
	int port = *(int *)value;

	if (port <= 0 || port > UINT16_MAX) {
		DOCA_LOG_ERR("The port is 1 to %u", UINT16_MAX);
		return DOCA_ERROR_INVALID_VALUE;
	}
	c->port = (uint16_t)port;
	return DOCA_SUCCESS;
}

static doca_error_t set_server_type(void *value, void *config)
{
	struct rdma_config *c = config;

	if (strcmp(value, "IPv4") == 0 || strcmp(value, "ipv4") == 0) {
		c->server_type = DOCA_RDMA_ADDR_TYPE_IPv4;
	} else if (strcmp(value, "IPv6") == 0 || strcmp(value, "ipv6") == 0) {
		c->server_type = DOCA_RDMA_ADDR_TYPE_IPv6;
	} else if (strcmp(value, "GID") == 0 || strcmp(value, "gid") == 0) {
		c->server_type = DOCA_RDMA_ADDR_TYPE_GID;
	} else {
		DOCA_LOG_ERR("The address type is IPv4, IPv6 or GID");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t set_num_connections(void *value, void *config)
{
	struct rdma_config *c = config;
	int num = *(int *)value;

	if (num < 1 || num > RDMA_MAX_CONNECTIONS) {
		DOCA_LOG_ERR("The number of connections is 1 to %d", RDMA_MAX_CONNECTIONS);
		return DOCA_ERROR_INVALID_VALUE;
	}
	c->num_connections = (uint32_t)num;
	return DOCA_SUCCESS;
}

static doca_error_t check_config(void *config)
{
	const struct rdma_config *c = config;

	if (c->transport == DOCA_RDMA_TRANSPORT_TYPE_DC && (c->use_cm || c->num_connections > 1)) {
		DOCA_LOG_ERR("DC goes with one connection by files alone");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t add_params(uint32_t params)
{
	TRY(sample_add_param("d", "device", "IB device name", set_device, DOCA_ARGP_TYPE_STRING, true));
	TRY(sample_add_param("ld", "local-descriptor-path", "File for the connection details of this side", set_local_path,
			     DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("re", "remote-descriptor-path", "File with the connection details of the peer",
			     set_remote_path, DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("g", "gid-index", "GID index", set_gid_index, DOCA_ARGP_TYPE_INT, false));
	TRY(sample_add_param("tt", "transport-type", "Transport type, RC or DC", set_transport, DOCA_ARGP_TYPE_STRING,
			     false));
	TRY(sample_add_param("cm", "use-rdma-cm", "Connect by address", set_use_cm, DOCA_ARGP_TYPE_BOOLEAN, false));
	TRY(sample_add_param("lp", "listen-port", "Port of the server", set_port, DOCA_ARGP_TYPE_INT, false));
	TRY(sample_add_param("sa", "server-addr", "Address of the server; without it, this is the server", set_server,
			     DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("sat", "server-addr-type", "Type of the address: IPv4, IPv6 or GID", set_server_type,
			     DOCA_ARGP_TYPE_STRING, false));
	if ((params & RDMA_PARAM_RESOURCE) != 0)
		TRY(sample_add_param("m", "remote-resource-descriptor-path", "File for the responder's resource",
				     set_resource_path, DOCA_ARGP_TYPE_STRING, false));
	if ((params & RDMA_PARAM_SEND) != 0)
		TRY(sample_add_param("s", "send-string", "Text to send", set_text, DOCA_ARGP_TYPE_STRING, false));
	if ((params & RDMA_PARAM_READ) != 0)
		TRY(sample_add_param("r", "read-string", "Text to be read", set_text, DOCA_ARGP_TYPE_STRING, false));
	if ((params & RDMA_PARAM_WRITE) != 0)
		TRY(sample_add_param("w", "write-string", "Text to write", set_text, DOCA_ARGP_TYPE_STRING, false));
	if ((params & RDMA_PARAM_NUM_CONNECTIONS) != 0)
		TRY(sample_add_param("nc", "num-connections", "Number of connections", set_num_connections,
				     DOCA_ARGP_TYPE_INT, false));
	TRY(doca_argp_register_validation_callback(check_config));
	return DOCA_SUCCESS;
}

static doca_error_t parse(const struct rdma_sample *sample, struct rdma_config *config, int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
	doca_error_t result;

	snprintf(config->local_path, sizeof(config->local_path), "%s/local_connection_desc.txt", tmp);
	snprintf(config->remote_path, sizeof(config->remote_path), "%s/remote_connection_desc.txt", tmp);
	snprintf(config->resource_path, sizeof(config->resource_path), "%s/remote_resource_desc.txt", tmp);
	strcpy(config->text, DEFAULT_TEXT);
	config->port = DEFAULT_PORT;
	config->num_connections = 1;
	TRY(doca_argp_init(sample->name, config));
	result = add_params(sample->params);
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	CLEAN(result, doca_argp_destroy());
	return result;
}

/* ---- Files, and the key that says that they were copied ---- */

doca_error_t rdma_write_file(const char *path, const void *bytes, size_t len)
{
	char temporary[RDMA_MAX_PATH + 8];
	bool is_written;
	FILE *file;

	/* A file that is there is complete. */
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	file = fopen(temporary, "w");
	if (file == NULL) {
		DOCA_LOG_ERR("Cannot create %s: %s", path, strerror(errno));
		return DOCA_ERROR_IO_FAILED;
	}
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

static doca_error_t check_absent(const char *path)
{
	if (access(path, F_OK) == 0) {
		DOCA_LOG_ERR("%s is there already", path);
		return DOCA_ERROR_ALREADY_EXIST;
	}
	return DOCA_SUCCESS;
}

void rdma_wait_for_enter(const char *what)
{
	int c;

	DOCA_LOG_INFO("%s, then press Enter", what);
	do {
		c = getchar();
	} while (c != '\n' && c != EOF);
}

/* ---- Tasks ---- */

doca_error_t rdma_submit(struct rdma_resources *resources, struct doca_task *task)
{
	doca_error_t result = doca_task_submit(task);

	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Cannot submit a task: %s", doca_error_get_descr(result));
		doca_task_free(task);
		return result;
	}
	resources->num_tasks++;
	return DOCA_SUCCESS;
}

void rdma_task_over(struct rdma_resources *resources, struct doca_task *task, doca_error_t result,
		    const struct doca_buf *src, struct doca_buf *dst)
{
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("A task failed: %s", doca_error_get_descr(result));
	doca_task_free(task);
	if (src != NULL)
		CLEAN(result, doca_buf_dec_refcount((struct doca_buf *)(uintptr_t)src, NULL));
	if (dst != NULL)
		CLEAN(result, doca_buf_dec_refcount(dst, NULL));
	resources->num_tasks--;
	if (result != DOCA_SUCCESS)
		rdma_end(resources, result);
	else if (resources->num_tasks == 0 && resources->num_connections == resources->config.num_connections)
		rdma_end(resources, DOCA_SUCCESS);
}

doca_error_t rdma_text_buf(struct rdma_resources *resources, struct doca_buf **src)
{
	size_t len = strlen(resources->config.text) + 1;

	memcpy(resources->memory, resources->config.text, len);
	TRY(doca_buf_inventory_buf_get_by_data(resources->inventory, resources->mmap, resources->memory, len, src));
	return DOCA_SUCCESS;
}

void rdma_end(struct rdma_resources *resources, doca_error_t result)
{
	DOCA_ERROR_PROPAGATE(resources->result, result);
	if (resources->is_ending)
		return;
	resources->is_ending = true;
	for (uint32_t i = 0; resources->config.use_cm && i < resources->num_connections; i++) {
		if (resources->connections[i] != NULL)
			CLEAN(resources->result, doca_rdma_connection_disconnect(resources->connections[i]));
	}
	result = doca_ctx_stop(resources->ctx);
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
		DOCA_ERROR_PROPAGATE(resources->result, result);
}

/* ---- Life ---- */

static void on_state(union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		     enum doca_ctx_states next)
{
	struct rdma_resources *resources = user_data.ptr;
	doca_error_t result;

	(void)ctx;
	(void)prev;
	switch (next) {
	case DOCA_CTX_STATE_RUNNING:
		DOCA_LOG_INFO("The RDMA context is running");
		result = rdma_connect(resources);
		if (result != DOCA_SUCCESS)
			rdma_end(resources, result);
		break;
	case DOCA_CTX_STATE_IDLE:
		DOCA_LOG_INFO("The RDMA context has stopped");
		resources->is_over = true;
		break;
	default:
		break;
	}
}

static doca_error_t open_device(const char *name, capability_check is_supported, struct doca_dev **dev)
{
	char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	struct doca_devinfo **list;
	doca_error_t result = DOCA_ERROR_NOT_FOUND;
	uint32_t num;

	TRY(doca_devinfo_create_list(&list, &num));
	for (uint32_t i = 0; i < num && result != DOCA_SUCCESS; i++) {
		if (doca_devinfo_get_ibdev_name(list[i], ibdev, sizeof(ibdev)) == DOCA_SUCCESS &&
		    strcmp(ibdev, name) == 0 && is_supported(list[i]) == DOCA_SUCCESS)
			result = doca_dev_open(list[i], dev);
	}
	CLEAN(result, doca_devinfo_destroy_list(list));
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("No device %s that can do this", name);
	return result;
}

static doca_error_t open_memory(struct rdma_resources *resources)
{
	resources->memory = calloc(1, RDMA_MEMORY);
	if (resources->memory == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TRY(doca_mmap_create(&resources->mmap));
	TRY(doca_mmap_set_permissions(resources->mmap, resources->sample->permissions));
	TRY(doca_mmap_set_memrange(resources->mmap, resources->memory, RDMA_MEMORY));
	TRY(doca_mmap_add_dev(resources->mmap, resources->dev));
	TRY(doca_mmap_start(resources->mmap));
	TRY(doca_buf_inventory_create(RDMA_INVENTORY, &resources->inventory));
	TRY(doca_buf_inventory_start(resources->inventory));
	return DOCA_SUCCESS;
}

static doca_error_t open_context(struct rdma_resources *resources)
{
	const struct rdma_config *config = &resources->config;
	const union doca_data user_data = {.ptr = resources};
	enum doca_rdma_transport_type transport;
	uint32_t permissions;

	TRY(doca_pe_create(&resources->pe));
	TRY(doca_rdma_create(resources->dev, &resources->rdma));
	resources->ctx = doca_rdma_as_ctx(resources->rdma);
	REQUIRE(resources->ctx != NULL);
	TRY(doca_pe_connect_ctx(resources->pe, resources->ctx));
	TRY(doca_ctx_set_user_data(resources->ctx, user_data));
	TRY(doca_ctx_set_state_changed_cb(resources->ctx, on_state));
	TRY(doca_rdma_set_permissions(resources->rdma, resources->sample->rdma_permissions));
	TRY(doca_rdma_get_permissions(resources->rdma, &permissions));
	REQUIRE(permissions == resources->sample->rdma_permissions);
	if (config->has_gid_index) {
		TRY(doca_rdma_set_grh_enabled(resources->rdma, 1));
		TRY(doca_rdma_set_gid_index(resources->rdma, config->gid_index));
	}
	TRY(doca_rdma_set_transport_type(resources->rdma, config->transport));
	TRY(doca_rdma_get_transport_type(resources->rdma, &transport));
	REQUIRE(transport == config->transport);
	TRY(doca_rdma_set_max_num_connections(resources->rdma, (uint16_t)config->num_connections));
	TRY(rdma_prepare_connections(resources));
	TRY(resources->sample->configure(resources));
	return DOCA_SUCCESS;
}

static doca_error_t drive(struct rdma_resources *resources)
{
	const struct rdma_sample *sample = resources->sample;

	if (!resources->config.use_cm) {
		TRY(check_absent(resources->config.local_path));
		if (sample->export_resource != NULL)
			TRY(check_absent(resources->config.resource_path));
	}
	TRY(open_device(resources->config.device, sample->is_supported, &resources->dev));
	TRY(open_memory(resources));
	TRY(open_context(resources));
	TRY(doca_ctx_start(resources->ctx));
	while (!resources->is_over)
		sample_progress(resources->pe);
	if (!resources->config.use_cm) {
		(void)unlink(resources->config.local_path);
		if (sample->export_resource != NULL)
			(void)unlink(resources->config.resource_path);
	}
	if (resources->result == DOCA_SUCCESS && sample->over != NULL)
		TRY(sample->over(resources));
	return resources->result;
}

static doca_error_t run(struct rdma_resources *resources)
{
	doca_error_t result = drive(resources);

	if (resources->sample->destroy != NULL)
		CLEAN(result, resources->sample->destroy(resources));
	if (resources->rdma != NULL)
		CLEAN(result, doca_rdma_destroy(resources->rdma));
	if (resources->pe != NULL)
		CLEAN(result, doca_pe_destroy(resources->pe));
	if (resources->inventory != NULL)
		CLEAN(result, doca_buf_inventory_destroy(resources->inventory));
	if (resources->desc_mmap != NULL)
		CLEAN(result, doca_mmap_destroy(resources->desc_mmap));
	if (resources->mmap != NULL)
		CLEAN(result, doca_mmap_destroy(resources->mmap));
	free(resources->desc);
	free(resources->memory);
	if (resources->dev != NULL)
		CLEAN(result, doca_dev_close(resources->dev));
	return result;
}

int rdma_main(const struct rdma_sample *sample, int argc, char **argv)
{
	static struct rdma_resources resources;
	doca_error_t result = sample_start_log();

	resources.sample = sample;
	if (result == DOCA_SUCCESS) {
		DOCA_LOG_INFO("Starting the sample");
		result = parse(sample, &resources.config, argc, argv);
	}
	if (result == DOCA_SUCCESS)
		result = run(&resources);
	return sample_finish(result);
}
