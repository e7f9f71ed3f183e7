/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_EXPORT_SERVE_H_
#define EMU_EXPORT_SERVE_H_

/*
 * The service for imports by other processes: a thread that answers them, and copies for processes that the system
 * does not let copy directly. It runs while there are exports, and sleeps while there is nothing to do.
 */

#include <stdbool.h>
#include <stdint.h>

#include "emulator.h"
#include "emu_export_table.h"

/* Starts the service under the process's id, unless it runs. False: it cannot start; the log says why. */
EMU_LOCAL bool emu_serve_start(const uint8_t process[EMU_EXPORT_ID_SIZE]);
EMU_LOCAL void emu_serve_stop(void);

/* Lets no copy through the export begin any more. Called with the exports' lock. */
EMU_LOCAL void emu_serve_end(const struct emu_export *export);
/* Waits for writes in progress. Called without the exports' lock. False: a write is still in progress long after
 * the end. */
EMU_LOCAL bool emu_serve_drain(const struct emu_export *export);

/* Called in the child of a fork, with the exports' lock: the service belongs to the parent. */
EMU_LOCAL void emu_serve_forget(void);

#endif /* EMU_EXPORT_SERVE_H_ */
