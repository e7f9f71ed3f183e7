/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "emu_dpa_memory.h"

#define MEMORY_SIZE ((size_t)1 << 30)
#define ALIGNMENT ((size_t)64)

bool emu_dpa_memory_init(struct emu_dpa_memory *memory)
{
	void *start = mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (start == MAP_FAILED)
		return false;
	*memory = (struct emu_dpa_memory){.start = start};
	pthread_mutex_init(&memory->lock, NULL);
	return true;
}

void emu_dpa_memory_fini(struct emu_dpa_memory *memory)
{
	if (memory->start == NULL)
		return;
	munmap(memory->start, MEMORY_SIZE);
	free(memory->pieces);
	pthread_mutex_destroy(&memory->lock);
	*memory = (struct emu_dpa_memory){.start = NULL};
}

/* Where the room after piece i - 1 begins, and where it ends. */

static uint64_t room_start(const struct emu_dpa_memory *memory, size_t i)
{
	const struct emu_dpa_piece *before = &memory->pieces[i - 1];

	if (i == 0)
		return (uint64_t)(uintptr_t)memory->start;
	return (before->addr + before->len + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static uint64_t room_end(const struct emu_dpa_memory *memory, size_t i)
{
	return i < memory->num_pieces ? memory->pieces[i].addr : (uint64_t)(uintptr_t)memory->start + MEMORY_SIZE;
}

static bool fits(const struct emu_dpa_memory *memory, size_t i, size_t len)
{
	return room_start(memory, i) <= room_end(memory, i) && len <= room_end(memory, i) - room_start(memory, i);
}

static bool grow(struct emu_dpa_memory *memory)
{
	size_t num = memory->max_pieces == 0 ? 64 : 2 * memory->max_pieces;
	struct emu_dpa_piece *pieces;

	if (memory->num_pieces < memory->max_pieces)
		return true;
	pieces = realloc(memory->pieces, num * sizeof(*pieces));
	if (pieces == NULL)
		return false;
	memory->pieces = pieces;
	memory->max_pieces = num;
	return true;
}

/* After the last piece, or else in the first gap. */
static uint64_t place(struct emu_dpa_memory *memory, size_t len)
{
	size_t i = memory->num_pieces;

	if (!grow(memory))
		return 0;
	if (!fits(memory, i, len)) {
		for (i = 0; i < memory->num_pieces && !fits(memory, i, len); i++)
			;
		if (i == memory->num_pieces)
			return 0;
	}
	uint64_t addr = room_start(memory, i);

	memmove(memory->pieces + i + 1, memory->pieces + i, (memory->num_pieces - i) * sizeof(*memory->pieces));
	memory->pieces[i] = (struct emu_dpa_piece){.addr = addr, .len = len};
	memory->num_pieces++;
	return addr;
}

uint64_t emu_dpa_memory_alloc(struct emu_dpa_memory *memory, size_t len)
{
	uint64_t addr;

	pthread_mutex_lock(&memory->lock);
	addr = place(memory, len);
	pthread_mutex_unlock(&memory->lock);
	return addr;
}

/* The piece with the address, or num_pieces. */
static size_t find(const struct emu_dpa_memory *memory, uint64_t addr)
{
	size_t from = 0, to = memory->num_pieces;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (memory->pieces[middle].addr <= addr)
			from = middle + 1;
		else
			to = middle;
	}
	return from == 0 ? memory->num_pieces : from - 1;
}

bool emu_dpa_memory_free(struct emu_dpa_memory *memory, uint64_t addr)
{
	bool is_found;
	size_t i;

	pthread_mutex_lock(&memory->lock);
	i = find(memory, addr);
	is_found = i < memory->num_pieces && memory->pieces[i].addr == addr;
	if (is_found) {
		memory->num_pieces--;
		memmove(memory->pieces + i, memory->pieces + i + 1, (memory->num_pieces - i) * sizeof(*memory->pieces));
	}
	pthread_mutex_unlock(&memory->lock);
	return is_found;
}

bool emu_dpa_memory_has(struct emu_dpa_memory *memory, uint64_t addr, size_t len)
{
	bool is_found;
	size_t i;

	pthread_mutex_lock(&memory->lock);
	i = find(memory, addr);
	is_found = i < memory->num_pieces && addr - memory->pieces[i].addr <= memory->pieces[i].len &&
		   len <= memory->pieces[i].len - (addr - memory->pieces[i].addr);
	pthread_mutex_unlock(&memory->lock);
	return is_found;
}
