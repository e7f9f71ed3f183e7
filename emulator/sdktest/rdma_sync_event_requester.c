/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the sync event of rdma_sync_event_responder, reads it, and adds to it. */

#include <string.h>

#include <doca_sync_event.h>

#include "rdma_common.h"

DOCA_LOG_REGISTER(RDMA_SYNC_EVENT_REQUESTER::MAIN);

#define VALUE 1
#define INCREMENT 1

static struct doca_sync_event_remote_net *event;
static struct doca_rdma_connection *peer;

/* The word that a task has left in its buffer. */
static uint64_t word_of(const struct doca_buf *buf)
{
	void *data = NULL;
	uint64_t word;

	(void)doca_buf_get_data(buf, &data);
	memcpy(&word, data, sizeof(word));
	return word;
}

static doca_error_t get_dst(struct rdma_resources *resources, struct doca_buf **dst)
{
	TRY(doca_buf_inventory_buf_get_by_addr(resources->inventory, resources->mmap, resources->memory, sizeof(uint64_t),
					       dst));
	return DOCA_SUCCESS;
}

/* ---- Third: add ---- */

static void added(struct doca_rdma_task_remote_net_sync_event_notify_add *task, union doca_data user_data,
		  union doca_data ctx_user_data)
{
	struct doca_task *base = doca_rdma_task_remote_net_sync_event_notify_add_as_task(task);
	struct doca_buf *old = doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf(task);
	doca_error_t result = doca_task_get_status(base);

	(void)user_data;
	if (result == DOCA_SUCCESS) {
		DOCA_LOG_INFO("Sync event: added %d to %lu", INCREMENT, word_of(old));
		if (word_of(old) != VALUE)
			result = DOCA_ERROR_UNEXPECTED;
	}
	rdma_task_over(ctx_user_data.ptr, base, result, NULL, old);
}

static doca_error_t add(struct rdma_resources *resources)
{
	const union doca_data none = {.u64 = 0};
	struct doca_rdma_task_remote_net_sync_event_notify_add *task;
	struct doca_buf *old;

	TRY(get_dst(resources, &old));
	TRY(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(resources->rdma, peer, event, old, INCREMENT, none,
									  &task));
	TRY(rdma_submit(resources, doca_rdma_task_remote_net_sync_event_notify_add_as_task(task)));
	return DOCA_SUCCESS;
}

/* ---- Second: get ---- */

static void gotten(struct doca_rdma_task_remote_net_sync_event_get *task, union doca_data user_data,
		   union doca_data ctx_user_data)
{
	struct doca_task *base = doca_rdma_task_remote_net_sync_event_get_as_task(task);
	struct doca_buf *dst = doca_rdma_task_remote_net_sync_event_get_get_dst_buf(task);
	doca_error_t result = doca_task_get_status(base);

	(void)user_data;
	if (result == DOCA_SUCCESS) {
		DOCA_LOG_INFO("Sync event: is %lu", word_of(dst));
		if (word_of(dst) != VALUE ||
		    doca_rdma_task_remote_net_sync_event_get_get_result_len(task) != sizeof(uint64_t))
			result = DOCA_ERROR_UNEXPECTED;
	}
	if (result == DOCA_SUCCESS)
		result = add(ctx_user_data.ptr);
	rdma_task_over(ctx_user_data.ptr, base, result, NULL, dst);
}

static doca_error_t get(struct rdma_resources *resources)
{
	const union doca_data none = {.u64 = 0};
	struct doca_rdma_task_remote_net_sync_event_get *task;
	struct doca_buf *dst;

	TRY(get_dst(resources, &dst));
	TRY(doca_rdma_task_remote_net_sync_event_get_allocate_init(resources->rdma, peer, event, dst, none, &task));
	TRY(rdma_submit(resources, doca_rdma_task_remote_net_sync_event_get_as_task(task)));
	return DOCA_SUCCESS;
}

/* ---- First: set ---- */

static void was_set(struct doca_rdma_task_remote_net_sync_event_notify_set *task, union doca_data user_data,
		    union doca_data ctx_user_data)
{
	struct doca_task *base = doca_rdma_task_remote_net_sync_event_notify_set_as_task(task);
	const struct doca_buf *src = doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf(task);
	doca_error_t result = doca_task_get_status(base);

	(void)user_data;
	if (result == DOCA_SUCCESS) {
		DOCA_LOG_INFO("Sync event: set to %d", VALUE);
		result = get(ctx_user_data.ptr);
	}
	rdma_task_over(ctx_user_data.ptr, base, result, src, NULL);
}

static doca_error_t set(struct rdma_resources *resources, struct doca_rdma_connection *connection)
{
	const union doca_data none = {.u64 = 0};
	const uint64_t value = VALUE;
	struct doca_rdma_task_remote_net_sync_event_notify_set *task;
	struct doca_buf *src;

	peer = connection;
	memcpy(resources->memory, &value, sizeof(value));
	TRY(doca_buf_inventory_buf_get_by_data(resources->inventory, resources->mmap, resources->memory, sizeof(value),
					       &src));
	TRY(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(resources->rdma, peer, event, src, none, &task));
	TRY(rdma_submit(resources, doca_rdma_task_remote_net_sync_event_notify_set_as_task(task)));
	return DOCA_SUCCESS;
}

static doca_error_t configure(struct rdma_resources *resources)
{
	TRY(doca_rdma_task_remote_net_sync_event_notify_set_set_conf(resources->rdma, was_set, was_set, 1));
	TRY(doca_rdma_task_remote_net_sync_event_get_set_conf(resources->rdma, gotten, gotten, 1));
	TRY(doca_rdma_task_remote_net_sync_event_notify_add_set_conf(resources->rdma, added, added, 1));
	return DOCA_SUCCESS;
}

static doca_error_t import_event(struct rdma_resources *resources, const void *desc, size_t len)
{
	TRY(doca_sync_event_remote_net_create_from_export(resources->dev, desc, len, &event));
	return DOCA_SUCCESS;
}

static doca_error_t is_supported(const struct doca_devinfo *devinfo)
{
	doca_error_t result = doca_sync_event_cap_remote_net_is_create_from_export_supported(devinfo);

	DOCA_ERROR_PROPAGATE(result, doca_rdma_cap_task_remote_net_sync_event_get_is_supported(devinfo));
	DOCA_ERROR_PROPAGATE(result, doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported(devinfo));
	DOCA_ERROR_PROPAGATE(result, doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported(devinfo));
	return result;
}

static doca_error_t destroy(struct rdma_resources *resources)
{
	(void)resources;
	return event != NULL ? doca_sync_event_remote_net_destroy(event) : DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct rdma_sample sample = {
		.name = "doca_rdma_sync_event_requester",
		.params = RDMA_PARAM_RESOURCE,
		.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
		.rdma_permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
		.is_supported = is_supported,
		.configure = configure,
		.import_resource = import_event,
		.connected = set,
		.destroy = destroy,
	};

	return rdma_main(&sample, argc, argv);
}
