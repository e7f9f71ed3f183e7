/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_SYMBOLS_H_
#define EMU_SYMBOLS_H_

#include <stdint.h>

#include "core/emulator.h"

/* One DOCA function that the emulator provides. */
struct emu_symbol {
	const char *library; /* its file name: "libdoca_common.so.2" */
	const char *name;    /* DOCA function name */
	const char *since;   /* the release that has added it, if that is after the headers': "3.2"; else NULL */
	void (*fn)(void);
	uint32_t library_len, name_len; /* without the zeros at their ends: Go compares strings by their lengths */
};

/* An entry of the table. */
#define EMU_SYMBOL(library, function, since) \
	{library, #function, since, (void (*)(void))(function), sizeof(library) - 1, sizeof(#function) - 1}

/* All functions of the emulator, in the order of the headers. Machine-written: symbols.c. */
extern EMU_LOCAL const struct emu_symbol emu_symbols[];
extern EMU_LOCAL const int emu_num_symbols;

/* The index of each function, by the buckets of their names, and where each bucket begins and the last ends. Go's package symhash
 * knows the bucket of a name. */
extern EMU_LOCAL const uint16_t emu_by_bucket[];
extern EMU_LOCAL const uint16_t emu_bucket_starts[];

#endif /* EMU_SYMBOLS_H_ */
