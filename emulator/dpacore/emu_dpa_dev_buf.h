/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_DEV_BUF_H_
#define EMU_DPA_DEV_BUF_H_

/*
 * The functions of doca_dpa_dev_buf.h.
 */

#include "core/emulator.h"

#include "emu_dpa_dev_ops.h"

EMU_LOCAL void emu_dpa_dev_buf_set(struct emu_dpa_dev_ops *ops);

#endif /* EMU_DPA_DEV_BUF_H_ */
