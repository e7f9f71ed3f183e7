/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_WAKE_H_
#define EMU_COMCH_WAKE_H_

/* Waking the threads of others. */

#include "core/emulator.h"

struct emu_comch_ctrl;

/* Tells the context's thread that something has changed. Any thread. */
EMU_LOCAL void emu_comch_wake(struct emu_comch_ctrl *ctrl);

/* An eventfd for wake-ups. */
EMU_LOCAL void emu_comch_signal_fd(int fd);
EMU_LOCAL void emu_comch_drain_fd(int fd);

#endif /* EMU_COMCH_WAKE_H_ */
