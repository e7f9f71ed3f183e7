/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EVENT_TASK_H_
#define EMU_EVENT_TASK_H_

/*
 * The tasks of sync events. Get, set and add run in the engine's queue. Tasks that wait are kept in a list of their
 * event, which doca_pe_progress goes through.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/emulator.h"
#include "core/emu_task.h"

#include "emu_syncevent.h"

/* What every kind of task is. */
struct emu_event_task {
	struct doca_task base;
	enum emu_event_task_kind kind;
	uint64_t value; /* to set, to add or to wait for */
	uint64_t mask;
	uint64_t *ptr; /* where the value goes: after a get, and that before an add */
	uint64_t since; /* when a wait was submitted */
};

EMU_LOCAL doca_error_t emu_event_task_set_conf(struct doca_sync_event *event, enum emu_event_task_kind kind,
					       void (*completion_cb)(void), void (*error_cb)(void), uint32_t num_tasks);
/* Allocates a task. The caller sets its arguments. */
EMU_LOCAL doca_error_t emu_event_task_alloc(struct doca_sync_event *event, enum emu_event_task_kind kind,
					    union doca_data user_data, struct emu_event_task **task);

/* The steps of the event's context. INITIALIZATION: no tasks are configured, or there is no memory for them. */
EMU_LOCAL doca_error_t emu_event_tasks_start(struct doca_sync_event *event);
EMU_LOCAL void emu_event_tasks_stop(struct doca_sync_event *event);
EMU_LOCAL void emu_event_tasks_destroy(struct doca_sync_event *event);
EMU_LOCAL bool emu_event_tasks_progress(struct doca_sync_event *event);
EMU_LOCAL bool emu_event_tasks_pending(struct doca_sync_event *event);
EMU_LOCAL uint64_t emu_event_tasks_next_look(const struct doca_sync_event *event);

#endif /* EMU_EVENT_TASK_H_ */
