/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_REMOTE_H_
#define EMU_COMCH_REMOTE_H_

/* Consumers of the peer, to which producers send. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/emu_memfile.h"
#include "core/emulator.h"
#include "emu_comch_frame.h"
#include "emu_comch_ring.h"

/* A consumer of the peer. */
struct emu_comch_remote {
	struct emu_comch_remote *next;
	uint32_t refcount; /* accessed with atomics */
	uint32_t id;
	uint32_t imm_data_len;
	struct emu_comch_ring *ring;
	uint32_t num_entries;
	int ring_fd;
	int bell;
	struct emu_memfile memory; /* of the posted buffers, if it could be mapped */
	uint64_t addr;		   /* where the consumer has it */
	uint64_t len;
	bool expired;	/* accessed with atomics */
	bool no_direct; /* the consumer or the kernel has refused direct writes; accessed with atomics */
};

/* The memory of its buffers is mapped: the system is not asked to write there. */
static inline bool emu_comch_remote_is_mapped(const struct emu_comch_remote *remote)
{
	return remote->memory.bytes != NULL;
}

/* Data of this length goes into a tray: the system is not asked for that either. */
static inline bool emu_comch_remote_uses_tray(const struct emu_comch_remote *remote, size_t len)
{
	return !emu_comch_remote_is_mapped(remote) && len <= EMU_COMCH_TRAY_SIZE &&
	       emu_comch_ring_tray(remote->ring, remote->num_entries, 0) != NULL;
}

/* The most consumers that each side of a connection may have. Each takes two descriptors of each process, so it depends
 * on how many a process may have. */
EMU_LOCAL uint32_t emu_comch_max_consumers(void);
/* True if this process has descriptors for another consumer of a peer. */
EMU_LOCAL bool emu_comch_remote_has_room(void);

/* Takes over the first two descriptors, and maps the third. If it returns NULL, they stay with the caller and are not those of
 * a consumer. */
EMU_LOCAL struct emu_comch_remote *emu_comch_remote_new(const struct emu_comch_announce *announce,
							const int fds[EMU_COMCH_MAX_FDS]);
EMU_LOCAL void emu_comch_remote_unref(struct emu_comch_remote *remote);

struct emu_comch_send {
	const uint8_t *bytes;
	size_t len;
	const uint8_t *imm;
	uint32_t imm_len;
	uint32_t producer_id;
	int pid; /* of the consumer */
};

/* Sends. AGAIN: no buffer is posted. INVALID_VALUE: too long for the consumer. NOT_CONNECTED: the consumer is
 * closed. IO_FAILED: the data could not be written, and the consumer's buffer is used up. */
EMU_LOCAL doca_error_t emu_comch_remote_send(struct emu_comch_remote *remote, const struct emu_comch_send *send);

#endif /* EMU_COMCH_REMOTE_H_ */
