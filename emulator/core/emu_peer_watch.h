/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_PEER_WATCH_H_
#define EMU_PEER_WATCH_H_

/*
 * Finds out when a process has finished the system calls that it is in: a write to this process's memory, for
 * instance. Signals stop a thread on its way out of the kernel, never in the middle of such a call, so a stopped
 * process has finished them.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "emulator.h"

struct emu_peer_watch;

/* True if the process has ended, or is ending and may not have closed all descriptors yet; true also if this process
 * cannot tell, as with pid 0. */
EMU_API bool emu_peer_is_ending(pid_t pid);
/* True if this process can see the threads of that one. It cannot if pid is 0. */
EMU_API bool emu_peer_can_watch(pid_t pid);
/* Begins to watch. NULL: no memory, or the system does not show the threads. */
EMU_API struct emu_peer_watch *emu_peer_watch_new(pid_t pid);
/* True if each thread, except the caller, has been outside of copying system calls since the beginning. */
EMU_API bool emu_peer_watch_is_done(struct emu_peer_watch *watch);
EMU_API void emu_peer_watch_free(struct emu_peer_watch *watch);

#endif /* EMU_PEER_WATCH_H_ */
