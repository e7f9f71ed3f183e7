/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_DEV_LIBRARY_H_
#define EMU_DPA_DEV_LIBRARY_H_

/*
 * The device library: what device code calls. It is linked into the archive of an application, and passes each call on to
 * the emulator.
 */

#include "emu_dpa_dev_ops.h"

/* The archive has it, and a start of the application sets it. */
extern const struct emu_dpa_dev_ops *emu_dpa_dev_ops;

#endif /* EMU_DPA_DEV_LIBRARY_H_ */
