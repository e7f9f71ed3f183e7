/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_APART_H_
#define EMU_APART_H_

#include <stdint.h>
#include <stdlib.h>

/*
 * Objects that a thread writes to for each task have bytes behind them that nobody uses. Without these, two threads that share nothing
 * slow each other down if objects of theirs meet in a line of the cache, or in a pair of lines, which some processors fetch together. Of an
 * array that a thread goes through they also fetch what is behind it: up to some twenty lines.
 */
#define EMU_APART_MIN ((size_t)128)
#define EMU_APART_MAX ((size_t)2048)

static inline void *emu_calloc_apart(size_t size)
{
	size_t apart = size < EMU_APART_MIN ? EMU_APART_MIN : size > EMU_APART_MAX ? EMU_APART_MAX : size;

	return size > SIZE_MAX - apart ? NULL : calloc(1, size + apart);
}

#endif /* EMU_APART_H_ */
