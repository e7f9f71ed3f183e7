/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/emu_peer.h"
#include "emu_comch_conn.h"
#include "emu_comch_frame.h"
#include "emu_comch_remote.h"
#include "emu_comch_ring.h"
#include "emu_comch_wake.h"

/* What consumers of peers may take: of the descriptors of this process, one in this many for the consumers of one
 * connection, and for all of them. */
#define FDS_PER_CONN 8
#define FDS_IN_ALL 4

static uint32_t num_remotes; /* accessed with atomics */

static uint32_t part_of_fds(rlim_t divisor)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 1;
	return limit.rlim_cur / divisor < UINT32_MAX ? (uint32_t)(limit.rlim_cur / divisor) : UINT32_MAX;
}

uint32_t emu_comch_max_consumers(void)
{
	uint32_t num = part_of_fds(FDS_PER_CONN);

	return num < 1 ? 1 : num < EMU_COMCH_MAX_ENDPOINTS ? num : EMU_COMCH_MAX_ENDPOINTS;
}

bool emu_comch_remote_has_room(void)
{
	return __atomic_load_n(&num_remotes, __ATOMIC_RELAXED) < part_of_fds(FDS_IN_ALL);
}

struct emu_comch_remote *emu_comch_remote_new(const struct emu_comch_announce *announce,
					      const int fds[EMU_COMCH_MAX_FDS])
{
	struct emu_comch_remote *remote;

	if (fds[0] < 0 || fds[1] < 0 || !emu_comch_is_bell(fds[1]))
		return NULL;
	remote = calloc(1, sizeof(*remote));
	if (remote == NULL)
		return NULL;
	remote->ring = emu_comch_ring_map(fds[0], &remote->num_entries);
	if (remote->ring == NULL) {
		free(remote);
		return NULL;
	}
	remote->refcount = 1;
	__atomic_fetch_add(&num_remotes, 1, __ATOMIC_RELAXED);
	remote->id = announce->id;
	remote->imm_data_len = announce->imm_data_len;
	remote->no_direct = !(announce->flags & EMU_COMCH_DIRECT);
	remote->ring_fd = fds[0];
	remote->bell = fds[1];
	if (fds[2] >= 0)
		emu_memfile_map(&remote->memory, fds[2], announce->offset, announce->len, true);
	remote->addr = announce->addr;
	remote->len = announce->len;
	return remote;
}

void emu_comch_remote_unref(struct emu_comch_remote *remote)
{
	if (__atomic_fetch_sub(&remote->refcount, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	emu_comch_ring_unmap(remote->ring, remote->num_entries);
	emu_memfile_unmap(&remote->memory);
	__atomic_fetch_sub(&num_remotes, 1, __ATOMIC_RELAXED);
	close(remote->ring_fd);
	close(remote->bell);
	free(remote);
}

/* Sending. */

/* The most bytes that are copied before the next look at the room. */
#define COPY_PIECE ((size_t)256 << 10)

/* Where the posted buffer is mapped here; NULL: nowhere. */
static uint8_t *mapped_at(const struct emu_comch_remote *remote, uint64_t addr, size_t len)
{
	uint64_t offset = addr - remote->addr;

	if (!emu_comch_remote_is_mapped(remote) || offset > remote->len || len > remote->len - offset)
		return NULL;
	return remote->memory.bytes + offset;
}

/* False: the consumer has revoked the entry. */
static bool copy_mapped(struct emu_comch_entry *entry, uint8_t *to, const uint8_t *bytes, size_t len)
{
	size_t done = 0;

	/* Either the consumer sees that this thread copies, or this thread sees that the room is gone. */
	__atomic_store_n(&entry->copying, 1, __ATOMIC_SEQ_CST);
	while (done < len && __atomic_load_n(&entry->room, __ATOMIC_SEQ_CST) >= len) {
		size_t piece = len - done < COPY_PIECE ? len - done : COPY_PIECE;

		memcpy(to + done, bytes + done, piece);
		done += piece;
	}
	__atomic_store_n(&entry->copying, 0, __ATOMIC_SEQ_CST);
	return done == len;
}

static enum emu_comch_where put_data(struct emu_comch_remote *remote, const struct emu_comch_send *send,
				     struct emu_comch_entry *entry, uint64_t number)
{
	uint8_t *mapped;

	if (send->len <= EMU_COMCH_INLINE_SIZE) {
		if (send->len > 0)
			memcpy(entry->bytes, send->bytes, send->len);
		return EMU_COMCH_IN_ENTRY;
	}
	mapped = mapped_at(remote, __atomic_load_n(&entry->addr, __ATOMIC_RELAXED), send->len);
	if (mapped != NULL)
		return copy_mapped(entry, mapped, send->bytes, send->len) ? EMU_COMCH_IN_BUFFER : EMU_COMCH_NOWHERE;
	if (emu_comch_remote_uses_tray(remote, send->len)) {
		memcpy(emu_comch_ring_tray(remote->ring, remote->num_entries, number), send->bytes, send->len);
		return EMU_COMCH_IN_TRAY;
	}
	if (!emu_comch_remote_is_mapped(remote) && !__atomic_load_n(&remote->no_direct, __ATOMIC_RELAXED)) {
		int error = emu_peer_write_into(send->pid, (const struct iovec *)(const void *)entry, send->bytes,
						send->len);

		if (error == 0)
			return EMU_COMCH_IN_BUFFER;
		/* The consumer has no memory there, or has revoked the entry. */
		if (error == -EFAULT || error == -ECANCELED)
			return EMU_COMCH_NOWHERE;
		/* The system or the consumer's process forbids it, or the process is in another container. */
		if (error != -EMSGSIZE)
			__atomic_store_n(&remote->no_direct, true, __ATOMIC_RELAXED);
	}
	if (emu_comch_ring_stage(remote->ring_fd, remote->num_entries, number, send->bytes, send->len))
		return EMU_COMCH_STAGED;
	return EMU_COMCH_NOWHERE;
}

doca_error_t emu_comch_remote_send(struct emu_comch_remote *remote, const struct emu_comch_send *send)
{
	struct emu_comch_ring *ring = remote->ring;
	uint64_t number = __atomic_load_n(&ring->claimed, __ATOMIC_RELAXED);
	struct emu_comch_entry *entry;
	enum emu_comch_where where;

	do {
		uint64_t posted;

		if (number & EMU_COMCH_RING_CLOSED)
			return DOCA_ERROR_NOT_CONNECTED;
		if (send->imm_len > remote->imm_data_len)
			return DOCA_ERROR_INVALID_VALUE;
		posted = __atomic_load_n(&ring->posted, __ATOMIC_ACQUIRE);
		if (number >= posted)
			return DOCA_ERROR_AGAIN;
		entry = emu_comch_ring_entry(ring, remote->num_entries, number);
		/* If another producer has claimed the entry, this is not its room, but then the claim fails. */
		if (send->len > __atomic_load_n(&entry->room, __ATOMIC_RELAXED)) {
			uint64_t now = __atomic_load_n(&ring->claimed, __ATOMIC_ACQUIRE);

			if (now == number)
				return DOCA_ERROR_INVALID_VALUE;
			number = now;
			continue;
		}
		if (__atomic_compare_exchange_n(&ring->claimed, &number, number + 1, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			break;
	} while (true);

	/* The producer that filled this entry one round earlier has long finished, since posted has moved on.
	 * This load tells ThreadSanitizer, which does not know that the consumer's mapping is the same memory. */
	(void)__atomic_load_n(&entry->filled, __ATOMIC_ACQUIRE);
	where = put_data(remote, send, entry, number);
	entry->where = where;
	entry->len = (uint32_t)send->len;
	entry->producer_id = send->producer_id;
	entry->imm_len = send->imm_len;
	if (send->imm_len > 0)
		memcpy(entry->imm, send->imm, send->imm_len);
	/* Either the consumer sees the entry before it sleeps, or this producer sees that the consumer sleeps. */
	if (__atomic_exchange_n(&entry->filled, emu_comch_filled(number), __ATOMIC_SEQ_CST) == emu_comch_void(number))
		return DOCA_ERROR_IO_FAILED; /* the consumer has stopped without it */
	if (__atomic_load_n(&ring->armed, __ATOMIC_SEQ_CST) != 0 &&
	    __atomic_exchange_n(&ring->armed, 0, __ATOMIC_SEQ_CST) != 0)
		emu_comch_ring_bell(remote->bell);
	return where == EMU_COMCH_NOWHERE ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}
