/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <string.h>

#include "core/emu_fault.h"

#include "emu_rdma.h"
#include "emu_rdma_bytes.h"
#include "emu_rdma_conn.h"
#include "emu_rdma_ctx.h"
#include "emu_rdma_dev.h"
#include "emu_rdma_door.h"
#include "emu_rdma_dpa.h"
#include "emu_rdma_ends.h"
#include "emu_rdma_guest.h"
#include "emu_rdma_kind.h"
#include "emu_rdma_report.h"
#include "emu_rdma_request.h"
#include "emu_rdma_respond.h"
#include "emu_rdma_service.h"
#include "emu_rdma_work.h"

/* Forks: the child has no connections. */

static void forget_all(void)
{
	for (struct doca_rdma *rdma = emu_rdma_conn_contexts(); rdma != NULL; rdma = rdma->next) {
		for (struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next) {
			conn->link = NULL;
			conn->arrived = NULL;
			conn->state = EMU_RDMA_CLOSED;
		}
	}
	emu_rdma_guests_on_fork();
	emu_rdma_doors_on_fork();
	emu_rdma_conn_forget_all();
}

/* Start. */

static doca_error_t start_tasks(struct doca_rdma *rdma)
{
	for (int i = 0; i < EMU_RDMA_NUM_KINDS; i++) {
		struct emu_rdma_pool *pool = &rdma->pools[i];

		if (pool->num_tasks > 0 && emu_task_pool_start(&pool->tasks, &rdma->ctx, pool->ops, sizeof(struct emu_rdma_task),
							       pool->num_tasks) != DOCA_SUCCESS)
			return DOCA_ERROR_INITIALIZATION;
	}
	return DOCA_SUCCESS;
}

/* With the data path on a DPA there are no tasks. */
static doca_error_t start_on_dpa(struct doca_rdma *rdma)
{
	for (int i = 0; i < EMU_RDMA_NUM_KINDS; i++)
		emu_task_pool_destroy(&rdma->pools[i].tasks);
	emu_rdma_dev_install();
	return emu_rdma_dpa_check(rdma);
}

static doca_error_t start(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = emu_rdma_of(ctx);
	doca_error_t result = emu_rdma_is_on_dpa(rdma) ? start_on_dpa(rdma) : start_tasks(rdma);

	if (result != DOCA_SUCCESS)
		return result;
	emu_rdma_service_on_fork(forget_all);
	if (!emu_rdma_service_hold())
		return DOCA_ERROR_INITIALIZATION;
	if (emu_rdma_is_on_dpa(rdma) && emu_rdma_dpa_open(rdma) != DOCA_SUCCESS) {
		emu_rdma_service_release();
		return DOCA_ERROR_INITIALIZATION;
	}
	rdma->silence_ns = emu_rdma_request_silence();
	emu_rdma_lock();
	rdma->is_lost = false;
	__atomic_store_n(&rdma->is_ready, false, __ATOMIC_SEQ_CST);
	emu_rdma_conn_add_context(rdma);
	emu_rdma_unlock();
	return DOCA_SUCCESS;
}

/* Stop. */

static void flush(struct emu_task_queue *queue)
{
	struct doca_task *task;

	while ((task = emu_task_queue_pop(queue)) != NULL)
		emu_task_flush(task);
}

/* Tasks that have a result keep it. */
static void settle_done(struct doca_rdma *rdma)
{
	struct emu_task_queue done = rdma->reported;
	struct doca_task *task;

	if (rdma->done.head != NULL)
		emu_task_queue_append(&done, &rdma->done);
	rdma->reported.head = NULL;
	while ((task = emu_task_queue_pop(&done)) != NULL) {
		if (task->state == EMU_TASK_QUEUED)
			task->state = EMU_TASK_DECIDED;
		emu_task_flush(task);
	}
}

/* Called with the lock. */
static void flush_all(struct doca_rdma *rdma)
{
	for (struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next) {
		flush(&conn->sent);
		conn->unsent = NULL;
	}
	flush(&rdma->posted);
}

static bool stop(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = emu_rdma_of(ctx);
	struct emu_rdma_ends ends;

	if (emu_rdma_is_on_dpa(rdma))
		emu_rdma_dpa_close(rdma);
	emu_rdma_lock();
	emu_rdma_ends_begin(&ends, rdma);
	emu_rdma_unlisten_all(rdma);
	settle_done(rdma);
	for (struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next) {
		emu_rdma_conn_end(conn);
		conn->events = 0;
	}
	if (emu_rdma_is_on_dpa(rdma))
		emu_rdma_dpa_drop(rdma);
	else
		flush_all(rdma);
	rdma->is_lost = false;
	__atomic_store_n(&rdma->is_ready, false, __ATOMIC_SEQ_CST);
	emu_rdma_unlock();
	emu_rdma_ends_wait(&ends);
	return true;
}

static void idle(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = emu_rdma_of(ctx);

	emu_rdma_lock();
	emu_rdma_conn_remove_context(rdma);
	emu_rdma_door_close();
	emu_rdma_unlock();
	emu_rdma_service_release();
}

/* Progress. */

/* Calls the program for the oldest event of a connection. Called with the lock, which it releases. */
static void report_event(struct doca_rdma_connection *conn)
{
	struct doca_rdma *rdma = conn->rdma;
	union doca_data user_data = conn->user_data, ctx_user_data = rdma->ctx.user_data;
	uint32_t event = conn->events & -conn->events;

	conn->events &= ~event;
	if (event == EMU_RDMA_EVENT_DISCONNECTED && conn->state == EMU_RDMA_DISCONNECTING)
		conn->state = EMU_RDMA_CLOSED;
	emu_rdma_unlock();
	switch (event) {
	case EMU_RDMA_EVENT_REQUEST:
		rdma->request_cb(conn, ctx_user_data);
		break;
	case EMU_RDMA_EVENT_ESTABLISHED:
		rdma->established_cb(conn, user_data, ctx_user_data);
		break;
	case EMU_RDMA_EVENT_FAILURE:
		rdma->failure_cb(conn, user_data, ctx_user_data);
		break;
	default:
		rdma->disconnection_cb(conn, user_data, ctx_user_data);
		break;
	}
}

/* Looks for something to report. Called with the lock. */
static bool look(struct doca_rdma *rdma)
{
	bool has_changed = false;

	if (emu_rdma_is_on_dpa(rdma))
		return false; /* the service's thread does it */
	for (struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next) {
		/* The program is told the end first, so that it knows why the tasks fail. By address, their status
		 * says it. */
		if (!conn->is_by_address && (conn->events & EMU_RDMA_EVENT_DISCONNECTED) != 0)
			continue;
		if (conn->sent.head != NULL && emu_rdma_conn_is_over(conn)) {
			emu_rdma_work_fail(conn);
			has_changed = true;
		} else if (emu_rdma_work_copy(conn)) {
			has_changed = true;
		}
	}
	return has_changed;
}

/* Reports the next task that has ended. False: there is none. */
static bool report_task(struct doca_rdma *rdma)
{
	struct doca_task *task;

	while ((task = emu_task_queue_pop(&rdma->reported)) != NULL) {
		if (emu_task_finish(task, task->status))
			return true;
	}
	return false;
}

#define EVENTS_OF_BEGIN ((uint32_t)(EMU_RDMA_EVENT_REQUEST | EMU_RDMA_EVENT_ESTABLISHED))

/* The oldest connection whose next event is one of those, or NULL. */
static struct doca_rdma_connection *with_event(const struct doca_rdma *rdma, uint32_t events)
{
	struct doca_rdma_connection *found = NULL;

	for (struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next) {
		if ((conn->events & -conn->events & events) != 0 && (found == NULL || conn->id < found->id))
			found = conn;
	}
	return found;
}

static bool progress(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = emu_rdma_of(ctx);
	struct doca_rdma_connection *conn;

	if (report_task(rdma))
		return true;
	if (!__atomic_load_n(&rdma->is_ready, __ATOMIC_ACQUIRE))
		return false;
	emu_rdma_lock();
	/* A receive may have taken a message of a connection that the program does not know yet. */
	conn = with_event(rdma, EVENTS_OF_BEGIN);
	if (conn != NULL) {
		report_event(conn);
		return true;
	}
	while (rdma->done.head != NULL || look(rdma)) {
		rdma->reported = rdma->done;
		rdma->done.head = NULL;
		emu_rdma_unlock();
		if (report_task(rdma))
			return true;
		emu_rdma_lock();
	}
	conn = with_event(rdma, UINT32_MAX);
	if (conn != NULL) {
		report_event(conn);
		return true;
	}
	if (rdma->is_lost && !emu_rdma_is_on_dpa(rdma)) {
		rdma->is_lost = false;
		emu_rdma_unlock();
		emu_ctx_fail(ctx);
		return true;
	}
	__atomic_store_n(&rdma->is_ready, false, __ATOMIC_SEQ_CST);
	emu_rdma_unlock();
	return false;
}

static bool pending(const struct doca_ctx *ctx)
{
	const struct doca_rdma *rdma = emu_rdma_of(ctx);

	return rdma->reported.head != NULL || __atomic_load_n(&rdma->is_ready, __ATOMIC_SEQ_CST);
}

const struct emu_ctx_ops emu_rdma_ctx_ops = {
	.can_run_on_dpa = true,
	.start = start,
	.stop = stop,
	.idle = idle,
	.progress = progress,
	.pending = pending,
};

/* Tasks. */

doca_error_t emu_rdma_task_submit(struct doca_task *base, uint32_t flags)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)base;
	struct doca_rdma_connection *conn = task->conn;
	doca_error_t result = DOCA_SUCCESS;

	(void)flags;
	if (conn == NULL || conn->rdma != emu_rdma_of(base->ctx))
		return DOCA_ERROR_INVALID_VALUE;
	emu_rdma_lock();
	if (conn->state == EMU_RDMA_EXPORTED || conn->state == EMU_RDMA_REQUESTED) {
		result = DOCA_ERROR_BAD_STATE;
	} else {
		task->fault = DOCA_SUCCESS;
		if (emu_rdma_request(conn, task))
			emu_rdma_conn_go_on(conn);
	}
	emu_rdma_unlock();
	return result;
}

bool emu_rdma_task_fail(struct doca_task *base, doca_error_t status)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)base;
	struct doca_rdma_connection *conn = task->conn;
	bool is_queued;

	if (conn == NULL || conn->rdma != emu_rdma_of(base->ctx) || status == base->ops->harmless)
		return false;
	emu_rdma_lock();
	is_queued = conn->state != EMU_RDMA_EXPORTED && conn->state != EMU_RDMA_REQUESTED && !conn->has_failed &&
		    !emu_rdma_conn_is_over(conn);
	if (is_queued) {
		task->fault = status;
		if (emu_rdma_request(conn, task))
			emu_rdma_conn_go_on(conn);
	}
	emu_rdma_unlock();
	return is_queued;
}

doca_error_t emu_rdma_task_validate(const struct doca_task *task)
{
	return emu_rdma_kind_is_valid((const struct emu_rdma_task *)task) ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t emu_rdma_receive_validate(const struct doca_task *base)
{
	const struct emu_rdma_task *task = (const struct emu_rdma_task *)base;
	const struct doca_rdma *rdma = emu_rdma_of(base->ctx);

	return emu_rdma_can_write(task->dst, emu_rdma_room(task->dst), rdma->ctx.dev, rdma->max_receive_buf_list_len) ?
		       DOCA_SUCCESS :
		       DOCA_ERROR_INVALID_VALUE;
}

doca_error_t emu_rdma_receive_submit(struct doca_task *base, uint32_t flags)
{
	(void)flags;
	emu_rdma_lock();
	emu_rdma_post(emu_rdma_of(base->ctx), (struct emu_rdma_task *)base);
	emu_rdma_unlock();
	return DOCA_SUCCESS;
}

const void *emu_rdma_task_connection(const struct doca_task *task)
{
	return ((const struct emu_rdma_task *)task)->conn;
}

void emu_rdma_task_cut(struct doca_task *task)
{
	struct doca_rdma_connection *conn = ((struct emu_rdma_task *)task)->conn;

	if (conn == NULL)
		return;
	emu_rdma_lock();
	emu_rdma_conn_cut(conn);
	emu_rdma_unlock();
}

doca_error_t emu_rdma_set_conf(struct doca_rdma *rdma, enum emu_rdma_kind kind, const struct emu_task_ops *ops,
			       emu_rdma_callback_t completed, emu_rdma_callback_t failed, uint32_t num_tasks)
{
	if (rdma == NULL || completed == NULL || failed == NULL || num_tasks == 0 || num_tasks > EMU_RDMA_MAX_NUM_TASKS)
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma->ctx.state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	rdma->pools[kind].ops = ops;
	rdma->pools[kind].completed = completed;
	rdma->pools[kind].failed = failed;
	rdma->pools[kind].num_tasks = num_tasks;
	return DOCA_SUCCESS;
}

doca_error_t emu_rdma_allocate(struct doca_rdma *rdma, enum emu_rdma_kind kind, struct doca_rdma_connection *conn,
			       union doca_data user_data, struct emu_rdma_task **task)
{
	struct doca_task *base;
	doca_error_t result = emu_task_alloc(&rdma->pools[kind].tasks, user_data, &base);

	if (result != DOCA_SUCCESS)
		return result;
	*task = (struct emu_rdma_task *)base;
	(*task)->kind = (uint8_t)kind;
	(*task)->conn = conn;
	(*task)->src = NULL;
	(*task)->dst = NULL;
	(*task)->target = NULL;
	(*task)->event = NULL;
	(*task)->operand[0] = 0;
	(*task)->operand[1] = 0;
	(*task)->imm = 0;
	(*task)->result_len = 0;
	return DOCA_SUCCESS;
}
