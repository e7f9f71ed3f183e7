/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_SYMBOLS_H_
#define EMU_SYMBOLS_H_

#include "core/emulator.h"

/* One DOCA function that the emulator provides. */
struct emu_symbol {
	const char *library; /* its file name: "libdoca_common.so.2" */
	const char *name;    /* DOCA function name */
	const char *since;   /* the release that has added it, if that is after the headers': "3.2"; else NULL */
	void (*fn)(void);
};

/* All functions of the emulator, ended by an entry without a name. Machine-written: symbols.c. */
extern EMU_LOCAL const struct emu_symbol emu_symbols[];

#endif /* EMU_SYMBOLS_H_ */
