/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_FIFO_H_
#define EMU_COMCH_FIFO_H_

/*
 * A ring of the messages of MsgQs, from threads of this process to one consumer: that of the host, which takes them in
 * doca_pe_progress, or code on the DPA, which takes them from a consumer completion queue.
 *
 * A producer claims the next slot, fills it in and marks it as filled. The consumer takes filled slots in order, and frees
 * them in order when it has no more use for them. Nobody waits for a lock, and each side looks at the counters of the
 * other one only when its own copy says that the ring is full.
 *
 * Code on the DPA may use a ring from several threads, by mistake. So every member is accessed with atomics, and what goes
 * wrong then are messages only.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/emulator.h"
#include "emu_comch_ring.h"

struct emu_comch_message {
	uint64_t filled; /* the number of the message plus 1, last */
	uint32_t producer_id;
	uint32_t user_data; /* of the consumer */
	uint32_t imm_len;
	uint8_t imm[EMU_COMCH_MAX_IMM_DATA_LEN] __attribute__((aligned(8))); /* device code may read words */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct emu_comch_message) == 64, "a message fills a cache line");

struct emu_comch_fifo {
	struct emu_comch_message *slots;
	uint64_t num_slots; /* a power of two */
	size_t size;	    /* of the mapping */
	void (*wake)(void *arg); /* called by a producer, if the ring was armed */
	void *wake_arg;

	/* Each group has a cache line of its own. */
	uint64_t claimed __attribute__((aligned(64)));
	uint64_t freed_seen; /* by producers */
	uint64_t taken __attribute__((aligned(64)));
	uint64_t freed;
	uint32_t armed __attribute__((aligned(64)));
};

/* Makes a ring for num messages. NULL: no memory. The memory of the slots is a mapping of its own, so that code on the DPA
 * that reads it after the end meets no other data. */
EMU_LOCAL struct emu_comch_fifo *emu_comch_fifo_new(uint64_t num, void (*wake)(void *arg), void *wake_arg);
EMU_LOCAL void emu_comch_fifo_delete(struct emu_comch_fifo *fifo);

/* Copies the message, except filled, into the next slot. False: the ring is full. */
EMU_LOCAL bool emu_comch_fifo_put(struct emu_comch_fifo *fifo, const struct emu_comch_message *message);

static inline struct emu_comch_message *emu_comch_fifo_slot(const struct emu_comch_fifo *fifo, uint64_t number)
{
	return &fifo->slots[number & (fifo->num_slots - 1)];
}

/* The consumer's side. */

/* The next message that is not taken, or NULL. */
static inline struct emu_comch_message *emu_comch_fifo_peek(const struct emu_comch_fifo *fifo)
{
	uint64_t number = __atomic_load_n(&fifo->taken, __ATOMIC_RELAXED);
	struct emu_comch_message *slot = emu_comch_fifo_slot(fifo, number);

	/* Must not be reordered before an earlier store to armed. */
	return __atomic_load_n(&slot->filled, __ATOMIC_SEQ_CST) == number + 1 ? slot : NULL;
}

/* Takes the message that peek has returned. */
static inline void emu_comch_fifo_take(struct emu_comch_fifo *fifo)
{
	__atomic_store_n(&fifo->taken, __atomic_load_n(&fifo->taken, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

/* Frees the oldest num messages that are not free. False: not as many are taken. */
static inline bool emu_comch_fifo_free(struct emu_comch_fifo *fifo, uint64_t num)
{
	uint64_t freed = __atomic_load_n(&fifo->freed, __ATOMIC_RELAXED);

	if (num > __atomic_load_n(&fifo->taken, __ATOMIC_RELAXED) - freed)
		return false;
	__atomic_store_n(&fifo->freed, freed + num, __ATOMIC_RELEASE);
	return true;
}

/* Makes the next message wake the consumer. True: there is one already. */
EMU_LOCAL bool emu_comch_fifo_arm(struct emu_comch_fifo *fifo);
/* True: the ring was armed, and no producer has seen that. */
EMU_LOCAL bool emu_comch_fifo_disarm(struct emu_comch_fifo *fifo);

#endif /* EMU_COMCH_FIFO_H_ */
