/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads on the DPA send each other the next number by RDMA, 100 times each. */

#include "dpa_common.h"
#include "device/ping_pong_player.h"

DOCA_LOG_REGISTER(DPA_PING_PONG::MAIN);

#define ROUNDS 100
#define END_VALUE 7
#define WORD 8

extern struct doca_dpa_app *dpa_sample_app;
extern doca_dpa_func_t play;
extern doca_dpa_func_t prepare;

struct side {
	struct dpa_memory memory; /* a word to send, a word to receive */
	struct doca_dpa_thread *thread;
	doca_dpa_dev_uintptr_t arg;
	struct dpa_rdma rdma;
	struct doca_sync_event *end;
	struct player player;
};

static doca_error_t create(struct dpa_resources *resources, struct side *side)
{
	TRY(dpa_memory_create(resources, 2 * WORD, &side->memory));
	TRY(dpa_event_to_cpu(resources, &side->end));
	TRY(dpa_thread_create(resources, &play, sizeof(side->player), &side->thread, &side->arg));
	TRY(dpa_rdma_create(resources, side->thread, &side->rdma));
	TRY(doca_dpa_thread_run(side->thread));
	return DOCA_SUCCESS;
}

/* first is the number that the side receives first. */
static doca_error_t tell(struct dpa_resources *resources, struct side *side, uint64_t first)
{
	side->player = (struct player){
		.dpa = resources->rdma_dpa_set,
		.rdma = side->rdma.rdma_handle,
		.comp = side->rdma.comp_handle,
		.send_addr = (uintptr_t)side->memory.addr,
		.receive_addr = (uintptr_t)side->memory.addr + WORD,
		.mmap = side->memory.handle,
		.rounds = ROUNDS,
		.first = first,
		.end_value = END_VALUE,
	};
	TRY(doca_sync_event_get_dpa_handle(side->end, resources->dpa, &side->player.end));
	TRY(doca_dpa_h2d_memcpy(resources->dpa, side->arg, &side->player, sizeof(side->player)));
	return DOCA_SUCCESS;
}

static doca_error_t over(struct dpa_resources *resources, struct side *side)
{
	uint64_t value;

	TRY(doca_sync_event_wait_gt(side->end, END_VALUE - 1, UINT64_MAX));
	TRY(doca_sync_event_get(side->end, &value));
	REQUIRE(value == END_VALUE);
	TRY(doca_dpa_d2h_memcpy(resources->dpa, &side->player, side->arg, sizeof(side->player)));
	REQUIRE(side->player.received == ROUNDS);
	return DOCA_SUCCESS;
}

static doca_error_t destroy(struct dpa_resources *resources, struct side *side)
{
	doca_error_t result = dpa_rdma_destroy(&side->rdma);

	if (side->thread != NULL)
		CLEAN(result, doca_dpa_thread_destroy(side->thread));
	if (side->arg != 0)
		CLEAN(result, doca_dpa_mem_free(resources->dpa, side->arg));
	if (side->end != NULL)
		CLEAN(result, doca_sync_event_destroy(side->end));
	CLEAN(result, dpa_memory_destroy(&side->memory));
	return result;
}

static doca_error_t game(struct dpa_resources *resources, struct side *a, struct side *b)
{
	uint64_t answer;

	TRY(create(resources, a));
	TRY(create(resources, b));
	TRY(dpa_connect(a->rdma.rdma, &a->rdma.connection, b->rdma.rdma, &b->rdma.connection));
	TRY(tell(resources, a, 2));
	TRY(tell(resources, b, 1));
	TRY(doca_dpa_rpc(resources->dpa, &prepare, &answer, b->arg, 0));
	REQUIRE(answer == 0);
	TRY(doca_dpa_rpc(resources->dpa, &prepare, &answer, a->arg, 1));
	TRY(over(resources, a));
	TRY(over(resources, b));
	TRY(doca_dpa_peek_at_last_error(resources->dpa));
	DOCA_LOG_INFO("%u messages there and back", ROUNDS);
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	static struct side a, b;
	struct dpa_resources resources;
	doca_error_t result = dpa_begin("doca_dpa_ping_pong", dpa_sample_app, argc, argv, &resources);

	if (result == DOCA_SUCCESS)
		result = game(&resources, &a, &b);
	CLEAN(result, destroy(&resources, &a));
	CLEAN(result, destroy(&resources, &b));
	return sample_finish(dpa_end(&resources, result));
}
