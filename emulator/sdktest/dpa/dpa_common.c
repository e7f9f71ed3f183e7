/* SPDX-License-Identifier: Apache-2.0 */
#include "dpa_common.h"

#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>

DOCA_LOG_REGISTER(DPA::COMMON);

#define NOT_SET "NOT_SET"
#define QUEUE_SIZE 64

static doca_error_t set_pf_device(void *param, void *config)
{
	return sample_copy_value("PF device", param, ((struct dpa_config *)config)->pf_device, DPA_MAX_NAME);
}

static doca_error_t set_rdma_device(void *param, void *config)
{
	return sample_copy_value("RDMA device", param, ((struct dpa_config *)config)->rdma_device, DPA_MAX_NAME);
}

static doca_error_t set_gid_index(void *param, void *config)
{
	struct dpa_config *c = config;
	int index = *(int *)param;

	if (index < 0) {
		DOCA_LOG_ERR("The GID index is at least 0");
		return DOCA_ERROR_INVALID_VALUE;
	}
	c->has_gid_index = true;
	c->gid_index = (uint32_t)index;
	return DOCA_SUCCESS;
}

static doca_error_t read_arguments(const char *name, int argc, char **argv, struct dpa_config *config)
{
	strcpy(config->pf_device, NOT_SET);
	strcpy(config->rdma_device, NOT_SET);
	TRY(doca_argp_init(name, config));
	TRY(sample_add_param("pf_dev", "pf-device", "Name of the IB device with the DPA", set_pf_device,
			     DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("rdma_dev", "rdma-device", "Name of the IB device for RDMA", set_rdma_device,
			     DOCA_ARGP_TYPE_STRING, false));
	TRY(sample_add_param("g", "gid-index", "GID index", set_gid_index, DOCA_ARGP_TYPE_INT, false));
	TRY(doca_argp_start(argc, argv));
	return DOCA_SUCCESS;
}

/* Opens the device of that name, or any that passes the check. */
static doca_error_t open_device(const char *name, capability_check check, struct doca_dev **dev)
{
	struct doca_devinfo **list;
	char found[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	doca_error_t result = DOCA_ERROR_NOT_FOUND;
	uint32_t num;

	TRY(doca_devinfo_create_list(&list, &num));
	for (uint32_t i = 0; i < num && result != DOCA_SUCCESS; i++) {
		if (check(list[i]) != DOCA_SUCCESS ||
		    doca_devinfo_get_ibdev_name(list[i], found, sizeof(found)) != DOCA_SUCCESS)
			continue;
		if (strcmp(name, NOT_SET) == 0 || strcmp(name, found) == 0)
			result = doca_dev_open(list[i], dev);
	}
	CLEAN(result, doca_devinfo_destroy_list(list));
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("There is no device %s with the capability", name);
	return result;
}

static doca_error_t rdma_is_supported(const struct doca_devinfo *devinfo)
{
	return doca_rdma_cap_task_receive_is_supported(devinfo);
}

doca_error_t dpa_begin(const char *name, struct doca_dpa_app *app, int argc, char **argv, struct dpa_resources *resources)
{
	memset(resources, 0, sizeof(*resources));
	TRY(sample_start_log());
	TRY(read_arguments(name, argc, argv, &resources->config));
	TRY(open_device(resources->config.pf_device, doca_dpa_cap_is_supported, &resources->dev));
	TRY(doca_dpa_create(resources->dev, &resources->dpa));
	TRY(doca_dpa_set_app(resources->dpa, app));
	TRY(doca_dpa_set_log_level(resources->dpa, DOCA_DPA_DEV_LOG_LEVEL_INFO));
	TRY(doca_dpa_start(resources->dpa));
	resources->rdma_dev = resources->dev;
	resources->rdma_dpa = resources->dpa;
	if (strcmp(resources->config.rdma_device, NOT_SET) != 0 &&
	    strcmp(resources->config.rdma_device, resources->config.pf_device) != 0) {
		resources->rdma_dev = NULL;
		TRY(open_device(resources->config.rdma_device, rdma_is_supported, &resources->rdma_dev));
		TRY(doca_dpa_device_extend(resources->dpa, resources->rdma_dev, &resources->rdma_dpa));
		TRY(doca_dpa_get_dpa_handle(resources->rdma_dpa, &resources->rdma_dpa_set));
	}
	return DOCA_SUCCESS;
}

doca_error_t dpa_end(struct dpa_resources *resources, doca_error_t result)
{
	if (resources->rdma_dpa != NULL && resources->rdma_dpa != resources->dpa)
		CLEAN(result, doca_dpa_destroy(resources->rdma_dpa));
	if (resources->dpa != NULL)
		CLEAN(result, doca_dpa_destroy(resources->dpa));
	if (resources->rdma_dev != NULL && resources->rdma_dev != resources->dev)
		CLEAN(result, doca_dev_close(resources->rdma_dev));
	if (resources->dev != NULL)
		CLEAN(result, doca_dev_close(resources->dev));
	doca_argp_destroy(); /* an error: the arguments were not read */
	return result;
}

doca_error_t dpa_event_to_dpa(struct dpa_resources *resources, struct doca_sync_event **event)
{
	TRY(doca_sync_event_create(event));
	TRY(doca_sync_event_add_publisher_location_cpu(*event, resources->dev));
	TRY(doca_sync_event_add_subscriber_location_dpa(*event, resources->dpa));
	TRY(doca_sync_event_start(*event));
	return DOCA_SUCCESS;
}

doca_error_t dpa_event_to_cpu(struct dpa_resources *resources, struct doca_sync_event **event)
{
	TRY(doca_sync_event_create(event));
	TRY(doca_sync_event_add_publisher_location_dpa(*event, resources->dpa));
	TRY(doca_sync_event_add_subscriber_location_cpu(*event, resources->dev));
	TRY(doca_sync_event_start(*event));
	return DOCA_SUCCESS;
}

doca_error_t dpa_memory_create(struct dpa_resources *resources, size_t size, struct dpa_memory *memory)
{
	memory->addr = calloc(1, size);
	if (memory->addr == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TRY(doca_mmap_create(&memory->mmap));
	TRY(doca_mmap_set_permissions(memory->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
							    DOCA_ACCESS_FLAG_RDMA_WRITE));
	TRY(doca_mmap_set_memrange(memory->mmap, memory->addr, size));
	TRY(doca_mmap_add_dev(memory->mmap, resources->rdma_dev));
	TRY(doca_mmap_start(memory->mmap));
	TRY(doca_mmap_dev_get_dpa_handle(memory->mmap, resources->rdma_dev, &memory->handle));
	return DOCA_SUCCESS;
}

doca_error_t dpa_memory_destroy(struct dpa_memory *memory)
{
	doca_error_t result = DOCA_SUCCESS;

	if (memory->mmap != NULL)
		CLEAN(result, doca_mmap_destroy(memory->mmap));
	free(memory->addr);
	return result;
}

doca_error_t dpa_rdma_create(struct dpa_resources *resources, struct doca_dpa_thread *thread, struct dpa_rdma *rdma)
{
	TRY(doca_dpa_completion_create(resources->rdma_dpa, QUEUE_SIZE, &rdma->comp));
	if (thread != NULL)
		TRY(doca_dpa_completion_set_thread(rdma->comp, thread));
	TRY(doca_dpa_completion_start(rdma->comp));
	TRY(doca_dpa_completion_get_dpa_handle(rdma->comp, &rdma->comp_handle));

	TRY(doca_rdma_create(resources->rdma_dev, &rdma->rdma));
	rdma->ctx = doca_rdma_as_ctx(rdma->rdma);
	TRY(doca_rdma_set_permissions(rdma->rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
							  DOCA_ACCESS_FLAG_RDMA_WRITE));
	if (resources->config.has_gid_index)
		TRY(doca_rdma_set_gid_index(rdma->rdma, resources->config.gid_index));
	TRY(doca_rdma_set_grh_enabled(rdma->rdma, 1));
	TRY(doca_ctx_set_datapath_on_dpa(rdma->ctx, resources->rdma_dpa));
	TRY(doca_rdma_dpa_completion_attach(rdma->rdma, rdma->comp));
	TRY(doca_ctx_start(rdma->ctx));
	TRY(doca_rdma_get_dpa_handle(rdma->rdma, &rdma->rdma_handle));
	return DOCA_SUCCESS;
}

doca_error_t dpa_rdma_destroy(struct dpa_rdma *rdma)
{
	doca_error_t result = DOCA_SUCCESS;

	if (rdma->ctx != NULL)
		CLEAN(result, doca_ctx_stop(rdma->ctx));
	if (rdma->rdma != NULL)
		CLEAN(result, doca_rdma_destroy(rdma->rdma));
	if (rdma->comp != NULL)
		CLEAN(result, doca_dpa_completion_destroy(rdma->comp));
	return result;
}

doca_error_t dpa_connect(struct doca_rdma *a, struct doca_rdma_connection **conn_a, struct doca_rdma *b,
			 struct doca_rdma_connection **conn_b)
{
	const void *details_a, *details_b;
	size_t len_a, len_b;

	TRY(doca_rdma_export(a, &details_a, &len_a, conn_a));
	TRY(doca_rdma_export(b, &details_b, &len_b, conn_b));
	TRY(doca_rdma_connect(a, details_b, len_b, *conn_a));
	TRY(doca_rdma_connect(b, details_a, len_a, *conn_b));
	return DOCA_SUCCESS;
}

doca_error_t dpa_thread_create(struct dpa_resources *resources, doca_dpa_func_t *func, size_t size,
			       struct doca_dpa_thread **thread, doca_dpa_dev_uintptr_t *arg)
{
	TRY(doca_dpa_mem_alloc(resources->dpa, size, arg));
	TRY(doca_dpa_memset(resources->dpa, *arg, 0, size));
	TRY(doca_dpa_thread_create(resources->dpa, thread));
	TRY(doca_dpa_thread_set_func_arg(*thread, func, *arg));
	TRY(doca_dpa_thread_start(*thread));
	return DOCA_SUCCESS;
}
