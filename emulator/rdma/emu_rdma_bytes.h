/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_BYTES_H_
#define EMU_RDMA_BYTES_H_

/*
 * The bytes of buffers: lists of local memory, which may be imported over PCI, and memory of the peer.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "core/emu_export_key.h"
#include "core/emu_remote.h"
#include "core/emulator.h"

struct doca_buf;
struct doca_dev;

/* The data of a list, or 0 for NULL. */
EMU_LOCAL uint64_t emu_rdma_data_len(const struct doca_buf *list);
/* The room behind the data of a list, or 0 for NULL. */
EMU_LOCAL uint64_t emu_rdma_room(const struct doca_buf *list);

/* True if the device may read all data of the list, which has at most max_len buffers. */
EMU_LOCAL bool emu_rdma_can_read(const struct doca_buf *list, const struct doca_dev *dev, uint32_t max_len);
/* True if the device may write len bytes behind the data of the list. */
EMU_LOCAL bool emu_rdma_can_write(const struct doca_buf *list, uint64_t len, const struct doca_dev *dev, uint32_t max_len);

/* Copy n bytes from the data of a list, and to the room behind its data. offset + n is within them. False: the memory
 * cannot be accessed. */
EMU_LOCAL bool emu_rdma_gather(const struct doca_buf *list, uint64_t offset, uint8_t *bytes, size_t n);
EMU_LOCAL bool emu_rdma_scatter(const struct doca_buf *list, uint64_t offset, const uint8_t *bytes, size_t n);
/* The address of the data of a list at an offset, and how many bytes follow it there. NULL: they are not in memory of this
 * process's own. */
EMU_LOCAL const uint8_t *emu_rdma_data_at(const struct doca_buf *list, uint64_t offset, size_t *len);
/* Copies n bytes of another process to the room behind the data of a list. Returns 0, or a negative errno: EPERM if the
 * system forbids it. */
EMU_LOCAL int emu_rdma_pull(const struct doca_buf *list, uint64_t offset, pid_t pid, uint64_t addr, size_t n);
/* Adds len bytes of the room to the data. */
EMU_LOCAL void emu_rdma_grow(struct doca_buf *list, uint64_t len);

/* What a request needs to name the peer's memory: len bytes from the data of a buffer of an RDMA import. False: it is
 * no such buffer, or the bytes are not within it. */
EMU_LOCAL bool emu_rdma_name_remote(const struct doca_buf *buf, uint64_t len, const struct doca_dev *dev, uint32_t need,
				    struct emu_export_range *range);

/* True if this process can copy to and from the memory without the help of the peer with that id. */
EMU_LOCAL bool emu_rdma_is_direct(const struct doca_buf *remote, pid_t peer);
/* True if such memory is in this process. */
EMU_LOCAL bool emu_rdma_is_own(const struct doca_buf *remote);
/* Copy between a local list and memory of the peer: in this process, with the lock for imports, and in another one, without
 * it. */
EMU_LOCAL bool emu_rdma_copy_own(const struct doca_buf *remote, const struct doca_buf *local, uint64_t len, bool is_write);
EMU_LOCAL bool emu_rdma_copy_other(const struct doca_buf *remote, const struct doca_buf *local, uint64_t len, bool is_write);

/* Small writes that go together to one process. */
struct emu_rdma_pieces {
	struct emu_remote *owner;
	size_t num;
	struct iovec from[EMU_REMOTE_MAX_PIECES];
	struct iovec to[EMU_REMOTE_MAX_PIECES];
};

/* False: the write does not fit in with the others. */
EMU_LOCAL bool emu_rdma_add_piece(struct emu_rdma_pieces *pieces, const struct doca_buf *remote,
				  const struct doca_buf *local);
/* Writes the first num of them. Returns how many have succeeded. */
EMU_LOCAL size_t emu_rdma_write_pieces(const struct emu_rdma_pieces *pieces, size_t num);

#endif /* EMU_RDMA_BYTES_H_ */
