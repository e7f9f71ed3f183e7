/* SPDX-License-Identifier: Apache-2.0 */
/* Receives a text from rdma_send. */

#include "rdma_common.h"

DOCA_LOG_REGISTER(RDMA_RECEIVE::MAIN);

static doca_error_t show(struct rdma_resources *resources, const struct doca_rdma_task_receive *task)
{
	const struct doca_buf *dst = doca_rdma_task_receive_get_dst_buf(task);
	size_t len;
	void *data;

	TRY(doca_buf_get_data(dst, &data));
	TRY(doca_buf_get_data_len(dst, &len));
	REQUIRE(data == resources->memory && len == doca_rdma_task_receive_get_result_len(task));
	REQUIRE(doca_rdma_task_receive_get_result_rdma_connection(task) == resources->connections[0]);
	REQUIRE(doca_rdma_task_receive_get_result_opcode(task) == DOCA_RDMA_OPCODE_RECV_SEND);
	DOCA_LOG_INFO("Got from sender: \"%.*s\"", (int)len, (const char *)data);
	return DOCA_SUCCESS;
}

static void received(struct doca_rdma_task_receive *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	rdma_task_over(ctx_user_data.ptr, doca_rdma_task_receive_as_task(task), show(ctx_user_data.ptr, task), NULL,
		       doca_rdma_task_receive_get_dst_buf(task));
}

static void failed(struct doca_rdma_task_receive *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	rdma_task_over(ctx_user_data.ptr, doca_rdma_task_receive_as_task(task),
		       doca_task_get_status(doca_rdma_task_receive_as_task(task)), NULL,
		       doca_rdma_task_receive_get_dst_buf(task));
}

static doca_error_t configure(struct rdma_resources *resources)
{
	TRY(doca_rdma_task_receive_set_conf(resources->rdma, received, failed, 1));
	return DOCA_SUCCESS;
}

static doca_error_t receive(struct rdma_resources *resources, struct doca_rdma_connection *connection)
{
	const union doca_data none = {.u64 = 0};
	struct doca_rdma_task_receive *task;
	struct doca_buf *dst;

	(void)connection;
	TRY(doca_buf_inventory_buf_get_by_addr(resources->inventory, resources->mmap, resources->memory, RDMA_MEMORY,
					       &dst));
	TRY(doca_rdma_task_receive_allocate_init(resources->rdma, dst, none, &task));
	TRY(rdma_submit(resources, doca_rdma_task_receive_as_task(task)));
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct rdma_sample sample = {
		.name = "doca_rdma_receive",
		.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
		.rdma_permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
		.is_supported = doca_rdma_cap_task_receive_is_supported,
		.configure = configure,
		.connected = receive,
	};

	return rdma_main(&sample, argc, argv);
}
