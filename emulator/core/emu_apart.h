/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_APART_H_
#define EMU_APART_H_

#include <stdint.h>
#include <stdlib.h>

/*
 * Objects that a thread writes to for each task have as many bytes behind them that nobody uses. Without these, two threads that share
 * nothing slow each other down if objects of theirs meet in a line of the cache, or in a pair of lines, which some processors fetch
 * together.
 */
#define EMU_APART ((size_t)128)

static inline void *emu_calloc_apart(size_t size)
{
	return size > SIZE_MAX - EMU_APART ? NULL : calloc(1, size + EMU_APART);
}

#endif /* EMU_APART_H_ */
