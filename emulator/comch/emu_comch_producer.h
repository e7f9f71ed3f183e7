/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_PRODUCER_H_
#define EMU_COMCH_PRODUCER_H_

#include <stdbool.h>
#include <stdint.h>

#include <doca_comch_producer.h>

#include "core/emu_task.h"
#include "core/emulator.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_frame.h"
#include "emu_comch_ring.h"

struct emu_comch_dpa_sends;

struct doca_comch_producer {
	struct emu_comch_endpoint endpoint;
	uint32_t num_tries;
	doca_comch_producer_task_send_completion_cb_t completion_cb;
	doca_comch_producer_task_send_completion_cb_t error_cb;
	struct emu_comch_remote *remote; /* the consumer of the last send */

	/* On the DPA. */
	struct doca_dpa_completion *comp; /* NULL: not attached */
	uint32_t dev_num_send;		  /* 0: not set */
	uint64_t handle;		  /* 0: not started */
	struct emu_comch_dpa_sends *sends;
};

struct doca_comch_producer_task_send {
	struct doca_task base;
	const struct doca_buf *buf;
	uint32_t consumer_id;
	uint32_t imm_len;
	uint8_t *imm; /* belongs to the program; read at submission */
	uint8_t *of_program; /* while a fault has imm in kept */
	uint8_t kept[EMU_COMCH_MAX_IMM_DATA_LEN];
};

static inline bool emu_comch_imm_is_valid(const uint8_t *imm_data, uint32_t imm_data_len)
{
	return imm_data_len == 0 || (imm_data != NULL && imm_data_len <= EMU_COMCH_MAX_IMM_DATA_LEN);
}

EMU_LOCAL extern const struct emu_ctx_ops emu_comch_producer_ops;

/* Operations of struct doca_comch_producer_task_send: see struct emu_task_ops. */
EMU_LOCAL void emu_comch_producer_keep(struct doca_task *base);
EMU_LOCAL void emu_comch_producer_restore(struct doca_task *base);

/* Reports the sends of a connection that have ended, on the engine of its server or client. Call it before what tells the
 * program that the peer or its consumer has gone. */
EMU_LOCAL void emu_comch_producer_finish(const struct doca_ctx *ctrl, const struct doca_comch_connection *conn);

#endif /* EMU_COMCH_PRODUCER_H_ */
