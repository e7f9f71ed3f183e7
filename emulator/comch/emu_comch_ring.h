/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_RING_H_
#define EMU_COMCH_RING_H_

/*
 * A consumer's ring of posted buffers, in memory that its process shares with the peer's.
 *
 * To post a buffer, the consumer fills in the next entry and increments posted. A producer claims the oldest posted
 * entry by incrementing claimed, writes data and immediate data, and marks the entry as filled. The consumer takes
 * filled entries in order. Once the ring is closed, producers cannot claim entries.
 *
 * A consumer that stops cannot wait forever for producers that have claimed entries: their process may be stopped, too.
 * After some time it revokes the entries: it sets their room to 0. The system call by which a producer writes to the
 * buffer reads address and room from the entry itself, so a call that begins later writes nothing. When the earlier
 * ones have ended (emu_peer_watch.h), the consumer marks the entries as void, and the buffers are free.
 *
 * A producer that has the memory of the buffers mapped copies without a system call. It says so in the entry before it looks at the
 * room, and looks again now and then, so the consumer waits for it, and not for long. Only if its process is stopped in the middle of
 * that, the consumer must wait until it goes on or is killed.
 *
 * Where the buffers are not mapped, short data goes into a tray, which the consumer empties: to copy twice takes less than a system
 * call. Each entry has one, behind the ring in the same memory, and a tray costs nothing until it is used.
 *
 * The memory is a memfd whose size is sealed. Behind ring and trays it has room for staged data, which could not be
 * written into the posted buffer itself: EMU_COMCH_MAX_BUF_SIZE for each entry, which costs nothing until it is
 * used.
 *
 * The peer is another process: check what it has written before using it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <doca_error.h>

#include "core/emulator.h"

#define EMU_COMCH_MAX_IMM_DATA_LEN 32
#define EMU_COMCH_MAX_BUF_SIZE (UINT32_C(1) << 30)
#define EMU_COMCH_INLINE_SIZE 184 /* data that travels in the entry */
#define EMU_COMCH_TRAY_SIZE 16384 /* data that travels in a tray */

/* Where the data is. */
enum emu_comch_where {
	EMU_COMCH_NOWHERE = 1, /* it could not be written */
	EMU_COMCH_IN_ENTRY,
	EMU_COMCH_IN_BUFFER,
	EMU_COMCH_STAGED,
	EMU_COMCH_IN_TRAY,
};

struct emu_comch_entry {
	/* Written by the consumer: the room in the posted buffer, as a struct iovec. */
	uint64_t addr;
	uint64_t room;
	/* Written by the producer. */
	uint32_t filled; /* emu_comch_filled or emu_comch_void of the entry's number, last; accessed with atomics */
	uint32_t where;
	uint32_t len;
	uint32_t producer_id;
	uint32_t imm_len;
	uint8_t imm[EMU_COMCH_MAX_IMM_DATA_LEN];
	uint8_t bytes[EMU_COMCH_INLINE_SIZE];
	uint32_t copying; /* the producer copies to the mapped buffer; accessed with atomics */
};

_Static_assert(sizeof(struct emu_comch_entry) == 256, "entries fill cache lines");
_Static_assert(offsetof(struct emu_comch_entry, addr) == offsetof(struct iovec, iov_base) &&
		       offsetof(struct emu_comch_entry, room) == offsetof(struct iovec, iov_len) &&
		       sizeof(struct iovec) == 2 * sizeof(uint64_t),
	       "an entry begins with a struct iovec");

/* What marks an entry. Neither value is what an entry has from its round before. */
static inline uint32_t emu_comch_filled(uint64_t number)
{
	return (uint32_t)(number + 1);
}

static inline uint32_t emu_comch_void(uint64_t number)
{
	return emu_comch_filled(number) ^ (UINT32_C(1) << 31);
}

#define EMU_COMCH_RING_CLOSED (UINT64_C(1) << 63)

struct emu_comch_ring {
	uint32_t version;
	uint32_t num_entries; /* a power of two */
	/* Each has a cache line of its own. All are accessed with atomics. */
	uint64_t posted __attribute__((aligned(64)));
	uint64_t claimed __attribute__((aligned(64))); /* with EMU_COMCH_RING_CLOSED once the ring is closed */
	uint32_t armed __attribute__((aligned(64)));   /* the consumer sleeps: wake it */
	struct emu_comch_entry entries[] __attribute__((aligned(64)));
};

/* Creates a ring and its memfd. NULL: no memory or descriptors. */
EMU_LOCAL struct emu_comch_ring *emu_comch_ring_new(uint32_t num_tasks, int *fd);
/* Maps the ring of a peer. NULL: it is not a ring. num_entries is read once, because the peer may change it. */
EMU_LOCAL struct emu_comch_ring *emu_comch_ring_map(int fd, uint32_t *num_entries);
EMU_LOCAL void emu_comch_ring_unmap(struct emu_comch_ring *ring, uint32_t num_entries);

/* num_entries is the caller's own copy. */

static inline struct emu_comch_entry *emu_comch_ring_entry(struct emu_comch_ring *ring, uint32_t num_entries,
							   uint64_t number)
{
	return &ring->entries[number & (num_entries - 1)];
}

static inline bool emu_comch_entry_is_filled(const struct emu_comch_entry *entry, uint64_t number)
{
	/* Must not be reordered before an earlier store to armed. */
	return __atomic_load_n(&entry->filled, __ATOMIC_SEQ_CST) == emu_comch_filled(number);
}

/* The tray of an entry. NULL: the ring has none, for it has too many entries. */
EMU_LOCAL uint8_t *emu_comch_ring_tray(struct emu_comch_ring *ring, uint32_t num_entries, uint64_t number);

/* The producer stages data that it cannot write into the buffer itself; the consumer reads it. False: the system
 * failed, or the data is not there. */
EMU_LOCAL bool emu_comch_ring_stage(int fd, uint32_t num_entries, uint64_t number, const uint8_t *bytes, size_t len);
EMU_LOCAL bool emu_comch_ring_unstage(int fd, uint32_t num_entries, uint64_t number, uint8_t *bytes, uint32_t len);

#endif /* EMU_COMCH_RING_H_ */
