/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_WAKE_H_
#define EMU_COMCH_WAKE_H_

/* Waking other threads. */

#include "core/emulator.h"

struct emu_comch_ctrl;

/* Makes the context's thread check its connections. Any thread may call this. */
EMU_LOCAL void emu_comch_wake(struct emu_comch_ctrl *ctrl);

/* Write and read an eventfd that wakes a thread. */
EMU_LOCAL void emu_comch_signal_fd(int fd);
EMU_LOCAL void emu_comch_drain_fd(int fd);

#endif /* EMU_COMCH_WAKE_H_ */
