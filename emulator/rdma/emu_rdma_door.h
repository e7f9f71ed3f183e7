/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_DOOR_H_
#define EMU_RDMA_DOOR_H_

/*
 * Where peers come in: a socket in the runtime directory for processes of this host, a TCP port for other hosts. The
 * process has one door for peers with connection details, and one for each port that a context listens on. All
 * functions are called with the lock.
 */

#include <stdint.h>

#include <doca_error.h>

#include "core/emu_rundir.h"
#include "core/emulator.h"

#include "emu_rdma_wire.h"

struct doca_rdma;
struct emu_function;

/* Opens the door of the process, unless it is open, and fills in where it is. CONNECTION_ABORTED: the system refuses;
 * the log says why. */
EMU_LOCAL doca_error_t emu_rdma_door_open(struct emu_rdma_details *details);
/* Closes it if no context runs. */
EMU_LOCAL void emu_rdma_door_close(void);

/* Opens a door for a port, and closes it. CONNECTION_ABORTED: somebody else listens there, or the system refuses; the
 * log says why. */
EMU_LOCAL doca_error_t emu_rdma_listen(struct doca_rdma *rdma, uint16_t port);
EMU_LOCAL doca_error_t emu_rdma_unlisten(struct doca_rdma *rdma, uint16_t port);
EMU_LOCAL void emu_rdma_unlisten_all(struct doca_rdma *rdma);

/* The name of the door of a port of a device. */
EMU_LOCAL void emu_rdma_door_name(const struct emu_function *function, uint16_t port, char name[EMU_RUNDIR_NAME_SIZE]);

/* Called in the child of a fork. */
EMU_LOCAL void emu_rdma_doors_on_fork(void);

#endif /* EMU_RDMA_DOOR_H_ */
