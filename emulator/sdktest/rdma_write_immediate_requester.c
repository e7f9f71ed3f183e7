/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a text with immediate data into the memory of rdma_write_immediate_responder. */

#include <arpa/inet.h>

#include "rdma_common.h"

DOCA_LOG_REGISTER(RDMA_WRITE_IMMEDIATE_REQUESTER::MAIN);

#define IMMEDIATE 0x12345678

static struct doca_mmap *remote;

static void written(struct doca_rdma_task_write_imm *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	DOCA_LOG_INFO("The text was written");
	rdma_task_over(ctx_user_data.ptr, doca_rdma_task_write_imm_as_task(task), DOCA_SUCCESS,
		       doca_rdma_task_write_imm_get_src_buf(task), doca_rdma_task_write_imm_get_dst_buf(task));
}

static void failed(struct doca_rdma_task_write_imm *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	rdma_task_over(ctx_user_data.ptr, doca_rdma_task_write_imm_as_task(task),
		       doca_task_get_status(doca_rdma_task_write_imm_as_task(task)), doca_rdma_task_write_imm_get_src_buf(task),
		       doca_rdma_task_write_imm_get_dst_buf(task));
}

static doca_error_t configure(struct rdma_resources *resources)
{
	TRY(doca_rdma_task_write_imm_set_conf(resources->rdma, written, failed, 1));
	return DOCA_SUCCESS;
}

static doca_error_t import_memory(struct rdma_resources *resources, const void *desc, size_t len)
{
	TRY(doca_mmap_create_from_export(NULL, desc, len, resources->dev, &remote));
	return DOCA_SUCCESS;
}

static doca_error_t write_text(struct rdma_resources *resources, struct doca_rdma_connection *connection)
{
	const union doca_data none = {.u64 = 0};
	struct doca_rdma_task_write_imm *task;
	struct doca_buf *src, *dst;
	size_t len;
	void *addr;

	TRY(doca_mmap_get_memrange(remote, &addr, &len));
	REQUIRE(len == RDMA_MEMORY);
	TRY(rdma_text_buf(resources, &src));
	TRY(doca_buf_inventory_buf_get_by_addr(resources->inventory, remote, addr, len, &dst));
	TRY(doca_rdma_task_write_imm_allocate_init(resources->rdma, connection, src, dst, htonl(IMMEDIATE), none, &task));
	DOCA_LOG_INFO("Writing: \"%s\"", resources->config.text);
	TRY(rdma_submit(resources, doca_rdma_task_write_imm_as_task(task)));
	return DOCA_SUCCESS;
}

static doca_error_t destroy(struct rdma_resources *resources)
{
	(void)resources;
	return remote != NULL ? doca_mmap_destroy(remote) : DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct rdma_sample sample = {
		.name = "doca_rdma_write_immediate_requester",
		.params = RDMA_PARAM_RESOURCE | RDMA_PARAM_WRITE,
		.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
		.rdma_permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
		.is_supported = doca_rdma_cap_task_write_imm_is_supported,
		.configure = configure,
		.import_resource = import_memory,
		.connected = write_text,
		.destroy = destroy,
	};

	return rdma_main(&sample, argc, argv);
}
