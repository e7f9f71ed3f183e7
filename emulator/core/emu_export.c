/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "emu_clock.h"
#include "emu_dev.h"
#include "emu_export.h"
#include "emu_export_serve.h"
#include "emu_remote.h"

static const char desc_magic[8] = {'D', 'O', 'C', 'A', 'E', 'M', 'U', 'M'};

#define MAX_DESC_LEN 512 /* with what is behind it */

/* Guards everything here but num_served. Readers: accesses to imported memory. A stop must not wait for a moment in
 * which none of many threads copies: writers go first, and no reader takes it twice. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static struct emu_export *all;
static uint8_t process_id[EMU_EXPORT_ID_SIZE];
static bool have_process_id;

/* Taken before lock. Guards the life of the service for other processes. */
static pthread_mutex_t service_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t num_served; /* exports that are not drained yet: while there are any, the service runs */

static bool fill_random(uint8_t bytes[EMU_EXPORT_ID_SIZE])
{
	size_t done = 0;

	while (done < EMU_EXPORT_ID_SIZE) {
		ssize_t got = getrandom(bytes + done, EMU_EXPORT_ID_SIZE - done, 0);

		if (got < 0 && errno != EINTR)
			return false;
		if (got > 0)
			done += (size_t)got;
	}
	return true;
}

/* How long it takes tells nothing about where two keys differ. */
static bool is_equal_id(const uint8_t *a, const uint8_t *b)
{
	uint8_t difference = 0;

	for (size_t i = 0; i < EMU_EXPORT_ID_SIZE; i++)
		difference |= a[i] ^ b[i];
	return difference == 0;
}

/* Forks. After one, exports and imports are the parent's: what the child has at their addresses is its own
 * copy. It lets go of the sockets, for the parent's end must show at their other ends. */

static void before_fork(void)
{
	pthread_mutex_lock(&service_lock);
	pthread_rwlock_wrlock(&lock);
	emu_remote_before_fork();
}

static void after_fork(void)
{
	emu_remote_after_fork();
	pthread_rwlock_unlock(&lock);
	pthread_mutex_unlock(&service_lock);
}

static void in_child(void)
{
	emu_remote_forget_all();
	emu_remote_after_fork();
	emu_serve_forget();
	have_process_id = false;
	all = NULL;
	num_served = 0;
	/* The one who holds it has another thread id now: to unlock it is not enough. */
	pthread_rwlock_unlock(&lock);
	lock = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
	pthread_mutex_unlock(&service_lock);
}

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static bool knows_forks;

static void watch_forks(void)
{
	knows_forks = pthread_atfork(before_fork, after_fork, in_child) == 0;
}

/* Names the process, at its first export or import. */
static bool identify_process(void)
{
	bool is_known;

	pthread_once(&fork_once, watch_forks);
	pthread_rwlock_wrlock(&lock);
	if (knows_forks && !have_process_id)
		have_process_id = fill_random(process_id);
	is_known = have_process_id;
	pthread_rwlock_unlock(&lock);
	return is_known;
}

static bool is_of_this_process(const struct emu_export_desc *desc)
{
	return have_process_id && is_equal_id(desc->process, process_id);
}

/* References. */

void emu_exports_lock(void)
{
	pthread_rwlock_wrlock(&lock);
}

void emu_exports_unlock(void)
{
	pthread_rwlock_unlock(&lock);
}

struct emu_export *emu_export_unref_locked(struct emu_export *export)
{
	struct emu_export *released = NULL;

	while (export != NULL && --export->refcount == 0) {
		struct emu_export *parent = export->parent;

		export->next = released;
		released = export;
		export = parent;
	}
	return released;
}

void emu_export_release(struct emu_export *export)
{
	while (export != NULL) {
		struct emu_export *next = export->next;

		if (export->remote != NULL)
			emu_remote_close(export->remote);
		free(export);
		export = next;
	}
}

void emu_export_unref(struct emu_export *export)
{
	struct emu_export *released;

	pthread_rwlock_wrlock(&lock);
	released = emu_export_unref_locked(export);
	pthread_rwlock_unlock(&lock);
	emu_export_release(released);
}

/* Exports of this process. */

static doca_error_t make(struct doca_mmap *mmap, const struct doca_dev *dev, enum emu_export_kind kind,
			 struct emu_export **export)
{
	struct emu_export *made = calloc(1, sizeof(*made));

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (!fill_random(made->desc.key)) {
		free(made);
		return DOCA_ERROR_DRIVER;
	}
	memcpy(made->desc.magic, desc_magic, sizeof(desc_magic));
	memcpy(made->desc.process, process_id, sizeof(process_id));
	made->desc.version = EMU_EXPORT_VERSION;
	made->desc.kind = kind;
	made->dev = dev;
	made->addr = mmap->addr;
	made->len = mmap->len;
	made->permissions = mmap->permissions;
	made->refcount = 1;
	made->is_alive = true;
	made->parent = mmap->import;
	if (made->parent != NULL)
		made->parent->refcount++;
	made->next = all;
	all = made;
	made->next_of_mmap = mmap->exports;
	mmap->exports = made;
	*export = made;
	return DOCA_SUCCESS;
}

/* With the service's lock. */
static void end_service_if_unused(void)
{
	if (num_served == 0)
		emu_serve_stop();
}

doca_error_t emu_export_get(struct doca_mmap *mmap, const struct doca_dev *dev,
			    enum emu_export_kind kind, struct emu_export **export)
{
	doca_error_t result = DOCA_SUCCESS;
	struct emu_export *found;

	if (!identify_process())
		return DOCA_ERROR_DRIVER;
	pthread_mutex_lock(&service_lock);
	if (!emu_serve_start(process_id)) {
		pthread_mutex_unlock(&service_lock);
		return DOCA_ERROR_DRIVER;
	}
	pthread_rwlock_wrlock(&lock);
	for (found = mmap->exports; found != NULL; found = found->next_of_mmap) {
		if (found->is_alive && found->dev == dev && found->desc.kind == kind)
			break;
	}
	if (found != NULL) {
		*export = found;
	} else {
		result = make(mmap, dev, kind, export);
		num_served += result == DOCA_SUCCESS;
	}
	pthread_rwlock_unlock(&lock);
	end_service_if_unused();
	pthread_mutex_unlock(&service_lock);
	return result;
}

static void forget(struct emu_export *export)
{
	struct emu_export **at = &all;

	while (*at != export)
		at = &(*at)->next;
	*at = export->next;
}

doca_error_t emu_export_end_all(struct doca_mmap *mmap)
{
	struct emu_export **at = &mmap->exports, *export;
	doca_error_t result = DOCA_SUCCESS;
	size_t num_drained = 0;

	if (mmap->exports == NULL)
		return DOCA_SUCCESS;
	pthread_rwlock_wrlock(&lock);
	while ((export = *at) != NULL) {
		if (!is_of_this_process(&export->desc)) { /* after a fork */
			*at = export->next_of_mmap;
			emu_export_release(emu_export_unref_locked(export));
			continue;
		}
		if (export->is_alive) {
			forget(export);
			export->is_alive = false;
			export->ended_at = emu_clock_ns();
			emu_serve_end(export);
		}
		at = &export->next_of_mmap;
	}
	pthread_rwlock_unlock(&lock);
	at = &mmap->exports;
	while ((export = *at) != NULL) {
		if (!emu_serve_drain(export)) {
			result = DOCA_ERROR_IN_USE;
			at = &export->next_of_mmap;
			continue;
		}
		*at = export->next_of_mmap;
		emu_export_unref(export);
		num_drained++;
	}
	pthread_mutex_lock(&service_lock);
	num_served -= num_drained;
	end_service_if_unused();
	pthread_mutex_unlock(&service_lock);
	return result;
}

/* Imports. */

doca_error_t emu_export_admit(const struct emu_export_desc *desc, uint32_t port, struct emu_export **export)
{
	struct emu_export *found = NULL;

	for (struct emu_export *one = all; one != NULL; one = one->next) {
		if (is_equal_id(one->desc.key, desc->key))
			found = one;
	}
	if (found == NULL || memcmp(&found->desc, desc, sizeof(*desc)) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	/* Across PCI: for the function itself and the one at its other end. */
	if (desc->kind == EMU_EXPORT_PCI && found->dev->info.function->port != port)
		return DOCA_ERROR_NOT_PERMITTED;
	found->refcount++;
	*export = found;
	return DOCA_SUCCESS;
}

static doca_error_t find_remote(const struct emu_export_desc *desc, uint32_t port, struct emu_export **export)
{
	struct emu_export *made = calloc(1, sizeof(*made));
	struct emu_export_answer answer;
	doca_error_t result;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = emu_remote_open(desc, port, &made->remote, &answer);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	made->desc = *desc;
	made->addr = (uint8_t *)(uintptr_t)answer.addr;
	made->len = answer.len;
	made->permissions = answer.permissions;
	made->refcount = 1;
	made->is_alive = true;
	*export = made;
	return DOCA_SUCCESS;
}

/* A program may send the descriptor in a buffer of fixed size, with zeros behind it. */
static bool has_desc_length(const uint8_t *desc, size_t len)
{
	if (len < sizeof(struct emu_export_desc) || len > MAX_DESC_LEN)
		return false;
	for (size_t i = sizeof(struct emu_export_desc); i < len; i++) {
		if (desc[i] != 0)
			return false;
	}
	return true;
}

doca_error_t emu_export_find(const void *desc, size_t desc_len, const struct emu_function *function,
			     struct emu_export **export)
{
	struct emu_export_desc wanted;
	doca_error_t result;
	bool is_own;

	if (!has_desc_length(desc, desc_len))
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(&wanted, desc, sizeof(wanted));
	if (memcmp(wanted.magic, desc_magic, sizeof(desc_magic)) != 0 || wanted.version != EMU_EXPORT_VERSION)
		return DOCA_ERROR_INVALID_VALUE;
	if (!identify_process())
		return DOCA_ERROR_DRIVER;
	pthread_rwlock_wrlock(&lock);
	is_own = is_of_this_process(&wanted);
	result = is_own ? emu_export_admit(&wanted, function->port, export) : DOCA_SUCCESS;
	pthread_rwlock_unlock(&lock);
	return is_own ? result : find_remote(&wanted, function->port, export);
}

uint32_t emu_export_access(const struct emu_export *export)
{
	if (export->desc.kind != EMU_EXPORT_PCI)
		return 0;
	if (export->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE)
		return EMU_ACCESS_READ | EMU_ACCESS_WRITE;
	return EMU_ACCESS_READ;
}

void emu_import_lock(void)
{
	pthread_rwlock_rdlock(&lock);
}

void emu_import_unlock(void)
{
	pthread_rwlock_unlock(&lock);
}

bool emu_import_is_alive(const struct doca_mmap *mmap)
{
	for (const struct emu_export *export = mmap->import; export != NULL; export = export->parent) {
		if (!export->is_alive || (export->remote != NULL && emu_remote_has_ended(export->remote)))
			return false;
	}
	return true;
}
