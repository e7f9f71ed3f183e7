/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_CRASH_H_
#define EMU_DPA_CRASH_H_

/*
 * The files about a fatal error: PREFIX.PID.crash says what has happened, PREFIX.PID.core is an ELF core file of the DPA
 * memory. The prefix is the path of the log, or doca_dpa_fatal in the directory for temporary files.
 */

#include "core/emulator.h"

struct emu_dpa_log;
struct emu_dpa_memory;
struct emu_dpa_run;

EMU_LOCAL void emu_dpa_crash_write(const struct emu_dpa_log *log, struct emu_dpa_memory *memory,
				   const struct emu_dpa_run *run, const char *message);

#endif /* EMU_DPA_CRASH_H_ */
