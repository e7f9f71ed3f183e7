/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_LIMITS_H_
#define EMU_DPA_LIMITS_H_

/* The DPA of the emulated BlueField. */
#define EMU_DPA_NUM_CORES 16
#define EMU_DPA_EUS_PER_CORE 16
#define EMU_DPA_NUM_EUS (EMU_DPA_NUM_CORES * EMU_DPA_EUS_PER_CORE)

/* For each process on it. */
#define EMU_DPA_MAX_THREADS 1024
#define EMU_DPA_MAX_QUEUE_SIZE (1u << 20)
#define EMU_DPA_MAX_HASH_ENTRIES (1u << 24)

/* The smallest power of two that is at least num, which is at most 2^31. */
static inline unsigned int emu_dpa_round_up(unsigned int num)
{
	unsigned int power = 1;

	while (power < num)
		power *= 2;
	return power;
}

#endif /* EMU_DPA_LIMITS_H_ */
