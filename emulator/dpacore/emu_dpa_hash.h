/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DPA_HASH_H_
#define EMU_DPA_HASH_H_

/*
 * Hash tables of device code. Any thread of the DPA may use them.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/emulator.h"

struct doca_dpa;

struct emu_dpa_hash_entry {
	uint64_t value;
	uint32_t key;
	bool is_used;
};

struct doca_dpa_hash_table {
	struct doca_dpa *dpa;
	uint64_t handle;
	pthread_mutex_t lock;
	uint32_t num_entries; /* a power of two */
	struct emu_dpa_hash_entry *entries;
};

/* False: the table is full. */
EMU_LOCAL bool emu_dpa_hash_add(struct doca_dpa_hash_table *table, uint32_t key, uint64_t value);
EMU_LOCAL void emu_dpa_hash_remove(struct doca_dpa_hash_table *table, uint32_t key);
EMU_LOCAL bool emu_dpa_hash_find(struct doca_dpa_hash_table *table, uint32_t key, uint64_t *value);

#endif /* EMU_DPA_HASH_H_ */
