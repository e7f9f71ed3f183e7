/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_DPA_PRODUCER_H_
#define EMU_COMCH_DPA_PRODUCER_H_

/* Producers on the DPA. */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/emulator.h"
#include "emu_comch_fifo.h"

struct emu_ctx_ops;
struct emu_dpa_run;

/* A send of device code. */
struct emu_comch_dpa_send {
	struct emu_comch_message message;
	uint32_t consumer_id;
	uint32_t flags; /* EMU_DPA_SUBMIT_* */
	bool has_copy;	/* of memory, which comes first */
	uint32_t dst_mmap;
	uint32_t src_mmap;
	uint64_t dst;
	uint64_t src;
	size_t len;
};

/* What a producer has while it is started. */
struct emu_comch_dpa_sends {
	bool is_broken; /* a send has failed, so all others fail, too; accessed with atomics */
	uint32_t num;	/* that wait for a flush; accessed with atomics */
	pthread_mutex_t lock; /* of what follows */
	uint32_t first;
	struct emu_comch_dpa_send waiting[]; /* a ring of dev_num_send */
};

EMU_LOCAL extern const struct emu_ctx_ops emu_comch_dpa_producer_ops;

/* Sends for device code: at once, or with the next send that has the flag FLUSH. The run may be paused, and ends if the
 * handle is wrong. */
EMU_LOCAL void emu_comch_dpa_producer_send(struct emu_dpa_run *run, uint64_t handle,
					   const struct emu_comch_dpa_send *send);

#endif /* EMU_COMCH_DPA_PRODUCER_H_ */
