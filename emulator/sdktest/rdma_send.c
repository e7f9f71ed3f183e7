/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a text to rdma_receive. */

#include <string.h>

#include "rdma_common.h"

DOCA_LOG_REGISTER(RDMA_SEND::MAIN);

#define IMMEDIATE 0x78563412

static struct rdma_core core;
static struct doca_buf *src;

static void over(struct doca_task *task, doca_error_t result)
{
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("Sent: \"%s\"", core.memory);
	doca_task_free(task);
	CLEAN(result, doca_buf_dec_refcount(src, NULL));
	rdma_end(&core, result);
}

static void sent(struct doca_rdma_task_send *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	over(doca_rdma_task_send_as_task(task), doca_task_get_status(doca_rdma_task_send_as_task(task)));
}

static void sent_imm(struct doca_rdma_task_send_imm *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	over(doca_rdma_task_send_imm_as_task(task), doca_task_get_status(doca_rdma_task_send_imm_as_task(task)));
}

static doca_error_t send_text(struct rdma_core *unused)
{
	const union doca_data none = {.u64 = 0};
	struct doca_rdma_task_send_imm *send_imm;
	struct doca_rdma_task_send *send;

	(void)unused;
	strcpy(core.memory, core.config.text);
	TRY(doca_buf_inventory_buf_get_by_data(core.inventory, core.mmap, core.memory, strlen(core.memory) + 1, &src));
	if (core.config.use_imm) {
		TRY(doca_rdma_task_send_imm_allocate_init(core.rdma, core.conn, src, IMMEDIATE, none, &send_imm));
		TRY(doca_task_submit(doca_rdma_task_send_imm_as_task(send_imm)));
	} else {
		TRY(doca_rdma_task_send_allocate_init(core.rdma, core.conn, src, none, &send));
		TRY(doca_task_submit(doca_rdma_task_send_as_task(send)));
	}
	return DOCA_SUCCESS;
}

static doca_error_t run(void)
{
	core.connected = send_text;
	TRY(rdma_open(&core, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	TRY(doca_rdma_task_send_set_conf(core.rdma, sent, sent, 1));
	TRY(doca_rdma_task_send_imm_set_conf(core.rdma, sent_imm, sent_imm, 1));
	return rdma_run(&core);
}

int main(int argc, char **argv)
{
	doca_error_t result = sample_start_log();

	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("Starting the sample");
	if (result == DOCA_SUCCESS)
		result = rdma_parse(&core, "rdma_send", "Hi DOCA RDMA!", argc, argv);
	if (result == DOCA_SUCCESS)
		result = run();
	return sample_finish(result);
}
