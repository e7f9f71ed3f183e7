/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_launch.h"

__dpa_global__ void hello_world(void)
{
	DOCA_DPA_DEV_LOG_INFO("Hello from kernel\n");
}
