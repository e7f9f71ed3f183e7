/* SPDX-License-Identifier: Apache-2.0 */
/* An initiator on the DPA sends four values to a target on the DPA, whose one receive its thread posts again. */

#include "initiator_target_common.h"

DOCA_LOG_REGISTER(DPA_BASIC_INITIATOR_TARGET::MAIN);

extern struct doca_dpa_app *dpa_sample_app;
extern doca_dpa_func_t target;
extern doca_dpa_func_t post_receive;
extern doca_dpa_func_t send_value;

static doca_error_t run(struct dpa_resources *resources, struct it_side *from, struct it_side *to, struct doca_sync_event **end)
{
	uint64_t answer;

	TRY(dpa_event_to_cpu(resources, end));
	TRY(it_create(resources, NULL, from));
	TRY(it_create(resources, &target, to));
	TRY(dpa_connect(from->rdma.rdma, &from->rdma.connection, to->rdma.rdma, &to->rdma.connection));
	TRY(doca_sync_event_get_dpa_handle(*end, resources->dpa, &to->side.end));
	TRY(it_tell(resources, from));
	TRY(it_tell(resources, to));
	TRY(doca_dpa_rpc(resources->dpa, &post_receive, &answer, to->arg));
	/* Each value replaces the one before, which may still wait for its receive. */
	for (uint32_t i = 1; i <= VALUES; i++) {
		*(volatile uint64_t *)from->memory.addr = i;
		TRY(doca_dpa_rpc(resources->dpa, &send_value, &answer, from->arg, i));
	}
	return it_wait(resources, *end);
}

int main(int argc, char **argv)
{
	static struct it_side from, to;
	struct dpa_resources resources;
	struct doca_sync_event *end = NULL;
	doca_error_t result = dpa_begin("doca_dpa_basic_initiator_target", dpa_sample_app, argc, argv, &resources);

	if (result == DOCA_SUCCESS)
		result = run(&resources, &from, &to, &end);
	CLEAN(result, it_destroy(&resources, &from));
	CLEAN(result, it_destroy(&resources, &to));
	if (end != NULL)
		CLEAN(result, doca_sync_event_destroy(end));
	return sample_finish(dpa_end(&resources, result));
}
