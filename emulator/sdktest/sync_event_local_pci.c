/* SPDX-License-Identifier: Apache-2.0 */
/* Makes an event, exports it to sync_event_remote_pci.c, signals it and waits for the answer. */

#include "sync_event_common.h"

DOCA_LOG_REGISTER(SYNC_EVENT_LOCAL_PCI);

static doca_error_t talk(struct sync_event_peer *peer)
{
	const uint8_t *blob;
	size_t len;

	TRY(doca_sync_event_create(&peer->event));
	TRY(doca_sync_event_add_publisher_location_remote_pci(peer->event));
	TRY(doca_sync_event_add_subscriber_location_cpu(peer->event, peer->dev));
	TRY(sync_event_begin(peer));
	TRY(doca_sync_event_export_to_remote_pci(peer->event, peer->dev, &blob, &len));
	TRY(sync_event_connect(peer));
	TRY(comch_send(&peer->endpoint, blob, len));
	TRY(sync_event_signal(peer, 1));
	TRY(sync_event_await(peer, 2));
	TRY(sync_event_end(peer));
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	return sync_event_main(argc, argv, "doca_sync_event_local_pci", doca_sync_event_cap_is_export_to_remote_pci_supported,
			       talk);
}
