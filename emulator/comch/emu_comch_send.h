/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_SEND_H_
#define EMU_COMCH_SEND_H_

/* Tasks that send a message. */

#include <stdint.h>

#include <doca_comch.h>

#include "core/emu_task.h"
#include "core/emulator.h"
#include "emu_comch_frame.h"

struct doca_comch_task_send {
	struct doca_task base;
	struct doca_comch_connection *peer; /* compared together with serial, since it may no longer exist */
	uint64_t serial;
	const void *msg;
	uint32_t len;
	void *copy; /* room for a message that waits to be sent; kept by the task until the context is idle */
	const void *of_program; /* while a fault keeps msg in copy */
	struct emu_comch_out out;
};

EMU_LOCAL extern const struct emu_task_ops emu_comch_send_ops;

/* Frees the copies that the tasks of a pool have kept. None of them is in use. */
EMU_LOCAL void emu_comch_free_copies(struct emu_task_pool *pool);

#endif /* EMU_COMCH_SEND_H_ */
