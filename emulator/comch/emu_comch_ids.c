/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include "emu_comch_ids.h"

uint32_t emu_comch_ids_take(struct emu_comch_ids *ids, uint32_t max)
{
	for (uint32_t i = 0; i < max; i++) {
		uint32_t n = (ids->last + i) % max;

		if (ids->used[n / 64] & (UINT64_C(1) << (n % 64)))
			continue;
		ids->used[n / 64] |= UINT64_C(1) << (n % 64);
		ids->last = n + 1;
		return n + 1;
	}
	return 0;
}

void emu_comch_ids_put(struct emu_comch_ids *ids, uint32_t id)
{
	uint32_t n = id - 1;

	ids->used[n / 64] &= ~(UINT64_C(1) << (n % 64));
}
