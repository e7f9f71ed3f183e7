/* SPDX-License-Identifier: Apache-2.0 */
/* Lets rdma_write_requester write into its memory, and makes no progress meanwhile. */

#include "rdma_common.h"

DOCA_LOG_REGISTER(RDMA_WRITE_RESPONDER::MAIN);

static struct rdma_core core;

/* This runs in the state callback, inside doca_ctx_start, which succeeds although the context is stopped here. */
static doca_error_t serve(struct rdma_core *unused)
{
	(void)unused;
	rdma_wait_for_enter("Wait until the requester has ended");
	DOCA_LOG_INFO("Requester has written: \"%s\"", core.memory);
	rdma_end(&core, DOCA_SUCCESS);
	return DOCA_SUCCESS;
}

static doca_error_t run(void)
{
	const void *desc;
	size_t len;

	core.connected = serve;
	TRY(rdma_open(&core, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE |
				     DOCA_ACCESS_FLAG_RDMA_READ));
	TRY(doca_mmap_export_rdma(core.mmap, core.dev, &desc, &len));
	TRY(rdma_write_file(core.config.resource_path, desc, len));
	return rdma_run(&core);
}

int main(int argc, char **argv)
{
	doca_error_t result = sample_start_log();

	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("Starting the sample");
	if (result == DOCA_SUCCESS)
		result = rdma_parse(&core, "rdma_write_responder", NULL, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run();
	return sample_finish(result);
}
