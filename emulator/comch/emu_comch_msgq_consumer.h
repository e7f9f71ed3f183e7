/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_MSGQ_CONSUMER_H_
#define EMU_COMCH_MSGQ_CONSUMER_H_

/* Consumers of this process that receive from the DPA through a MsgQ. */

#include "core/emulator.h"

struct emu_ctx_ops;

EMU_LOCAL extern const struct emu_ctx_ops emu_comch_msgq_consumer_ops;

#endif /* EMU_COMCH_MSGQ_CONSUMER_H_ */
