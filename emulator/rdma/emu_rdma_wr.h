/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_WR_H_
#define EMU_RDMA_WR_H_

/*
 * Work requests of contexts on a DPA: what tasks are elsewhere.
 *
 * A request has memory of its own. What it sends is copied there when it is posted, so that the program may change its
 * memory at once. What it receives is copied from there when it completes, if the memory map is still there then.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/emu_buf.h"
#include "core/emu_mmap.h"
#include "core/emulator.h"
#include "syncevent/emu_syncevent.h"

#include "emu_rdma.h"

struct emu_rdma_wr {
	struct emu_rdma_task task; /* comes first */
	uint32_t index;		   /* in its queue */
	bool is_silent;		   /* only an error is reported */
	uint32_t dst_mmap;	   /* where what is received goes; 0: nowhere */
	uint64_t dst;
	struct doca_dev *dev;
	struct doca_buf local;
	struct doca_mmap local_map;
	struct doca_buf remote;
	struct doca_mmap remote_map; /* a copy, which holds the import */
	struct doca_sync_event_remote_net event;
	uint8_t bytes[];
};

/* Makes a request with len bytes of memory. NULL: no memory. */
EMU_LOCAL struct emu_rdma_wr *emu_rdma_wr_new(struct doca_rdma *rdma, enum emu_rdma_kind kind, size_t len);

/* The memory becomes data that is sent, copied from the map (NULL: len is 0), or room for what is received. If the device
 * may not access the range, the request will fail. */
EMU_LOCAL void emu_rdma_wr_capture(struct emu_rdma_wr *wr, const struct doca_mmap *map, uint64_t addr, size_t len);
EMU_LOCAL void emu_rdma_wr_reserve(struct emu_rdma_wr *wr, const struct doca_mmap *map, uint32_t handle, uint64_t addr,
				   size_t len);
/* A number of 8 bytes to send. */
EMU_LOCAL void emu_rdma_wr_set_number(struct emu_rdma_wr *wr, uint64_t number);
/* What the request accesses at the peer. */
EMU_LOCAL void emu_rdma_wr_aim(struct emu_rdma_wr *wr, const struct doca_mmap *map, uint64_t addr, size_t len);

/* Delivers what was received, posts the completion and frees the request. Called with the lock, or before anybody else
 * knows the request. */
EMU_LOCAL void emu_rdma_wr_finish(struct emu_rdma_wr *wr, doca_error_t status);
/* Frees it without a completion. */
EMU_LOCAL void emu_rdma_wr_free(struct emu_rdma_wr *wr);

#endif /* EMU_RDMA_WR_H_ */
