/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_DIAL_H_
#define EMU_RDMA_DIAL_H_

/*
 * How processes reach each other: sockets in the runtime directory for those of this host, TCP for others. All functions
 * are called with the lock.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <doca_error.h>

#include "core/emulator.h"

#include "emu_rdma_wire.h"

struct doca_rdma;

/* Opens the door of the process, by which peers with connection details come in, unless it is open, and fills in where
 * it is. CONNECTION_ABORTED: the system refuses; the log says why. */
EMU_LOCAL doca_error_t emu_rdma_door_open(struct emu_rdma_details *details);
/* Closes it if no context runs. */
EMU_LOCAL void emu_rdma_door_close(void);

/* Returns a socket that leads to the process of the details, or a negative errno. */
EMU_LOCAL int emu_rdma_dial_process(const struct emu_rdma_details *details, pid_t *pid, bool *is_network);

/* Called in the child of a fork. */
EMU_LOCAL void emu_rdma_door_forget(void);

#endif /* EMU_RDMA_DIAL_H_ */
