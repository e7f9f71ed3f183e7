/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DMA_OVERLAP_H_
#define EMU_DMA_OVERLAP_H_

/*
 * Finds copies that are in flight at the same time and touch the same bytes, of which one writes. Hardware does not:
 * what the bytes are afterwards is undefined. For programs that set DOCA_EMU_CHECK_OVERLAPS.
 */

#include <stdbool.h>

#include <doca_buf.h>

#include "core/emu_task.h"

/* True if the program wants its copies checked. Submissions are slower from then on. */
EMU_LOCAL bool emu_dma_overlap_wanted(void);

/* Notes a copy that is being submitted. False: it overlaps another one, which the log says, and is not noted. */
EMU_LOCAL bool emu_dma_overlap_begin(const struct doca_task *task, const struct doca_buf *src, const struct doca_buf *dst);

/* The copy has ended, or is not noted. */
EMU_LOCAL void emu_dma_overlap_end(const struct doca_task *task);

#endif /* EMU_DMA_OVERLAP_H_ */
