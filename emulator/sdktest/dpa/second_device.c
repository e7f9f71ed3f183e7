/* SPDX-License-Identifier: Apache-2.0 */

/* Another application for the same program, with names that the first has as well. */

#include <doca_dpa_dev.h>

uint64_t calls = 1000;

uint64_t helper(uint64_t n);
uint64_t helper(uint64_t n)
{
	return n + 10;
}

__dpa_rpc__ uint64_t second_how_often(uint64_t n)
{
	calls = helper(calls);
	return calls + n;
}
