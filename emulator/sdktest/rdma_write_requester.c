/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a text into the memory of rdma_write_responder, and reads it back. */

#include <string.h>

#include "rdma_common.h"

DOCA_LOG_REGISTER(RDMA_WRITE_REQUESTER::MAIN);

static struct rdma_core core;
static struct doca_mmap *remote;
static struct doca_buf *src, *target, *back;

#define BACK_OFFSET 2048

static doca_error_t clean_up(doca_error_t result)
{
	CLEAN(result, doca_buf_dec_refcount(src, NULL));
	CLEAN(result, doca_buf_dec_refcount(target, NULL));
	CLEAN(result, doca_buf_dec_refcount(back, NULL));
	CLEAN(result, doca_mmap_destroy(remote));
	return result;
}

static void has_read(struct doca_rdma_task_read *task, union doca_data user_data, union doca_data ctx_user_data)
{
	doca_error_t result = doca_task_get_status(doca_rdma_task_read_as_task(task));

	(void)user_data;
	(void)ctx_user_data;
	doca_task_free(doca_rdma_task_read_as_task(task));
	if (result == DOCA_SUCCESS && strcmp(core.memory + BACK_OFFSET, core.memory) != 0)
		result = DOCA_ERROR_UNEXPECTED;
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("Read from responder: \"%s\"", core.memory + BACK_OFFSET);
	rdma_end(&core, clean_up(result));
}

static doca_error_t read_back(void)
{
	struct doca_rdma_task_read *task;

	TRY(doca_rdma_task_read_allocate_init(core.rdma, core.conn, target, back, (union doca_data){.u64 = 0}, &task));
	TRY(doca_task_submit(doca_rdma_task_read_as_task(task)));
	return DOCA_SUCCESS;
}

static void written(struct doca_rdma_task_write *task, union doca_data user_data, union doca_data ctx_user_data)
{
	doca_error_t result = doca_task_get_status(doca_rdma_task_write_as_task(task));

	(void)user_data;
	(void)ctx_user_data;
	doca_task_free(doca_rdma_task_write_as_task(task));
	if (result == DOCA_SUCCESS)
		result = read_back();
	if (result != DOCA_SUCCESS)
		rdma_end(&core, clean_up(result));
}

static doca_error_t write_text(struct rdma_core *unused)
{
	struct doca_rdma_task_write *task;
	size_t len, text_len = strlen(core.config.text) + 1, remote_len;
	char desc[4096];
	void *addr;

	(void)unused;
	TRY(rdma_read_file(core.config.resource_path, desc, sizeof(desc), &len));
	TRY(doca_mmap_create_from_export(NULL, desc, len, core.dev, &remote));
	TRY(doca_mmap_get_memrange(remote, &addr, &remote_len));
	REQUIRE(remote_len == sizeof(core.memory));
	strcpy(core.memory, core.config.text);
	TRY(doca_buf_inventory_buf_get_by_data(core.inventory, core.mmap, core.memory, text_len, &src));
	TRY(doca_buf_inventory_buf_get_by_data(core.inventory, remote, addr, text_len, &target));
	TRY(doca_buf_inventory_buf_get_by_addr(core.inventory, core.mmap, core.memory + BACK_OFFSET, text_len, &back));
	TRY(doca_rdma_task_write_allocate_init(core.rdma, core.conn, src, target, (union doca_data){.u64 = 0}, &task));
	TRY(doca_task_submit(doca_rdma_task_write_as_task(task)));
	return DOCA_SUCCESS;
}

static doca_error_t run(void)
{
	core.connected = write_text;
	TRY(rdma_open(&core, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	TRY(doca_rdma_task_write_set_conf(core.rdma, written, written, 1));
	TRY(doca_rdma_task_read_set_conf(core.rdma, has_read, has_read, 1));
	return rdma_run(&core);
}

int main(int argc, char **argv)
{
	doca_error_t result = sample_start_log();

	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("Starting the sample");
	if (result == DOCA_SUCCESS)
		result = rdma_parse(&core, "rdma_write_requester", "Hi DOCA RDMA!", argc, argv);
	if (result == DOCA_SUCCESS)
		result = run();
	return sample_finish(result);
}
