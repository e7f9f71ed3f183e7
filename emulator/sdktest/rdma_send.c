/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a text to rdma_receive. */

#include "rdma_common.h"

DOCA_LOG_REGISTER(RDMA_SEND::MAIN);

static void sent(struct doca_rdma_task_send *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	DOCA_LOG_INFO("The text was sent");
	rdma_task_over(ctx_user_data.ptr, doca_rdma_task_send_as_task(task), DOCA_SUCCESS,
		       doca_rdma_task_send_get_src_buf(task), NULL);
}

static void failed(struct doca_rdma_task_send *task, union doca_data user_data, union doca_data ctx_user_data)
{
	(void)user_data;
	rdma_task_over(ctx_user_data.ptr, doca_rdma_task_send_as_task(task),
		       doca_task_get_status(doca_rdma_task_send_as_task(task)), doca_rdma_task_send_get_src_buf(task),
		       NULL);
}

static doca_error_t configure(struct rdma_resources *resources)
{
	TRY(doca_rdma_task_send_set_conf(resources->rdma, sent, failed, 1));
	return DOCA_SUCCESS;
}

static doca_error_t send_text(struct rdma_resources *resources, struct doca_rdma_connection *connection)
{
	const union doca_data none = {.u64 = 0};
	struct doca_rdma_task_send *task;
	struct doca_buf *src;

	TRY(rdma_text_buf(resources, &src));
	TRY(doca_rdma_task_send_allocate_init(resources->rdma, connection, src, none, &task));
	DOCA_LOG_INFO("Sending: \"%s\"", resources->config.text);
	TRY(rdma_submit(resources, doca_rdma_task_send_as_task(task)));
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct rdma_sample sample = {
		.name = "doca_rdma_send",
		.params = RDMA_PARAM_SEND,
		.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
		.rdma_permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
		.is_supported = doca_rdma_cap_task_send_is_supported,
		.configure = configure,
		.connected = send_text,
	};

	return rdma_main(&sample, argc, argv);
}
