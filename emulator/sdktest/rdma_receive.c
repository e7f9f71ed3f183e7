/* SPDX-License-Identifier: Apache-2.0 */
/* Receives a text from rdma_send. */

#include <string.h>

#include "rdma_common.h"

DOCA_LOG_REGISTER(RDMA_RECEIVE::MAIN);

#define IMMEDIATE 0x78563412

static struct rdma_core core;
static struct doca_buf *dst;

/* With immediate data it is checked, too. */
static doca_error_t check_message(const struct doca_rdma_task_receive *task)
{
	size_t len;

	TRY(doca_task_get_status(doca_rdma_task_receive_as_task((struct doca_rdma_task_receive *)(uintptr_t)task)));
	TRY(doca_buf_get_data_len(dst, &len));
	REQUIRE(len == doca_rdma_task_receive_get_result_len(task) && core.memory[len - 1] == '\0');
	REQUIRE(doca_rdma_task_receive_get_result_rdma_connection(task) == core.conn);
	if (core.config.use_imm) {
		REQUIRE(doca_rdma_task_receive_get_result_opcode(task) == DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM);
		REQUIRE(doca_rdma_task_receive_get_result_immediate_data(task) == IMMEDIATE);
	} else {
		REQUIRE(doca_rdma_task_receive_get_result_opcode(task) == DOCA_RDMA_OPCODE_RECV_SEND);
	}
	DOCA_LOG_INFO("Got from sender: \"%s\"", core.memory);
	return DOCA_SUCCESS;
}

static void received(struct doca_rdma_task_receive *task, union doca_data user_data, union doca_data ctx_user_data)
{
	doca_error_t result = check_message(task);

	(void)user_data;
	(void)ctx_user_data;
	doca_task_free(doca_rdma_task_receive_as_task(task));
	CLEAN(result, doca_buf_dec_refcount(dst, NULL));
	/* By address, the sender disconnects when it knows that its text has come. */
	if (!core.config.use_cm || result != DOCA_SUCCESS)
		rdma_end(&core, result);
}

static doca_error_t receive(struct rdma_core *unused)
{
	struct doca_rdma_task_receive *task;

	(void)unused;
	TRY(doca_buf_inventory_buf_get_by_addr(core.inventory, core.mmap, core.memory, sizeof(core.memory), &dst));
	TRY(doca_rdma_task_receive_allocate_init(core.rdma, dst, (union doca_data){.u64 = 0}, &task));
	TRY(doca_task_submit(doca_rdma_task_receive_as_task(task)));
	return DOCA_SUCCESS;
}

static doca_error_t run(void)
{
	core.connected = receive;
	TRY(rdma_open(&core, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	TRY(doca_rdma_task_receive_set_conf(core.rdma, received, received, 1));
	return rdma_run(&core);
}

int main(int argc, char **argv)
{
	doca_error_t result = sample_start_log();

	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("Starting the sample");
	if (result == DOCA_SUCCESS)
		result = rdma_parse(&core, "rdma_receive", NULL, argc, argv);
	if (result == DOCA_SUCCESS)
		result = run();
	return sample_finish(result);
}
