/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_MSGQ_PRODUCER_H_
#define EMU_COMCH_MSGQ_PRODUCER_H_

/* Producers of this process that send to the DPA through a MsgQ. */

#include "core/emulator.h"

struct emu_ctx_ops;

EMU_LOCAL extern const struct emu_ctx_ops emu_comch_msgq_producer_ops;

#endif /* EMU_COMCH_MSGQ_PRODUCER_H_ */
