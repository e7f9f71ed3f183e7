/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_CONSUMER_H_
#define EMU_COMCH_CONSUMER_H_

#include <stdbool.h>
#include <stdint.h>

#include <doca_comch_consumer.h>

#include "core/emu_task.h"
#include "core/emulator.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_frame.h"
#include "emu_comch_ring.h"
#include "emu_comch_takeover.h"

struct emu_comch_fifo;

struct doca_comch_consumer {
	struct emu_comch_endpoint endpoint;
	struct doca_mmap *mmap;
	uint32_t imm_data_len;
	doca_comch_consumer_task_post_recv_completion_cb_t completion_cb;
	doca_comch_consumer_task_post_recv_completion_cb_t error_cb;

	/* While not IDLE. */
	struct emu_comch_ring *ring;
	uint32_t num_entries;
	int ring_fd;
	struct doca_comch_consumer_task_post_recv **tasks; /* by entry */
	uint64_t posted;
	uint64_t taken; /* entries whose tasks have ended */
	bool is_armed;	/* the ring was armed, so the doorbell may have rung */
	bool is_direct; /* producers may write into posted buffers */
	struct emu_comch_takeover takeover;
	struct emu_comch_expiry *expiry;
	struct emu_comch_fifo *fifo; /* of a MsgQ's consumer of this process; the ring above is of one of a connection */

	/* On the DPA. */
	struct doca_comch_consumer_completion *comp; /* NULL: not set */
	uint32_t comp_user_data;
	uint32_t dev_num_recv; /* a power of two; 0: not set */
	uint64_t handle;       /* 0: not started */
};

/* The frame that announces the end of a consumer may be sent after the consumer was destroyed. */
struct emu_comch_expiry {
	struct emu_comch_out out;
	uint32_t id;
};

struct doca_comch_consumer_task_post_recv {
	struct doca_task base;
	struct doca_buf *buf;
	uint32_t producer_id;
	uint32_t imm_len;
	uint8_t imm[EMU_COMCH_MAX_IMM_DATA_LEN];
};

EMU_LOCAL extern const struct emu_ctx_ops emu_comch_consumer_ops;

#endif /* EMU_COMCH_CONSUMER_H_ */
