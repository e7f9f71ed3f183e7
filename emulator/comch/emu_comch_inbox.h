/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_INBOX_H_
#define EMU_COMCH_INBOX_H_

/*
 * Where the producers of a MsgQ reach one of its consumers. An inbox counts the consumer's posted receives; the messages
 * go to a ring, which belongs to the consumer, or to the completion queue that it shares with others.
 *
 * The inboxes of a MsgQ exist as long as it is started, so a producer on any thread may use them while a consumer starts,
 * stops or is destroyed. The counters only grow, also from one consumer to the next one with the same id.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/emulator.h"

struct emu_comch_fifo;
struct emu_comch_message;

#define EMU_COMCH_INBOX_CLOSED (UINT64_C(1) << 63)

struct emu_comch_inbox {
	/* Fixed while the inbox is open. */
	struct emu_comch_fifo *fifo;
	uint32_t imm_data_len;
	uint32_t user_data;

	/* Each group has a cache line of its own. All are accessed with atomics. */
	uint64_t claimed __attribute__((aligned(64))); /* receives; with EMU_COMCH_INBOX_CLOSED if the inbox is closed */
	uint64_t posted_seen;			       /* by producers */
	uint64_t posted __attribute__((aligned(64)));  /* receives */
	uint64_t done __attribute__((aligned(64)));    /* receives that their producers have no more to do with */
};

/* For a new inbox, which is closed. */
EMU_LOCAL void emu_comch_inbox_init(struct emu_comch_inbox *inbox);

/* Opens the inbox of a consumer that starts. Returns the number of the first receive that it will post. */
EMU_LOCAL uint64_t emu_comch_inbox_open(struct emu_comch_inbox *inbox, struct emu_comch_fifo *fifo,
					uint32_t imm_data_len, uint32_t user_data);
/* Keeps producers from claiming receives. Returns the number of the first receive that none has claimed: the earlier ones
 * get their messages. */
EMU_LOCAL uint64_t emu_comch_inbox_close(struct emu_comch_inbox *inbox);
/* Waits until no producer uses the ring of a closed inbox: for those that are in the middle of a send. */
EMU_LOCAL void emu_comch_inbox_settle(struct emu_comch_inbox *inbox);

/* Posts receives. */
static inline void emu_comch_inbox_post(struct emu_comch_inbox *inbox, uint64_t num)
{
	__atomic_fetch_add(&inbox->posted, num, __ATOMIC_RELEASE);
}

/* How many posted receives no producer has claimed; 0 if the inbox is closed. */
EMU_LOCAL uint64_t emu_comch_inbox_num_posted(const struct emu_comch_inbox *inbox);

/* Sends a message to the consumer. AGAIN: it has no posted receive, or its completion queue is full. INVALID_VALUE: the
 * immediate data is longer than it accepts. NOT_CONNECTED: the inbox is closed. */
EMU_LOCAL doca_error_t emu_comch_inbox_send(struct emu_comch_inbox *inbox, struct emu_comch_message *message);

#endif /* EMU_COMCH_INBOX_H_ */
