/* SPDX-License-Identifier: Apache-2.0 */
#include <doca_dpa_dev_sync_event.h>

#include "emu_dpa_dev_library.h"

void doca_dpa_dev_sync_event_get(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t *value)
{
	emu_dpa_dev_ops->sync_event_get(dpa_dev_se_handle, value);
}

void doca_dpa_dev_sync_event_update_add(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value)
{
	emu_dpa_dev_ops->sync_event_update_add(dpa_dev_se_handle, value);
}

void doca_dpa_dev_sync_event_update_set(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value)
{
	emu_dpa_dev_ops->sync_event_update_set(dpa_dev_se_handle, value);
}

void doca_dpa_dev_sync_event_wait_gt(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t value, uint64_t mask)
{
	emu_dpa_dev_ops->sync_event_wait_gt(dpa_dev_se_handle, value, mask);
}

void doca_dpa_dev_sync_event_post_wait_gt(doca_dpa_dev_async_ops_t async_ops_handle,
					  doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value)
{
	emu_dpa_dev_ops->sync_event_post_wait_gt(async_ops_handle, wait_se_handle, value);
}

void doca_dpa_dev_sync_event_post_wait_ne(doca_dpa_dev_async_ops_t async_ops_handle,
					  doca_dpa_dev_sync_event_t wait_se_handle, uint64_t value)
{
	emu_dpa_dev_ops->sync_event_post_wait_ne(async_ops_handle, wait_se_handle, value);
}
