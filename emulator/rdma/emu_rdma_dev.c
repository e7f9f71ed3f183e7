/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_completion.h"
#include "dpacore/emu_dpa_dev.h"
#include "dpacore/emu_dpa_handle.h"
#include "dpacore/emu_dpa_mmap.h"
#include "dpacore/emu_dpa_run.h"

#include "emu_rdma_dev.h"
#include "emu_rdma_dpa.h"
#include "emu_rdma_kind.h"

/* Handles of buffers are addresses of the kernel's: read them before the functions enter. */
static const struct emu_dpa_buf *buf_at(uint64_t handle)
{
	return (const struct emu_dpa_buf *)(uintptr_t)handle;
}

static bool needs_local(const struct emu_rdma_post *post)
{
	return post->len > 0;
}

static bool needs_remote(const struct emu_rdma_post *post)
{
	return post->kind == EMU_RDMA_TASK_FETCH_ADD ||
	       (post->len > 0 && post->kind != EMU_RDMA_TASK_SEND && post->kind != EMU_RDMA_TASK_SEND_IMM &&
		post->kind != EMU_RDMA_TASK_RECEIVE);
}

static void look_up(struct emu_dpa_run *run, const struct emu_rdma_post *post, struct emu_rdma_post_objects *objects)
{
	objects->rdma = emu_dpa_lookup(run, post->rdma, EMU_DPA_RDMA);
	objects->local = needs_local(post) ? emu_dpa_mmap_lookup(run, post->local_mmap) : NULL;
	objects->remote = needs_remote(post) ? emu_dpa_mmap_lookup(run, post->remote_mmap) : NULL;
	objects->event = post->remote_event != 0 || post->kind == EMU_RDMA_TASK_EVENT_SET || post->kind == EMU_RDMA_TASK_EVENT_ADD ?
				 emu_dpa_lookup(run, post->remote_event, EMU_DPA_REMOTE_SYNC_EVENT) :
				 NULL;
}

static void end(struct emu_dpa_run *run, const struct emu_rdma_post *post, doca_error_t result)
{
	switch (result) {
	case DOCA_SUCCESS:
		emu_dpa_exit(run);
		break;
	case DOCA_ERROR_NOT_FOUND:
		emu_dpa_fatal(run, "the RDMA context has no connection %u", post->connection_id);
	case DOCA_ERROR_FULL:
		emu_dpa_fatal(run, "the receive queue is full: acknowledge receives that have completed "
				   "(doca_dpa_dev_rdma_receive_ack), or make it larger (doca_rdma_set_recv_queue_size)");
	case DOCA_ERROR_TOO_BIG:
		emu_dpa_fatal(run, "%zu bytes are more than a message can have", post->len);
	default:
		emu_dpa_fatal(run, "no memory for %zu bytes", post->len);
	}
}

/* Waits for room in the send queue. */
static void request(const char *function, const struct emu_rdma_post *post)
{
	struct emu_dpa_run *run = emu_dpa_enter(function);
	struct emu_rdma_post_objects objects;
	doca_error_t result;

	look_up(run, post, &objects);
	while ((result = emu_rdma_dpa_post(post, &objects)) == DOCA_ERROR_AGAIN) {
		emu_dpa_pause(run);
		look_up(run, post, &objects);
	}
	end(run, post, result);
}

/* Requests. */

static void dev_post_read(uint64_t rdma, uint32_t connection_id, uint32_t dst_mmap, uint64_t dst, uint32_t src_mmap,
			  uint64_t src, size_t len, uint32_t flags)
{
	const struct emu_rdma_post post = {.kind = EMU_RDMA_TASK_READ, .rdma = rdma, .connection_id = connection_id,
					   .local_mmap = dst_mmap, .local = dst, .remote_mmap = src_mmap,
					   .remote = src, .len = len, .flags = flags};

	request("doca_dpa_dev_rdma_post_read", &post);
}

static void dev_post_buf_read(uint64_t rdma, uint32_t connection_id, uint64_t dst_buf, uint64_t src_buf, uint32_t flags)
{
	const struct emu_dpa_buf dst = *buf_at(dst_buf), src = *buf_at(src_buf);
	const struct emu_rdma_post post = {.kind = EMU_RDMA_TASK_READ, .rdma = rdma, .connection_id = connection_id,
					   .local_mmap = dst.mmap, .local = dst.addr, .remote_mmap = src.mmap,
					   .remote = src.addr, .len = dst.len, .flags = flags};

	request("doca_dpa_dev_rdma_post_buf_read", &post);
}

static void write_to(const char *function, enum emu_rdma_kind kind, uint64_t rdma, uint32_t connection_id,
		     const struct emu_dpa_buf *dst, const struct emu_dpa_buf *src, uint32_t immediate, uint32_t flags)
{
	const struct emu_rdma_post post = {.kind = kind, .rdma = rdma, .connection_id = connection_id,
					   .local_mmap = src->mmap, .local = src->addr, .remote_mmap = dst->mmap,
					   .remote = dst->addr, .len = src->len, .immediate = immediate, .flags = flags};

	request(function, &post);
}

static void dev_post_write(uint64_t rdma, uint32_t connection_id, uint32_t dst_mmap, uint64_t dst, uint32_t src_mmap,
			   uint64_t src, size_t len, uint32_t flags)
{
	const struct emu_dpa_buf to = {.addr = dst, .mmap = dst_mmap}, from = {.addr = src, .len = len, .mmap = src_mmap};

	write_to("doca_dpa_dev_rdma_post_write", EMU_RDMA_TASK_WRITE, rdma, connection_id, &to, &from, 0, flags);
}

static void dev_post_buf_write(uint64_t rdma, uint32_t connection_id, uint64_t dst_buf, uint64_t src_buf, uint32_t flags)
{
	const struct emu_dpa_buf to = *buf_at(dst_buf), from = *buf_at(src_buf);

	write_to("doca_dpa_dev_rdma_post_buf_write", EMU_RDMA_TASK_WRITE, rdma, connection_id, &to, &from, 0, flags);
}

static void dev_post_write_imm(uint64_t rdma, uint32_t connection_id, uint32_t dst_mmap, uint64_t dst, uint32_t src_mmap,
			       uint64_t src, size_t len, uint32_t immediate, uint32_t flags)
{
	const struct emu_dpa_buf to = {.addr = dst, .mmap = dst_mmap}, from = {.addr = src, .len = len, .mmap = src_mmap};

	write_to("doca_dpa_dev_rdma_post_write_imm", EMU_RDMA_TASK_WRITE_IMM, rdma, connection_id, &to, &from, immediate,
		 flags);
}

static void dev_post_buf_write_imm(uint64_t rdma, uint32_t connection_id, uint64_t dst_buf, uint64_t src_buf,
				   uint32_t immediate, uint32_t flags)
{
	const struct emu_dpa_buf to = *buf_at(dst_buf), from = *buf_at(src_buf);

	write_to("doca_dpa_dev_rdma_post_buf_write_imm", EMU_RDMA_TASK_WRITE_IMM, rdma, connection_id, &to, &from,
		 immediate, flags);
}

static void send(const char *function, enum emu_rdma_kind kind, uint64_t rdma, uint32_t connection_id,
		 const struct emu_dpa_buf *src, uint32_t immediate, uint32_t flags)
{
	const struct emu_rdma_post post = {.kind = kind, .rdma = rdma, .connection_id = connection_id,
					   .local_mmap = src->mmap, .local = src->addr, .len = src->len,
					   .immediate = immediate, .flags = flags};

	request(function, &post);
}

static void dev_post_send(uint64_t rdma, uint32_t connection_id, uint32_t mmap, uint64_t addr, size_t len, uint32_t flags)
{
	const struct emu_dpa_buf from = {.addr = addr, .len = len, .mmap = mmap};

	send("doca_dpa_dev_rdma_post_send", EMU_RDMA_TASK_SEND, rdma, connection_id, &from, 0, flags);
}

static void dev_post_buf_send(uint64_t rdma, uint32_t connection_id, uint64_t send_buf, uint32_t flags)
{
	const struct emu_dpa_buf from = *buf_at(send_buf);

	send("doca_dpa_dev_rdma_post_buf_send", EMU_RDMA_TASK_SEND, rdma, connection_id, &from, 0, flags);
}

static void dev_post_send_imm(uint64_t rdma, uint32_t connection_id, uint32_t mmap, uint64_t addr, size_t len,
			      uint32_t immediate, uint32_t flags)
{
	const struct emu_dpa_buf from = {.addr = addr, .len = len, .mmap = mmap};

	send("doca_dpa_dev_rdma_post_send_imm", EMU_RDMA_TASK_SEND_IMM, rdma, connection_id, &from, immediate, flags);
}

static void dev_post_buf_send_imm(uint64_t rdma, uint32_t connection_id, uint64_t send_buf, uint32_t immediate,
				  uint32_t flags)
{
	const struct emu_dpa_buf from = *buf_at(send_buf);

	send("doca_dpa_dev_rdma_post_buf_send_imm", EMU_RDMA_TASK_SEND_IMM, rdma, connection_id, &from, immediate, flags);
}

static void add_to(const char *function, uint64_t rdma, uint32_t connection_id, uint32_t mmap, uint64_t addr,
		   uint64_t value, uint32_t flags)
{
	const struct emu_rdma_post post = {.kind = EMU_RDMA_TASK_FETCH_ADD, .rdma = rdma, .connection_id = connection_id,
					   .remote_mmap = mmap, .remote = addr, .value = value, .flags = flags};

	request(function, &post);
}

static void dev_post_atomic_fetch_add(uint64_t rdma, uint32_t connection_id, uint32_t dst_mmap, uint64_t dst,
				      uint64_t value, uint32_t flags)
{
	add_to("doca_dpa_dev_rdma_post_atomic_fetch_add", rdma, connection_id, dst_mmap, dst, value, flags);
}

static void dev_post_buf_atomic_fetch_add(uint64_t rdma, uint32_t connection_id, uint64_t dst_buf, uint64_t value,
					  uint32_t flags)
{
	const struct emu_dpa_buf to = *buf_at(dst_buf);

	add_to("doca_dpa_dev_rdma_post_buf_atomic_fetch_add", rdma, connection_id, to.mmap, to.addr, value, flags);
}

/* Signals have no flags: they go at once, and only an error is reported. */
static void signal_event(const char *function, enum emu_rdma_kind kind, uint64_t rdma, uint32_t connection_id,
			 uint64_t event, uint64_t count)
{
	const struct emu_rdma_post post = {.kind = kind, .rdma = rdma, .connection_id = connection_id,
					   .remote_event = event, .value = count,
					   .flags = EMU_DPA_SUBMIT_FLUSH | EMU_DPA_SUBMIT_OPTIMIZE_REPORTS};

	request(function, &post);
}

static void dev_signal_set(uint64_t rdma, uint32_t connection_id, uint64_t event, uint64_t count)
{
	signal_event("doca_dpa_dev_rdma_signal_set", EMU_RDMA_TASK_EVENT_SET, rdma, connection_id, event, count);
}

static void dev_signal_add(uint64_t rdma, uint32_t connection_id, uint64_t event, uint64_t count)
{
	signal_event("doca_dpa_dev_rdma_signal_add", EMU_RDMA_TASK_EVENT_ADD, rdma, connection_id, event, count);
}

/* Receives. */

static void receive(const char *function, uint64_t rdma, const struct emu_dpa_buf *dst)
{
	const struct emu_rdma_post post = {.kind = EMU_RDMA_TASK_RECEIVE, .rdma = rdma, .local_mmap = dst->mmap,
					   .local = dst->addr, .len = dst->len};
	struct emu_dpa_run *run = emu_dpa_enter(function);
	struct emu_rdma_post_objects objects;

	look_up(run, &post, &objects);
	end(run, &post, emu_rdma_dpa_post_receive(&post, &objects));
}

static void dev_post_receive(uint64_t rdma, uint32_t mmap, uint64_t addr, size_t len)
{
	const struct emu_dpa_buf to = {.addr = addr, .len = len, .mmap = mmap};

	receive("doca_dpa_dev_rdma_post_receive", rdma, &to);
}

static void dev_post_buf_receive(uint64_t rdma, uint64_t receive_buf)
{
	const struct emu_dpa_buf to = *buf_at(receive_buf);

	receive("doca_dpa_dev_rdma_post_buf_receive", rdma, &to);
}

static void dev_receive_ack(uint64_t rdma, uint32_t num)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_rdma_receive_ack");

	if (!emu_rdma_dpa_ack(emu_dpa_lookup(run, rdma, EMU_DPA_RDMA), num))
		emu_dpa_fatal(run, "%u receives are acknowledged, but fewer have completed", num);
	emu_dpa_exit(run);
}

static uint32_t dev_completion_get_wr_index(uint64_t element)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_rdma_completion_get_wr_index");
	struct emu_dpa_cqe cqe = emu_dpa_completion_of(run, element);

	emu_dpa_exit(run);
	return cqe.wr_index;
}

static const struct emu_dpa_dev_ops ops = {
	.rdma_post_read = dev_post_read,
	.rdma_post_buf_read = dev_post_buf_read,
	.rdma_post_write = dev_post_write,
	.rdma_post_buf_write = dev_post_buf_write,
	.rdma_post_write_imm = dev_post_write_imm,
	.rdma_post_buf_write_imm = dev_post_buf_write_imm,
	.rdma_post_send = dev_post_send,
	.rdma_post_buf_send = dev_post_buf_send,
	.rdma_post_send_imm = dev_post_send_imm,
	.rdma_post_buf_send_imm = dev_post_buf_send_imm,
	.rdma_post_receive = dev_post_receive,
	.rdma_post_buf_receive = dev_post_buf_receive,
	.rdma_receive_ack = dev_receive_ack,
	.rdma_completion_get_wr_index = dev_completion_get_wr_index,
	.rdma_post_atomic_fetch_add = dev_post_atomic_fetch_add,
	.rdma_post_buf_atomic_fetch_add = dev_post_buf_atomic_fetch_add,
	.rdma_signal_set = dev_signal_set,
	.rdma_signal_add = dev_signal_add,
};

void emu_rdma_dev_install(void)
{
	emu_dpa_dev_ops_set_rdma(&ops);
}
