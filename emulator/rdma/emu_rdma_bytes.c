/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <doca_buf.h>

#include "core/emu_buf.h"
#include "core/emu_export_table.h"
#include "core/emu_mmap.h"
#include "core/emu_peer.h"
#include "core/emu_remote.h"

#include "emu_rdma_bytes.h"

#define BOUNCE_SIZE ((size_t)64 << 10)

/* Lists. */

static uint8_t *tail_of(const struct doca_buf *buf)
{
	return (uint8_t *)((uintptr_t)buf->data + buf->data_len);
}

static size_t room_of(const struct doca_buf *buf)
{
	size_t used = (uintptr_t)tail_of(buf) - (uintptr_t)buf->head;

	return used <= buf->len ? buf->len - used : 0;
}

uint64_t emu_rdma_data_len(const struct doca_buf *list)
{
	uint64_t sum = 0;

	for (; list != NULL; list = list->next)
		sum += list->data_len;
	return sum;
}

uint64_t emu_rdma_room(const struct doca_buf *list)
{
	uint64_t sum = 0;

	for (; list != NULL; list = list->next)
		sum += room_of(list);
	return sum;
}

static bool is_usable(const struct doca_buf *buf, const struct doca_dev *dev, const uint8_t *addr, size_t len,
		      uint32_t access)
{
	return emu_may_access(buf->mmap, dev, access) && emu_within(addr, len, buf->head, buf->len) &&
	       emu_within(addr, len, buf->mmap->addr, buf->mmap->len);
}

bool emu_rdma_can_read(const struct doca_buf *list, const struct doca_dev *dev, uint32_t max_len)
{
	uint32_t num = 0;

	for (; list != NULL; list = list->next) {
		if (++num > max_len || !is_usable(list, dev, list->data, list->data_len, EMU_ACCESS_READ))
			return false;
	}
	return true;
}

bool emu_rdma_can_write(const struct doca_buf *list, uint64_t len, const struct doca_dev *dev, uint32_t max_len)
{
	uint32_t num = 0;

	for (; list != NULL; list = list->next) {
		size_t part = room_of(list) < len ? room_of(list) : len;

		if (++num > max_len || !is_usable(list, dev, tail_of(list), part, EMU_ACCESS_WRITE))
			return false;
		len -= part;
	}
	return len == 0;
}

/* The memory of this process that an import is of must not stop during the access. */
static bool access_memory(const struct doca_mmap *mmap, uint8_t *addr, uint8_t *bytes, size_t n, bool is_write)
{
	bool is_own_import, is_done = true;

	if (mmap == NULL || !mmap->is_started)
		return false;
	if (mmap->remote != NULL)
		return is_write ? emu_remote_write(mmap->remote, addr, bytes, n) :
				  emu_remote_read(mmap->remote, addr, bytes, n);
	is_own_import = mmap->import != NULL;
	if (is_own_import) {
		emu_import_lock();
		is_done = emu_import_is_alive(mmap);
	}
	if (is_done && is_write)
		memcpy(addr, bytes, n);
	else if (is_done)
		memcpy(bytes, addr, n);
	if (is_own_import)
		emu_import_unlock();
	return is_done;
}

bool emu_rdma_gather(const struct doca_buf *list, uint64_t offset, uint8_t *bytes, size_t n)
{
	for (; list != NULL && n > 0; list = list->next) {
		size_t part;

		if (offset >= list->data_len) {
			offset -= list->data_len;
			continue;
		}
		part = list->data_len - offset < n ? list->data_len - offset : n;
		if (!access_memory(list->mmap, list->data + offset, bytes, part, false))
			return false;
		bytes += part;
		n -= part;
		offset = 0;
	}
	return n == 0;
}

bool emu_rdma_scatter(const struct doca_buf *list, uint64_t offset, const uint8_t *bytes, size_t n)
{
	for (; list != NULL && n > 0; list = list->next) {
		size_t room = room_of(list), part;

		if (offset >= room) {
			offset -= room;
			continue;
		}
		part = room - offset < n ? room - offset : n;
		if (!access_memory(list->mmap, tail_of(list) + offset, (uint8_t *)(uintptr_t)bytes, part, true))
			return false;
		bytes += part;
		n -= part;
		offset = 0;
	}
	return n == 0;
}

const uint8_t *emu_rdma_data_at(const struct doca_buf *list, uint64_t offset, size_t *len)
{
	while (list != NULL && offset >= list->data_len) {
		offset -= list->data_len;
		list = list->next;
	}
	if (list == NULL || list->mmap == NULL || list->mmap->import != NULL)
		return NULL;
	*len = list->data_len - offset;
	return list->data + offset;
}

int emu_rdma_pull(const struct doca_buf *list, uint64_t offset, pid_t pid, uint64_t addr, size_t n)
{
	static uint8_t bounce[BOUNCE_SIZE]; /* guarded by the lock, with which this is called */

	for (; list != NULL && n > 0; list = list->next) {
		size_t room = room_of(list), part, done = 0;
		bool is_plain = list->mmap != NULL && list->mmap->import == NULL;

		if (offset >= room) {
			offset -= room;
			continue;
		}
		part = room - offset < n ? room - offset : n;
		while (done < part) {
			size_t piece = is_plain || part - done < sizeof(bounce) ? part - done : sizeof(bounce);
			uint8_t *to = tail_of(list) + offset + done;
			int error = emu_peer_read(pid, addr, is_plain ? to : bounce, piece);

			if (error != 0)
				return error == -EFAULT ? error : -EPERM;
			if (!is_plain && !access_memory(list->mmap, to, bounce, piece, true))
				return -EFAULT;
			addr += piece;
			done += piece;
		}
		n -= part;
		offset = 0;
	}
	return n == 0 ? 0 : -EFAULT;
}

void emu_rdma_grow(struct doca_buf *list, uint64_t len)
{
	for (; list != NULL && len > 0; list = list->next) {
		size_t part = room_of(list) < len ? room_of(list) : len;

		list->data_len += part;
		len -= part;
	}
}

/* Memory of the peer. */

bool emu_rdma_name_remote(const struct doca_buf *buf, uint64_t len, const struct doca_dev *dev, uint32_t need,
			  struct emu_export_range *range)
{
	const struct doca_mmap *mmap = buf->mmap;

	if (mmap == NULL || !mmap->is_started || mmap->import == NULL || mmap->import->desc.kind != EMU_EXPORT_RDMA ||
	    !emu_mmap_has_dev(mmap, dev) || (mmap->permissions & need) != need ||
	    !emu_within(buf->data, len, buf->head, buf->len) || !emu_within(buf->data, len, mmap->addr, mmap->len))
		return false;
	memcpy(range->key, mmap->import->desc.key, sizeof(range->key));
	range->addr = (uintptr_t)buf->data;
	range->len = len;
	range->need = need;
	return true;
}

/* The process that has the memory of an import, or NULL for this one. */
static struct emu_remote *owner_of(const struct doca_mmap *mmap)
{
	for (const struct emu_export *export = mmap->import; export != NULL; export = export->parent) {
		if (export->remote != NULL)
			return export->remote;
	}
	return NULL;
}

bool emu_rdma_is_direct(const struct doca_buf *remote, pid_t peer)
{
	const struct doca_mmap *mmap = remote->mmap;

	if (peer == 0 || mmap == NULL || mmap->import == NULL)
		return false;
	if (mmap->remote == NULL) /* an export of this process, or of another host */
		return peer == emu_own_pid() && mmap->import->dev != NULL;
	return emu_remote_pid(mmap->remote) == peer && !mmap->import->net.is_passed_on;
}

/* Copies by way of a buffer, where neither end can be reached from the other. */
static __attribute__((noinline)) bool copy_through(struct emu_remote *owner, uint8_t *remote, const struct doca_mmap *local,
						   uint8_t *addr, size_t n, bool is_write)
{
	uint8_t bounce[BOUNCE_SIZE];

	while (n > 0) {
		size_t part = n < sizeof(bounce) ? n : sizeof(bounce);
		bool is_done;

		if (is_write)
			is_done = access_memory(local, addr, bounce, part, false) &&
				  (owner == NULL ? (memcpy(remote, bounce, part), true) :
						   emu_remote_write(owner, remote, bounce, part));
		else
			is_done = (owner == NULL ? (memcpy(bounce, remote, part), true) :
						   emu_remote_read(owner, remote, bounce, part)) &&
				  access_memory(local, addr, bounce, part, true);
		if (!is_done)
			return false;
		remote += part;
		addr += part;
		n -= part;
	}
	return true;
}

/* One piece of a list. Called with the lock for imports if the peer's memory is in this process. */
static bool copy_piece(struct emu_remote *owner, uint8_t *remote, const struct doca_mmap *local, uint8_t *addr, size_t n,
		       bool is_write)
{
	if (owner == NULL && local->remote == NULL) {
		if (local->import != NULL && !emu_import_is_alive(local))
			return false;
		if (is_write)
			memmove(remote, addr, n);
		else
			memmove(addr, remote, n);
		return true;
	}
	if (owner != NULL && local->remote == NULL && local->import == NULL)
		return is_write ? emu_remote_write(owner, remote, addr, n) : emu_remote_read(owner, remote, addr, n);
	return copy_through(owner, remote, local, addr, n, is_write);
}

static bool copy_list(struct emu_remote *owner, uint8_t *remote, const struct doca_buf *local, uint64_t len, bool is_write)
{
	for (; local != NULL && len > 0; local = local->next) {
		size_t part = is_write ? local->data_len : room_of(local);

		if (part > len)
			part = len;
		if (part > 0 &&
		    !copy_piece(owner, remote, local->mmap, is_write ? local->data : tail_of(local), part, is_write))
			return false;
		remote += part;
		len -= part;
	}
	return len == 0;
}

bool emu_rdma_is_own(const struct doca_buf *remote)
{
	return remote->mmap->remote == NULL && owner_of(remote->mmap) == NULL;
}

bool emu_rdma_copy_own(const struct doca_buf *remote, const struct doca_buf *local, uint64_t len, bool is_write)
{
	return emu_import_is_alive(remote->mmap) && copy_list(NULL, remote->data, local, len, is_write);
}

bool emu_rdma_copy_other(const struct doca_buf *remote, const struct doca_buf *local, uint64_t len, bool is_write)
{
	bool is_alive = true;

	if (remote->mmap->remote == NULL) { /* the owner is asked below, whether it is alive */
		emu_import_lock();
		is_alive = emu_import_is_alive(remote->mmap);
		emu_import_unlock();
	}
	return is_alive && copy_list(owner_of(remote->mmap), remote->data, local, len, is_write);
}

/* Larger ones gain little. A run of them has no more bytes than one write, for which an export waits. */
#define MAX_PIECE ((size_t)64 << 10)

bool emu_rdma_add_piece(struct emu_rdma_pieces *pieces, const struct doca_buf *remote, const struct doca_buf *local)
{
	struct emu_remote *owner;

	if (remote == NULL || local == NULL || local->next != NULL || local->data_len == 0 || local->data_len > MAX_PIECE ||
	    local->mmap == NULL || local->mmap->import != NULL || remote->mmap == NULL || remote->mmap->remote == NULL ||
	    pieces->num == EMU_REMOTE_MAX_PIECES)
		return false;
	owner = remote->mmap->remote;
	if (pieces->num > 0 && pieces->owner != owner)
		return false;
	pieces->owner = owner;
	pieces->from[pieces->num] = (struct iovec){.iov_base = local->data, .iov_len = local->data_len};
	pieces->to[pieces->num] = (struct iovec){.iov_base = remote->data, .iov_len = local->data_len};
	pieces->num++;
	return true;
}

size_t emu_rdma_write_pieces(const struct emu_rdma_pieces *pieces, size_t num)
{
	return emu_remote_write_pieces(pieces->owner, pieces->from, pieces->to, num);
}
