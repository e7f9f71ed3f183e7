/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#include "core/emu_checksum.h"
#include "core/emu_clock.h"
#include "core/emu_dev.h"
#include "core/emu_export_table.h"
#include "core/emu_log.h"
#include "core/emu_remote.h"

#include "emu_event_wait.h"
#include "emu_syncevent.h"

/* How often an import looks whether the exporting process still exists, which takes a system call. */
#define CHECK_NS (EMU_NS_PER_S / 1000)

static uint64_t apply(uint64_t *word, enum emu_event_op op, uint64_t value)
{
	switch (op) {
	case EMU_EVENT_SET:
		return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
	case EMU_EVENT_ADD:
		return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
	default:
		return __atomic_load_n(word, __ATOMIC_SEQ_CST);
	}
}

/* Imports. */

/* An event that this process has exported itself. */
static doca_error_t access_own(struct emu_export *import, enum emu_event_op op, uint64_t value, uint64_t *old)
{
	bool is_alive;

	emu_import_lock(); /* the exporter cannot stop meanwhile */
	is_alive = import->is_alive;
	if (is_alive)
		*old = apply((uint64_t *)(void *)import->addr, op, value);
	emu_import_unlock();
	return is_alive ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

/* A killed process ends no export. */
static bool has_exporter(struct doca_sync_event *event)
{
	uint64_t now;

	if (emu_remote_has_ended(event->import->remote))
		return false;
	now = emu_clock_ns();
	if (now - __atomic_load_n(&event->checked_at, __ATOMIC_RELAXED) < CHECK_NS)
		return true;
	if (!emu_remote_is_there(event->import->remote))
		return false;
	__atomic_store_n(&event->checked_at, now, __ATOMIC_RELAXED);
	return true;
}

static doca_error_t access_remote(struct doca_sync_event *event, enum emu_event_op op, uint64_t value, uint64_t *old)
{
	struct emu_remote *remote = event->import->remote;
	uint64_t *word = emu_remote_word(remote);
	static const enum emu_export_op asks[] = {
		[EMU_EVENT_GET] = EMU_EXPORT_GET_WORD,
		[EMU_EVENT_SET] = EMU_EXPORT_SET_WORD,
		[EMU_EVENT_ADD] = EMU_EXPORT_ADD_WORD,
	};

	if (!has_exporter(event))
		return DOCA_ERROR_IO_FAILED;
	if (word == NULL)
		return emu_remote_ask_word(remote, asks[op], value, old) ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
	*old = apply(word, op, value);
	return DOCA_SUCCESS;
}

doca_error_t emu_event_access(struct doca_sync_event *event, enum emu_event_op op, uint64_t value, uint64_t *old)
{
	uint64_t before = 0;
	doca_error_t result = DOCA_SUCCESS;

	if (emu_dev_is_lost(event->ctx.dev))
		return DOCA_ERROR_NOT_CONNECTED;
	if (event->import == NULL)
		before = apply((uint64_t *)(void *)event->map.addr, op, value);
	else if (event->import->remote == NULL)
		result = access_own(event->import, op, value, &before);
	else
		result = access_remote(event, op, value, &before);
	if (result == DOCA_SUCCESS && old != NULL)
		*old = before;
	if (op != EMU_EVENT_GET)
		emu_event_wait_look();
	return result;
}

/* Events for peers across the network. */

static const char net_magic[8] = {'D', 'O', 'C', 'A', 'E', 'M', 'U', 'E'};

#define MAX_BLOB_LEN 512 /* with the zeros that may follow it */

static pthread_mutex_t net_lock = PTHREAD_MUTEX_INITIALIZER;
static struct doca_sync_event *net_events;

/* A thread may have the lock when another one forks. The child's copies of the events are its own. */

static void before_fork(void)
{
	pthread_mutex_lock(&net_lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&net_lock);
}

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void watch_forks(void)
{
	emu_event_wait_watch_forks();
	pthread_atfork(before_fork, after_fork, after_fork);
}

void emu_event_watch_forks(void)
{
	pthread_once(&fork_once, watch_forks);
}

/* Takes constant time, which does not reveal where two keys differ. */
static bool is_equal_key(const struct emu_event_key *a, const struct emu_event_key *b)
{
	uint8_t difference = 0;

	for (size_t i = 0; i < EMU_EVENT_KEY_SIZE; i++)
		difference |= a->bytes[i] ^ b->bytes[i];
	return difference == 0;
}

static uint32_t key_checksum(const struct emu_event_key *key)
{
	return emu_checksum(EMU_CHECKSUM_START, key, sizeof(*key));
}

doca_error_t emu_event_net_export(struct doca_sync_event *event)
{
	if (event->is_net)
		return DOCA_SUCCESS;
	memcpy(event->net.magic, net_magic, sizeof(net_magic));
	event->net.version = EMU_EVENT_NET_VERSION;
	/* The system gives as few bytes in one piece. */
	if (getrandom(event->net.key.bytes, EMU_EVENT_KEY_SIZE, 0) != EMU_EVENT_KEY_SIZE)
		return DOCA_ERROR_DRIVER;
	event->net.checksum = key_checksum(&event->net.key);
	emu_event_watch_forks();
	pthread_mutex_lock(&net_lock);
	event->is_net = true;
	event->net_next = net_events;
	net_events = event;
	pthread_mutex_unlock(&net_lock);
	return DOCA_SUCCESS;
}

void emu_event_net_end(struct doca_sync_event *event)
{
	struct doca_sync_event **at = &net_events;

	if (!event->is_net)
		return;
	pthread_mutex_lock(&net_lock);
	while (*at != event)
		at = &(*at)->net_next;
	*at = event->net_next;
	event->is_net = false;
	pthread_mutex_unlock(&net_lock);
}

doca_error_t emu_event_net_read(const uint8_t *bytes, size_t len, struct emu_event_key *key)
{
	const size_t head = offsetof(struct emu_event_net_desc, checksum);
	struct emu_event_net_desc desc = {.version = 0};

	memcpy(&desc, bytes, len < head ? len : head);
	if (memcmp(desc.magic, net_magic, sizeof(net_magic)) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (len >= head && desc.version != EMU_EVENT_NET_VERSION) {
		EMU_LOG_ERR("sync event: the blob has version %u, this emulator has version %d: build both programs with "
			    "the same release",
			    desc.version, EMU_EVENT_NET_VERSION);
		return DOCA_ERROR_UNSUPPORTED_VERSION;
	}
	if (len < sizeof(desc) || len > MAX_BLOB_LEN)
		return DOCA_ERROR_INVALID_VALUE;
	for (size_t i = sizeof(desc); i < len; i++) {
		if (bytes[i] != 0)
			return DOCA_ERROR_INVALID_VALUE;
	}
	memcpy(&desc, bytes, sizeof(desc));
	if (desc.checksum != key_checksum(&desc.key))
		return DOCA_ERROR_INVALID_VALUE;
	*key = desc.key;
	return DOCA_SUCCESS;
}

const struct emu_event_key *emu_event_remote_key(const struct doca_sync_event_remote_net *event)
{
	return &event->key;
}

doca_error_t emu_event_apply(const struct emu_event_key *key, enum emu_event_op op, uint64_t value, uint64_t *old)
{
	struct doca_sync_event *found = NULL;
	doca_error_t result = DOCA_ERROR_NOT_FOUND;

	pthread_mutex_lock(&net_lock); /* the event cannot stop meanwhile */
	for (struct doca_sync_event *event = net_events; event != NULL; event = event->net_next) {
		if (is_equal_key(&event->net.key, key))
			found = event;
	}
	if (found != NULL)
		result = emu_event_access(found, op, value, old);
	pthread_mutex_unlock(&net_lock);
	return result;
}
