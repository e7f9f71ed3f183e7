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
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "emulator.h"

/* The id of this process, as getpid returns it but without a system call, also after a fork. */
EMU_API pid_t emu_own_pid(void);

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

/* Writes pieces of the same lengths in one system call. Returns the bytes written, or a negative errno. */
EMU_API ssize_t emu_peer_write_pieces(pid_t pid, const struct iovec *from, const struct iovec *to, size_t num);

/* Writes to the range that room describes, in one system call. room is in memory that the peer shares, and the system
 * reads it when the call begins: a peer that has set its length to 0 before is not written to. Returns 0, -ECANCELED
 * if the room is too small now, -EMSGSIZE if the system has written only a part, or what emu_peer_write returns. */
EMU_API int emu_peer_write_into(pid_t pid, const struct iovec *room, const uint8_t *bytes, size_t len);

/* Receives a message of a packet socket, without waiting. Returns its length, 0 at the end, or a negative errno. What
 * the peer sent before it closed comes before the end. */
EMU_API ssize_t emu_peer_receive(int fd, struct msghdr *msg);

/* Takes the descriptors that came with a message. Those beyond max are closed; missing ones are -1. */
EMU_API void emu_peer_take_fds(struct msghdr *msg, int *fds, size_t max);

/* Creates shared memory with a descriptor that can be sent to the peer. The file cannot change its size, so the
 * mapping of its first bytes stays valid. NULL: no memory or descriptors. */
EMU_API void *emu_shared_new(const char *name, size_t mapped, size_t file_size, int *fd);
/* True if the descriptor is shared memory of that kind. Reading and writing any other file may block. */
EMU_API bool emu_shared_is(int fd);
/* Maps the peer's shared memory. NULL: it is not such memory, or has less than file_size bytes. */
EMU_API void *emu_shared_map(int fd, size_t mapped, size_t file_size);

#endif /* EMU_PEER_H_ */
