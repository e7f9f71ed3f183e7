/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <doca_version.h>

#include "emu_release.h"

const char *doca_version_runtime(void)
{
	return emu_release_version();
}
