/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <endian.h>
#include <time.h>

#include "core/emu_dev.h"
#include "core/emu_log.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_completion.h"
#include "dpacore/emu_dpa_handle.h"

#include "emu_rdma_conn.h"
#include "emu_rdma_dpa.h"
#include "emu_rdma_kind.h"
#include "emu_rdma_report.h"
#include "emu_rdma_request.h"
#include "emu_rdma_respond.h"
#include "emu_rdma_service.h"
#include "emu_rdma_work.h"
#include "emu_rdma_wr.h"

/* The work of the service's thread. */

static void fail_requests(struct doca_rdma_connection *conn)
{
	if (conn->unflushed.head != NULL)
		emu_task_queue_append(&conn->sent, &conn->unflushed);
	emu_rdma_work_fail(conn);
}

/* The last peer was lost: nothing can arrive any more. */
static void fail_receives(struct doca_rdma *rdma)
{
	struct doca_task *task;

	while ((task = emu_task_queue_pop(&rdma->posted)) != NULL)
		emu_rdma_finish(rdma, task, DOCA_ERROR_IO_FAILED);
}

/* True: the lock was released meanwhile, and there may be more to do. In each turn a connection copies once: the code on the
 * DPA may post faster than that, and then one connection would keep everybody else waiting. */
static bool work_for(struct doca_rdma *rdma, uint64_t turn)
{
	bool has_more = false;

	for (struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next) {
		/* As on hardware, a connection is of no use after an error. The peer must still hear of its own. */
		if (conn->has_failed && conn->responses == NULL)
			emu_rdma_conn_lose(conn, true);
		if (emu_rdma_conn_is_over(conn) || conn->has_failed) {
			fail_requests(conn);
		} else if (conn->turn == turn) {
			has_more |= conn->sent.head != NULL;
		} else if (emu_rdma_work_copy(conn)) {
			conn->turn = turn;
			return true;
		}
	}
	if (rdma->is_lost)
		fail_receives(rdma);
	rdma->is_lost = false;
	if (has_more) {
		rdma->has_work = true;
		emu_rdma_service_ask();
	}
	return false;
}

/* The code on the DPA has ended, so its peers lose it. */
static void check_dpa(struct doca_rdma *rdma)
{
	if (!emu_rdma_is_on_dpa(rdma) || !emu_dpa_is_fatal(emu_ctx_dpa(&rdma->ctx)))
		return;
	for (struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next)
		emu_rdma_conn_lose(conn, true);
}

static void work(void)
{
	static uint64_t turn;
	struct doca_rdma *rdma = emu_rdma_conn_contexts();

	turn++;
	while (rdma != NULL) {
		bool has_work;

		check_dpa(rdma);
		has_work = rdma->has_work;
		rdma->has_work = false;
		if (has_work && work_for(rdma, turn)) {
			rdma->has_work = true; /* it still exists: its stop has waited for the copy, and needs the lock */
			rdma = emu_rdma_conn_contexts();
		} else {
			rdma = rdma->next;
		}
	}
}

/* Start. */

doca_error_t emu_rdma_dpa_check(const struct doca_rdma *rdma)
{
	const struct doca_dpa *dpa = emu_ctx_dpa(&rdma->ctx);

	if (emu_dpa_ready(dpa) != DOCA_SUCCESS) {
		EMU_LOG_ERR("rdma: the DPA of the data path is not started, or has failed");
		return DOCA_ERROR_INITIALIZATION;
	}
	if (emu_dpa_dev(dpa)->info.function != rdma->ctx.dev->info.function) {
		EMU_LOG_ERR("rdma: the DPA of the data path is that of another device; extend it to the context's device "
			    "(doca_dpa_device_extend)");
		return DOCA_ERROR_INITIALIZATION;
	}
	if (rdma->comp != NULL && rdma->comp->dpa != dpa) {
		EMU_LOG_ERR("rdma: the completion queue is not of the DPA of the data path");
		return DOCA_ERROR_INITIALIZATION;
	}
	if (rdma->comp != NULL && !emu_dpa_completion_is_started(rdma->comp)) {
		EMU_LOG_ERR("rdma: the completion queue of the DPA is not started");
		return DOCA_ERROR_INITIALIZATION;
	}
	return DOCA_SUCCESS;
}

static void dpa_failed(struct emu_dpa_watcher *watcher)
{
	(void)watcher;
	emu_rdma_service_poke(); /* this may be anywhere, with any lock */
}

doca_error_t emu_rdma_dpa_open(struct doca_rdma *rdma)
{
	struct doca_dpa *dpa = emu_ctx_dpa(&rdma->ctx);
	doca_error_t result = emu_dpa_handle_open(EMU_DPA_RDMA, dpa, rdma, &rdma->dpa_handle);

	if (result != DOCA_SUCCESS)
		return result;
	rdma->has_work = false;
	rdma->num_receives = 0;
	rdma->num_to_ack = 0;
	rdma->next_index = 0;
	emu_rdma_lock();
	emu_rdma_service_on_work(work);
	emu_rdma_unlock();
	rdma->watcher.failed = dpa_failed;
	emu_dpa_watch(&rdma->watcher, dpa);
	return DOCA_SUCCESS;
}

/* Stop. */

void emu_rdma_dpa_close(struct doca_rdma *rdma)
{
	emu_dpa_unwatch(&rdma->watcher);
	emu_dpa_handle_close(rdma->dpa_handle);
	rdma->dpa_handle = 0;
}

static bool is_copying(const struct doca_rdma *rdma)
{
	for (const struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next) {
		if (conn->is_copying)
			return true;
	}
	return false;
}

static void drop(struct emu_task_queue *queue)
{
	struct doca_task *task;

	while ((task = emu_task_queue_pop(queue)) != NULL)
		emu_rdma_wr_free((struct emu_rdma_wr *)task);
}

void emu_rdma_dpa_drop(struct doca_rdma *rdma)
{
	const struct timespec rest = {.tv_nsec = 50 * 1000};

	emu_rdma_conn_remove_context(rdma); /* the service's thread begins nothing more for it */
	while (is_copying(rdma)) {
		emu_rdma_unlock();
		nanosleep(&rest, NULL);
		emu_rdma_lock();
	}
	for (struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next) {
		drop(&conn->sent);
		drop(&conn->unflushed);
		conn->unsent = NULL;
	}
	drop(&rdma->posted);
}

/* Posting. */

static struct doca_rdma_connection *find(const struct doca_rdma *rdma, uint32_t id)
{
	struct doca_rdma_connection *conn = rdma->conns;

	while (conn != NULL && conn->id != id)
		conn = conn->next;
	return conn;
}

/* All that was posted goes to the device. */
static void flush(struct doca_rdma_connection *conn)
{
	bool can_fail = conn->state == EMU_RDMA_EXPORTED || conn->state == EMU_RDMA_REQUESTED;
	bool has_frames = false;
	struct doca_task *task;

	while ((task = emu_task_queue_pop(&conn->unflushed)) != NULL) {
		if (can_fail) /* not connected */
			emu_rdma_finish(conn->rdma, task, DOCA_ERROR_IO_FAILED);
		else if (emu_rdma_request(conn, (struct emu_rdma_task *)task))
			has_frames = true;
	}
	if (has_frames)
		emu_rdma_conn_go_on(conn);
}

static struct emu_rdma_wr *make(const struct emu_rdma_post *post, const struct emu_rdma_post_objects *objects)
{
	bool is_number = post->kind == EMU_RDMA_TASK_FETCH_ADD || post->kind == EMU_RDMA_TASK_EVENT_SET;
	struct emu_rdma_wr *wr = emu_rdma_wr_new(objects->rdma, post->kind, is_number ? sizeof(uint64_t) : post->len);

	if (wr == NULL)
		return NULL;
	wr->task.operand[0] = post->value;
	wr->task.imm = htobe32(post->immediate);
	if (objects->event != NULL) {
		wr->event.key = objects->event->key;
		wr->task.event = &wr->event;
		if (post->kind == EMU_RDMA_TASK_EVENT_SET)
			emu_rdma_wr_set_number(wr, post->value);
	} else if (post->kind == EMU_RDMA_TASK_FETCH_ADD) {
		emu_rdma_wr_reserve(wr, NULL, 0, 0, 0); /* what the number was goes nowhere */
	} else if (post->kind == EMU_RDMA_TASK_READ) {
		emu_rdma_wr_reserve(wr, objects->local, post->local_mmap, post->local, post->len);
	} else {
		emu_rdma_wr_capture(wr, objects->local, post->local, post->len);
	}
	if (objects->remote != NULL)
		emu_rdma_wr_aim(wr, objects->remote, post->remote,
				post->kind == EMU_RDMA_TASK_FETCH_ADD ? sizeof(uint64_t) : post->len);
	return wr;
}

static doca_error_t post_to(struct doca_rdma_connection *conn, const struct emu_rdma_post *post,
			    const struct emu_rdma_post_objects *objects)
{
	struct emu_rdma_wr *wr;

	if (conn == NULL)
		return DOCA_ERROR_NOT_FOUND;
	if (conn->num_posted >= conn->rdma->send_queue_size) {
		flush(conn);
		return DOCA_ERROR_AGAIN;
	}
	wr = make(post, objects);
	if (wr == NULL)
		return DOCA_ERROR_NO_MEMORY;
	wr->task.conn = conn;
	wr->index = conn->next_index++ % conn->rdma->send_queue_size;
	wr->is_silent = (post->flags & EMU_DPA_SUBMIT_OPTIMIZE_REPORTS) != 0;
	conn->num_posted++;
	emu_task_queue_push(&conn->unflushed, &wr->task.base);
	if (post->flags & EMU_DPA_SUBMIT_FLUSH)
		flush(conn);
	return DOCA_SUCCESS;
}

doca_error_t emu_rdma_dpa_post(const struct emu_rdma_post *post, const struct emu_rdma_post_objects *objects)
{
	doca_error_t result;

	if (post->len > EMU_RDMA_MAX_MESSAGE_SIZE)
		return DOCA_ERROR_TOO_BIG;
	emu_rdma_lock();
	result = post_to(find(objects->rdma, post->connection_id), post, objects);
	emu_rdma_unlock();
	return result;
}

doca_error_t emu_rdma_dpa_post_receive(const struct emu_rdma_post *post, const struct emu_rdma_post_objects *objects)
{
	struct doca_rdma *rdma = objects->rdma;
	struct emu_rdma_wr *wr;

	if (post->len > EMU_RDMA_MAX_MESSAGE_SIZE)
		return DOCA_ERROR_TOO_BIG;
	wr = emu_rdma_wr_new(rdma, EMU_RDMA_TASK_RECEIVE, post->len);
	if (wr == NULL)
		return DOCA_ERROR_NO_MEMORY;
	emu_rdma_wr_reserve(wr, objects->local, post->local_mmap, post->local, post->len);
	emu_rdma_lock();
	if (rdma->num_receives >= rdma->recv_queue_size) {
		emu_rdma_unlock();
		emu_rdma_wr_free(wr);
		return DOCA_ERROR_FULL;
	}
	rdma->num_receives++;
	wr->index = rdma->next_index++ % rdma->recv_queue_size;
	emu_rdma_post(rdma, &wr->task);
	emu_rdma_unlock();
	return DOCA_SUCCESS;
}

bool emu_rdma_dpa_ack(struct doca_rdma *rdma, uint32_t num)
{
	bool is_good;

	emu_rdma_lock();
	is_good = num <= rdma->num_to_ack;
	if (is_good) {
		rdma->num_to_ack -= num;
		rdma->num_receives -= num;
	}
	emu_rdma_unlock();
	return is_good;
}
