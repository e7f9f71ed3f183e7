/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_MEMFILE_H_
#define EMU_MEMFILE_H_

/*
 * Memory for another process that is a shared mapping of a file of memfd_create(2): exported memory, and that of a consumer of
 * Comch. The other process can map the file, too, and then copies with memcpy, for which it needs no system call for each page. The file must be sealed against shrinking:
 * otherwise its owner could end the other process, whose next access would be a SIGBUS.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator.h"

/* Of the owner: returns a descriptor of the file that the range is a shared mapping of, and where in the file it
 * begins. The caller closes the descriptor. -1: the range is other memory, or this process has no descriptor of the file,
 * or the file may shrink. */
EMU_API int emu_memfile_find(const uint8_t *addr, size_t len, uint64_t *offset);

/* Of the other process. */
struct emu_memfile {
	uint8_t *bytes; /* what the owner has at the beginning of its range; NULL: not mapped */
	bool is_writable;
	void *base;
	size_t size;
};

/* Maps a file from another process, which may be up to anything. Nothing is mapped if that is not possible. */
EMU_API void emu_memfile_map(struct emu_memfile *file, int fd, uint64_t offset, uint64_t len, bool is_writable);
EMU_API void emu_memfile_unmap(struct emu_memfile *file);

#endif /* EMU_MEMFILE_H_ */
