/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <sched.h>

#include "emu_comch_fifo.h"
#include "emu_comch_inbox.h"

void emu_comch_inbox_init(struct emu_comch_inbox *inbox)
{
	*inbox = (struct emu_comch_inbox){.claimed = EMU_COMCH_INBOX_CLOSED};
}

uint64_t emu_comch_inbox_open(struct emu_comch_inbox *inbox, struct emu_comch_fifo *fifo, uint32_t imm_data_len,
			      uint32_t user_data)
{
	uint64_t first = __atomic_load_n(&inbox->posted, __ATOMIC_RELAXED);

	inbox->fifo = fifo;
	__atomic_store_n(&inbox->imm_data_len, imm_data_len, __ATOMIC_RELAXED);
	inbox->user_data = user_data;
	/* What an earlier consumer has posted, and nobody claimed, is gone. */
	__atomic_store_n(&inbox->done, first, __ATOMIC_RELAXED);
	__atomic_store_n(&inbox->claimed, first, __ATOMIC_RELEASE);
	return first;
}

uint64_t emu_comch_inbox_close(struct emu_comch_inbox *inbox)
{
	return __atomic_fetch_or(&inbox->claimed, EMU_COMCH_INBOX_CLOSED, __ATOMIC_ACQ_REL) & ~EMU_COMCH_INBOX_CLOSED;
}

void emu_comch_inbox_settle(struct emu_comch_inbox *inbox)
{
	uint64_t claimed = __atomic_load_n(&inbox->claimed, __ATOMIC_ACQUIRE) & ~EMU_COMCH_INBOX_CLOSED;

	while (__atomic_load_n(&inbox->done, __ATOMIC_ACQUIRE) != claimed)
		(void)sched_yield();
}

uint64_t emu_comch_inbox_num_posted(const struct emu_comch_inbox *inbox)
{
	uint64_t claimed = __atomic_load_n(&inbox->claimed, __ATOMIC_ACQUIRE);
	uint64_t posted = __atomic_load_n(&inbox->posted, __ATOMIC_ACQUIRE);

	return (claimed & EMU_COMCH_INBOX_CLOSED) != 0 || posted <= claimed ? 0 : posted - claimed;
}

/* Claims a receive. */
static doca_error_t claim(struct emu_comch_inbox *inbox, uint32_t imm_len)
{
	uint64_t number = __atomic_load_n(&inbox->claimed, __ATOMIC_ACQUIRE);

	do {
		if (number & EMU_COMCH_INBOX_CLOSED)
			return DOCA_ERROR_NOT_CONNECTED;
		if (imm_len > __atomic_load_n(&inbox->imm_data_len, __ATOMIC_RELAXED))
			return DOCA_ERROR_INVALID_VALUE;
		if (number >= __atomic_load_n(&inbox->posted_seen, __ATOMIC_ACQUIRE)) {
			uint64_t posted = __atomic_load_n(&inbox->posted, __ATOMIC_ACQUIRE);

			if (number >= posted)
				return DOCA_ERROR_AGAIN;
			__atomic_store_n(&inbox->posted_seen, posted, __ATOMIC_RELEASE);
		}
	} while (!__atomic_compare_exchange_n(&inbox->claimed, &number, number + 1, true, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	return DOCA_SUCCESS;
}

doca_error_t emu_comch_inbox_send(struct emu_comch_inbox *inbox, struct emu_comch_message *message)
{
	doca_error_t result = claim(inbox, message->imm_len);

	if (result != DOCA_SUCCESS)
		return result;
	message->user_data = inbox->user_data;
	if (!emu_comch_fifo_put(inbox->fifo, message)) {
		emu_comch_inbox_post(inbox, 1); /* the receive is still there, with another number */
		result = DOCA_ERROR_AGAIN;
	}
	__atomic_fetch_add(&inbox->done, 1, __ATOMIC_RELEASE);
	return result;
}
