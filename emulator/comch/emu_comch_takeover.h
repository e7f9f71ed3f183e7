/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_TAKEOVER_H_
#define EMU_COMCH_TAKEOVER_H_

/*
 * A consumer that stops receives what producers have begun to send. If they do not finish, it takes the entries of
 * its ring back from them (emu_comch_ring.h).
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/emulator.h"

struct doca_comch_consumer;
struct emu_peer_watch;

struct emu_comch_takeover {
	uint64_t begin;   /* emu_clock_ns of the stop; 0: nothing to wait for */
	uint64_t next_look;
	int timer_fd; /* wakes the engine from time to time; -1: none */
	bool is_revoked;
	bool is_done; /* unfilled entries will not be filled any more */
	struct emu_peer_watch *watch;
};

EMU_LOCAL void emu_comch_takeover_init(struct emu_comch_takeover *takeover);
/* Begins to wait, if entries are claimed that are not filled. */
EMU_LOCAL void emu_comch_takeover_begin(struct doca_comch_consumer *consumer);
/* Goes on. True: the consumer has just got its entries back, or has them already. */
EMU_LOCAL bool emu_comch_takeover_progress(struct doca_comch_consumer *consumer);
/* True if progress has something to do now. */
EMU_LOCAL bool emu_comch_takeover_pending(struct doca_comch_consumer *consumer);
EMU_LOCAL void emu_comch_takeover_end(struct doca_comch_consumer *consumer);

#endif /* EMU_COMCH_TAKEOVER_H_ */
