/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <pthread.h>
#include <stdlib.h>

#include "emu_dpa.h"
#include "emu_dpa_handle.h"
#include "emu_dpa_run.h"

/*
 * A handle: kind (8 bits), index (24), generation (32). A short one: generation (12), index (20). An element: kind with
 * ELEMENT (8), index (24), sequence number (32).
 */
#define ELEMENT 0x80u
#define CHUNK_SIZE 1024
#define MAX_CHUNKS 1024 /* the indexes of short handles have 20 bits */
#define SHORT_INDEX_BITS 20
#define SHORT_MASK 0xfffu

struct entry {
	uint64_t handle; /* 0: free; accessed with atomics */
	void *object;
	struct doca_dpa *dpa;
	uint32_t generation;
	uint32_t index;
	struct entry *next_free;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *chunks[MAX_CHUNKS]; /* accessed with atomics; never freed */
static uint32_t num_entries;
static struct entry *free_entries;

static const char *const names[EMU_DPA_NUM_KINDS] = {
	[EMU_DPA_CONTEXT] = "DPA context",
	[EMU_DPA_HASH_TABLE] = "hash table",
	[EMU_DPA_SYNC_EVENT] = "sync event",
	[EMU_DPA_REMOTE_SYNC_EVENT] = "remote sync event",
	[EMU_DPA_MMAP] = "memory map",
	[EMU_DPA_COMPLETION] = "completion queue",
	[EMU_DPA_NOTIFICATION] = "notification completion",
	[EMU_DPA_ASYNC_OPS] = "queue of asynchronous operations",
	[EMU_DPA_RDMA] = "RDMA context",
	[EMU_DPA_CONSUMER] = "consumer",
	[EMU_DPA_CONSUMER_COMPLETION] = "consumer completion queue",
	[EMU_DPA_PRODUCER] = "producer",
};

static uint32_t index_of(uint64_t handle)
{
	return (uint32_t)(handle >> 32) & 0xffffff;
}

static struct entry *entry_at(uint32_t index)
{
	struct entry *chunk = index / CHUNK_SIZE >= MAX_CHUNKS ?
				      NULL :
				      __atomic_load_n(&chunks[index / CHUNK_SIZE], __ATOMIC_ACQUIRE);

	return chunk == NULL ? NULL : &chunk[index % CHUNK_SIZE];
}

/* Under the lock. Entries are for ever: a lookup may come at any time. */
static struct entry *new_entry(void)
{
	struct entry *entry = free_entries;
	struct entry *chunk;

	if (entry != NULL) {
		free_entries = entry->next_free;
		return entry;
	}
	if (num_entries == CHUNK_SIZE * MAX_CHUNKS)
		return NULL;
	chunk = chunks[num_entries / CHUNK_SIZE];
	if (chunk == NULL) {
		chunk = calloc(CHUNK_SIZE, sizeof(*chunk));
		if (chunk == NULL)
			return NULL;
		__atomic_store_n(&chunks[num_entries / CHUNK_SIZE], chunk, __ATOMIC_RELEASE);
	}
	entry = &chunk[num_entries % CHUNK_SIZE];
	entry->index = num_entries++;
	return entry;
}

/* No handle is 0, and no short one. */
static uint32_t next_generation(uint32_t generation)
{
	do
		generation++;
	while ((generation & SHORT_MASK) == 0);
	return generation;
}

doca_error_t emu_dpa_handle_open(enum emu_dpa_kind kind, struct doca_dpa *dpa, void *object, uint64_t *handle)
{
	struct entry *entry;

	pthread_mutex_lock(&lock);
	entry = new_entry();
	pthread_mutex_unlock(&lock);
	if (entry == NULL)
		return DOCA_ERROR_NO_MEMORY;
	entry->object = object;
	entry->dpa = dpa;
	entry->generation = next_generation(entry->generation);
	*handle = (uint64_t)kind << 56 | (uint64_t)entry->index << 32 | entry->generation;
	__atomic_store_n(&entry->handle, *handle, __ATOMIC_RELEASE);
	return DOCA_SUCCESS;
}

void emu_dpa_handle_close(uint64_t handle)
{
	struct entry *entry;

	if (handle == 0)
		return;
	entry = entry_at(index_of(handle));
	__atomic_store_n(&entry->handle, 0, __ATOMIC_SEQ_CST);
	emu_dpa_run_quiesce();
	pthread_mutex_lock(&lock);
	entry->next_free = free_entries;
	free_entries = entry;
	pthread_mutex_unlock(&lock);
}

/* The entry of a handle that exists, or NULL. */
static struct entry *find(uint64_t handle, enum emu_dpa_kind kind)
{
	struct entry *entry = handle >> 56 == kind ? entry_at(index_of(handle)) : NULL;

	if (entry == NULL || __atomic_load_n(&entry->handle, __ATOMIC_SEQ_CST) != handle)
		return NULL;
	return entry;
}

/* A handle that exists may be of another context. */
static void *check(struct emu_dpa_run *run, const struct entry *entry, enum emu_dpa_kind kind)
{
	if (entry->dpa == NULL)
		return entry->object;
	if (entry->dpa->base != run->dpa->base)
		emu_dpa_fatal(run, "the handle of a %s is of another DPA context", names[kind]);
	if (kind > EMU_DPA_MMAP && entry->dpa != run->device)
		emu_dpa_fatal(run,
			      "the %s was not created from the DPA context that the kernel has selected: call "
			      "doca_dpa_dev_device_set first",
			      names[kind]);
	return entry->object;
}

void *emu_dpa_lookup(struct emu_dpa_run *run, uint64_t handle, enum emu_dpa_kind kind)
{
	struct entry *entry = find(handle, kind);

	if (entry == NULL)
		emu_dpa_fatal(run, "0x%016llx is not the handle of a %s that is started", (unsigned long long)handle,
			      names[kind]);
	return check(run, entry, kind);
}

void *emu_dpa_peek(uint64_t handle, enum emu_dpa_kind kind)
{
	struct entry *entry = find(handle, kind);

	return entry == NULL ? NULL : entry->object;
}

/* Elements. */

uint64_t emu_dpa_element(uint64_t handle, uint32_t sequence)
{
	return (uint64_t)ELEMENT << 56 | (handle & ~UINT64_C(0xffffffff)) | sequence;
}

void *emu_dpa_lookup_element(struct emu_dpa_run *run, uint64_t element, enum emu_dpa_kind kind, uint32_t *sequence)
{
	struct entry *entry = element >> 56 == (kind | ELEMENT) ? entry_at(index_of(element)) : NULL;
	uint64_t handle = entry == NULL ? 0 : __atomic_load_n(&entry->handle, __ATOMIC_SEQ_CST);

	if (handle == 0 || handle >> 56 != kind)
		emu_dpa_fatal(run, "0x%016llx is not a completion of a %s", (unsigned long long)element, names[kind]);
	*sequence = (uint32_t)element;
	return check(run, entry, kind);
}

/* Short handles. */

uint32_t emu_dpa_handle_short(uint64_t handle)
{
	return ((uint32_t)handle & SHORT_MASK) << SHORT_INDEX_BITS | index_of(handle);
}

static struct entry *find_short(uint32_t handle, enum emu_dpa_kind kind)
{
	struct entry *entry = entry_at(handle & ((1u << SHORT_INDEX_BITS) - 1));
	uint64_t found = entry == NULL ? 0 : __atomic_load_n(&entry->handle, __ATOMIC_SEQ_CST);

	return found != 0 && found >> 56 == kind && emu_dpa_handle_short(found) == handle ? entry : NULL;
}

void *emu_dpa_lookup_short(struct emu_dpa_run *run, uint32_t handle, enum emu_dpa_kind kind)
{
	struct entry *entry = find_short(handle, kind);

	if (entry == NULL)
		emu_dpa_fatal(run, "0x%08x is not the handle of a %s that is started", handle, names[kind]);
	return check(run, entry, kind);
}

void *emu_dpa_peek_short(uint32_t handle, enum emu_dpa_kind kind)
{
	struct entry *entry = find_short(handle, kind);

	return entry == NULL ? NULL : entry->object;
}
