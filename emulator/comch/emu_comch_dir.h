/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_DIR_H_
#define EMU_COMCH_DIR_H_

/* Where clients find their servers. */

#include <doca_error.h>

#include "core/emulator.h"
#include "core/emu_dev.h"

/* Creates a listening socket for name on the host function. ALREADY_EXIST: another server has the name.
 * OPERATING_SYSTEM: the log says why. */
EMU_LOCAL doca_error_t emu_comch_dir_listen(const struct emu_function *function, const char *name, int *fd);
EMU_LOCAL void emu_comch_dir_unlisten(const struct emu_function *function, const char *name);
/* Returns a connected socket, or a negative errno. */
EMU_LOCAL int emu_comch_dir_connect(const struct emu_function *function, const char *name);
/* Removes the sockets of killed processes, after waiting up to wait_ms for the end of this server. */
EMU_LOCAL void emu_comch_dir_lost(const struct emu_function *function, const char *name, int wait_ms);

#endif /* EMU_COMCH_DIR_H_ */
