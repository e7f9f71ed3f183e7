/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_EVENT_H_
#define EMU_COMCH_EVENT_H_

/* Handles the frames that the peer sends, and the end of the connection. */

#include "core/emulator.h"

struct doca_comch_connection;
struct emu_comch_ctrl;

enum emu_comch_received {
	EMU_COMCH_NO_FRAME,
	EMU_COMCH_INVISIBLE,
	EMU_COMCH_VISIBLE, /* the program could see it; the connection may no longer exist */
	EMU_COMCH_MESSAGE, /* the program has got a message; the connection exists */
};

/* Receives and handles one frame. */
EMU_LOCAL enum emu_comch_received emu_comch_receive(struct emu_comch_ctrl *ctrl, struct doca_comch_connection *conn);

#endif /* EMU_COMCH_EVENT_H_ */
