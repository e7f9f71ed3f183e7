/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_DPA_CONSUMER_H_
#define EMU_COMCH_DPA_CONSUMER_H_

/* Consumers on the DPA, and the completion queues that they share. */

#include <stdint.h>

#include <doca_comch_consumer.h>

#include "core/emulator.h"

struct doca_dpa;
struct emu_comch_fifo;
struct emu_ctx_ops;

#define EMU_COMCH_MAX_COMP_RECV (1u << 20) /* receives of all consumers of a completion queue */

struct doca_comch_consumer_completion {
	struct doca_dpa_thread *thread; /* NULL: not set */
	uint32_t max_num_consumers;	/* powers of two; 0: not set */
	uint32_t max_num_recv;
	uint32_t imm_data_len;
	uint32_t num_consumers; /* that have it as theirs; accessed with atomics */

	/* While it is started. */
	uint64_t handle; /* 0: not started */
	struct emu_comch_fifo *fifo;
	uint32_t num_recv; /* of the consumers that are started; accessed with atomics */
};

EMU_LOCAL extern const struct emu_ctx_ops emu_comch_dpa_consumer_ops;

/* Adds a consumer to those of a completion queue. NO_MEMORY: the queue has as many as it may. */
EMU_LOCAL doca_error_t emu_comch_dpa_comp_add(struct doca_comch_consumer_completion *comp);
EMU_LOCAL void emu_comch_dpa_comp_remove(struct doca_comch_consumer_completion *comp);

/* Start and stop a completion queue. BAD_STATE: its thread is not started. NO_MEMORY; DRIVER: the DPA has failed. */
EMU_LOCAL doca_error_t emu_comch_dpa_comp_start(struct doca_comch_consumer_completion *comp);
EMU_LOCAL void emu_comch_dpa_comp_stop(struct doca_comch_consumer_completion *comp);

/* The smallest power of two that is not below num. */
EMU_LOCAL uint32_t emu_comch_dpa_round_up(uint32_t num);

#endif /* EMU_COMCH_DPA_CONSUMER_H_ */
