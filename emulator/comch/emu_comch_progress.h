/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_PROGRESS_H_
#define EMU_COMCH_PROGRESS_H_

/* Progress of servers and clients. One call shows the program at most one thing. */

#include <stdbool.h>

#include "core/emulator.h"

struct doca_ctx;

/* For struct emu_ctx_ops. */
EMU_LOCAL bool emu_comch_progress(struct doca_ctx *ctx);
EMU_LOCAL bool emu_comch_pending(const struct doca_ctx *ctx);

#endif /* EMU_COMCH_PROGRESS_H_ */
