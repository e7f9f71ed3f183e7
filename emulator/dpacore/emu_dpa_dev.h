/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_DEV_H_
#define EMU_DPA_DEV_H_

/*
 * The functions that device code calls: the one table that all applications use. Functions that no library has set end
 * the kernel with a fatal error.
 */

#include "core/emulator.h"

#include "emu_dpa_dev_ops.h"

EMU_API const struct emu_dpa_dev_ops *emu_dpa_dev_table(void);

/* Set the functions of one header. The libraries that have them call these when their first object goes to the DPA. */
EMU_API void emu_dpa_dev_ops_set_sync_event(const struct emu_dpa_dev_ops *ops);
EMU_API void emu_dpa_dev_ops_set_msgq(const struct emu_dpa_dev_ops *ops);
EMU_API void emu_dpa_dev_ops_set_rdma(const struct emu_dpa_dev_ops *ops);

#endif /* EMU_DPA_DEV_H_ */
