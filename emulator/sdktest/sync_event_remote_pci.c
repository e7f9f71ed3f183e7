/* SPDX-License-Identifier: Apache-2.0 */
/* Imports the event of sync_event_local_pci.c, waits for its signal and answers it. */

#include "sync_event_common.h"

DOCA_LOG_REGISTER(SYNC_EVENT_REMOTE_PCI);

static doca_error_t talk(struct sync_event_peer *peer)
{
	TRY(sync_event_connect(peer));
	TRY(sync_event_receive(peer));
	TRY(doca_sync_event_create_from_export(peer->dev, peer->blob, peer->blob_len, &peer->event));
	TRY(sync_event_begin(peer));
	TRY(sync_event_await(peer, 1));
	TRY(sync_event_signal(peer, 2));
	TRY(sync_event_end(peer));
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	return sync_event_main(argc, argv, "doca_sync_event_remote_pci", doca_sync_event_cap_is_create_from_export_supported,
			       talk);
}
