/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_REMOTE_SOCKET_H_
#define EMU_REMOTE_SOCKET_H_

/* The socket between an importing process and the exporting one, which may be stopped: nothing waits without a limit. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "emulator.h"

struct msghdr;

/* Until when the exporting process may take for what begins now, as emu_clock_ns() counts. */
EMU_LOCAL uint64_t emu_remote_deadline(void);

/* True for an errno that says that another try may succeed. */
EMU_LOCAL bool emu_remote_is_for_now(int error);

/* Are recvmsg and sendmsg, which wait. -1 with errno EAGAIN: the exporter takes too long. */
EMU_LOCAL ssize_t emu_remote_receive(int fd, struct msghdr *msg);
EMU_LOCAL ssize_t emu_remote_transmit(int fd, const struct msghdr *msg);

#endif /* EMU_REMOTE_SOCKET_H_ */
