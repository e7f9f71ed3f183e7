/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_GID_H_
#define EMU_RDMA_GID_H_

/*
 * The GIDs of devices. Each has its link-local and its IPv4 address, both for RoCE version 1 and 2.
 */

#include <stdint.h>

#include "core/emulator.h"

struct emu_function;

/* Writes the GID of an index below EMU_RDMA_GID_TABLE_SIZE. */
EMU_LOCAL void emu_rdma_gid(const struct emu_function *function, uint32_t index, uint8_t gid[16]);

#endif /* EMU_RDMA_GID_H_ */
