/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "emu_export_key.h"
#include "emu_export_table.h"
#include "emu_peer.h"
#include "emu_remote.h"

/* Called with the lock for imports, as all functions here. NULL: the peer may not do that. */
static struct emu_export *find(const struct emu_export_range *range)
{
	struct emu_export *export = emu_export_with_key(range->key);
	uint64_t offset;

	if (export == NULL || (export->permissions & range->need) != range->need)
		return NULL;
	offset = range->addr - (uintptr_t)export->addr;
	if (offset > export->len || range->len > export->len - offset)
		return NULL;
	for (const struct emu_export *one = export; one != NULL; one = one->parent) {
		if (!one->is_alive)
			return NULL;
	}
	return export;
}

/* The process that has the memory, or NULL for this one. */
static struct emu_remote *owner_of(const struct emu_export *export)
{
	for (; export != NULL; export = export->parent) {
		if (export->remote != NULL)
			return export->remote;
	}
	return NULL;
}

/* The kernel copies: memory that the program has unmapped causes an error, not the end of the process. */
static bool copy_own(uint64_t addr, uint8_t *bytes, size_t len, bool is_write)
{
	int error = is_write ? emu_peer_write(getpid(), addr, bytes, len) : emu_peer_read(getpid(), addr, bytes, len);

	if (error == 0 || error == -EFAULT)
		return error == 0;
	if (is_write) /* the system forbids such calls */
		memcpy((void *)(uintptr_t)addr, bytes, len);
	else
		memcpy(bytes, (const void *)(uintptr_t)addr, len);
	return true;
}

static bool copy(const struct emu_export_range *range, uint64_t offset, uint8_t *bytes, size_t len, bool is_write)
{
	struct emu_export *export;
	struct emu_remote *remote;
	bool is_done = false;

	if (offset > range->len || len > range->len - offset)
		return false;
	emu_import_lock();
	export = find(range);
	if (export != NULL) {
		uint64_t addr = range->addr + offset;

		remote = owner_of(export);
		if (remote == NULL)
			is_done = copy_own(addr, bytes, len, is_write);
		else if (is_write)
			is_done = emu_remote_write(remote, (uint8_t *)(uintptr_t)addr, bytes, len);
		else
			is_done = emu_remote_read(remote, (const uint8_t *)(uintptr_t)addr, bytes, len);
	}
	emu_import_unlock();
	return is_done;
}

bool emu_export_key_check(const struct emu_export_range *range)
{
	bool is_there;

	emu_import_lock();
	is_there = find(range) != NULL;
	emu_import_unlock();
	return is_there;
}

bool emu_export_key_read(const struct emu_export_range *range, uint64_t offset, uint8_t *bytes, size_t len)
{
	return copy(range, offset, bytes, len, false);
}

bool emu_export_key_write(const struct emu_export_range *range, uint64_t offset, const uint8_t *bytes, size_t len)
{
	return copy(range, offset, (uint8_t *)(uintptr_t)bytes, len, true);
}

/* Atomic operations. Those of RDMA are atomic among each other. On memory of this process they are so with respect to
 * its threads, too. */

static bool change(const struct emu_export_range *range, bool compares, uint64_t compare, uint64_t operand, uint64_t *old)
{
	struct emu_export *export;
	uint64_t *word = (uint64_t *)(uintptr_t)range->addr;
	bool is_done = false;

	if (range->len != sizeof(*word) || range->addr % sizeof(*word) != 0)
		return false;
	emu_import_lock();
	export = find(range);
	/* The read shows whether the memory is there. */
	if (export != NULL && owner_of(export) == NULL && copy_own(range->addr, (uint8_t *)old, sizeof(*old), false)) {
		if (compares) {
			__atomic_compare_exchange_n(word, &compare, operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
			*old = compare; /* what the word was, in either case */
		} else {
			*old = __atomic_fetch_add(word, operand, __ATOMIC_SEQ_CST);
		}
		is_done = true;
	}
	emu_import_unlock();
	return is_done;
}

bool emu_export_key_compare_swap(const struct emu_export_range *range, uint64_t compare, uint64_t swap, uint64_t *old)
{
	return change(range, true, compare, swap, old);
}

bool emu_export_key_add(const struct emu_export_range *range, uint64_t increment, uint64_t *old)
{
	return change(range, false, 0, increment, old);
}
