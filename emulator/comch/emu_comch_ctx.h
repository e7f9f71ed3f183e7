/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_CTX_H_
#define EMU_COMCH_CTX_H_

/* Starts and stops the context of a server or client. */

#include <doca_error.h>

#include "core/emulator.h"

struct doca_dev;
struct emu_comch_ctrl;

EMU_LOCAL doca_error_t emu_comch_ctx_init(struct emu_comch_ctrl *ctrl, struct doca_dev *dev, const char *name);
EMU_LOCAL doca_error_t emu_comch_ctx_fini(struct emu_comch_ctrl *ctrl);

#endif /* EMU_COMCH_CTX_H_ */
