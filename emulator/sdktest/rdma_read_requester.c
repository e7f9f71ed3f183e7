/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a text from the memory of rdma_read_responder. */

#include "rdma_common.h"

DOCA_LOG_REGISTER(RDMA_READ_REQUESTER::MAIN);

static struct doca_mmap *remote;

static doca_error_t show(const struct doca_rdma_task_read *task)
{
	const struct doca_buf *dst = doca_rdma_task_read_get_dst_buf(task);
	size_t len;
	void *data;

	TRY(doca_buf_get_data(dst, &data));
	TRY(doca_buf_get_data_len(dst, &len));
	REQUIRE(len == RDMA_MAX_TEXT && len == doca_rdma_task_read_get_result_len(task));
	DOCA_LOG_INFO("Read from responder: \"%.*s\"", (int)len, (const char *)data);
	return DOCA_SUCCESS;
}

static void has_read(struct doca_rdma_task_read *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	rdma_task_over(ctx_user_data.ptr, doca_rdma_task_read_as_task(task), show(task),
		       doca_rdma_task_read_get_src_buf(task), doca_rdma_task_read_get_dst_buf(task));
}

static void failed(struct doca_rdma_task_read *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	rdma_task_over(ctx_user_data.ptr, doca_rdma_task_read_as_task(task),
		       doca_task_get_status(doca_rdma_task_read_as_task(task)), doca_rdma_task_read_get_src_buf(task),
		       doca_rdma_task_read_get_dst_buf(task));
}

static doca_error_t configure(struct rdma_resources *resources)
{
	TRY(doca_rdma_task_read_set_conf(resources->rdma, has_read, failed, 1));
	return DOCA_SUCCESS;
}

static doca_error_t import_memory(struct rdma_resources *resources, const void *desc, size_t len)
{
	TRY(doca_mmap_create_from_export(NULL, desc, len, resources->dev, &remote));
	return DOCA_SUCCESS;
}

static doca_error_t read_text(struct rdma_resources *resources, struct doca_rdma_connection *connection)
{
	const union doca_data none = {.u64 = 0};
	struct doca_rdma_task_read *task;
	struct doca_buf *src, *dst;
	size_t len;
	void *addr;

	TRY(doca_mmap_get_memrange(remote, &addr, &len));
	REQUIRE(len >= RDMA_MAX_TEXT);
	TRY(doca_buf_inventory_buf_get_by_data(resources->inventory, remote, addr, RDMA_MAX_TEXT, &src));
	TRY(doca_buf_inventory_buf_get_by_addr(resources->inventory, resources->mmap, resources->memory, RDMA_MEMORY,
					       &dst));
	TRY(doca_rdma_task_read_allocate_init(resources->rdma, connection, src, dst, none, &task));
	TRY(rdma_submit(resources, doca_rdma_task_read_as_task(task)));
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
		.name = "doca_rdma_read_requester",
		.params = RDMA_PARAM_RESOURCE,
		.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
		.rdma_permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
		.is_supported = doca_rdma_cap_task_read_is_supported,
		.configure = configure,
		.import_resource = import_memory,
		.connected = read_text,
		.destroy = destroy,
	};

	return rdma_main(&sample, argc, argv);
}
