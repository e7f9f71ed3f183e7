/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/emu_buf.h"
#include "core/emu_clock.h"
#include "core/emu_export_table.h"
#include "core/emu_log.h"

#include "emu_rdma.h"
#include "emu_rdma_bytes.h"
#include "emu_rdma_kind.h"
#include "emu_rdma_link.h"
#include "emu_rdma_report.h"
#include "emu_rdma_request.h"

/* How long a sender waits before it tries again to reach a receiver that was not ready. */
#define RNR_NS (10 * EMU_NS_PER_S / 1000)
/* How long a peer may leave a request unanswered. It answers whatever its program does, unless it is stopped. */
#define SILENCE_MS 10000
/* How long the sockets of a process may live that has no memory any more. */
#define PEER_ENDS_MS 2000

uint64_t emu_rdma_request_silence(void)
{
	const char *text = getenv("DOCA_EMU_RDMA_TIMEOUT");
	uint64_t ms = text == NULL ? 0 : strtoull(text, NULL, 10);

	return (ms == 0 ? SILENCE_MS : ms) * (EMU_NS_PER_S / 1000);
}

bool emu_rdma_is_open(const struct doca_rdma_connection *conn)
{
	return (conn->state == EMU_RDMA_ESTABLISHED || conn->state == EMU_RDMA_ACCEPTED) && !conn->has_failed;
}

/* True if a process has no memory any more: it ends, or has ended. */
static bool has_no_memory(pid_t pid)
{
	char path[32];
	unsigned long pages = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return true;
	if (fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages == 0;
}

/* True if the peer's process ends. The system takes its memory before it closes its sockets. */
static bool peer_ends(const struct doca_rdma_connection *conn)
{
	const uint64_t deadline = emu_clock_ns() + PEER_ENDS_MS * (EMU_NS_PER_S / 1000);
	struct pollfd end = {.events = POLLRDHUP};
	uint64_t now;

	if (conn->link == NULL || conn->pid == 0 || conn->pid == getpid() || !has_no_memory(conn->pid))
		return false;
	end.fd = conn->link->watch.fd;
	while ((now = emu_clock_ns()) < deadline) {
		int n = poll(&end, 1, (int)((deadline - now) / (EMU_NS_PER_S / 1000)) + 1);

		if (n >= 0 || errno != EINTR)
			return n > 0;
	}
	return false;
}

/* The oldest task has ended. */
static struct emu_rdma_task *pop(struct doca_rdma_connection *conn)
{
	struct doca_task *task = emu_task_queue_pop(&conn->sent);

	if (conn->unsent == task) {
		conn->unsent = conn->sent.head;
		conn->unsent_offset = 0;
	}
	return (struct emu_rdma_task *)task;
}

/* As on hardware, a connection is of no use after a failed request. */
static void fail(struct doca_rdma_connection *conn)
{
	struct emu_rdma_task *task = pop(conn);

	conn->has_failed = true;
	emu_rdma_finish(conn->rdma, &task->base, task->fault == DOCA_SUCCESS ? DOCA_ERROR_IO_FAILED : task->fault);
}

/* The same for a task before which others may be unanswered: then it fails when its turn comes. */
static void fail_in_turn(struct doca_rdma_connection *conn, const struct emu_rdma_task *task)
{
	if (conn->sent.head == &task->base && !peer_ends(conn))
		fail(conn); /* else, when its turn comes; if the peer ends, the thread is about to notice */
}

/* True if the task takes no frames, or none but that of its immediate data. */
static bool is_direct(const struct emu_rdma_task *task)
{
	const struct doca_buf *remote = emu_rdma_kind_remote(task);

	if (task->is_copied || task->fault != DOCA_SUCCESS || emu_rdma_kind_is_atomic(task) || emu_rdma_kind_is_event(task) ||
	    task->kind == EMU_RDMA_TASK_SEND || task->kind == EMU_RDMA_TASK_SEND_IMM)
		return false;
	return (task->total == 0 && task->kind != EMU_RDMA_TASK_WRITE_IMM) ||
	       (task->total != 0 && remote != NULL && emu_rdma_is_direct(remote, task->conn->pid));
}

static bool may_send(const struct doca_rdma_connection *conn)
{
	return emu_rdma_is_open(conn) && conn->unsent != NULL && conn->rnr_until == 0;
}

bool emu_rdma_request(struct doca_rdma_connection *conn, struct emu_rdma_task *task)
{
	bool is_for_engine;

	task->seq = 0;
	task->total = emu_rdma_kind_measure(task);
	task->is_copied = false;
	emu_task_queue_push(&conn->sent, &task->base);
	if (conn->unsent == NULL) {
		conn->unsent = &task->base;
		conn->unsent_offset = 0;
	}
	is_for_engine = !emu_rdma_is_open(conn) || is_direct(task);
	if (is_for_engine)
		emu_rdma_notice(conn->rdma); /* it carries the task out, or fails it */
	return !is_for_engine;
}

/* Sending. */

static uint8_t frame_type(const struct emu_rdma_task *task)
{
	switch (task->kind) {
	case EMU_RDMA_TASK_SEND:
		return EMU_RDMA_SEND;
	case EMU_RDMA_TASK_SEND_IMM:
		return EMU_RDMA_SEND_IMM;
	case EMU_RDMA_TASK_WRITE:
		return EMU_RDMA_WRITE;
	case EMU_RDMA_TASK_WRITE_IMM:
		return task->is_copied ? EMU_RDMA_IMM : EMU_RDMA_WRITE_IMM;
	case EMU_RDMA_TASK_READ:
		return EMU_RDMA_READ;
	case EMU_RDMA_TASK_COMPARE_SWAP:
		return EMU_RDMA_COMPARE_SWAP;
	case EMU_RDMA_TASK_EVENT_GET:
		return EMU_RDMA_EVENT_GET;
	case EMU_RDMA_TASK_EVENT_SET:
		return EMU_RDMA_EVENT_SET;
	case EMU_RDMA_TASK_EVENT_ADD:
		return EMU_RDMA_EVENT_ADD;
	default:
		return EMU_RDMA_FETCH_ADD;
	}
}

/* A long message is copied by the receiver, if it is in a process of this host. Returns how many bytes it is to take for
 * the next frame, and where; 0: the frame carries the bytes. */
#define MIN_PULL ((uint64_t)16 << 10)

static size_t to_be_pulled(const struct doca_rdma_connection *conn, const struct emu_rdma_task *task, uint64_t *addr)
{
	const uint8_t *bytes;
	size_t len;

	if (conn->pid == 0 || conn->cannot_pull || task->total < MIN_PULL ||
	    (task->kind != EMU_RDMA_TASK_SEND && task->kind != EMU_RDMA_TASK_SEND_IMM))
		return 0;
	bytes = emu_rdma_data_at(task->src, conn->unsent_offset, &len);
	if (bytes == NULL)
		return 0;
	*addr = (uintptr_t)bytes;
	return len < EMU_RDMA_MAX_PULL ? len : EMU_RDMA_MAX_PULL;
}

/* The number of bytes that the next frame of the task carries. */
static size_t payload_of(const struct doca_rdma_connection *conn, const struct emu_rdma_task *task)
{
	uint64_t left = task->total - conn->unsent_offset;

	if (emu_rdma_kind_is_atomic(task) || emu_rdma_kind_is_event(task) || task->kind == EMU_RDMA_TASK_READ || task->is_copied)
		return 0;
	return left < EMU_RDMA_MAX_PAYLOAD ? left : EMU_RDMA_MAX_PAYLOAD;
}

size_t emu_rdma_request_produce(struct doca_rdma_connection *conn, uint8_t *at)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)conn->unsent;
	struct emu_export_range range = {.len = 0};
	struct emu_rdma_frame frame = {.type = 0};
	size_t pulled;

	if (!may_send(conn) || is_direct(task))
		return 0;
	frame.type = frame_type(task);
	if (task->fault != DOCA_SUCCESS || !emu_rdma_kind_check(task, &range)) {
		fail_in_turn(conn, task);
		return 0;
	}
	pulled = to_be_pulled(conn, task, &range.addr);
	frame.len = pulled > 0 ? 0 : (uint32_t)payload_of(conn, task);
	if ((frame.len > 0 && !emu_rdma_gather(task->src, conn->unsent_offset, at + sizeof(frame), frame.len)) ||
	    (task->kind == EMU_RDMA_TASK_EVENT_SET &&
	     !emu_rdma_gather(task->src, 0, (uint8_t *)&task->operand[0], sizeof(task->operand[0])))) {
		fail_in_turn(conn, task);
		return 0;
	}
	if (task->seq == 0)
		task->seq = ++conn->next_seq;
	frame.seq = task->seq;
	frame.total = task->total;
	frame.offset = conn->unsent_offset;
	frame.addr = range.addr;
	frame.a = task->operand[0];
	frame.b = pulled > 0 ? pulled : task->operand[1];
	frame.imm = task->imm;
	memcpy(frame.key, range.key, sizeof(frame.key));
	frame.flags = pulled > 0 ? EMU_RDMA_PULL : 0;
	conn->unsent_offset += frame.len + pulled;
	if (frame.len + pulled == 0 || conn->unsent_offset == task->total) {
		frame.flags |= EMU_RDMA_LAST;
		conn->unsent = task->base.next;
		conn->unsent_offset = 0;
	}
	conn->heard_at = emu_clock_ns(); /* it takes what is sent */
	memcpy(at, &frame, sizeof(frame));
	return sizeof(frame) + frame.len;
}

/* Answers. */

static const char *explain(uint16_t status)
{
	switch (status) {
	case EMU_RDMA_NO_ACCESS:
		return "the peer does not allow it: its memory map or its context lacks the permission, or the export has "
		       "ended";
	case EMU_RDMA_TOO_LONG:
		return "the message is longer than the buffer of the peer's receive";
	default:
		return "the peer could not carry it out";
	}
}

/* The request before which nothing is unanswered has succeeded. */
static void succeed(struct doca_rdma_connection *conn, struct emu_rdma_task *task)
{
	if (task->kind == EMU_RDMA_TASK_READ || emu_rdma_kind_has_result(task)) {
		emu_rdma_grow(task->dst, task->total);
		task->result_len = (uint32_t)task->total;
	}
	conn->rnr_tries = 0;
	emu_rdma_finish(conn->rdma, &pop(conn)->base, DOCA_SUCCESS);
	if (conn->sent.head != NULL && conn->unsent == conn->sent.head)
		emu_rdma_notice(conn->rdma); /* perhaps the engine can carry out the next one */
}

static void take_rnr(struct doca_rdma_connection *conn)
{
	uint8_t limit = conn->rdma->rnr_retry_count;

	if (limit != EMU_RDMA_INFINITE_RNR_RETRIES && conn->rnr_tries++ >= limit) {
		EMU_LOG_ERR("rdma: the peer has posted no receive for a message");
		fail(conn);
		return;
	}
	conn->unsent = conn->sent.head;
	conn->unsent_offset = 0;
	conn->rnr_until = emu_clock_ns() + RNR_NS;
}

/* True if the frame answers a request that was sent. */
static bool is_answer_to(const struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame)
{
	const struct emu_rdma_task *task = (const struct emu_rdma_task *)conn->sent.head;

	return task != NULL && task->seq == frame->seq && (conn->unsent != &task->base || conn->unsent_offset > 0);
}

bool emu_rdma_request_answered(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame,
			       const uint8_t *payload)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)conn->sent.head;

	conn->heard_at = emu_clock_ns();
	if (frame->type == EMU_RDMA_READY_TO_RECEIVE) {
		conn->rnr_until = 0;
		return true;
	}
	if (conn->has_failed || !emu_rdma_is_open(conn))
		return true;
	if (!is_answer_to(conn, frame))
		return false;
	if (frame->type == EMU_RDMA_RNR) {
		take_rnr(conn);
		return true;
	}
	if (frame->type == EMU_RDMA_CANNOT_PULL) {
		conn->cannot_pull = true;
		conn->unsent = conn->sent.head;
		conn->unsent_offset = 0;
		return true;
	}
	if (frame->type == EMU_RDMA_DATA) {
		if (task->kind != EMU_RDMA_TASK_READ || frame->offset > task->total ||
		    frame->len > task->total - frame->offset)
			return false;
		if (!emu_rdma_scatter(task->dst, frame->offset, payload, frame->len))
			fail(conn);
		else if (frame->flags & EMU_RDMA_LAST)
			succeed(conn, task);
		return true;
	}
	if (frame->status != EMU_RDMA_OK) {
		EMU_LOG_ERR("rdma: a request has failed: %s", explain(frame->status));
		fail(conn);
	} else if (emu_rdma_kind_has_result(task) &&
		   !emu_rdma_scatter(task->dst, 0, (const uint8_t *)&frame->a, sizeof(frame->a))) {
		fail(conn);
	} else {
		succeed(conn, task);
	}
	return true;
}

/* Requests that this process carries out alone. */

/* How many bytes one run may have: the tasks are reported after it. */
#define MAX_RUN_BYTES ((uint64_t)1 << 20)

size_t emu_rdma_request_direct(struct doca_rdma_connection *conn, struct emu_rdma_task *tasks[EMU_RDMA_MAX_RUN])
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)conn->sent.head;
	uint64_t bytes = 0;
	size_t num = 0;

	if (!may_send(conn) || conn->unsent != &task->base || conn->unsent_offset != 0)
		return 0;
	while (task != NULL && num < EMU_RDMA_MAX_RUN && is_direct(task) && (num == 0 || bytes + task->total <= MAX_RUN_BYTES)) {
		tasks[num++] = task;
		bytes += task->total;
		if (task->kind == EMU_RDMA_TASK_WRITE_IMM) /* what follows waits for its immediate data */
			break;
		task = (struct emu_rdma_task *)task->base.next;
	}
	return num;
}

static bool is_permitted(const struct doca_rdma_connection *conn, const struct emu_rdma_task *task)
{
	struct emu_export_range range;

	if (!emu_rdma_kind_check(task, &range))
		return false;
	if (task->total == 0 || (conn->peer_permissions & emu_rdma_kind_needs(task)) != 0)
		return true;
	EMU_LOG_ERR("rdma: a request has failed: %s", explain(EMU_RDMA_NO_ACCESS));
	return false;
}

static bool copy_one(const struct emu_rdma_task *task,
		     bool (*copy)(const struct doca_buf *remote, const struct doca_buf *local, uint64_t len, bool is_write))
{
	return copy(emu_rdma_kind_remote(task), emu_rdma_kind_local(task), task->total, emu_rdma_kind_is_write(task));
}

static bool is_own(const struct emu_rdma_task *task)
{
	return task->total > 0 && emu_rdma_is_own(emu_rdma_kind_remote(task));
}

/* Carry out the oldest task, and those behind it that can go with it. Return how many have succeeded, and how many are
 * begun. */

/* One lock is enough for all whose memory is in this process. */
static size_t copy_own(struct emu_rdma_task **tasks, size_t num, size_t *begun)
{
	size_t done = 0;

	emu_import_lock();
	while (done < num && is_own(tasks[done]) && copy_one(tasks[done], emu_rdma_copy_own))
		done++;
	emu_import_unlock();
	*begun = done < num && is_own(tasks[done]) ? done + 1 : done;
	return done;
}

static size_t copy_other(struct emu_rdma_task **tasks, size_t num, size_t *begun)
{
	struct emu_rdma_pieces pieces;
	size_t joined = 0;

	pieces.num = 0;
	while (joined < num && emu_rdma_kind_is_write(tasks[joined]) &&
	       emu_rdma_add_piece(&pieces, tasks[joined]->dst, tasks[joined]->src))
		joined++;
	*begun = joined > 1 ? joined : 1;
	if (joined > 1)
		return emu_rdma_write_pieces(&pieces, joined);
	return tasks[0]->total == 0 || copy_one(tasks[0], emu_rdma_copy_other);
}

size_t emu_rdma_request_copy(struct doca_rdma_connection *conn, struct emu_rdma_task **tasks, size_t num)
{
	size_t permitted = 0, done = 0, begun;

	while (permitted < num && is_permitted(conn, tasks[permitted]))
		permitted++;
	while (done < permitted) {
		size_t more = is_own(tasks[done]) ? copy_own(tasks + done, permitted - done, &begun) :
						    copy_other(tasks + done, permitted - done, &begun);

		done += more;
		if (more < begun)
			break;
	}
	return done;
}

void emu_rdma_request_copied(struct doca_rdma_connection *conn)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)conn->sent.head;

	if (task->kind != EMU_RDMA_TASK_WRITE_IMM) {
		succeed(conn, task);
		return;
	}
	task->is_copied = true;
}

bool emu_rdma_request_not_copied(struct doca_rdma_connection *conn)
{
	struct emu_rdma_task *task = (struct emu_rdma_task *)conn->sent.head;

	if ((conn->peer_permissions & emu_rdma_kind_needs(task)) != 0 && peer_ends(conn))
		return false;
	fail(conn);
	return true;
}

/* Time. */

/* True if the peer owes an answer. */
static bool is_owed(const struct doca_rdma_connection *conn)
{
	return conn->link != NULL && conn->sent.head != NULL &&
	       (conn->unsent != conn->sent.head || conn->unsent_offset > 0);
}

uint64_t emu_rdma_request_due(const struct doca_rdma_connection *conn)
{
	if (conn->rnr_until != 0)
		return conn->rnr_until;
	return is_owed(conn) ? conn->heard_at + conn->rdma->silence_ns : 0;
}

bool emu_rdma_request_timer(struct doca_rdma_connection *conn)
{
	uint64_t now = emu_clock_ns();

	if (conn->rnr_until != 0 && conn->rnr_until <= now)
		conn->rnr_until = 0;
	return is_owed(conn) && conn->heard_at + conn->rdma->silence_ns <= now;
}
