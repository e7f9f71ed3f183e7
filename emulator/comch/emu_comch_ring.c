/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/emu_peer.h"
#include "emu_comch_frame.h"
#include "emu_comch_ring.h"

#define PAGE_SIZE 4096
#define MAX_ENTRIES (1u << 20)

/* Rings of more entries have no trays, which would take many gigabytes of addresses. */
#define MAX_TRAYS (1u << 12)

/* Staged data beyond this size is given back to the system at once. */
#define KEEP_STAGED (64u << 10)

static size_t trays_offset(uint32_t num_entries)
{
	size_t size = sizeof(struct emu_comch_ring) + num_entries * sizeof(struct emu_comch_entry);

	return (size + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
}

/* With the trays. */
static size_t ring_size(uint32_t num_entries)
{
	return trays_offset(num_entries) + (num_entries <= MAX_TRAYS ? (size_t)num_entries * EMU_COMCH_TRAY_SIZE : 0);
}

uint8_t *emu_comch_ring_tray(struct emu_comch_ring *ring, uint32_t num_entries, uint64_t number)
{
	if (num_entries > MAX_TRAYS)
		return NULL;
	return (uint8_t *)ring + trays_offset(num_entries) + (size_t)(number & (num_entries - 1)) * EMU_COMCH_TRAY_SIZE;
}

static off_t staging_offset(uint32_t num_entries, uint64_t number)
{
	return (off_t)ring_size(num_entries) + (off_t)(number & (num_entries - 1)) * EMU_COMCH_MAX_BUF_SIZE;
}

static size_t file_size(uint32_t num_entries)
{
	return (size_t)staging_offset(num_entries, num_entries - 1) + EMU_COMCH_MAX_BUF_SIZE;
}

struct emu_comch_ring *emu_comch_ring_new(uint32_t num_tasks, int *fd)
{
	uint32_t num_entries = 1;
	struct emu_comch_ring *ring;

	while (num_entries < num_tasks)
		num_entries *= 2;
	ring = emu_shared_new("doca-comch", ring_size(num_entries), file_size(num_entries), fd);
	if (ring == NULL)
		return NULL;
	ring->version = EMU_COMCH_VERSION;
	ring->num_entries = num_entries;
	return ring;
}

struct emu_comch_ring *emu_comch_ring_map(int fd, uint32_t *num_entries)
{
	uint32_t head[2] = {0, 0}; /* version and num_entries */
	struct emu_comch_ring *ring;
	uint32_t num;

	if (!emu_shared_is(fd) || pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return NULL;
	num = head[1];
	if (head[0] != EMU_COMCH_VERSION || num == 0 || num > MAX_ENTRIES || (num & (num - 1)) != 0)
		return NULL;
	ring = emu_shared_map(fd, ring_size(num), file_size(num));
	if (ring == NULL)
		return NULL;
	*num_entries = num;
	return ring;
}

void emu_comch_ring_unmap(struct emu_comch_ring *ring, uint32_t num_entries)
{
	munmap(ring, ring_size(num_entries));
}

/* Data that could not be written into the posted buffer itself. */

bool emu_comch_ring_stage(int fd, uint32_t num_entries, uint64_t number, const uint8_t *bytes, size_t len)
{
	off_t offset = staging_offset(num_entries, number);

	while (len > 0) {
		ssize_t n = pwrite(fd, bytes, len, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		offset += n;
		len -= (size_t)n;
	}
	return true;
}

bool emu_comch_ring_unstage(int fd, uint32_t num_entries, uint64_t number, uint8_t *bytes, uint32_t len)
{
	off_t offset = staging_offset(num_entries, number);
	uint32_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, bytes + done, len - done, offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (uint32_t)n;
	}
	if (len > KEEP_STAGED)
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, len);
	return true;
}
