/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RELEASE_H_
#define EMU_RELEASE_H_

/*
 * The release of DOCA that the emulator is: that of the headers, unless DOCA_EMU_RELEASE names a later one of which it has functions.
 */

#include <stdbool.h>

#include "emulator.h"

/* What doca_version_runtime returns. */
EMU_LOCAL const char *emu_release_version(void);

/* True if what a release has added is there: that release or a later one is emulated. */
EMU_LOCAL bool emu_release_has(const char *release);

#endif /* EMU_RELEASE_H_ */
