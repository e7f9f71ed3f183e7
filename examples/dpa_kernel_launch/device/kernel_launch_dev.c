/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_launch.h"

__dpa_global__ void hello_world(void)
{
	DOCA_DPA_DEV_LOG_INFO("Hello from kernel\n");
}

__dpa_global__ void add_up(doca_dpa_dev_uintptr_t numbers, uint64_t count, doca_dpa_dev_uintptr_t sums)
{
	const uint64_t *number = (const uint64_t *)numbers;
	const unsigned int rank = doca_dpa_dev_thread_rank();
	uint64_t sum = 0;

	for (uint64_t i = rank; i < count; i += doca_dpa_dev_num_threads())
		sum += number[i];
	((uint64_t *)sums)[rank] = sum;
}
