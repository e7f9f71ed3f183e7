/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_CONNECT_H_
#define EMU_COMCH_CONNECT_H_

/* How a client and its server come together: HELLO, then ACCEPT or REFUSE. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/emulator.h"

struct doca_comch_connection;
struct emu_comch_ctrl;

/* One attempt of a client to connect; if there is no server yet, the timer makes the next one. DRIVER: no attempt will
 * get there; the log says why. */
EMU_LOCAL doca_error_t emu_comch_connect_try(struct emu_comch_ctrl *ctrl);
/* After the end of a socket whose server has not answered: true if the client tries again. */
EMU_LOCAL bool emu_comch_connect_again(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn);
/* Until when a client that starts now tries. */
EMU_LOCAL uint64_t emu_comch_connect_deadline(void);
/* Clients that have come. */
EMU_LOCAL void emu_comch_connect_accept(struct emu_comch_ctrl *ctrl);
/* The first frame of a client, and the server's answers. The frame is in recv_buf. True: the program could see it. */
EMU_LOCAL bool emu_comch_connect_hello(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len);
EMU_LOCAL bool emu_comch_connect_accepted(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len);
EMU_LOCAL bool emu_comch_connect_refused(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn, size_t len);

#endif /* EMU_COMCH_CONNECT_H_ */
