/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EXPORT_SERVE_H_
#define EMU_EXPORT_SERVE_H_

/*
 * The service for imports of other processes: a thread that answers them, and copies for those that the system
 * does not let copy by themselves. It is there while there are exports, and sleeps unless it is asked.
 */

#include <stdbool.h>
#include <stdint.h>

#include "emulator.h"
#include "emu_export_table.h"

/* Makes the service reachable under the process's id, unless it runs. False: the log says why not. */
EMU_LOCAL bool emu_serve_start(const uint8_t process[EMU_EXPORT_ID_SIZE]);
EMU_LOCAL void emu_serve_stop(void);

/* No copy through the export begins any more; called with the exports' lock. */
EMU_LOCAL void emu_serve_end(const struct emu_export *export);
/* Waits for writes that are under way; called without it. False: one still is, long after the end. */
EMU_LOCAL bool emu_serve_drain(const struct emu_export *export);

/* In the child of a fork, with the exports' lock: all is the parent's. */
EMU_LOCAL void emu_serve_forget(void);

#endif /* EMU_EXPORT_SERVE_H_ */
