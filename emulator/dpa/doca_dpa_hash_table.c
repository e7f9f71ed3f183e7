/* SPDX-License-Identifier: Apache-2.0 */
/* Hash tables. */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_dpa.h>

#include "core/emu_fault.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_handle.h"
#include "dpacore/emu_dpa_hash.h"

#include "emu_dpa_limits.h"

static void release(struct doca_dpa_hash_table *ht)
{
	pthread_mutex_destroy(&ht->lock);
	free(ht->entries);
	free(ht);
}

doca_error_t doca_dpa_hash_table_create(struct doca_dpa *dpa, unsigned int num_entries, struct doca_dpa_hash_table **ht)
{
	EMU_CALL("doca_dpa_hash_table_create");
	struct doca_dpa_hash_table *made;
	doca_error_t result;

	if (dpa == NULL || ht == NULL || num_entries == 0 || num_entries > EMU_DPA_MAX_HASH_ENTRIES)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_dpa_ready(dpa);
	if (result != DOCA_SUCCESS)
		return result;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_DRIVER;
	pthread_mutex_init(&made->lock, NULL);
	made->dpa = dpa;
	made->num_entries = emu_dpa_round_up(num_entries);
	made->entries = calloc(made->num_entries, sizeof(*made->entries));
	if (made->entries == NULL ||
	    emu_dpa_handle_open(EMU_DPA_HASH_TABLE, dpa, made, &made->handle) != DOCA_SUCCESS) {
		release(made);
		return DOCA_ERROR_DRIVER;
	}
	emu_dpa_add_object(dpa);
	*ht = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_hash_table_destroy(struct doca_dpa_hash_table *ht)
{
	EMU_CALL("doca_dpa_hash_table_destroy");
	if (ht == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_dpa_handle_close(ht->handle);
	emu_dpa_remove_object(ht->dpa);
	release(ht);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_hash_table_get_dpa_handle(struct doca_dpa_hash_table *ht, doca_dpa_dev_hash_table_t *ht_handle)
{
	EMU_CALL("doca_dpa_hash_table_get_dpa_handle");
	if (ht == NULL || ht_handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*ht_handle = ht->handle;
	return DOCA_SUCCESS;
}
