/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include "core/emu_clock.h"
#include "core/emu_ctx.h"
#include "core/emu_notify.h"
#include "core/emu_pe.h"

#include "emu_event_task.h"

#define MAX_NUM_TASKS 65536
#define MAX_WAIT_VALUE 254

/* How long an armed engine sleeps between two looks at the value that a task waits for: an eighth of the time that the
 * task has waited, within these limits. */
#define MIN_LOOK_NS (20 * (EMU_NS_PER_S / 1000000))
#define MAX_LOOK_NS (5 * (EMU_NS_PER_S / 1000))

static struct emu_event_task *as_event_task(struct doca_task *base)
{
	return (struct emu_event_task *)base;
}

static struct doca_sync_event *event_of(const struct doca_task *base)
{
	return (struct doca_sync_event *)base->ctx;
}

/* What is valid. */

/* 0, or 1, 2, 4 or 8 bytes of ones, at a multiple of their size. */
static bool is_valid_mask(uint64_t mask)
{
	for (unsigned int size = 8; size <= 64; size *= 2) {
		uint64_t ones = UINT64_MAX >> (64 - size);

		for (unsigned int at = 0; at < 64; at += size) {
			if (mask == ones << at)
				return true;
		}
	}
	return mask == 0;
}

static doca_error_t validate(const struct doca_task *base)
{
	const struct emu_event_task *task = (const struct emu_event_task *)base;
	bool is_valid = true;

	switch (task->kind) {
	case EMU_EVENT_TASK_GET:
	case EMU_EVENT_TASK_ADD:
		is_valid = task->ptr != NULL;
		break;
	case EMU_EVENT_TASK_WAIT_EQ:
	case EMU_EVENT_TASK_WAIT_NEQ:
		is_valid = task->value <= MAX_WAIT_VALUE && is_valid_mask(task->mask);
		break;
	default:
		break;
	}
	return is_valid ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

/* Running. */

static doca_error_t execute(struct doca_task *base)
{
	static const enum emu_event_op ops[] = {
		[EMU_EVENT_TASK_GET] = EMU_EVENT_GET,
		[EMU_EVENT_TASK_SET] = EMU_EVENT_SET,
		[EMU_EVENT_TASK_ADD] = EMU_EVENT_ADD,
	};
	struct emu_event_task *task = as_event_task(base);
	doca_error_t result = validate(base);
	uint64_t old;

	if (result == DOCA_SUCCESS)
		result = emu_event_access(event_of(base), ops[task->kind], task->value, &old);
	if (result != DOCA_SUCCESS)
		return DOCA_ERROR_IO_FAILED;
	if (task->kind != EMU_EVENT_TASK_SET)
		*task->ptr = old;
	return DOCA_SUCCESS;
}

#define NOTIFY(name, cb)                                                                           \
	((doca_sync_event_task_##name##_completion_cb_t)(cb))(                                     \
		(struct doca_sync_event_task_##name *)base, base->user_data, base->ctx->user_data)

static void notify(struct doca_task *base, doca_error_t status)
{
	enum emu_event_task_kind kind = as_event_task(base)->kind;
	const struct emu_event_tasks *tasks = &event_of(base)->tasks[kind];
	void (*cb)(void) = status == DOCA_SUCCESS ? tasks->completion_cb : tasks->error_cb;

	switch (kind) {
	case EMU_EVENT_TASK_GET:
		NOTIFY(get, cb);
		break;
	case EMU_EVENT_TASK_SET:
		NOTIFY(notify_set, cb);
		break;
	case EMU_EVENT_TASK_ADD:
		NOTIFY(notify_add, cb);
		break;
	case EMU_EVENT_TASK_WAIT_EQ:
		NOTIFY(wait_eq, cb);
		break;
	default:
		NOTIFY(wait_neq, cb);
		break;
	}
}

static doca_error_t submit_wait(struct doca_task *base, uint32_t flags)
{
	struct doca_pe *pe = base->ctx->pe;

	(void)flags;
	as_event_task(base)->since = emu_clock_ns();
	emu_task_queue_push(&event_of(base)->waiting, base);
	if (emu_pe_attention(pe) & EMU_PE_ARMED)
		emu_pe_wake(pe);
	return DOCA_SUCCESS;
}

static const struct emu_task_ops at_once_ops = {
	.execute = execute,
	.notify = notify,
	.validate = validate,
	.failure_is_fatal = true,
};

static const struct emu_task_ops wait_ops = {
	.notify = notify,
	.validate = validate,
	.submit = submit_wait,
	.failure_is_fatal = true,
};

static bool waits(enum emu_event_task_kind kind)
{
	return kind == EMU_EVENT_TASK_WAIT_EQ || kind == EMU_EVENT_TASK_WAIT_NEQ;
}

/* True if a waiting task has a result, in status. */
static bool has_result(struct doca_task *base, doca_error_t read, uint64_t value, doca_error_t *status)
{
	const struct emu_event_task *task = as_event_task(base);

	*status = DOCA_ERROR_IO_FAILED;
	if (base->state == EMU_TASK_ABANDONED || read != DOCA_SUCCESS || validate(base) != DOCA_SUCCESS)
		return true;
	*status = DOCA_SUCCESS;
	return ((value & task->mask) == task->value) == (task->kind == EMU_EVENT_TASK_WAIT_EQ);
}

bool emu_event_tasks_progress(struct doca_sync_event *event)
{
	struct doca_task *base, *before = NULL;
	doca_error_t read, status;
	uint64_t value = 0;

	if (event->waiting.head == NULL)
		return false;
	read = emu_event_access(event, EMU_EVENT_GET, 0, &value);
	for (base = event->waiting.head; base != NULL; base = before == NULL ? event->waiting.head : before->next) {
		if (!has_result(base, read, value, &status)) {
			before = base;
			continue;
		}
		if (before == NULL)
			event->waiting.head = base->next;
		else
			before->next = base->next;
		if (event->waiting.tail == base)
			event->waiting.tail = before;
		if (emu_task_finish(base, status))
			return true;
		before = NULL; /* the list may be another one now */
	}
	return false;
}

bool emu_event_tasks_pending(struct doca_sync_event *event)
{
	doca_error_t read, status;
	uint64_t value = 0;

	if (event->waiting.head == NULL)
		return false;
	read = emu_event_access(event, EMU_EVENT_GET, 0, &value);
	for (struct doca_task *base = event->waiting.head; base != NULL; base = base->next) {
		if (has_result(base, read, value, &status))
			return true;
	}
	return false;
}

uint64_t emu_event_tasks_next_look(const struct doca_sync_event *event)
{
	uint64_t now, pause;

	if (event->waiting.head == NULL)
		return 0;
	now = emu_clock_ns();
	pause = (now - as_event_task(event->waiting.tail)->since) / 8; /* the newest one */
	if (pause < MIN_LOOK_NS)
		pause = MIN_LOOK_NS;
	return now + (pause < MAX_LOOK_NS ? pause : MAX_LOOK_NS);
}

/* Pools. */

doca_error_t emu_event_task_set_conf(struct doca_sync_event *event, enum emu_event_task_kind kind,
				     void (*completion_cb)(void), void (*error_cb)(void), uint32_t num_tasks)
{
	struct emu_event_tasks *tasks;

	if (event == NULL || completion_cb == NULL || error_cb == NULL || num_tasks == 0 || num_tasks > MAX_NUM_TASKS)
		return DOCA_ERROR_INVALID_VALUE;
	if (event->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_NOT_PERMITTED;
	tasks = &event->tasks[kind];
	tasks->completion_cb = completion_cb;
	tasks->error_cb = error_cb;
	tasks->num = num_tasks;
	return DOCA_SUCCESS;
}

doca_error_t emu_event_task_alloc(struct doca_sync_event *event, enum emu_event_task_kind kind,
				  union doca_data user_data, struct emu_event_task **task)
{
	struct doca_task *base;
	doca_error_t result;

	if (event == NULL || task == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_task_alloc(&event->tasks[kind].pool, user_data, &base);
	if (result != DOCA_SUCCESS)
		return result;
	*task = as_event_task(base);
	(*task)->kind = kind;
	return DOCA_SUCCESS;
}

doca_error_t emu_event_tasks_start(struct doca_sync_event *event)
{
	bool has_tasks = false;

	for (int kind = 0; kind < EMU_EVENT_NUM_TASKS; kind++) {
		struct emu_event_tasks *tasks = &event->tasks[kind];

		if (tasks->num == 0)
			continue;
		if (emu_task_pool_start(&tasks->pool, &event->ctx,
					waits((enum emu_event_task_kind)kind) ? &wait_ops : &at_once_ops,
					sizeof(struct emu_event_task), tasks->num) != DOCA_SUCCESS)
			return DOCA_ERROR_INITIALIZATION;
		has_tasks = true;
	}
	return has_tasks ? DOCA_SUCCESS : DOCA_ERROR_INITIALIZATION;
}

void emu_event_tasks_stop(struct doca_sync_event *event)
{
	struct doca_task *base;

	while ((base = emu_task_queue_pop(&event->waiting)) != NULL)
		emu_task_flush(base);
}

void emu_event_tasks_destroy(struct doca_sync_event *event)
{
	for (int kind = 0; kind < EMU_EVENT_NUM_TASKS; kind++)
		emu_task_pool_destroy(&event->tasks[kind].pool);
}
