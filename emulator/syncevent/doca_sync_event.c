/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_sync_event.h>

#include "core/emu_buf.h"
#include "core/emu_ctx.h"
#include "core/emu_dev.h"
#include "core/emu_export.h"
#include "core/emu_export_wire.h"
#include "core/emu_fault.h"
#include "core/emu_log.h"
#include "core/emu_peer.h"

#include "emu_event_dpa.h"
#include "emu_event_task.h"
#include "emu_event_wait.h"
#include "emu_syncevent.h"

/* What the map of a buffer for a value must permit. */
#define BUF_PERMISSIONS                                                                            \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |   \
	 DOCA_ACCESS_FLAG_RDMA_ATOMIC)

/* Starting and stopping, in either way. */

/* An event for a peer across PCI has its value in a page that the peer can map, unless the program has the memory. */
static doca_error_t place_value(struct doca_sync_event *event)
{
	struct doca_mmap *map = &event->map;

	if (event->import != NULL)
		return DOCA_SUCCESS;
	if (event->addr == NULL && (event->locations & EMU_EVENT_REMOTE_PCI) != 0 && map->page == NULL) {
		map->page = emu_shared_new("doca-event", EMU_EXPORT_SHARED_SIZE, EMU_EXPORT_SHARED_SIZE, &map->page_fd);
		if (map->page == NULL)
			return DOCA_ERROR_NO_MEMORY;
		map->page->word = event->own;
	}
	map->permissions = map->page == NULL || event->addr != NULL ? 0 : EMU_EXPORT_WORD_IN_PAGE;
	if (event->addr != NULL)
		map->addr = (uint8_t *)event->addr;
	else
		map->addr = (uint8_t *)(map->page == NULL ? &event->own : &map->page->word);
	map->len = sizeof(uint64_t);
	return DOCA_SUCCESS;
}

static doca_error_t begin(struct doca_sync_event *event)
{
	const uint32_t both = EMU_EVENT_PUBLISHER | EMU_EVENT_SUBSCRIBER;

	if (event->import == NULL && (event->locations & both) != both) {
		EMU_LOG_ERR("sync event: it needs a publisher and a subscriber location");
		return DOCA_ERROR_BAD_STATE;
	}
	return place_value(event);
}

/* Nobody reads or changes the value any more. */
static doca_error_t end_uses(struct doca_sync_event *event)
{
	emu_event_dpa_end(event);
	emu_event_wait_end(event);
	emu_event_net_end(event);
	return emu_export_end_all(&event->map);
}

static doca_error_t ctx_start(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = (struct doca_sync_event *)ctx;

	if (event->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (begin(event) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	return emu_event_tasks_start(event);
}

static bool ctx_stop(struct doca_ctx *ctx)
{
	emu_event_tasks_stop((struct doca_sync_event *)ctx);
	return true;
}

static bool ctx_progress(struct doca_ctx *ctx)
{
	return emu_event_tasks_progress((struct doca_sync_event *)ctx);
}

static bool ctx_pending(const struct doca_ctx *ctx)
{
	return emu_event_tasks_pending((struct doca_sync_event *)(uintptr_t)ctx);
}

static uint64_t ctx_next_look(const struct doca_ctx *ctx)
{
	return emu_event_tasks_next_look((const struct doca_sync_event *)ctx);
}

static void ctx_idle(struct doca_ctx *ctx)
{
	end_uses((struct doca_sync_event *)ctx);
}

static const struct emu_ctx_ops event_ops = {
	.start = ctx_start,
	.stop = ctx_stop,
	.progress = ctx_progress,
	.pending = ctx_pending,
	.next_look = ctx_next_look,
	.idle = ctx_idle,
};

doca_error_t doca_sync_event_start(struct doca_sync_event *event)
{
	EMU_CALL("doca_sync_event_start");
	doca_error_t result;

	if (event == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (event->is_started || event->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	result = begin(event);
	event->is_started = result == DOCA_SUCCESS;
	return result;
}

doca_error_t doca_sync_event_stop(struct doca_sync_event *event)
{
	EMU_CALL("doca_sync_event_stop");
	doca_error_t result;

	if (event == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (event->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	result = end_uses(event);
	if (result == DOCA_SUCCESS)
		event->is_started = false;
	return result;
}

struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event)
{
	return event == NULL ? NULL : &event->ctx;
}

/* Creation and destruction. */

static doca_error_t create(struct doca_dev *dev, struct doca_sync_event **event)
{
	struct doca_sync_event *made = calloc(1, sizeof(*made));
	doca_error_t result;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = emu_ctx_init(&made->ctx, &event_ops, dev);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	*event = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_create(struct doca_sync_event **event)
{
	EMU_CALL("doca_sync_event_create");
	return event == NULL ? DOCA_ERROR_INVALID_VALUE : create(NULL, event);
}

doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
						struct doca_sync_event **event)
{
	EMU_CALL("doca_sync_event_create_from_export");
	struct emu_export *import;
	doca_error_t result;

	if (dev == NULL || data == NULL || sz == 0 || event == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_dev_is_lost(dev))
		return DOCA_ERROR_DRIVER;
	result = emu_export_find(data, sz, dev->info.function, true, &import);
	if (result != DOCA_SUCCESS)
		return result;
	result = create(dev, event);
	if (result != DOCA_SUCCESS) {
		emu_export_unref(import);
		return result;
	}
	(*event)->import = import;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
{
	EMU_CALL("doca_sync_event_destroy");
	doca_error_t result;

	if (event == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (event->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_IN_USE;
	result = end_uses(event);
	if (result != DOCA_SUCCESS)
		return result;
	result = emu_ctx_fini(&event->ctx);
	if (result != DOCA_SUCCESS)
		return result;
	emu_event_tasks_destroy(event);
	emu_event_dpa_forget(event);
	if (event->import != NULL)
		emu_export_unref(event->import);
	if (event->map.page != NULL) {
		munmap(event->map.page, EMU_EXPORT_SHARED_SIZE);
		close(event->map.page_fd);
	}
	free(event);
	return DOCA_SUCCESS;
}

/* Configuration. */

static doca_error_t add_location(struct doca_sync_event *event, uint32_t location)
{
	doca_error_t result = emu_event_may_configure(event);

	if (result == DOCA_SUCCESS)
		event->locations |= location;
	return result;
}

static doca_error_t add_cpu(struct doca_sync_event *event, struct doca_dev *dev, uint32_t location)
{
	doca_error_t result = dev == NULL ? DOCA_ERROR_INVALID_VALUE : add_location(event, location);

	if (result == DOCA_SUCCESS && event->ctx.dev == NULL) {
		event->ctx.dev = dev;
		emu_dev_add_ctx(&event->ctx);
	}
	return result;
}

doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event, struct doca_dev *dev)
{
	EMU_CALL("doca_sync_event_add_publisher_location_cpu");
	return add_cpu(event, dev, EMU_EVENT_PUBLISHER);
}

doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event)
{
	EMU_CALL("doca_sync_event_add_publisher_location_remote_pci");
	return add_location(event, EMU_EVENT_PUBLISHER | EMU_EVENT_REMOTE_PCI);
}

doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event)
{
	EMU_CALL("doca_sync_event_add_publisher_location_remote_net");
	return add_location(event, EMU_EVENT_PUBLISHER | EMU_EVENT_REMOTE_NET);
}

doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event, struct doca_dev *dev)
{
	EMU_CALL("doca_sync_event_add_subscriber_location_cpu");
	return add_cpu(event, dev, EMU_EVENT_SUBSCRIBER);
}

doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event)
{
	EMU_CALL("doca_sync_event_add_subscriber_location_remote_pci");
	return add_location(event, EMU_EVENT_SUBSCRIBER | EMU_EVENT_REMOTE_PCI);
}

static doca_error_t set_memory(struct doca_sync_event *event, void *addr, bool is_buf, uint32_t permissions)
{
	if ((uintptr_t)addr % sizeof(uint64_t) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	event->addr = addr;
	event->addr_is_buf = is_buf;
	event->permissions = permissions;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr)
{
	EMU_CALL("doca_sync_event_set_addr");
	doca_error_t result = addr == NULL ? DOCA_ERROR_INVALID_VALUE : emu_event_may_configure(event);

	return result != DOCA_SUCCESS ? result : set_memory(event, addr, false, 0);
}

doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf)
{
	EMU_CALL("doca_sync_event_set_doca_buf");
	doca_error_t result = buf == NULL ? DOCA_ERROR_INVALID_VALUE : emu_event_may_configure(event);
	const struct doca_mmap *map;

	if (result != DOCA_SUCCESS)
		return result;
	map = buf->mmap;
	if (buf->data_len != sizeof(uint64_t) || buf->next != NULL || map == NULL || !emu_mmap_is_usable(map) ||
	    map->import != NULL || (map->permissions & BUF_PERMISSIONS) != BUF_PERMISSIONS ||
	    !emu_within(buf->data, buf->data_len, map->addr, map->len))
		return DOCA_ERROR_NOT_PERMITTED;
	return set_memory(event, buf->data, true, map->permissions);
}

/* Exports. */

static doca_error_t may_export(const struct doca_sync_event *event, uint32_t location)
{
	if ((event->locations & location) == 0) {
		EMU_LOG_ERR("sync event: it has no location to export it to, or was made from an export");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return emu_event_is_running(event) ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event, struct doca_dev *dev,
						  const uint8_t **data, size_t *sz)
{
	EMU_CALL("doca_sync_event_export_to_remote_pci");
	struct emu_export *export;
	doca_error_t result;

	if (event == NULL || dev == NULL || data == NULL || sz == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = may_export(event, EMU_EVENT_REMOTE_PCI);
	if (result != DOCA_SUCCESS)
		return result;
	if (event->addr_is_buf && (event->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE) == 0) {
		EMU_LOG_ERR("sync event: the memory map of its buffer does not permit reads and writes over PCI");
		return DOCA_ERROR_NOT_PERMITTED;
	}
	if (emu_dev_is_lost(dev))
		return DOCA_ERROR_DRIVER;
	result = emu_export_get(&event->map, dev, EMU_EXPORT_EVENT, &export);
	if (result != DOCA_SUCCESS)
		return result;
	*data = (const uint8_t *)&export->desc;
	*sz = sizeof(export->desc);
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event, const uint8_t **data, size_t *sz)
{
	EMU_CALL("doca_sync_event_export_to_remote_net");
	doca_error_t result;

	if (event == NULL || data == NULL || sz == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = may_export(event, EMU_EVENT_REMOTE_NET);
	if (result == DOCA_SUCCESS)
		result = emu_event_net_export(event);
	if (result != DOCA_SUCCESS)
		return result;
	*data = (const uint8_t *)&event->net;
	*sz = sizeof(event->net);
	return DOCA_SUCCESS;
}

/* Handles of remote events. */

doca_error_t doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
							   struct doca_sync_event_remote_net **event)
{
	EMU_CALL("doca_sync_event_remote_net_create_from_export");
	struct doca_sync_event_remote_net *made;
	struct emu_event_key key;
	doca_error_t result;

	if (dev == NULL || data == NULL || event == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (emu_dev_is_lost(dev))
		return DOCA_ERROR_DRIVER;
	result = emu_event_net_read(data, sz, &key);
	if (result != DOCA_SUCCESS)
		return result;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->key = key;
	*event = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event)
{
	EMU_CALL("doca_sync_event_remote_net_destroy");
	if (event == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_event_dpa_forget_remote(event);
	free(event);
	return DOCA_SUCCESS;
}

/* Capabilities, which all devices have. */

static doca_error_t has(const struct doca_devinfo *devinfo)
{
	return devinfo == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

doca_error_t doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_sync_event_cap_is_create_from_export_supported");
	return has(devinfo);
}

doca_error_t doca_sync_event_cap_is_export_to_remote_pci_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_sync_event_cap_is_export_to_remote_pci_supported");
	return has(devinfo);
}

doca_error_t doca_sync_event_cap_is_export_to_remote_net_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_sync_event_cap_is_export_to_remote_net_supported");
	return has(devinfo);
}

doca_error_t doca_sync_event_cap_remote_net_is_create_from_export_supported(const struct doca_devinfo *devinfo)
{
	EMU_CALL("doca_sync_event_cap_remote_net_is_create_from_export_supported");
	return has(devinfo);
}
