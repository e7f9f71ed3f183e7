/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of events on a DPA. */
#include "core/emulator.h"

#include <doca_sync_event.h>

#include "core/emu_fault.h"
#include "core/emu_log.h"

#include "emu_event_dpa.h"
#include "emu_syncevent.h"

static doca_error_t add_location(struct doca_sync_event *event, struct doca_dpa *dpa, struct doca_dpa **at,
				 uint32_t location)
{
	doca_error_t result = dpa == NULL ? DOCA_ERROR_INVALID_VALUE : emu_event_may_configure(event);

	if (result != DOCA_SUCCESS)
		return result;
	event->locations |= location;
	emu_event_dpa_add(at, dpa);
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event, struct doca_dpa *dpa)
{
	EMU_CALL("doca_sync_event_add_publisher_location_dpa");
	return add_location(event, dpa, event == NULL ? NULL : &event->publisher, EMU_EVENT_PUBLISHER);
}

doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event, struct doca_dpa *dpa)
{
	EMU_CALL("doca_sync_event_add_subscriber_location_dpa");
	return add_location(event, dpa, event == NULL ? NULL : &event->subscriber, EMU_EVENT_SUBSCRIBER);
}

doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
					    doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
{
	EMU_CALL("doca_sync_event_get_dpa_handle");
	doca_error_t result;

	if (event == NULL || dpa == NULL || dpa_dev_se_handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_event_dpa_handle(event, dpa, dpa_dev_se_handle);
	if (result == DOCA_ERROR_INVALID_VALUE)
		EMU_LOG_ERR("sync event: the DPA is neither a publisher nor a subscriber of the event");
	if (result == DOCA_ERROR_BAD_STATE)
		EMU_LOG_ERR("sync event: the event and the DPA must be started before the DPA can have a handle");
	return result;
}

doca_error_t doca_sync_event_remote_net_get_dpa_handle(struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
						       doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event)
{
	EMU_CALL("doca_sync_event_remote_net_get_dpa_handle");
	if (event == NULL || dpa == NULL || dpa_remote_event == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_event_dpa_remote_handle(event, dpa, dpa_remote_event);
}

/* Capabilities, which all devices have. */

doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_sync_event_cap_is_export_to_dpa_supported");
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_sync_event_cap_remote_net_is_export_to_dpa_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_sync_event_cap_remote_net_is_export_to_dpa_supported");
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}
