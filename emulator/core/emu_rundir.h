/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RUNDIR_H_
#define EMU_RUNDIR_H_

/*
 * The runtime directory: sockets by which processes of one user find each other.
 *
 * DOCA_EMU_RUNTIME_DIR names it; otherwise it is doca-emulator in XDG_RUNTIME_DIR, or doca-emulator-<uid> in /tmp.
 * Only its owner may enter it. The first socket creates the directory if there is none, and the last one removes a
 * directory that was created so. The directory is locked for every change, so a name is taken or released in one
 * step.
 */

#include <stdint.h>

#include <doca_error.h>

#include "emulator.h"

/* Names of sockets have 32 hexadecimal digits. */
#define EMU_RUNDIR_NAME_SIZE 33 /* with the NUL */

/* Creates a listening socket of that name (SOCK_SEQPACKET, non-blocking). ALREADY_EXIST: another process has the
 * name. OPERATING_SYSTEM: the log says why. */
EMU_API doca_error_t emu_rundir_listen(const char name[EMU_RUNDIR_NAME_SIZE], int *fd);
EMU_API void emu_rundir_unlisten(const char name[EMU_RUNDIR_NAME_SIZE]);
/* Returns a connected socket (non-blocking), or a negative errno. */
EMU_API int emu_rundir_connect(const char name[EMU_RUNDIR_NAME_SIZE]);
/* Removes the sockets of killed processes, after waiting up to wait_ms for the end of the one with that name. */
EMU_API void emu_rundir_lost(const char name[EMU_RUNDIR_NAME_SIZE], int wait_ms);

/* Makes a name of 16 bytes. */
EMU_API void emu_rundir_name(const uint8_t bytes[16], char name[EMU_RUNDIR_NAME_SIZE]);

#endif /* EMU_RUNDIR_H_ */
