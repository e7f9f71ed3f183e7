/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_POLL_H_
#define EMU_DPA_POLL_H_

/*
 * What waits for memory to change: kernels for their wait event, and queues with a posted wait. One thread of the process
 * looks at all of them.
 */

#include <stdbool.h>

#include "core/emulator.h"

struct emu_dpa_poll {
	/* Looks. False: it does not wait any more. No lock is held, and handles may be looked up. */
	bool (*look)(struct emu_dpa_poll *poll);
	struct emu_dpa_poll *next;
	bool is_listed;
};

/* Begins to look. False: the system has no thread for it. */
EMU_LOCAL bool emu_dpa_poll_add(struct emu_dpa_poll *poll);
/* Ends it, unless it has ended already. look does not run afterwards. Not for look itself. */
EMU_LOCAL void emu_dpa_poll_remove(struct emu_dpa_poll *poll);

#endif /* EMU_DPA_POLL_H_ */
