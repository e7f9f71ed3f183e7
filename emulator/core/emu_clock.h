/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_CLOCK_H_
#define EMU_CLOCK_H_

#include <stdint.h>
#include <time.h>

#define EMU_NS_PER_S UINT64_C(1000000000)

static inline uint64_t emu_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail with this clock */
	return (uint64_t)now.tv_sec * EMU_NS_PER_S + (uint64_t)now.tv_nsec;
}

#endif /* EMU_CLOCK_H_ */
