/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_IDS_H_
#define EMU_COMCH_IDS_H_

/* The ids of consumers, or of producers: from 1. An id is used again as late as possible. */

#include <stdint.h>

#include "core/emulator.h"

#define EMU_COMCH_MAX_ENDPOINTS 4096 /* consumers, and as many producers, of one connection or MsgQ */

struct emu_comch_ids {
	uint32_t last;
	uint64_t used[EMU_COMCH_MAX_ENDPOINTS / 64];
};

/* Takes an id of 1 to max. 0: all are in use. */
EMU_LOCAL uint32_t emu_comch_ids_take(struct emu_comch_ids *ids, uint32_t max);
EMU_LOCAL void emu_comch_ids_put(struct emu_comch_ids *ids, uint32_t id);

#endif /* EMU_COMCH_IDS_H_ */
