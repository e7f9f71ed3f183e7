/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/emu_buf.h"
#include "core/emu_export_key.h"
#include "core/emu_fault.h"
#include "core/emu_log.h"
#include "syncevent/emu_syncevent.h"

#include "emu_rdma.h"
#include "emu_rdma_bytes.h"
#include "emu_rdma_link.h"
#include "emu_rdma_report.h"
#include "emu_rdma_respond.h"

/* An answer that waits for the socket. */
struct emu_rdma_response {
	struct emu_rdma_response *next;
	struct emu_rdma_frame frame;
	struct emu_export_range range; /* of the data of a READ */
};

/* Answers. */

/* More than the tasks that a context can have. Only a peer that never reads has so many unanswered requests. */
#define MAX_RESPONSES ((uint32_t)1 << 20)

static struct emu_rdma_response *add_response(struct doca_rdma_connection *conn, uint8_t type, uint64_t seq)
{
	struct emu_rdma_response *response = conn->num_responses < MAX_RESPONSES ? calloc(1, sizeof(*response)) : NULL;

	if (response == NULL)
		return NULL;
	conn->num_responses++;
	response->frame.type = type;
	response->frame.seq = seq;
	if (conn->responses == NULL)
		conn->responses = response;
	else
		conn->last_response->next = response;
	conn->last_response = response;
	return response;
}

static bool acknowledge(struct doca_rdma_connection *conn, enum emu_rdma_status status, uint64_t result)
{
	struct emu_rdma_response *response = add_response(conn, EMU_RDMA_ACK, conn->expected);

	if (response == NULL)
		return false;
	response->frame.status = (uint16_t)status;
	response->frame.a = result;
	conn->expected++;
	if (status != EMU_RDMA_OK)
		conn->has_failed = true;
	return true;
}

/* False: the answer was the last one. */
static bool fill_data(struct doca_rdma_connection *conn, struct emu_rdma_response *response, uint8_t *payload)
{
	struct emu_rdma_frame *frame = &response->frame;
	uint64_t left = response->range.len - frame->offset;

	frame->len = (uint32_t)(left < EMU_RDMA_MAX_PAYLOAD ? left : EMU_RDMA_MAX_PAYLOAD);
	frame->flags = frame->len == left ? EMU_RDMA_LAST : 0;
	if (!emu_export_key_read(&response->range, frame->offset, payload, frame->len)) {
		frame->type = EMU_RDMA_ACK;
		frame->status = EMU_RDMA_NO_ACCESS;
		frame->len = 0;
		conn->has_failed = true;
		return false;
	}
	return frame->len < left;
}

size_t emu_rdma_respond_produce(struct doca_rdma_connection *conn, uint8_t *at)
{
	struct emu_rdma_response *response = conn->responses;
	bool is_last = true;
	size_t len;

	if (response == NULL)
		return 0;
	if (response->frame.type == EMU_RDMA_DATA)
		is_last = !fill_data(conn, response, at + sizeof(response->frame));
	memcpy(at, &response->frame, sizeof(response->frame));
	len = sizeof(response->frame) + response->frame.len;
	response->frame.offset += response->frame.len;
	if (is_last) {
		conn->responses = response->next;
		conn->num_responses--;
		free(response);
	}
	return len;
}

/* Messages. */

static bool answer_rnr(struct doca_rdma_connection *conn)
{
	conn->is_dropping = true;
	conn->owes_ready = true;
	return add_response(conn, EMU_RDMA_RNR, conn->expected) != NULL;
}

/* Takes the oldest receive. False: there is none. */
static bool take_receive(struct doca_rdma_connection *conn)
{
	struct doca_task *task;

	if (emu_faults_active() && emu_fault_on_message(&conn->rdma->ctx))
		return false;
	task = emu_task_queue_pop(&conn->rdma->posted);
	conn->receiving = (struct emu_rdma_task *)task;
	return task != NULL;
}

static enum doca_rdma_opcode opcode_of(const struct emu_rdma_frame *frame)
{
	return frame->type == EMU_RDMA_SEND	? DOCA_RDMA_OPCODE_RECV_SEND :
	       frame->type == EMU_RDMA_SEND_IMM ? DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM :
						  DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM;
}

/* The message is complete, or has failed. len: the bytes that it adds to the buffer. */
static void end_receive(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame, uint64_t len,
			doca_error_t status)
{
	struct emu_rdma_task *task = conn->receiving;

	conn->receiving = NULL;
	task->conn = conn;
	task->opcode = opcode_of(frame);
	task->imm = frame->type == EMU_RDMA_SEND ? 0 : frame->imm;
	task->result_len = (uint32_t)frame->total;
	if (status == DOCA_SUCCESS)
		emu_rdma_grow(task->dst, len);
	emu_rdma_finish(conn->rdma, &task->base, status);
}

/* Takes the bytes of a frame: from its payload, or from the sender's memory. Returns 0, or a negative errno: EPERM if the
 * system does not let this process do so. */
static int take_bytes(const struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame, const uint8_t *payload)
{
	const struct doca_buf *dst = conn->receiving->dst;

	if (!(frame->flags & EMU_RDMA_PULL))
		return emu_rdma_scatter(dst, frame->offset, payload, frame->len) ? 0 : -EFAULT;
	return conn->pid == 0 ? -EPERM : emu_rdma_pull(dst, frame->offset, conn->pid, frame->addr, frame->b);
}

/* The receive waits for the message to come again. */
static bool ask_for_bytes(struct doca_rdma_connection *conn)
{
	conn->is_dropping = true;
	return add_response(conn, EMU_RDMA_CANNOT_PULL, conn->expected) != NULL;
}

static bool handle_send(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame, const uint8_t *payload)
{
	struct doca_rdma *rdma = conn->rdma;
	enum emu_rdma_status status = EMU_RDMA_OK;
	int error;

	if ((frame->flags & EMU_RDMA_PULL) && (frame->len > 0 || frame->b > EMU_RDMA_MAX_PULL || frame->b > frame->total - frame->offset))
		return false;
	if (frame->offset == 0 && conn->receiving == NULL && !take_receive(conn))
		return answer_rnr(conn);
	if (conn->receiving == NULL)
		return false;
	if (frame->total > emu_rdma_room(conn->receiving->dst)) {
		EMU_LOG_ERR("rdma: a message of %llu bytes is longer than the buffer of the receive",
			    (unsigned long long)frame->total);
		status = EMU_RDMA_TOO_LONG;
	} else if (!emu_rdma_can_write(conn->receiving->dst, frame->total, rdma->ctx.dev,
				       rdma->max_receive_buf_list_len)) {
		status = EMU_RDMA_LOCAL_ERROR;
	} else {
		error = take_bytes(conn, frame, payload);
		if (error == -EPERM)
			return ask_for_bytes(conn);
		if (error != 0)
			status = EMU_RDMA_LOCAL_ERROR;
	}
	if (status == EMU_RDMA_OK && !(frame->flags & EMU_RDMA_LAST))
		return true;
	end_receive(conn, frame, frame->total, status == EMU_RDMA_OK ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
	return acknowledge(conn, status, 0);
}

/* Access to memory. */

/* False: the context or the export does not allow it. */
static bool name_range(const struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame, uint32_t need,
		       struct emu_export_range *range)
{
	memcpy(range->key, frame->key, sizeof(range->key));
	range->addr = frame->addr;
	range->len = frame->total;
	range->need = need;
	return (conn->rdma->permissions & need) != 0 && emu_export_key_check(range);
}

static bool handle_write(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame, const uint8_t *payload)
{
	struct emu_export_range range;

	if (frame->total > 0 &&
	    (!name_range(conn, frame, DOCA_ACCESS_FLAG_RDMA_WRITE, &range) ||
	     (frame->len > 0 && !emu_export_key_write(&range, frame->offset, payload, frame->len))))
		return acknowledge(conn, EMU_RDMA_NO_ACCESS, 0);
	if (!(frame->flags & EMU_RDMA_LAST))
		return true;
	if (frame->type != EMU_RDMA_WRITE) {
		if (!take_receive(conn))
			return answer_rnr(conn);
		end_receive(conn, frame, 0, DOCA_SUCCESS);
	}
	return acknowledge(conn, EMU_RDMA_OK, 0);
}

/* The data of WRITE_IMM is there. */
static bool handle_imm(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame)
{
	if (!take_receive(conn))
		return answer_rnr(conn);
	end_receive(conn, frame, 0, DOCA_SUCCESS);
	return acknowledge(conn, EMU_RDMA_OK, 0);
}

static bool handle_read(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame)
{
	struct emu_rdma_response *response;
	struct emu_export_range range;

	if (frame->total == 0)
		return acknowledge(conn, EMU_RDMA_OK, 0);
	if (!name_range(conn, frame, DOCA_ACCESS_FLAG_RDMA_READ, &range))
		return acknowledge(conn, EMU_RDMA_NO_ACCESS, 0);
	response = add_response(conn, EMU_RDMA_DATA, conn->expected);
	if (response == NULL)
		return false;
	response->frame.total = frame->total;
	response->range = range;
	conn->expected++;
	return true;
}

static bool handle_atomic(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame)
{
	struct emu_export_range range;
	uint64_t old = 0;

	if (frame->total != sizeof(old) || !name_range(conn, frame, DOCA_ACCESS_FLAG_RDMA_ATOMIC, &range) ||
	    !(frame->type == EMU_RDMA_COMPARE_SWAP ? emu_export_key_compare_swap(&range, frame->a, frame->b, &old) :
						     emu_export_key_add(&range, frame->a, &old)))
		return acknowledge(conn, EMU_RDMA_NO_ACCESS, 0);
	return acknowledge(conn, EMU_RDMA_OK, old);
}

static bool handle_event(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame)
{
	struct emu_event_key key;
	uint64_t old = 0;
	enum emu_event_op op = frame->type == EMU_RDMA_EVENT_GET ? EMU_EVENT_GET :
			       frame->type == EMU_RDMA_EVENT_SET ? EMU_EVENT_SET :
								   EMU_EVENT_ADD;

	memcpy(key.bytes, frame->key, sizeof(key.bytes));
	if (emu_event_apply(&key, op, frame->a, &old) != DOCA_SUCCESS)
		return acknowledge(conn, EMU_RDMA_NO_ACCESS, 0);
	return acknowledge(conn, EMU_RDMA_OK, old);
}

bool emu_rdma_respond(struct doca_rdma_connection *conn, const struct emu_rdma_frame *frame, const uint8_t *payload)
{
	if (conn->has_failed)
		return true;
	if (conn->is_dropping) {
		if (frame->seq != conn->expected || frame->offset != 0)
			return true;
		conn->is_dropping = false;
	}
	if (frame->seq != conn->expected || frame->offset > frame->total || frame->len > frame->total - frame->offset ||
	    frame->total > EMU_RDMA_MAX_MESSAGE_SIZE)
		return false;
	if (conn->receiving != NULL && frame->type != EMU_RDMA_SEND && frame->type != EMU_RDMA_SEND_IMM)
		return false; /* the message before it is not complete */
	switch (frame->type) {
	case EMU_RDMA_SEND:
	case EMU_RDMA_SEND_IMM:
		return handle_send(conn, frame, payload);
	case EMU_RDMA_WRITE:
	case EMU_RDMA_WRITE_IMM:
		return handle_write(conn, frame, payload);
	case EMU_RDMA_IMM:
		return handle_imm(conn, frame);
	case EMU_RDMA_READ:
		return handle_read(conn, frame);
	case EMU_RDMA_COMPARE_SWAP:
	case EMU_RDMA_FETCH_ADD:
		return handle_atomic(conn, frame);
	case EMU_RDMA_EVENT_GET:
	case EMU_RDMA_EVENT_SET:
	case EMU_RDMA_EVENT_ADD:
		return handle_event(conn, frame);
	default:
		return false;
	}
}

/* Receives. */

void emu_rdma_post(struct doca_rdma *rdma, struct emu_rdma_task *task)
{
	emu_task_queue_push(&rdma->posted, &task->base);
	for (struct doca_rdma_connection *conn = rdma->conns; conn != NULL; conn = conn->next) {
		struct emu_rdma_frame frame = {.type = EMU_RDMA_READY_TO_RECEIVE};

		if (!conn->owes_ready || conn->link == NULL)
			continue;
		conn->owes_ready = false;
		emu_rdma_link_flush(conn->link);
		emu_rdma_link_send(conn->link, &frame, NULL);
		return; /* one receive is for one of them */
	}
}

void emu_rdma_respond_end(struct doca_rdma_connection *conn)
{
	struct emu_rdma_response *response;

	while ((response = conn->responses) != NULL) {
		conn->responses = response->next;
		free(response);
	}
	conn->num_responses = 0;
	if (conn->receiving != NULL) {
		struct emu_task_queue *posted = &conn->rdma->posted;
		struct doca_task *task = &conn->receiving->base;

		if (posted->head == NULL)
			posted->tail = task;
		task->next = posted->head;
		posted->head = task;
		conn->receiving = NULL;
	}
}
