/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <doca_version.h>

const char *doca_version_runtime(void)
{
	return DOCA_VERSION_STRING;
}
