/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_HELLO_H_
#define EMU_RDMA_HELLO_H_

/*
 * The payload of HELLO and ACCEPT.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/emulator.h"

#include "emu_rdma_wire.h"

EMU_LOCAL void emu_rdma_hello_init(struct emu_rdma_hello *hello);
/* Reads a payload, which may be longer or shorter in other builds. */
EMU_LOCAL void emu_rdma_hello_read(const struct emu_rdma_frame *frame, const uint8_t *payload,
				   struct emu_rdma_hello *hello);
/* True if it is of an emulator, of whatever version. */
EMU_LOCAL bool emu_rdma_hello_is_ours(const struct emu_rdma_hello *hello);
EMU_LOCAL bool emu_rdma_hello_is_good(const struct emu_rdma_hello *hello);

/* Takes constant time, which does not reveal where two keys differ. */
EMU_LOCAL bool emu_rdma_is_equal_key(const uint8_t *a, const uint8_t *b);

#endif /* EMU_RDMA_HELLO_H_ */
