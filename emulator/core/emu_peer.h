/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_PEER_H_
#define EMU_PEER_H_

/*
 * Another process of this user, at the other end of a UNIX socket: who it is, what it lets this one do with its
 * memory, and memory that the two share.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "emulator.h"

/* True if the other end of a socket belongs to this user. pid is 0 for a process that this one cannot name, of
 * another container. */
EMU_API bool emu_peer_is_ours(int fd, pid_t *pid);

/* Where the system asks for it (Yama), the peer may access this process's memory. Refused or unknown: it will
 * learn that when it tries. */
EMU_API void emu_peer_allow(pid_t pid);

/* Access to the memory of the peer, without its help. 0, or a negative errno: EFAULT if it has no memory there,
 * ESRCH if it is no more, another one if the system does not allow it. */
EMU_API int emu_peer_read(pid_t pid, uint64_t addr, uint8_t *bytes, size_t len);
EMU_API int emu_peer_write(pid_t pid, uint64_t addr, const uint8_t *bytes, size_t len);

/* Shared memory behind a descriptor that can be sent to the peer: a file whose size, and so the mapping of its
 * first bytes, cannot change. NULL: no memory or descriptors. */
EMU_API void *emu_shared_new(const char *name, size_t mapped, size_t file_size, int *fd);
/* The peer's; NULL: it is none, or has less than file_size bytes. */
EMU_API void *emu_shared_map(int fd, size_t mapped, size_t file_size);

#endif /* EMU_PEER_H_ */
