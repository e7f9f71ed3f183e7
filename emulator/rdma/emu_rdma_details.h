/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_DETAILS_H_
#define EMU_RDMA_DETAILS_H_

/*
 * The connection details that programs exchange.
 */

#include <stddef.h>

#include <doca_error.h>

#include "core/emulator.h"

#include "emu_rdma_wire.h"

/* Completes details whose other fields are set. */
EMU_LOCAL void emu_rdma_details_seal(struct emu_rdma_details *details);
/* Returns INVALID_VALUE if the bytes are no connection details, or damaged, UNSUPPORTED_VERSION if they are of another
 * version; the log says why. The program may pass them in a larger buffer, if the rest is zero. */
EMU_LOCAL doca_error_t emu_rdma_details_read(const void *bytes, size_t len, struct emu_rdma_details *details);

#endif /* EMU_RDMA_DETAILS_H_ */
