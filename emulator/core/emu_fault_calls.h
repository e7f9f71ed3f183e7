/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_FAULT_CALLS_H_
#define EMU_FAULT_CALLS_H_

/*
 * The functions that a fail-call may name. EMU_CALL puts their names into a section of the library. Each library that has such
 * functions says where that is when it is loaded, so that a fault can name the functions of all of them.
 */

#include <stdbool.h>

#include "emulator.h"

/* What emu_fault.h calls for each library. It may be called with the same names again. */
EMU_API void emu_fault_add_calls(const char *start, const char *end);

/* True if a function of a library that is loaded begins with EMU_CALL. */
EMU_LOCAL bool emu_fault_can_fail(const char *symbol);

/* The function whose name is most like that of symbol. */
EMU_LOCAL const char *emu_fault_like(const char *symbol);

#endif /* EMU_FAULT_CALLS_H_ */
