/* SPDX-License-Identifier: Apache-2.0 */
/* Waits until rdma_sync_event_requester has changed its sync event. */

#include <doca_sync_event.h>

#include "rdma_common.h"

DOCA_LOG_REGISTER(RDMA_SYNC_EVENT_RESPONDER::MAIN);

static struct doca_sync_event *event;

static doca_error_t configure(struct rdma_resources *resources)
{
	TRY(doca_sync_event_create(&event));
	TRY(doca_sync_event_add_publisher_location_remote_net(event));
	TRY(doca_sync_event_add_subscriber_location_cpu(event, resources->dev));
	TRY(doca_sync_event_start(event));
	return DOCA_SUCCESS;
}

static doca_error_t export_event(struct rdma_resources *resources, const void **desc, size_t *len)
{
	const uint8_t *bytes;

	(void)resources;
	TRY(doca_sync_event_export_to_remote_net(event, &bytes, len));
	*desc = bytes;
	return DOCA_SUCCESS;
}

/* By files this runs in the state callback, inside doca_ctx_start, and by address in a completion callback. The event
 * changes although this program makes no progress. */
static doca_error_t wait_for_event(struct rdma_resources *resources, struct doca_rdma_connection *connection)
{
	(void)connection;
	DOCA_LOG_INFO("Waiting until the sync event is greater than 0");
	TRY(doca_sync_event_wait_gt_yield(event, 0, UINT64_MAX));
	DOCA_LOG_INFO("The sync event has changed");
	if (resources->config.use_cm) /* the requester disconnects */
		return DOCA_SUCCESS;
	rdma_wait_for_enter("When the requester has ended");
	rdma_end(resources, DOCA_SUCCESS);
	return DOCA_SUCCESS;
}

static doca_error_t show(struct rdma_resources *resources)
{
	uint64_t value;

	(void)resources;
	TRY(doca_sync_event_get(event, &value));
	DOCA_LOG_INFO("Sync event value: %lu", value);
	return DOCA_SUCCESS;
}

static doca_error_t is_supported(const struct doca_devinfo *devinfo)
{
	return doca_sync_event_cap_is_export_to_remote_net_supported(devinfo);
}

static doca_error_t destroy(struct rdma_resources *resources)
{
	(void)resources;
	if (event == NULL)
		return DOCA_SUCCESS;
	TRY(doca_sync_event_stop(event));
	TRY(doca_sync_event_destroy(event));
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct rdma_sample sample = {
		.name = "doca_rdma_sync_event_responder",
		.params = RDMA_PARAM_RESOURCE,
		.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
		.rdma_permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
				    DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC,
		.is_supported = is_supported,
		.configure = configure,
		.export_resource = export_event,
		.connected = wait_for_event,
		.over = show,
		.destroy = destroy,
	};

	return rdma_main(&sample, argc, argv);
}
