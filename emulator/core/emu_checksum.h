/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_CHECKSUM_H_
#define EMU_CHECKSUM_H_

/* The checksum of what one process makes and another one reads. It detects damage, not malice. */

#include <stddef.h>
#include <stdint.h>

#define EMU_CHECKSUM_START UINT32_C(2166136261)

/* FNV-1a. sum is that of the bytes before, or EMU_CHECKSUM_START. */
static inline uint32_t emu_checksum(uint32_t sum, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum = (sum ^ ((const uint8_t *)bytes)[i]) * UINT32_C(16777619);
	return sum;
}

#endif /* EMU_CHECKSUM_H_ */
