/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EVENT_DPA_H_
#define EMU_EVENT_DPA_H_

/*
 * Events whose publisher or subscriber is a DPA: their handles, and the functions of device code. A handle is valid while
 * the event is started.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/emulator.h"

#include "emu_syncevent.h"

struct doca_dpa;
struct doca_sync_event;
struct doca_sync_event_remote_net;

/* True if the DPA, or one that shares its process, may change the event, or read it. */
EMU_API bool emu_event_publishes(const struct doca_sync_event *event, const struct doca_dpa *dpa);
EMU_API bool emu_event_subscribes(const struct doca_sync_event *event, const struct doca_dpa *dpa);

/* The handle of an event (EMU_DPA_SYNC_EVENT, for struct doca_sync_event). INVALID_VALUE: the DPA is neither a publisher nor
 * a subscriber. BAD_STATE: the event or the DPA is not started. NO_MEMORY. */
EMU_API doca_error_t emu_event_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa, uint64_t *handle);
/* The handle of a remote event (EMU_DPA_REMOTE_SYNC_EVENT, for struct doca_sync_event_remote_net). BAD_STATE: the DPA is not
 * started. NOT_SUPPORTED: another DPA has one. NO_MEMORY. */
EMU_LOCAL doca_error_t emu_event_dpa_remote_handle(struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
						   uint64_t *handle);

/* Changes the value of the event with the handle, if that is still one. For what ends on the DPA. */
EMU_API void emu_event_dpa_update(uint64_t handle, enum emu_event_op op, uint64_t value);

/* Adds a location. The DPA cannot be destroyed before the event. */
EMU_LOCAL void emu_event_dpa_add(struct doca_dpa **at, struct doca_dpa *dpa);

/* The event stops: its handles end. Waits for device functions that use them. */
EMU_LOCAL void emu_event_dpa_end(struct doca_sync_event *event);
/* It is destroyed. */
EMU_LOCAL void emu_event_dpa_forget(struct doca_sync_event *event);
EMU_LOCAL void emu_event_dpa_forget_remote(struct doca_sync_event_remote_net *event);

#endif /* EMU_EVENT_DPA_H_ */
