/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include "core/emu_clock.h"
#include "core/emu_log.h"
#include "core/emu_notify.h"
#include "core/emu_peer_watch.h"
#include "emu_comch_conn.h"
#include "emu_comch_consumer.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_ring.h"
#include "emu_comch_takeover.h"
#include "emu_comch_wake.h"

/* How long a consumer waits for producers, and how often it looks. */
#define WAIT_NS EMU_NS_PER_S
#define LOOK_NS (EMU_NS_PER_S / 50)

void emu_comch_takeover_init(struct emu_comch_takeover *takeover)
{
	*takeover = (struct emu_comch_takeover){.timer_fd = -1};
}

void emu_comch_takeover_begin(struct doca_comch_consumer *consumer)
{
	struct emu_comch_takeover *takeover = &consumer->takeover;
	const struct itimerspec timer = {.it_value = {.tv_nsec = LOOK_NS}, .it_interval = {.tv_nsec = LOOK_NS}};

	if (consumer->taken == consumer->posted)
		return;
	takeover->begin = emu_clock_ns();
	takeover->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (takeover->timer_fd < 0)
		return;
	if (timerfd_settime(takeover->timer_fd, 0, &timer, NULL) != 0 ||
	    emu_pe_add_fd(consumer->endpoint.ctx.pe, takeover->timer_fd) != DOCA_SUCCESS) {
		close(takeover->timer_fd);
		takeover->timer_fd = -1;
	}
}

/* No system call that begins after this writes to the buffers. */
static void revoke_claims(struct doca_comch_consumer *consumer)
{
	for (uint64_t i = consumer->taken; i < consumer->posted; i++)
		__atomic_store_n(&emu_comch_ring_entry(consumer->ring, consumer->num_entries, i)->room, 0,
				 __ATOMIC_SEQ_CST);
	consumer->takeover.is_revoked = true;
}

/* True if a producer still copies to a buffer that it has mapped. If the connection has ended, and the peer's process with it, no
 * thread of it copies any more; one that lives on has had enough time. */
static bool is_copied_to(struct doca_comch_consumer *consumer, uint64_t now)
{
	if (emu_comch_endpoint_peer_is_gone(&consumer->endpoint) &&
	    (emu_peer_is_ending(consumer->endpoint.conn->peer_pid) || now - consumer->takeover.begin >= WAIT_NS))
		return false;
	for (uint64_t i = consumer->taken; i < consumer->posted; i++) {
		if (__atomic_load_n(&emu_comch_ring_entry(consumer->ring, consumer->num_entries, i)->copying,
				    __ATOMIC_SEQ_CST) != 0)
			return true;
	}
	return false;
}

/* Tells producers that they are too late. */
static void mark_claims(struct doca_comch_consumer *consumer)
{
	for (uint64_t i = consumer->taken; i < consumer->posted; i++) {
		uint32_t *filled = &emu_comch_ring_entry(consumer->ring, consumer->num_entries, i)->filled;
		uint32_t now = __atomic_load_n(filled, __ATOMIC_SEQ_CST);

		/* If it changes meanwhile, the producer was in time. */
		if (now != emu_comch_filled(i))
			__atomic_compare_exchange_n(filled, &now, emu_comch_void(i), false, __ATOMIC_SEQ_CST,
						    __ATOMIC_SEQ_CST);
	}
	consumer->takeover.is_done = true;
}

bool emu_comch_takeover_progress(struct doca_comch_consumer *consumer)
{
	struct emu_comch_takeover *takeover = &consumer->takeover;
	struct emu_comch_endpoint *endpoint = &consumer->endpoint;
	uint64_t now;

	if (takeover->is_done || takeover->begin == 0)
		return takeover->is_done;
	if (takeover->timer_fd >= 0)
		emu_comch_drain_fd(takeover->timer_fd);
	now = emu_clock_ns();
	if (now < takeover->next_look)
		return false;
	takeover->next_look = now + LOOK_NS / 2;
	if (!takeover->is_revoked) {
		bool is_gone = emu_comch_endpoint_peer_is_gone(endpoint);

		if (!is_gone && now - takeover->begin < WAIT_NS)
			return false;
		if (!is_gone)
			EMU_LOG_WARN("Comch: process %d does not finish what it is sending to a consumer that stops; is "
				     "it stopped? The data is lost",
				     (int)endpoint->conn->peer_pid);
		revoke_claims(consumer);
	}
	if (is_copied_to(consumer, now))
		return false;
	if (consumer->is_direct) {
		if (takeover->watch == NULL)
			takeover->watch = emu_peer_watch_new(endpoint->conn->peer_pid);
		if (takeover->watch == NULL || !emu_peer_watch_is_done(takeover->watch))
			return false;
	}
	mark_claims(consumer);
	return true;
}

bool emu_comch_takeover_pending(struct doca_comch_consumer *consumer)
{
	struct emu_comch_takeover *takeover = &consumer->takeover;

	if (takeover->begin == 0 || takeover->is_done)
		return false;
	if (takeover->timer_fd < 0) /* there was no descriptor for it: the engine must not sleep */
		return true;
	emu_comch_drain_fd(takeover->timer_fd);
	return emu_clock_ns() >= takeover->next_look && takeover->next_look != 0;
}

void emu_comch_takeover_end(struct doca_comch_consumer *consumer)
{
	struct emu_comch_takeover *takeover = &consumer->takeover;

	if (takeover->timer_fd >= 0) {
		emu_pe_remove_fd(consumer->endpoint.ctx.pe, takeover->timer_fd);
		close(takeover->timer_fd);
	}
	emu_peer_watch_free(takeover->watch);
	emu_comch_takeover_init(takeover);
}
