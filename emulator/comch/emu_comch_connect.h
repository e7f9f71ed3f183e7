/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_CONNECT_H_
#define EMU_COMCH_CONNECT_H_

/* How a client connects to its server: HELLO, then ACCEPT or REFUSE. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/emulator.h"

struct doca_comch_connection;
struct emu_comch_ctrl;

/* Makes one attempt to connect. If there is no server yet, the timer makes the next attempt. DRIVER: further
 * attempts are useless; the log says why. */
EMU_LOCAL doca_error_t emu_comch_connect_try(struct emu_comch_ctrl *ctrl);
/* Called when the socket closes before the server has answered. True: the client tries again. */
EMU_LOCAL bool emu_comch_connect_again(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn);
/* Returns until when a client that starts now tries to connect. */
EMU_LOCAL uint64_t emu_comch_connect_deadline(void);
/* Reserves a descriptor, for clients that the process has no room for. */
EMU_LOCAL void emu_comch_connect_spare(struct emu_comch_ctrl *ctrl);
/* Gives up clients that have not said hello in time, and listens again after a pause. */
EMU_LOCAL void emu_comch_connect_time_out(struct emu_comch_ctrl *ctrl, uint64_t now);
/* Accepts the clients that are waiting. */
EMU_LOCAL void emu_comch_connect_accept(struct emu_comch_ctrl *ctrl);
/* Handle the first frame of a client, and the server's answers. The frame is in recv_buf. True: the program
 * could see it. */
EMU_LOCAL bool emu_comch_connect_hello(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len);
EMU_LOCAL bool emu_comch_connect_accepted(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len);
EMU_LOCAL bool emu_comch_connect_refused(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len);

#endif /* EMU_COMCH_CONNECT_H_ */
