/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_DIR_H_
#define EMU_COMCH_DIR_H_

/* Where servers and clients find each other. */

#include <doca_error.h>

#include "core/emulator.h"
#include "core/emu_dev.h"

/* A listening socket for name on the host function. ALREADY_EXIST: another server has it. */
EMU_LOCAL doca_error_t emu_comch_dir_listen(const struct emu_function *function, const char *name, int *fd);
EMU_LOCAL void emu_comch_dir_unlisten(const struct emu_function *function, const char *name);
/* A connected socket, or a negative errno. */
EMU_LOCAL int emu_comch_dir_connect(const struct emu_function *function, const char *name);
/* Removes what a server that was killed has left, and others; waits up to wait_ms for its end. */
EMU_LOCAL void emu_comch_dir_lost(const struct emu_function *function, const char *name, int wait_ms);

#endif /* EMU_COMCH_DIR_H_ */
