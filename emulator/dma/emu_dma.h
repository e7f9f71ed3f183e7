/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DMA_H_
#define EMU_DMA_H_

#include <stdint.h>

#include <doca_dma.h>

#include "core/emu_ctx.h"
#include "core/emu_task.h"
#include "core/emulator.h"

struct doca_dma {
	struct doca_ctx ctx;
	struct emu_task_pool pool;
	uint64_t max_buf_size;
	uint32_t num_tasks;	     /* 0: not configured */
	uint8_t ordered_completions; /* stored for programs: completions always come in the order of submission */
	doca_dma_task_memcpy_completion_cb_t completion_cb;
	doca_dma_task_memcpy_completion_cb_t error_cb;
};

#endif /* EMU_DMA_H_ */
