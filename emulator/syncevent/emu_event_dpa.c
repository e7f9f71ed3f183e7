/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_async.h"
#include "dpacore/emu_dpa_completion.h"
#include "dpacore/emu_dpa_dev.h"
#include "dpacore/emu_dpa_handle.h"
#include "dpacore/emu_dpa_run.h"

#include "emu_event_dpa.h"
#include "emu_event_wait.h"
#include "emu_syncevent.h"

/* What a posted wait may compare with. */
#define MAX_WAIT_VALUE 254

/* Who may do what. */

static bool shares_process(const struct doca_dpa *a, const struct doca_dpa *b)
{
	return a != NULL && a->base == b->base;
}

bool emu_event_publishes(const struct doca_sync_event *event, const struct doca_dpa *dpa)
{
	return shares_process(event->publisher, dpa);
}

bool emu_event_subscribes(const struct doca_sync_event *event, const struct doca_dpa *dpa)
{
	return shares_process(event->subscriber, dpa);
}

/* Returns the event until the device function exits. Ends the run if the DPA has no such location. */
static struct doca_sync_event *lookup(struct emu_dpa_run *run, uint64_t handle, bool changes)
{
	struct doca_sync_event *event = emu_dpa_lookup(run, handle, EMU_DPA_SYNC_EVENT);

	if (changes && !emu_event_publishes(event, run->dpa))
		emu_dpa_fatal(run, "the DPA is no publisher of the sync event "
				   "(doca_sync_event_add_publisher_location_dpa)");
	if (!changes && !emu_event_subscribes(event, run->dpa))
		emu_dpa_fatal(run, "the DPA is no subscriber of the sync event "
				   "(doca_sync_event_add_subscriber_location_dpa)");
	return event;
}

/* Device functions. */

static uint64_t access_event(const char *function, uint64_t handle, enum emu_event_op op, uint64_t value)
{
	struct emu_dpa_run *run = emu_dpa_enter(function);
	struct doca_sync_event *event = lookup(run, handle, op != EMU_EVENT_GET);
	uint64_t old = 0;

	if (emu_event_access(event, op, value, &old) != DOCA_SUCCESS)
		emu_dpa_fatal(run, "the device of the sync event is lost");
	emu_dpa_exit(run);
	return old;
}

static void dev_get(uint64_t handle, uint64_t *value)
{
	*value = access_event("doca_dpa_dev_sync_event_get", handle, EMU_EVENT_GET, 0);
}

static void dev_update_add(uint64_t handle, uint64_t value)
{
	access_event("doca_dpa_dev_sync_event_update_add", handle, EMU_EVENT_ADD, value);
}

static void dev_update_set(uint64_t handle, uint64_t value)
{
	access_event("doca_dpa_dev_sync_event_update_set", handle, EMU_EVENT_SET, value);
}

static void dev_wait_gt(uint64_t handle, uint64_t value, uint64_t mask)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_sync_event_wait_gt");

	while (!emu_event_holds(lookup(run, handle, false), EMU_EVENT_GREATER, value, mask))
		emu_dpa_pause(run);
	emu_dpa_exit(run);
}

/* Posted waits. */

/* What a queue of operations keeps of its wait. */
struct posted {
	struct emu_event_wait wait;
	struct doca_dpa_async_ops *async;
};

_Static_assert(sizeof(struct posted) <= EMU_DPA_ASYNC_WAIT_SIZE, "the wait of a queue is too large");

static struct posted *posted_of(struct doca_dpa_async_ops *async)
{
	return (struct posted *)(void *)async->wait_state;
}

static void posted_ended(struct emu_event_wait *wait, doca_error_t status)
{
	emu_dpa_async_wait_ended(((struct posted *)wait)->async, status);
}

static doca_error_t begin(struct doca_dpa_async_ops *async, const struct emu_dpa_async_op *op,
			  enum emu_event_condition condition)
{
	struct posted *posted = posted_of(async);

	*posted = (struct posted){.async = async};
	posted->wait.event = emu_dpa_peek(op->event, EMU_DPA_SYNC_EVENT);
	posted->wait.condition = condition;
	posted->wait.value = op->value;
	posted->wait.mask = UINT64_MAX;
	posted->wait.ended = posted_ended;
	return posted->wait.event == NULL ? DOCA_ERROR_BAD_STATE : emu_event_wait_begin(&posted->wait);
}

static void cancel(struct doca_dpa_async_ops *async)
{
	emu_event_wait_cancel(&posted_of(async)->wait);
}

static doca_error_t begin_greater(struct doca_dpa_async_ops *async, const struct emu_dpa_async_op *op)
{
	return begin(async, op, EMU_EVENT_GREATER);
}

static doca_error_t begin_different(struct doca_dpa_async_ops *async, const struct emu_dpa_async_op *op)
{
	return begin(async, op, EMU_EVENT_DIFFERENT);
}

static const struct emu_dpa_async_wait until_greater = {.begin = begin_greater, .cancel = cancel};
static const struct emu_dpa_async_wait until_different = {.begin = begin_different, .cancel = cancel};

static void post_wait(const char *function, uint64_t async_ops, uint64_t handle, uint64_t value,
		      const struct emu_dpa_async_wait *wait)
{
	struct emu_dpa_run *run = emu_dpa_enter(function);
	struct emu_dpa_async_op op = {.wait = wait, .event = handle, .value = value, .flags = EMU_DPA_SUBMIT_FLUSH};

	if (value > MAX_WAIT_VALUE)
		emu_dpa_fatal(run, "the value to wait for is larger than %d", MAX_WAIT_VALUE);
	lookup(run, handle, false);
	emu_dpa_async_post(run, async_ops, &op);
	emu_dpa_exit(run);
}

static void dev_post_wait_gt(uint64_t async_ops, uint64_t handle, uint64_t value)
{
	post_wait("doca_dpa_dev_sync_event_post_wait_gt", async_ops, handle, value, &until_greater);
}

static void dev_post_wait_ne(uint64_t async_ops, uint64_t handle, uint64_t value)
{
	post_wait("doca_dpa_dev_sync_event_post_wait_ne", async_ops, handle, value, &until_different);
}

static const struct emu_dpa_dev_ops dev_ops = {
	.sync_event_get = dev_get,
	.sync_event_update_add = dev_update_add,
	.sync_event_update_set = dev_update_set,
	.sync_event_wait_gt = dev_wait_gt,
	.sync_event_post_wait_gt = dev_post_wait_gt,
	.sync_event_post_wait_ne = dev_post_wait_ne,
};

/* Handles. */

static doca_error_t open_handle(enum emu_dpa_kind kind, struct doca_dpa *dpa, void *object, uint64_t *handle)
{
	doca_error_t result;

	if (!emu_dpa_is_started(dpa))
		return DOCA_ERROR_BAD_STATE;
	result = emu_dpa_handle_open(kind, dpa, object, handle);
	if (result == DOCA_SUCCESS)
		emu_dpa_dev_ops_set_sync_event(&dev_ops);
	return result;
}

doca_error_t emu_event_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa, uint64_t *handle)
{
	uint64_t *at;
	doca_error_t result = DOCA_SUCCESS;

	if (emu_event_publishes(event, dpa))
		at = &event->publisher_handle;
	else if (emu_event_subscribes(event, dpa))
		at = &event->subscriber_handle;
	else
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_event_is_running(event))
		return DOCA_ERROR_BAD_STATE;
	if (*at == 0)
		result = open_handle(EMU_DPA_SYNC_EVENT, dpa->base, event, at);
	*handle = *at;
	return result;
}

doca_error_t emu_event_dpa_remote_handle(struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
					 uint64_t *handle)
{
	doca_error_t result;

	if (event->dpa != NULL && !shares_process(event->dpa, dpa))
		return DOCA_ERROR_NOT_SUPPORTED;
	if (event->dpa == NULL) {
		result = open_handle(EMU_DPA_REMOTE_SYNC_EVENT, dpa->base, event, &event->handle);
		if (result != DOCA_SUCCESS)
			return result;
		emu_event_dpa_add(&event->dpa, dpa->base);
	}
	*handle = event->handle;
	return DOCA_SUCCESS;
}

void emu_event_dpa_update(uint64_t handle, enum emu_event_op op, uint64_t value)
{
	struct emu_dpa_run reader = {.dpa = NULL};
	struct doca_sync_event *event;

	emu_dpa_run_join(&reader);
	emu_dpa_run_begin(&reader);
	event = emu_dpa_peek(handle, EMU_DPA_SYNC_EVENT);
	if (event != NULL)
		emu_event_access(event, op, value, NULL);
	emu_dpa_run_end(&reader);
	emu_dpa_run_quit(&reader);
}

/* Life. */

void emu_event_dpa_add(struct doca_dpa **at, struct doca_dpa *dpa)
{
	if (*at != NULL)
		emu_dpa_remove_object(*at);
	*at = dpa;
	if (dpa != NULL)
		emu_dpa_add_object(dpa);
}

void emu_event_dpa_end(struct doca_sync_event *event)
{
	emu_dpa_handle_close(event->publisher_handle);
	emu_dpa_handle_close(event->subscriber_handle);
	event->publisher_handle = 0;
	event->subscriber_handle = 0;
}

void emu_event_dpa_forget(struct doca_sync_event *event)
{
	emu_event_dpa_add(&event->publisher, NULL);
	emu_event_dpa_add(&event->subscriber, NULL);
}

void emu_event_dpa_forget_remote(struct doca_sync_event_remote_net *event)
{
	emu_dpa_handle_close(event->handle);
	emu_event_dpa_add(&event->dpa, NULL);
}
