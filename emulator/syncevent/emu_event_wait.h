/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EVENT_WAIT_H_
#define EMU_EVENT_WAIT_H_

/*
 * Waits for the value of an event, which keep no thread. One thread of the library looks at all events that are waited
 * for: when this process has changed an event, and now and then at those that others can change (processes across PCI,
 * or the program in memory of its own). It runs while there are waits.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/emulator.h"

struct doca_sync_event;

/* What the masked value must be, compared with a number. */
enum emu_event_condition {
	EMU_EVENT_GREATER,
	EMU_EVENT_NOT_LESS,
	EMU_EVENT_DIFFERENT,
};

/* The caller sets the first members, and keeps the memory until the wait has ended. */
struct emu_event_wait {
	struct doca_sync_event *event; /* started, and not made from an export */
	enum emu_event_condition condition;
	uint64_t value;
	uint64_t mask;
	/* Called once by the library's thread, without a lock; it may free the wait. It must not block, nor stop or destroy
	 * events. SUCCESS: the condition holds. BAD_STATE: the event was stopped or destroyed. NOT_CONNECTED: its device
	 * is lost. */
	void (*ended)(struct emu_event_wait *wait, doca_error_t status);

	struct emu_event_wait *next;
	uint64_t since;
	uint64_t look_at; /* 0: this process sees all changes */
	bool is_over;	  /* the event is stopped */
};

/* True if the condition holds now. */
EMU_API bool emu_event_holds(const struct doca_sync_event *event, enum emu_event_condition condition, uint64_t value,
			     uint64_t mask);

/* Begins a wait. SUCCESS: the condition holds already, and ended is not called. IN_PROGRESS: ended will be called.
 * Otherwise it is not: INVALID_VALUE: the event is made from an export. BAD_STATE: it is not started. NOT_CONNECTED: its
 * device is lost. NO_MEMORY: the system has no thread. Any thread may call it, with any lock that ended may take. */
EMU_API doca_error_t emu_event_wait_begin(struct emu_event_wait *wait);
/* Ends a wait early. False: ended was called, and has returned. Called without any lock that ended takes. */
EMU_API bool emu_event_wait_cancel(struct emu_event_wait *wait);

/* This process has changed the value of an event. */
EMU_LOCAL void emu_event_wait_look(void);
/* An event stops: its waits end with BAD_STATE before this returns. */
EMU_LOCAL void emu_event_wait_end(const struct doca_sync_event *event);
/* Prepares for forks. A lock under which the others here are called must have its fork handlers registered after this. */
EMU_LOCAL void emu_event_wait_watch_forks(void);

#endif /* EMU_EVENT_WAIT_H_ */
