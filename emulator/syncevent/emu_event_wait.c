/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "core/emu_clock.h"
#include "core/emu_dev.h"

#include "emu_event_wait.h"
#include "emu_syncevent.h"

/* The pause between two looks at a value that others can change: an eighth of the time that was waited, within these. */
#define MIN_LOOK_NS (20 * (EMU_NS_PER_S / 1000000))
#define MAX_LOOK_NS (5 * (EMU_NS_PER_S / 1000))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;  /* for the thread */
static pthread_cond_t moved; /* a wait has left the list, or its function has returned */

/* Under the lock. */
static struct emu_event_wait *waits;
static const struct emu_event_wait *ending; /* its function runs */
static const struct doca_sync_event *ending_event;
static bool is_running;
static uint64_t num_changes;

static uint32_t num_waits; /* accessed with atomics */

/* Forks: the child has no thread, and so no waits. */

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

static void init_conditions(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&wake, &attr);
	pthread_cond_init(&moved, &attr);
	pthread_condattr_destroy(&attr);
}

static void in_child(void)
{
	waits = NULL;
	ending = NULL;
	ending_event = NULL;
	is_running = false;
	__atomic_store_n(&num_waits, 0, __ATOMIC_SEQ_CST);
	init_conditions();
	pthread_mutex_unlock(&lock);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void)
{
	init_conditions();
	pthread_atfork(before_fork, in_parent, in_child);
}

void emu_event_wait_watch_forks(void)
{
	pthread_once(&once, prepare);
}

/* Values. */

bool emu_event_holds(const struct doca_sync_event *event, enum emu_event_condition condition, uint64_t value,
		     uint64_t mask)
{
	uint64_t now = __atomic_load_n((const uint64_t *)(const void *)event->map.addr, __ATOMIC_SEQ_CST) & mask;

	switch (condition) {
	case EMU_EVENT_GREATER:
		return now > value;
	case EMU_EVENT_NOT_LESS:
		return now >= value;
	default:
		return now != value;
	}
}

/* IN_PROGRESS: the wait goes on. */
static doca_error_t look_at(const struct emu_event_wait *wait)
{
	if (wait->is_over)
		return DOCA_ERROR_BAD_STATE;
	if (emu_dev_is_lost(wait->event->ctx.dev))
		return DOCA_ERROR_NOT_CONNECTED;
	return emu_event_holds(wait->event, wait->condition, wait->value, wait->mask) ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS;
}

static void remove_wait(struct emu_event_wait **at)
{
	*at = (*at)->next;
	__atomic_fetch_sub(&num_waits, 1, __ATOMIC_SEQ_CST);
	pthread_cond_broadcast(&moved);
}

/* The thread. */

/* Ends the first wait that has a result. False: there is none. */
static bool end_one(void)
{
	struct emu_event_wait **at = &waits, *wait;
	doca_error_t status = DOCA_ERROR_IN_PROGRESS;

	while (*at != NULL && (status = look_at(*at)) == DOCA_ERROR_IN_PROGRESS)
		at = &(*at)->next;
	if (*at == NULL)
		return false;
	wait = *at;
	ending = wait;
	ending_event = wait->event;
	remove_wait(at);
	pthread_mutex_unlock(&lock);
	wait->ended(wait, status);
	pthread_mutex_lock(&lock);
	ending = NULL;
	ending_event = NULL;
	pthread_cond_broadcast(&moved);
	return true;
}

/* Sleeps until something has changed, or the next look is due. */
static void rest(uint64_t seen)
{
	uint64_t next = UINT64_MAX, now = emu_clock_ns(), pause;
	struct timespec until;

	for (struct emu_event_wait *wait = waits; wait != NULL; wait = wait->next) {
		if (wait->look_at == 0)
			continue;
		if (wait->look_at <= now) {
			pause = (now - wait->since) / 8;
			pause = pause < MIN_LOOK_NS ? MIN_LOOK_NS : pause < MAX_LOOK_NS ? pause : MAX_LOOK_NS;
			wait->look_at = now + pause;
		}
		next = wait->look_at < next ? wait->look_at : next;
	}
	if (num_changes != seen)
		return;
	if (next == UINT64_MAX) {
		pthread_cond_wait(&wake, &lock);
		return;
	}
	until = (struct timespec){.tv_sec = (time_t)(next / EMU_NS_PER_S), .tv_nsec = (long)(next % EMU_NS_PER_S)};
	pthread_cond_timedwait(&wake, &lock, &until);
}

static void *serve(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	while (waits != NULL) {
		uint64_t seen = num_changes;

		if (!end_one())
			rest(seen);
	}
	is_running = false;
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* The thread handles no signals. */
static bool start_thread(void)
{
	sigset_t every, before;
	pthread_t thread;
	bool is_started;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	is_started = pthread_create(&thread, NULL, serve, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!is_started)
		return false;
	pthread_setname_np(thread, "doca-emu-event");
	pthread_detach(thread);
	return true;
}

void emu_event_wait_look(void)
{
	if (EMU_LIKELY(__atomic_load_n(&num_waits, __ATOMIC_SEQ_CST) == 0))
		return;
	pthread_mutex_lock(&lock);
	num_changes++;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

/* Waits. */

doca_error_t emu_event_wait_begin(struct emu_event_wait *wait)
{
	const struct doca_sync_event *event = wait->event;
	doca_error_t result;

	if (event->import != NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!emu_event_is_running(event))
		return DOCA_ERROR_BAD_STATE;
	emu_event_wait_watch_forks();
	pthread_mutex_lock(&lock);
	wait->is_over = false;
	wait->since = emu_clock_ns();
	wait->look_at = event->addr != NULL || event->map.page != NULL ? wait->since : 0;
	wait->next = waits;
	waits = wait;
	__atomic_fetch_add(&num_waits, 1, __ATOMIC_SEQ_CST); /* whoever changes the value later sees this */
	result = look_at(wait);
	if (result == DOCA_ERROR_IN_PROGRESS && !is_running) {
		is_running = start_thread();
		if (!is_running)
			result = DOCA_ERROR_NO_MEMORY;
	}
	if (result != DOCA_ERROR_IN_PROGRESS)
		remove_wait(&waits);
	else
		num_changes++;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	return result;
}

bool emu_event_wait_cancel(struct emu_event_wait *wait)
{
	struct emu_event_wait **at = &waits;
	bool is_found;

	pthread_mutex_lock(&lock);
	while (*at != NULL && *at != wait)
		at = &(*at)->next;
	is_found = *at != NULL;
	if (is_found)
		remove_wait(at);
	while (ending == wait)
		pthread_cond_wait(&moved, &lock);
	pthread_mutex_unlock(&lock);
	return is_found;
}

static bool is_waited_for(const struct doca_sync_event *event)
{
	bool is_found = ending_event == event;

	for (struct emu_event_wait *wait = waits; wait != NULL; wait = wait->next) {
		if (wait->event != event)
			continue;
		wait->is_over = true;
		is_found = true;
	}
	return is_found;
}

void emu_event_wait_end(const struct doca_sync_event *event)
{
	emu_event_wait_watch_forks();
	pthread_mutex_lock(&lock);
	while (is_waited_for(event)) {
		num_changes++;
		pthread_cond_signal(&wake);
		pthread_cond_wait(&moved, &lock);
	}
	pthread_mutex_unlock(&lock);
}
