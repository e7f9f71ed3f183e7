/* SPDX-License-Identifier: Apache-2.0 */
#include "initiator_target_common.h"

DOCA_LOG_REGISTER(INITIATOR_TARGET::COMMON);

doca_error_t it_create(struct dpa_resources *resources, doca_dpa_func_t *func, struct it_side *side)
{
	TRY(dpa_memory_create(resources, WORD, &side->memory));
	if (func != NULL)
		TRY(dpa_thread_create(resources, func, sizeof(side->side), &side->thread, &side->arg));
	else
		TRY(doca_dpa_mem_alloc(resources->dpa, sizeof(side->side), &side->arg));
	TRY(dpa_rdma_create(resources, side->thread, &side->rdma));
	if (side->thread != NULL)
		TRY(doca_dpa_thread_run(side->thread));
	side->side = (struct side_arg){
		.dpa = resources->rdma_dpa_set,
		.rdma = side->rdma.rdma_handle,
		.comp = side->rdma.comp_handle,
		.addr = (uintptr_t)side->memory.addr,
		.mmap = side->memory.handle,
		.expected = VALUES,
	};
	return DOCA_SUCCESS;
}

doca_error_t it_tell(struct dpa_resources *resources, struct it_side *side)
{
	TRY(doca_dpa_h2d_memcpy(resources->dpa, side->arg, &side->side, sizeof(side->side)));
	return DOCA_SUCCESS;
}

doca_error_t it_wait(struct dpa_resources *resources, struct doca_sync_event *end)
{
	uint64_t value;

	TRY(doca_sync_event_wait_gt(end, VALUES - 1, UINT64_MAX));
	TRY(doca_sync_event_get(end, &value));
	REQUIRE(value == VALUES);
	TRY(doca_dpa_peek_at_last_error(resources->dpa));
	DOCA_LOG_INFO("All %u values arrived in order", VALUES);
	return DOCA_SUCCESS;
}

doca_error_t it_destroy(struct dpa_resources *resources, struct it_side *side)
{
	doca_error_t result = dpa_rdma_destroy(&side->rdma);

	if (side->thread != NULL)
		CLEAN(result, doca_dpa_thread_destroy(side->thread));
	if (side->arg != 0)
		CLEAN(result, doca_dpa_mem_free(resources->dpa, side->arg));
	CLEAN(result, dpa_memory_destroy(&side->memory));
	return result;
}
