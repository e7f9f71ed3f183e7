/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_MEMORY_H_
#define EMU_DPA_MEMORY_H_

/*
 * DPA memory: a range of addresses of its own, and the allocations in it.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/emulator.h"

struct emu_dpa_piece {
	uint64_t addr;
	size_t len;
};

struct emu_dpa_memory {
	pthread_mutex_t lock;
	uint8_t *start; /* NULL: none */
	struct emu_dpa_piece *pieces; /* in the order of their addresses */
	size_t num_pieces;
	size_t max_pieces;
};

EMU_API bool emu_dpa_memory_init(struct emu_dpa_memory *memory);
EMU_API void emu_dpa_memory_fini(struct emu_dpa_memory *memory);

/* 0: there is no room, or no memory. */
EMU_API uint64_t emu_dpa_memory_alloc(struct emu_dpa_memory *memory, size_t len);
/* False: addr is not the start of an allocation. */
EMU_API bool emu_dpa_memory_free(struct emu_dpa_memory *memory, uint64_t addr);
/* True if [addr, addr + len) is within one allocation. */
EMU_API bool emu_dpa_memory_has(struct emu_dpa_memory *memory, uint64_t addr, size_t len);

#endif /* EMU_DPA_MEMORY_H_ */
