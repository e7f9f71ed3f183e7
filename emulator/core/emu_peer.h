/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_PEER_H_
#define EMU_PEER_H_

/*
 * Another process of this user, at the other end of a UNIX socket: its identity, access to its memory, and memory
 * shared with it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "emulator.h"

/* True if the process at the other end of a socket belongs to this user. pid is 0 for a process in another
 * container, which has no id here. */
EMU_API bool emu_peer_is_ours(int fd, pid_t *pid);

/* Allows the peer to access this process's memory, where the system demands that (Yama). If this fails, the peer
 * notices when it tries. */
EMU_API void emu_peer_allow(pid_t pid);

/* Access the peer's memory without its help. They return 0, or a negative errno: EFAULT if there is no memory,
 * ESRCH if the process has ended, another one if the system forbids it. */
EMU_API int emu_peer_read(pid_t pid, uint64_t addr, uint8_t *bytes, size_t len);
EMU_API int emu_peer_write(pid_t pid, uint64_t addr, const uint8_t *bytes, size_t len);

/* Creates shared memory with a descriptor that can be sent to the peer. The file cannot change its size, so the
 * mapping of its first bytes stays valid. NULL: no memory or descriptors. */
EMU_API void *emu_shared_new(const char *name, size_t mapped, size_t file_size, int *fd);
/* Maps the peer's shared memory. NULL: it is not such memory, or has less than file_size bytes. */
EMU_API void *emu_shared_map(int fd, size_t mapped, size_t file_size);

#endif /* EMU_PEER_H_ */
