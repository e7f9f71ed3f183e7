/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An initiator on the CPU sends four values to a target on the DPA. One thread there takes them and wakes another one,
 * which counts and posts the receive again.
 */

#include <arpa/inet.h>

#include <doca_buf.h>

#include "initiator_target_common.h"

DOCA_LOG_REGISTER(DPA_INITIATOR_TARGET::MAIN);

extern struct doca_dpa_app *dpa_sample_app;
extern doca_dpa_func_t target_notifies;
extern doca_dpa_func_t count;
extern doca_dpa_func_t post_receive;

struct initiator {
	struct dpa_memory memory; /* a word for each value */
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_rdma_connection *connection;
	uint32_t num_sent;
	doca_error_t result;
};

static void sent(struct doca_rdma_task_send_imm *task, union doca_data user_data, union doca_data ctx_user_data)
{
	struct initiator *initiator = ctx_user_data.ptr;
	struct doca_task *t = doca_rdma_task_send_imm_as_task(task);
	struct doca_buf *src = (struct doca_buf *)(uintptr_t)doca_rdma_task_send_imm_get_src_buf(task);

	(void)user_data;
	initiator->num_sent++;
	DOCA_ERROR_PROPAGATE(initiator->result, doca_task_get_status(t));
	doca_task_free(t);
	CLEAN(initiator->result, doca_buf_dec_refcount(src, NULL));
}

static doca_error_t create(struct dpa_resources *resources, struct initiator *initiator)
{
	TRY(dpa_memory_create(resources, VALUES * WORD, &initiator->memory));
	TRY(doca_buf_inventory_create(VALUES, &initiator->inventory));
	TRY(doca_buf_inventory_start(initiator->inventory));
	TRY(doca_pe_create(&initiator->pe));
	TRY(doca_rdma_create(resources->rdma_dev, &initiator->rdma));
	initiator->ctx = doca_rdma_as_ctx(initiator->rdma);
	TRY(doca_rdma_task_send_imm_set_conf(initiator->rdma, sent, sent, VALUES));
	if (resources->config.has_gid_index)
		TRY(doca_rdma_set_gid_index(initiator->rdma, resources->config.gid_index));
	TRY(doca_rdma_set_grh_enabled(initiator->rdma, 1));
	TRY(doca_ctx_set_user_data(initiator->ctx, (union doca_data){.ptr = initiator}));
	TRY(doca_pe_connect_ctx(initiator->pe, initiator->ctx));
	TRY(doca_ctx_start(initiator->ctx));
	return DOCA_SUCCESS;
}

static doca_error_t send_values(struct initiator *initiator)
{
	uint64_t *values = initiator->memory.addr;

	for (uint32_t i = 0; i < VALUES; i++) {
		struct doca_rdma_task_send_imm *task;
		struct doca_buf *src;

		values[i] = i + 1;
		TRY(doca_buf_inventory_buf_get_by_data(initiator->inventory, initiator->memory.mmap, &values[i], WORD, &src));
		TRY(doca_rdma_task_send_imm_allocate_init(initiator->rdma, initiator->connection, src, htonl(i + 1),
							  (union doca_data){.u64 = i}, &task));
		TRY(doca_task_submit(doca_rdma_task_send_imm_as_task(task)));
	}
	while (initiator->num_sent < VALUES)
		sample_progress(initiator->pe);
	return initiator->result;
}

static doca_error_t destroy(struct initiator *initiator)
{
	doca_error_t result = DOCA_SUCCESS;

	if (initiator->ctx != NULL)
		CLEAN(result, doca_ctx_stop(initiator->ctx));
	if (initiator->rdma != NULL)
		CLEAN(result, doca_rdma_destroy(initiator->rdma));
	if (initiator->pe != NULL)
		CLEAN(result, doca_pe_destroy(initiator->pe));
	if (initiator->inventory != NULL)
		CLEAN(result, doca_buf_inventory_destroy(initiator->inventory));
	CLEAN(result, dpa_memory_destroy(&initiator->memory));
	return result;
}

/* The thread that counts. It has no completion queue: the other thread wakes it. */
struct counter {
	struct doca_dpa_thread *thread;
	struct doca_dpa_notification_completion *notify;
	doca_dpa_dev_uintptr_t arg;
};

static doca_error_t create_counter(struct dpa_resources *resources, struct counter *counter)
{
	TRY(dpa_thread_create(resources, &count, sizeof(struct side_arg), &counter->thread, &counter->arg));
	TRY(doca_dpa_notification_completion_create(resources->rdma_dpa, counter->thread, &counter->notify));
	TRY(doca_dpa_notification_completion_start(counter->notify));
	TRY(doca_dpa_thread_run(counter->thread));
	return DOCA_SUCCESS;
}

static doca_error_t destroy_counter(struct dpa_resources *resources, struct counter *counter)
{
	doca_error_t result = DOCA_SUCCESS;

	if (counter->notify != NULL)
		CLEAN(result, doca_dpa_notification_completion_destroy(counter->notify));
	if (counter->thread != NULL)
		CLEAN(result, doca_dpa_thread_destroy(counter->thread));
	if (counter->arg != 0)
		CLEAN(result, doca_dpa_mem_free(resources->dpa, counter->arg));
	return result;
}

static doca_error_t run(struct dpa_resources *resources, struct initiator *from, struct it_side *to, struct counter *counter,
			struct doca_sync_event **end)
{
	uint64_t answer;

	TRY(dpa_event_to_cpu(resources, end));
	TRY(create(resources, from));
	TRY(it_create(resources, &target_notifies, to));
	TRY(create_counter(resources, counter));
	TRY(dpa_connect(from->rdma, &from->connection, to->rdma.rdma, &to->rdma.connection));
	TRY(doca_sync_event_get_dpa_handle(*end, resources->dpa, &to->side.end));
	TRY(doca_dpa_notification_completion_get_dpa_handle(counter->notify, &to->side.notify));
	TRY(it_tell(resources, to));
	TRY(doca_dpa_h2d_memcpy(resources->dpa, counter->arg, &to->side, sizeof(to->side)));
	TRY(doca_dpa_rpc(resources->dpa, &post_receive, &answer, to->arg));
	TRY(send_values(from));
	return it_wait(resources, *end);
}

int main(int argc, char **argv)
{
	static struct initiator from;
	static struct it_side to;
	static struct counter counter;
	struct dpa_resources resources;
	struct doca_sync_event *end = NULL;
	doca_error_t result = dpa_begin("doca_dpa_initiator_target", dpa_sample_app, argc, argv, &resources);

	if (result == DOCA_SUCCESS)
		result = run(&resources, &from, &to, &counter, &end);
	CLEAN(result, destroy(&from));
	CLEAN(result, it_destroy(&resources, &to));
	CLEAN(result, destroy_counter(&resources, &counter));
	if (end != NULL)
		CLEAN(result, doca_sync_event_destroy(end));
	return sample_finish(dpa_end(&resources, result));
}
