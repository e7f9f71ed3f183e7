/* SPDX-License-Identifier: Apache-2.0 */
/* Lets rdma_write_requester write into its memory, and takes no part in that. */

#include <string.h>

#include "rdma_common.h"

DOCA_LOG_REGISTER(RDMA_WRITE_RESPONDER::MAIN);

static doca_error_t configure(struct rdma_resources *resources)
{
	(void)resources;
	return DOCA_SUCCESS;
}

static doca_error_t export_memory(struct rdma_resources *resources, const void **desc, size_t *len)
{
	TRY(doca_mmap_export_rdma(resources->mmap, resources->dev, desc, len));
	return DOCA_SUCCESS;
}

/* By files this runs in the state callback, inside doca_ctx_start, which succeeds although the context is stopped here.
 * By address the requester disconnects. */
static doca_error_t wait_for_requester(struct rdma_resources *resources, struct doca_rdma_connection *connection)
{
	(void)connection;
	if (resources->config.use_cm)
		return DOCA_SUCCESS;
	rdma_wait_for_enter("When the requester has ended");
	rdma_end(resources, DOCA_SUCCESS);
	return DOCA_SUCCESS;
}

static doca_error_t show(struct rdma_resources *resources)
{
	REQUIRE(memchr(resources->memory, '\0', RDMA_MEMORY) != NULL);
	DOCA_LOG_INFO("Requester has written: \"%s\"", resources->memory);
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct rdma_sample sample = {
		.name = "doca_rdma_write_responder",
		.params = RDMA_PARAM_RESOURCE,
		.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE,
		.rdma_permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE,
		.is_supported = doca_rdma_cap_task_write_is_supported,
		.configure = configure,
		.export_resource = export_memory,
		.connected = wait_for_requester,
		.over = show,
	};

	return rdma_main(&sample, argc, argv);
}
