/* SPDX-License-Identifier: Apache-2.0 */
/* Lets rdma_write_immediate_requester write into its memory. The immediate data tells it that this has happened. */

#include <arpa/inet.h>
#include <string.h>

#include "rdma_common.h"

DOCA_LOG_REGISTER(RDMA_WRITE_IMMEDIATE_RESPONDER::MAIN);

/* The data is in the memory that was exported; the receive has no buffer. */
static doca_error_t show(struct rdma_resources *resources, const struct doca_rdma_task_receive *task)
{
	REQUIRE(doca_rdma_task_receive_get_result_opcode(task) == DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM);
	REQUIRE(doca_rdma_task_receive_get_result_rdma_connection(task) == resources->connections[0]);
	REQUIRE(memchr(resources->memory, '\0', RDMA_MEMORY) != NULL);
	DOCA_LOG_INFO("Requester has written: \"%s\"", resources->memory);
	DOCA_LOG_INFO("Immediate data: 0x%x", ntohl(doca_rdma_task_receive_get_result_immediate_data(task)));
	return DOCA_SUCCESS;
}

static void received(struct doca_rdma_task_receive *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	rdma_task_over(ctx_user_data.ptr, doca_rdma_task_receive_as_task(task), show(ctx_user_data.ptr, task), NULL, NULL);
}

static void failed(struct doca_rdma_task_receive *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	rdma_task_over(ctx_user_data.ptr, doca_rdma_task_receive_as_task(task),
		       doca_task_get_status(doca_rdma_task_receive_as_task(task)), NULL, NULL);
}

static doca_error_t configure(struct rdma_resources *resources)
{
	TRY(doca_rdma_task_receive_set_conf(resources->rdma, received, failed, 1));
	return DOCA_SUCCESS;
}

static doca_error_t export_memory(struct rdma_resources *resources, const void **desc, size_t *len)
{
	TRY(doca_mmap_export_rdma(resources->mmap, resources->dev, desc, len));
	return DOCA_SUCCESS;
}

static doca_error_t receive(struct rdma_resources *resources, struct doca_rdma_connection *connection)
{
	const union doca_data none = {.u64 = 0};
	struct doca_rdma_task_receive *task;

	(void)connection;
	TRY(doca_rdma_task_receive_allocate_init(resources->rdma, NULL, none, &task));
	TRY(rdma_submit(resources, doca_rdma_task_receive_as_task(task)));
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct rdma_sample sample = {
		.name = "doca_rdma_write_immediate_responder",
		.params = RDMA_PARAM_RESOURCE,
		.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE,
		.rdma_permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE,
		.is_supported = doca_rdma_cap_task_receive_is_supported,
		.configure = configure,
		.export_resource = export_memory,
		.connected = receive,
	};

	return rdma_main(&sample, argc, argv);
}
