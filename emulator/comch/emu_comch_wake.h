/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_WAKE_H_
#define EMU_COMCH_WAKE_H_

/* Waking other threads and other processes. */

#include <stdbool.h>

#include "core/emulator.h"

struct emu_comch_ctrl;

/* Makes the context's thread check its connections. Any thread may call this. */
EMU_LOCAL void emu_comch_wake(struct emu_comch_ctrl *ctrl);

/* Reads a timerfd, which is not readable then. */
EMU_LOCAL void emu_comch_drain_fd(int fd);

/*
 * A doorbell wakes a consumer from another process. It is a pair of sockets: the consumer keeps its end, and the
 * peer gets the bell. The peer may change what the two processes share, such as O_NONBLOCK, so every call asks for
 * itself not to block; with an eventfd that is not possible.
 */

/* Makes a doorbell. False: the system failed; errno says how. */
EMU_LOCAL bool emu_comch_doorbell_new(int *end, int *bell);
/* True if a descriptor that the peer has sent is a bell. */
EMU_LOCAL bool emu_comch_is_bell(int fd);
EMU_LOCAL void emu_comch_ring_bell(int bell);
/* Makes the consumer's end unreadable, unless the peer goes on ringing. */
EMU_LOCAL void emu_comch_hush(int end);

#endif /* EMU_COMCH_WAKE_H_ */
