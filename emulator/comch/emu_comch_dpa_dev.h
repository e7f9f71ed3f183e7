/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_COMCH_DPA_DEV_H_
#define EMU_COMCH_DPA_DEV_H_

/* The functions of doca_dpa_dev_comch_msgq.h, which device code calls. */

#include "core/emulator.h"

/* Makes them known to device code. */
EMU_LOCAL void emu_comch_dpa_dev_init(void);

#endif /* EMU_COMCH_DPA_DEV_H_ */
