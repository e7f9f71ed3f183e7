/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "emu_comch_fifo.h"

struct emu_comch_fifo *emu_comch_fifo_new(uint64_t num, void (*wake)(void *arg), void *wake_arg)
{
	struct emu_comch_fifo *fifo = aligned_alloc(64, sizeof(*fifo));
	uint64_t num_slots = 1;
	void *slots;

	if (fifo == NULL)
		return NULL;
	while (num_slots < num)
		num_slots *= 2;
	slots = mmap(NULL, num_slots * sizeof(struct emu_comch_message), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slots == MAP_FAILED) {
		free(fifo);
		return NULL;
	}
	memset(fifo, 0, sizeof(*fifo));
	fifo->slots = slots;
	fifo->num_slots = num_slots;
	fifo->size = num_slots * sizeof(struct emu_comch_message);
	fifo->wake = wake;
	fifo->wake_arg = wake_arg;
	return fifo;
}

void emu_comch_fifo_delete(struct emu_comch_fifo *fifo)
{
	if (fifo == NULL)
		return;
	munmap(fifo->slots, fifo->size);
	free(fifo);
}

static bool claim(struct emu_comch_fifo *fifo, uint64_t *claimed)
{
	uint64_t number = __atomic_load_n(&fifo->claimed, __ATOMIC_RELAXED);

	do {
		uint64_t freed = __atomic_load_n(&fifo->freed_seen, __ATOMIC_ACQUIRE);

		/* The copy may be that of a slower producer, but is never ahead of what is freed. */
		if ((int64_t)(number - freed) >= (int64_t)fifo->num_slots) {
			freed = __atomic_load_n(&fifo->freed, __ATOMIC_ACQUIRE);
			if ((int64_t)(number - freed) >= (int64_t)fifo->num_slots)
				return false;
			__atomic_store_n(&fifo->freed_seen, freed, __ATOMIC_RELEASE);
		}
	} while (!__atomic_compare_exchange_n(&fifo->claimed, &number, number + 1, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	*claimed = number;
	return true;
}

bool emu_comch_fifo_put(struct emu_comch_fifo *fifo, const struct emu_comch_message *message)
{
	struct emu_comch_message *slot;
	uint64_t number;

	if (!claim(fifo, &number))
		return false;
	slot = emu_comch_fifo_slot(fifo, number);
	slot->producer_id = message->producer_id;
	slot->user_data = message->user_data;
	slot->imm_len = message->imm_len;
	memcpy(slot->imm, message->imm, sizeof(slot->imm));
	/* Either the consumer sees the message before it sleeps, or this producer sees that the consumer sleeps. */
	__atomic_store_n(&slot->filled, number + 1, __ATOMIC_SEQ_CST);
	if (EMU_UNLIKELY(__atomic_load_n(&fifo->armed, __ATOMIC_SEQ_CST) != 0) && emu_comch_fifo_disarm(fifo))
		fifo->wake(fifo->wake_arg);
	return true;
}

bool emu_comch_fifo_arm(struct emu_comch_fifo *fifo)
{
	__atomic_store_n(&fifo->armed, 1, __ATOMIC_SEQ_CST);
	return emu_comch_fifo_peek(fifo) != NULL;
}

bool emu_comch_fifo_disarm(struct emu_comch_fifo *fifo)
{
	return __atomic_load_n(&fifo->armed, __ATOMIC_SEQ_CST) != 0 &&
	       __atomic_exchange_n(&fifo->armed, 0, __ATOMIC_SEQ_CST) != 0;
}
