/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_COMPLETION_H_
#define EMU_DPA_COMPLETION_H_

/*
 * Completion queues of device code. Any thread posts, the device code of one thread at a time takes.
 *
 * A queue begins armed. A post to an armed queue disarms it and wakes its thread. Arming it again when it has completions
 * that were not taken wakes the thread at once.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_dpa.h>

#include "core/emulator.h"

struct emu_dpa_run;

/* The values of doca_dpa_dev_completion_type_t. */
enum emu_dpa_completion_type {
	EMU_DPA_COMP_SEND = 0x0,
	EMU_DPA_COMP_RECV_RDMA_WRITE_IMM = 0x1,
	EMU_DPA_COMP_RECV_SEND = 0x2,
	EMU_DPA_COMP_RECV_SEND_IMM = 0x3,
	EMU_DPA_COMP_SEND_ERR = 0xD,
	EMU_DPA_COMP_RECV_ERR = 0xE,
};

/* The values of enum doca_dpa_dev_submit_flag. */
enum {
	EMU_DPA_SUBMIT_FLUSH = 1,
	EMU_DPA_SUBMIT_OPTIMIZE_REPORTS = 2,
};

struct emu_dpa_cqe {
	uint32_t type; /* enum emu_dpa_completion_type */
	uint32_t immediate;
	uint32_t user_data;
	uint32_t wr_index; /* of RDMA */
};

struct emu_dpa_slot {
	uint64_t sequence; /* of the completion in it, plus 1; accessed with atomics */
	struct emu_dpa_cqe cqe;
};

struct doca_dpa_completion {
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread; /* NULL: it wakes none */
	unsigned int queue_size;
	uint64_t handle;       /* 0: not started */
	uint32_t num_attached; /* objects that post to it; accessed with atomics */

	/* Of emu_dpa_completion.c; accessed with atomics. */
	struct emu_dpa_slot *slots;
	uint32_t armed;
	uint64_t num_posted __attribute__((aligned(64)));
	uint64_t num_taken __attribute__((aligned(64)));
	uint64_t num_acked;
};

/* Posts a completion. If the queue is full, that is a fatal error of its context. It must be started. */
EMU_API void emu_dpa_completion_post(struct doca_dpa_completion *comp, const struct emu_dpa_cqe *cqe);

/* Objects that post to the queue, which must be destroyed before it. */
EMU_API void emu_dpa_completion_attach(struct doca_dpa_completion *comp);
EMU_API void emu_dpa_completion_detach(struct doca_dpa_completion *comp);

static inline bool emu_dpa_completion_is_started(const struct doca_dpa_completion *comp)
{
	return comp->handle != 0;
}

/* The completion of an element, which must not be acknowledged yet. Ends the run if it is none. */
EMU_API struct emu_dpa_cqe emu_dpa_completion_of(struct emu_dpa_run *run, uint64_t element);

/* Start and stop. BAD_STATE: the thread is not started. DRIVER: no memory. */
EMU_API doca_error_t emu_dpa_completion_begin(struct doca_dpa_completion *comp);
EMU_API void emu_dpa_completion_end(struct doca_dpa_completion *comp);

/* For device code. */
EMU_LOCAL bool emu_dpa_completion_take(struct doca_dpa_completion *comp, uint64_t *element);
EMU_LOCAL bool emu_dpa_completion_ack(struct doca_dpa_completion *comp, uint64_t num);
EMU_LOCAL void emu_dpa_completion_arm(struct doca_dpa_completion *comp);

#endif /* EMU_DPA_COMPLETION_H_ */
