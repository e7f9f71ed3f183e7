/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_GUEST_H_
#define EMU_RDMA_GUEST_H_

/*
 * Guests: peers that have connected and have not said yet what they want. All functions are called with the lock.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/emulator.h"

struct doca_rdma;

/* A peer process has connected. Its first frame says what it wants: a connection of any context, or, if it came to a
 * port, one of the context that listens there. */
EMU_LOCAL void emu_rdma_greet(int fd, pid_t pid, bool is_network, struct doca_rdma *listening, uint16_t port);
/* Turns away those that came to a port where nobody listens any more. */
EMU_LOCAL void emu_rdma_forget_guests(const struct doca_rdma *listening, uint16_t port);

/* Called in the child of a fork. */
EMU_LOCAL void emu_rdma_guests_on_fork(void);

#endif /* EMU_RDMA_GUEST_H_ */
