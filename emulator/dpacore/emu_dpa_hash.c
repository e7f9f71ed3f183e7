/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include "emu_dpa_hash.h"

/* Entries are at the place of their key or behind it, without a gap. */

static uint32_t place_of(const struct doca_dpa_hash_table *table, uint32_t key)
{
	return (uint32_t)((uint64_t)key * UINT32_C(2654435761) >> 16) & (table->num_entries - 1);
}

/* Returns the entry of the key or the free one where it belongs. NULL: there is neither. */
static struct emu_dpa_hash_entry *find(const struct doca_dpa_hash_table *table, uint32_t key)
{
	uint32_t place = place_of(table, key);

	for (uint32_t i = 0; i < table->num_entries; i++) {
		struct emu_dpa_hash_entry *entry = &table->entries[(place + i) & (table->num_entries - 1)];

		if (!entry->is_used || entry->key == key)
			return entry;
	}
	return NULL;
}

bool emu_dpa_hash_add(struct doca_dpa_hash_table *table, uint32_t key, uint64_t value)
{
	struct emu_dpa_hash_entry *entry;

	pthread_mutex_lock(&table->lock);
	entry = find(table, key);
	if (entry != NULL)
		*entry = (struct emu_dpa_hash_entry){.value = value, .key = key, .is_used = true};
	pthread_mutex_unlock(&table->lock);
	return entry != NULL;
}

bool emu_dpa_hash_find(struct doca_dpa_hash_table *table, uint32_t key, uint64_t *value)
{
	const struct emu_dpa_hash_entry *entry;
	bool is_found;

	pthread_mutex_lock(&table->lock);
	entry = find(table, key);
	is_found = entry != NULL && entry->is_used;
	if (is_found)
		*value = entry->value;
	pthread_mutex_unlock(&table->lock);
	return is_found;
}

/* True if an entry at from may move to the free place at to, which is before it. */
static bool may_move(const struct doca_dpa_hash_table *table, uint32_t from, uint32_t to)
{
	uint32_t mask = table->num_entries - 1;
	uint32_t place = place_of(table, table->entries[from].key);

	return ((from - place) & mask) >= ((from - to) & mask);
}

/* The entries behind a gap move up. */
void emu_dpa_hash_remove(struct doca_dpa_hash_table *table, uint32_t key)
{
	uint32_t mask = table->num_entries - 1;
	struct emu_dpa_hash_entry *entry;
	uint32_t gap;

	pthread_mutex_lock(&table->lock);
	entry = find(table, key);
	if (entry != NULL && entry->is_used) {
		gap = (uint32_t)(entry - table->entries);
		entry->is_used = false;
		for (uint32_t i = (gap + 1) & mask; table->entries[i].is_used; i = (i + 1) & mask) {
			if (!may_move(table, i, gap))
				continue;
			table->entries[gap] = table->entries[i];
			table->entries[i].is_used = false;
			gap = i;
		}
	}
	pthread_mutex_unlock(&table->lock);
}
