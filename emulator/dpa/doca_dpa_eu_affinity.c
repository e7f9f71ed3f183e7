/* SPDX-License-Identifier: Apache-2.0 */
/* Affinities. The emulator notes the execution unit; the system runs the thread where it likes. */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_dpa.h>

#include "core/emu_fault.h"
#include "dpacore/emu_dpa.h"

#include "emu_dpa_limits.h"

struct doca_dpa_eu_affinity {
	struct doca_dpa *dpa;
	bool is_set;
	unsigned int eu_id;
};

doca_error_t doca_dpa_eu_affinity_create(struct doca_dpa *dpa, struct doca_dpa_eu_affinity **affinity)
{
	EMU_CALL("doca_dpa_eu_affinity_create");
	struct doca_dpa_eu_affinity *made;

	if (dpa == NULL || affinity == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->dpa = dpa;
	emu_dpa_add_object(dpa);
	*affinity = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_destroy(struct doca_dpa_eu_affinity *affinity)
{
	EMU_CALL("doca_dpa_eu_affinity_destroy");
	if (affinity == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	emu_dpa_remove_object(affinity->dpa);
	free(affinity);
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_set(struct doca_dpa_eu_affinity *affinity, unsigned int eu_id)
{
	EMU_CALL("doca_dpa_eu_affinity_set");
	if (affinity == NULL || eu_id >= EMU_DPA_NUM_EUS)
		return DOCA_ERROR_INVALID_VALUE;
	affinity->is_set = true;
	affinity->eu_id = eu_id;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_clear(struct doca_dpa_eu_affinity *affinity)
{
	EMU_CALL("doca_dpa_eu_affinity_clear");
	if (affinity == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	affinity->is_set = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_dpa_eu_affinity_get(struct doca_dpa_eu_affinity *affinity, unsigned int *eu_id)
{
	EMU_CALL("doca_dpa_eu_affinity_get");
	if (affinity == NULL || eu_id == NULL || !affinity->is_set)
		return DOCA_ERROR_INVALID_VALUE;
	*eu_id = affinity->eu_id;
	return DOCA_SUCCESS;
}
