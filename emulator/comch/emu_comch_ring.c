/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu_comch.h"
#include "emu_comch_ring.h"
#include "core/emu_peer.h"

#define PAGE_SIZE 4096
#define MAX_ENTRIES (1u << 20)

/* Staged data beyond this is given back to the system at once. */
#define KEEP_STAGED (64u << 10)

static size_t ring_size(uint32_t num_entries)
{
	size_t size = sizeof(struct emu_comch_ring) + num_entries * sizeof(struct emu_comch_entry);

	return (size + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
}

static off_t staging_offset(uint32_t num_entries, uint64_t number)
{
	return (off_t)ring_size(num_entries) + (off_t)(number & (num_entries - 1)) * EMU_COMCH_MAX_BUF_SIZE;
}

static size_t file_size(uint32_t num_entries)
{
	return (size_t)staging_offset(num_entries, num_entries - 1) + EMU_COMCH_MAX_BUF_SIZE;
}

struct emu_comch_ring *emu_comch_ring_new(uint32_t num_tasks, int *fd)
{
	uint32_t num_entries = 1;
	struct emu_comch_ring *ring;

	while (num_entries < num_tasks)
		num_entries *= 2;
	ring = emu_shared_new("doca-comch", ring_size(num_entries), file_size(num_entries), fd);
	if (ring == NULL)
		return NULL;
	ring->version = EMU_COMCH_VERSION;
	ring->num_entries = num_entries;
	return ring;
}

struct emu_comch_ring *emu_comch_ring_map(int fd, uint32_t *num_entries)
{
	uint32_t head[2] = {0, 0}; /* version and num_entries */
	struct emu_comch_ring *ring;
	uint32_t num;

	if (pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return NULL;
	num = head[1];
	if (head[0] != EMU_COMCH_VERSION || num == 0 || num > MAX_ENTRIES || (num & (num - 1)) != 0)
		return NULL;
	ring = emu_shared_map(fd, ring_size(num), file_size(num));
	if (ring == NULL)
		return NULL;
	*num_entries = num;
	return ring;
}

void emu_comch_ring_unmap(struct emu_comch_ring *ring, uint32_t num_entries)
{
	munmap(ring, ring_size(num_entries));
}

/* Consumers of the peer. */

/* Writing to anything else might block, or end the process. */
static bool is_eventfd(int fd)
{
	char path[32], target[32];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0 || (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0)
		return false;
	target[len] = '\0';
	return strcmp(target, "anon_inode:[eventfd]") == 0;
}

struct emu_comch_remote *emu_comch_remote_new(const struct emu_comch_announce *announce, int fds[2])
{
	struct emu_comch_remote *remote;

	if (fds[0] < 0 || fds[1] < 0 || !is_eventfd(fds[1]))
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
	remote->id = announce->id;
	remote->imm_data_len = announce->imm_data_len;
	remote->ring_fd = fds[0];
	remote->wake_fd = fds[1];
	return remote;
}

void emu_comch_remote_unref(struct emu_comch_remote *remote)
{
	if (__atomic_fetch_sub(&remote->refcount, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	emu_comch_ring_unmap(remote->ring, remote->num_entries);
	close(remote->ring_fd);
	close(remote->wake_fd);
	free(remote);
}

/* Sending. */

static bool write_all(int fd, const uint8_t *bytes, size_t len, off_t offset)
{
	while (len > 0) {
		ssize_t n = pwrite(fd, bytes, len, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		offset += n;
		len -= (size_t)n;
	}
	return true;
}

static enum emu_comch_where put_data(struct emu_comch_remote *remote, const struct emu_comch_send *send,
				     struct emu_comch_entry *entry, uint64_t number, uint64_t addr)
{
	if (send->len <= EMU_COMCH_INLINE_SIZE) {
		if (send->len > 0)
			memcpy(entry->bytes, send->bytes, send->len);
		return EMU_COMCH_IN_ENTRY;
	}
	if (!__atomic_load_n(&remote->no_direct, __ATOMIC_RELAXED)) {
		int error = emu_peer_write(send->pid, addr, send->bytes, send->len);

		if (error == 0)
			return EMU_COMCH_IN_BUFFER;
		if (error == -EFAULT) /* the consumer has no memory there */
			return EMU_COMCH_NOWHERE;
		/* The system or the consumer's process does not allow it, or the process is another container's. */
		__atomic_store_n(&remote->no_direct, true, __ATOMIC_RELAXED);
	}
	if (write_all(remote->ring_fd, send->bytes, send->len, staging_offset(remote->num_entries, number)))
		return EMU_COMCH_STAGED;
	return EMU_COMCH_NOWHERE;
}

doca_error_t emu_comch_ring_send(struct emu_comch_remote *remote, const struct emu_comch_send *send)
{
	struct emu_comch_ring *ring = remote->ring;
	uint64_t number = __atomic_load_n(&ring->claimed, __ATOMIC_RELAXED);
	struct emu_comch_entry *entry;
	enum emu_comch_where where;
	uint64_t addr;

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
		addr = __atomic_load_n(&entry->addr, __ATOMIC_RELAXED);
		/* If another producer takes the entry meanwhile this is not its room, but the claim fails then. */
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

	/* Whoever filled the entry a round ago has long been done with it: posted says so. ThreadSanitizer, which
	 * does not know that the consumer's memory is the same, sees it here. */
	(void)__atomic_load_n(&entry->filled, __ATOMIC_ACQUIRE);
	where = put_data(remote, send, entry, number, addr);
	entry->where = where;
	entry->len = (uint32_t)send->len;
	entry->producer_id = send->producer_id;
	entry->imm_len = send->imm_len;
	if (send->imm_len > 0)
		memcpy(entry->imm, send->imm, send->imm_len);
	/* Either the consumer sees the entry before it sleeps, or this sees that it sleeps. */
	__atomic_store_n(&entry->filled, (uint32_t)(number + 1), __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&ring->armed, __ATOMIC_SEQ_CST) != 0 &&
	    __atomic_exchange_n(&ring->armed, 0, __ATOMIC_SEQ_CST) != 0)
		emu_comch_signal_fd(remote->wake_fd);
	return where == EMU_COMCH_NOWHERE ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

/* Receiving. */

bool emu_comch_ring_unstage(int fd, uint32_t num_entries, uint64_t number, uint8_t *bytes, uint32_t len)
{
	off_t offset = staging_offset(num_entries, number);
	uint32_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, bytes + done, len - done, offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (uint32_t)n;
	}
	if (len > KEEP_STAGED)
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, len);
	return true;
}
