/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of events that doca_sync_event_start has started. */
#include "core/emulator.h"

#include <sched.h>

#include <doca_sync_event.h>

#include "core/emu_fault.h"

#include "emu_syncevent.h"

/* How many looks at the value a wait takes without giving the processor to other threads. */
#define SPINS_BEFORE_YIELD 1000

static doca_error_t check(const struct doca_sync_event *event)
{
	if (event == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return event->is_started ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
{
	EMU_CALL("doca_sync_event_get");
	doca_error_t result = value == NULL ? DOCA_ERROR_INVALID_VALUE : check(event);

	return result != DOCA_SUCCESS ? result : emu_event_access(event, EMU_EVENT_GET, 0, value);
}

doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value, uint64_t *fetched)
{
	EMU_CALL("doca_sync_event_update_add");
	doca_error_t result = fetched == NULL ? DOCA_ERROR_INVALID_VALUE : check(event);

	return result != DOCA_SUCCESS ? result : emu_event_access(event, EMU_EVENT_ADD, value, fetched);
}

doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
{
	EMU_CALL("doca_sync_event_update_set");
	doca_error_t result = check(event);

	return result != DOCA_SUCCESS ? result : emu_event_access(event, EMU_EVENT_SET, value, NULL);
}

/* Waits. */

static bool is_greater(uint64_t now, uint64_t value)
{
	return now > value;
}

static bool is_equal(uint64_t now, uint64_t value)
{
	return now == value;
}

static bool differs(uint64_t now, uint64_t value)
{
	return now != value;
}

static inline void pause_cpu(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Without a yield now and then, the thread that changes the value may not run at all: there may be but one processor. */
static doca_error_t wait(struct doca_sync_event *event, uint64_t value, uint64_t mask, bool yields,
			 bool (*is_reached)(uint64_t now, uint64_t value))
{
	doca_error_t result = check(event);
	uint64_t now;

	for (unsigned int spins = 1; result == DOCA_SUCCESS; spins++) {
		result = emu_event_access(event, EMU_EVENT_GET, 0, &now);
		if (result == DOCA_SUCCESS && is_reached(now & mask, value))
			break;
		if (yields || spins % SPINS_BEFORE_YIELD == 0)
			sched_yield();
		else
			pause_cpu();
	}
	return result;
}

doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	EMU_CALL("doca_sync_event_wait_gt");
	return wait(event, value, mask, false, is_greater);
}

doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	EMU_CALL("doca_sync_event_wait_gt_yield");
	return wait(event, value, mask, true, is_greater);
}

doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	EMU_CALL("doca_sync_event_wait_eq");
	return wait(event, value, mask, false, is_equal);
}

doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	EMU_CALL("doca_sync_event_wait_eq_yield");
	return wait(event, value, mask, true, is_equal);
}

doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	EMU_CALL("doca_sync_event_wait_neq");
	return wait(event, value, mask, false, differs);
}

doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	EMU_CALL("doca_sync_event_wait_neq_yield");
	return wait(event, value, mask, true, differs);
}
