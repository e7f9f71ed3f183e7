/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "core/emu_export_table.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_completion.h"
#include "dpacore/emu_dpa_handle.h"
#include "dpacore/emu_dpa_mmap.h"
#include "dpacore/emu_dpa_run.h"

#include "emu_rdma_kind.h"
#include "emu_rdma_wr.h"

struct emu_rdma_wr *emu_rdma_wr_new(struct doca_rdma *rdma, enum emu_rdma_kind kind, size_t len)
{
	struct emu_rdma_wr *wr = malloc(sizeof(*wr) + len);

	if (wr == NULL)
		return NULL;
	memset(wr, 0, sizeof(*wr));
	wr->task.base.ctx = &rdma->ctx;
	wr->task.base.state = EMU_TASK_QUEUED;
	wr->task.kind = (uint8_t)kind;
	wr->dev = rdma->ctx.dev;
	wr->local_map = (struct doca_mmap){
		.addr = wr->bytes,
		.len = len,
		.dev = rdma->ctx.dev,
		.access = EMU_ACCESS_READ | EMU_ACCESS_WRITE,
		.is_started = true,
	};
	wr->local = (struct doca_buf){.head = wr->bytes, .len = len, .data = wr->bytes, .mmap = &wr->local_map};
	return wr;
}

static void make_unusable(struct emu_rdma_wr *wr)
{
	wr->local_map.access = 0;
}

void emu_rdma_wr_capture(struct emu_rdma_wr *wr, const struct doca_mmap *map, uint64_t addr, size_t len)
{
	wr->local.data_len = len;
	wr->task.src = &wr->local;
	if (len > 0 && !emu_dpa_mmap_copy(wr->dev, &wr->local_map, (uintptr_t)wr->bytes, map, addr, len))
		make_unusable(wr);
}

void emu_rdma_wr_reserve(struct emu_rdma_wr *wr, const struct doca_mmap *map, uint32_t handle, uint64_t addr, size_t len)
{
	wr->task.dst = &wr->local;
	wr->dst_mmap = len > 0 ? handle : 0;
	wr->dst = addr;
	if (len > 0 && !emu_dpa_mmap_permits(map, wr->dev, addr, len, EMU_ACCESS_WRITE))
		make_unusable(wr);
}

void emu_rdma_wr_set_number(struct emu_rdma_wr *wr, uint64_t number)
{
	memcpy(wr->bytes, &number, sizeof(number));
	wr->local.data_len = sizeof(number);
	wr->task.src = &wr->local;
}

void emu_rdma_wr_aim(struct emu_rdma_wr *wr, const struct doca_mmap *map, uint64_t addr, size_t len)
{
	uint8_t *at = (uint8_t *)(uintptr_t)addr;

	wr->remote_map = *map;
	wr->remote_map.devs = &wr->dev;
	wr->remote_map.num_devs = emu_mmap_has_dev(map, wr->dev);
	if (map->import != NULL)
		emu_import_hold(map->import);
	wr->remote = (struct doca_buf){.head = at, .len = len, .data = at, .data_len = len, .mmap = &wr->remote_map};
	if (wr->task.kind == EMU_RDMA_TASK_READ)
		wr->task.src = &wr->remote;
	else if (emu_rdma_kind_is_write(&wr->task))
		wr->task.dst = &wr->remote;
	else
		wr->task.target = &wr->remote;
}

void emu_rdma_wr_free(struct emu_rdma_wr *wr)
{
	if (wr->remote_map.import != NULL)
		emu_import_release(wr->remote_map.import);
	free(wr);
}

/* Completions. */

/* False: the program's memory may not be written any more. */
static bool deliver(struct emu_rdma_wr *wr)
{
	struct emu_dpa_run reader = {.dpa = NULL};
	const struct doca_mmap *map;
	bool is_done;

	if (wr->dst_mmap == 0 || wr->local.data_len == 0)
		return true;
	emu_dpa_run_join(&reader);
	emu_dpa_run_begin(&reader);
	map = emu_dpa_peek_short(wr->dst_mmap, EMU_DPA_MMAP);
	is_done = map != NULL &&
		  emu_dpa_mmap_copy(wr->dev, map, wr->dst, &wr->local_map, (uintptr_t)wr->bytes, wr->local.data_len);
	emu_dpa_run_end(&reader);
	emu_dpa_run_quit(&reader);
	return is_done;
}

static uint32_t type_of(const struct emu_rdma_wr *wr, bool has_failed)
{
	if (wr->task.kind != EMU_RDMA_TASK_RECEIVE)
		return has_failed ? EMU_DPA_COMP_SEND_ERR : EMU_DPA_COMP_SEND;
	if (has_failed)
		return EMU_DPA_COMP_RECV_ERR;
	switch (wr->task.opcode) {
	case DOCA_RDMA_OPCODE_RECV_SEND:
		return EMU_DPA_COMP_RECV_SEND;
	case DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM:
		return EMU_DPA_COMP_RECV_SEND_IMM;
	default:
		return EMU_DPA_COMP_RECV_RDMA_WRITE_IMM;
	}
}

void emu_rdma_wr_finish(struct emu_rdma_wr *wr, doca_error_t status)
{
	struct doca_rdma *rdma = emu_rdma_of(wr->task.base.ctx);
	bool is_receive = wr->task.kind == EMU_RDMA_TASK_RECEIVE;
	bool has_failed = status != DOCA_SUCCESS;
	struct emu_dpa_cqe cqe;

	if (!has_failed && (is_receive || wr->task.kind == EMU_RDMA_TASK_READ))
		has_failed = !deliver(wr);
	cqe = (struct emu_dpa_cqe){
		.type = type_of(wr, has_failed),
		.immediate = is_receive && !has_failed ? be32toh(wr->task.imm) : 0,
		.user_data = wr->task.conn == NULL ? 0 : wr->task.conn->id,
		.wr_index = wr->index,
	};
	if (is_receive)
		rdma->num_to_ack++;
	else
		wr->task.conn->num_posted--;
	if (rdma->comp != NULL && (has_failed || !wr->is_silent) && !emu_dpa_is_fatal(rdma->comp->dpa))
		emu_dpa_completion_post(rdma->comp, &cqe);
	emu_rdma_wr_free(wr);
}
