/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "emu_export.h"

#define DESC_VERSION 1
static const char desc_magic[8] = {'D', 'O', 'C', 'A', 'E', 'M', 'U', 'M'};

/* Guards everything here. Readers: accesses to imported memory. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct emu_export *all;
static uint8_t process_id[EMU_EXPORT_KEY_SIZE];
static bool have_process_id;

static bool fill_random(uint8_t bytes[EMU_EXPORT_KEY_SIZE])
{
	size_t done = 0;

	while (done < EMU_EXPORT_KEY_SIZE) {
		ssize_t got = getrandom(bytes + done, EMU_EXPORT_KEY_SIZE - done, 0);

		if (got < 0 && errno != EINTR)
			return false;
		if (got > 0)
			done += (size_t)got;
	}
	return true;
}

/* After a fork, the exports are the parent's: what the child has at their addresses is its own copy. */
static void forget_all(void)
{
	have_process_id = false;
	all = NULL;
}

/* Names the process, at its first export. */
static bool identify_process(void)
{
	static bool registered;

	if (!registered)
		registered = pthread_atfork(NULL, NULL, forget_all) == 0;
	if (registered && !have_process_id)
		have_process_id = fill_random(process_id);
	return registered && have_process_id;
}

static void unref_locked(struct emu_export *export)
{
	while (export != NULL && --export->refcount == 0) {
		struct emu_export *parent = export->parent;

		free(export);
		export = parent;
	}
}

static doca_error_t make(struct doca_mmap *mmap, const struct doca_dev *dev, enum emu_export_kind kind,
			 struct emu_export **export)
{
	struct emu_export *made = calloc(1, sizeof(*made));

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (!identify_process() || !fill_random(made->desc.key)) {
		free(made);
		return DOCA_ERROR_DRIVER;
	}
	memcpy(made->desc.magic, desc_magic, sizeof(desc_magic));
	memcpy(made->desc.process, process_id, sizeof(process_id));
	made->desc.version = DESC_VERSION;
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

doca_error_t emu_export_get(struct doca_mmap *mmap, const struct doca_dev *dev,
			    enum emu_export_kind kind, struct emu_export **export)
{
	doca_error_t result = DOCA_SUCCESS;
	struct emu_export *found;

	pthread_rwlock_wrlock(&lock);
	for (found = mmap->exports; found != NULL; found = found->next_of_mmap) {
		if (found->dev == dev && found->desc.kind == kind)
			break;
	}
	if (found != NULL)
		*export = found;
	else
		result = make(mmap, dev, kind, export);
	pthread_rwlock_unlock(&lock);
	return result;
}

static void forget(struct emu_export *export)
{
	struct emu_export **at = &all;

	while (*at != NULL && *at != export)
		at = &(*at)->next;
	if (*at != NULL) /* not after a fork */
		*at = export->next;
}

void emu_export_end_all(struct doca_mmap *mmap)
{
	struct emu_export *export;

	if (mmap->exports == NULL)
		return;
	pthread_rwlock_wrlock(&lock);
	while ((export = mmap->exports) != NULL) {
		mmap->exports = export->next_of_mmap;
		forget(export);
		export->is_alive = false;
		unref_locked(export);
	}
	pthread_rwlock_unlock(&lock);
}

doca_error_t emu_export_find(const void *desc, size_t desc_len, struct emu_export **export)
{
	struct emu_export_desc wanted;
	struct emu_export *found;
	doca_error_t result = DOCA_SUCCESS;

	/* A program may send the descriptor in a buffer of fixed size. */
	if (desc_len < sizeof(wanted))
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(&wanted, desc, sizeof(wanted));
	if (memcmp(wanted.magic, desc_magic, sizeof(desc_magic)) != 0 || wanted.version != DESC_VERSION)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_rwlock_wrlock(&lock);
	for (found = all; found != NULL; found = found->next) {
		if (memcmp(&found->desc, &wanted, sizeof(wanted)) == 0)
			break;
	}
	if (found != NULL) {
		found->refcount++;
		*export = found;
	} else if (have_process_id && memcmp(wanted.process, process_id, sizeof(process_id)) == 0) {
		result = DOCA_ERROR_INVALID_VALUE;
	} else {
		/* Memory of another process cannot be reached yet. */
		result = DOCA_ERROR_NOT_SUPPORTED;
	}
	pthread_rwlock_unlock(&lock);
	return result;
}

void emu_export_unref(struct emu_export *export)
{
	pthread_rwlock_wrlock(&lock);
	unref_locked(export);
	pthread_rwlock_unlock(&lock);
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
		if (!export->is_alive)
			return false;
	}
	return true;
}
