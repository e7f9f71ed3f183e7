/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_comch_consumer.h>

#include "core/emu_fault.h"
#include "dpacore/emu_dpa_thread.h"
#include "emu_comch_dpa_consumer.h"
#include "emu_comch_dpa_dev.h"
#include "emu_comch_ids.h"
#include "emu_comch_ring.h"

doca_error_t doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp)
{
	EMU_CALL("doca_comch_consumer_completion_create");
	struct doca_comch_consumer_completion *made;

	if (consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->imm_data_len = EMU_COMCH_MAX_IMM_DATA_LEN;
	*consumer_comp = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp)
{
	EMU_CALL("doca_comch_consumer_completion_destroy");
	if (consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->handle != 0)
		return DOCA_ERROR_BAD_STATE;
	if (consumer_comp->thread != NULL)
		emu_dpa_thread_detach(consumer_comp->thread);
	free(consumer_comp);
	return DOCA_SUCCESS;
}

/* Configuration. */

doca_error_t doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
							   struct doca_dpa_thread *dpa_thread)
{
	EMU_CALL("doca_comch_consumer_completion_set_dpa_thread");
	if (consumer_comp == NULL || dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->handle != 0)
		return DOCA_ERROR_BAD_STATE;
	emu_dpa_thread_attach(dpa_thread);
	if (consumer_comp->thread != NULL)
		emu_dpa_thread_detach(consumer_comp->thread);
	consumer_comp->thread = dpa_thread;
	return DOCA_SUCCESS;
}

/* Numbers are rounded up to powers of two. */
static doca_error_t set_number(struct doca_comch_consumer_completion *comp, uint32_t *field, uint32_t num, uint32_t max)
{
	if (comp == NULL || num == 0 || num > max)
		return DOCA_ERROR_INVALID_VALUE;
	if (comp->handle != 0)
		return DOCA_ERROR_BAD_STATE;
	*field = emu_comch_dpa_round_up(num);
	return DOCA_SUCCESS;
}

static doca_error_t get_number(const struct doca_comch_consumer_completion *comp, const uint32_t *field, uint32_t *num)
{
	if (comp == NULL || num == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num = *field;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers)
{
	EMU_CALL("doca_comch_consumer_completion_set_max_num_consumers");
	return set_number(consumer_comp, consumer_comp == NULL ? NULL : &consumer_comp->max_num_consumers,
			  max_num_consumers, EMU_COMCH_MAX_ENDPOINTS);
}

doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers)
{
	EMU_CALL("doca_comch_consumer_completion_get_max_num_consumers");
	return get_number(consumer_comp, consumer_comp == NULL ? NULL : &consumer_comp->max_num_consumers,
			  max_num_consumers);
}

doca_error_t doca_comch_consumer_completion_set_max_num_recv(struct doca_comch_consumer_completion *consumer_comp,
							     uint32_t max_num_recv)
{
	EMU_CALL("doca_comch_consumer_completion_set_max_num_recv");
	return set_number(consumer_comp, consumer_comp == NULL ? NULL : &consumer_comp->max_num_recv, max_num_recv,
			  EMU_COMCH_MAX_COMP_RECV);
}

doca_error_t doca_comch_consumer_completion_get_max_num_recv(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv)
{
	EMU_CALL("doca_comch_consumer_completion_get_max_num_recv");
	return get_number(consumer_comp, consumer_comp == NULL ? NULL : &consumer_comp->max_num_recv, max_num_recv);
}

doca_error_t doca_comch_consumer_completion_set_imm_data_len(struct doca_comch_consumer_completion *consumer_comp,
							     uint32_t imm_data_len)
{
	EMU_CALL("doca_comch_consumer_completion_set_imm_data_len");
	if (consumer_comp == NULL || imm_data_len > EMU_COMCH_MAX_IMM_DATA_LEN)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->handle != 0)
		return DOCA_ERROR_BAD_STATE;
	consumer_comp->imm_data_len = imm_data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_get_imm_data_len(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len)
{
	EMU_CALL("doca_comch_consumer_completion_get_imm_data_len");
	return get_number(consumer_comp, consumer_comp == NULL ? NULL : &consumer_comp->imm_data_len, imm_data_len);
}

/* Start and stop. */

doca_error_t doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp)
{
	EMU_CALL("doca_comch_consumer_completion_start");
	if (consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->handle != 0)
		return DOCA_ERROR_BAD_STATE;
	if (consumer_comp->thread == NULL || consumer_comp->max_num_consumers == 0 || consumer_comp->max_num_recv == 0)
		return DOCA_ERROR_INVALID_VALUE;
	emu_comch_dpa_dev_init();
	return emu_comch_dpa_comp_start(consumer_comp);
}

doca_error_t doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp)
{
	EMU_CALL("doca_comch_consumer_completion_stop");
	if (consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->handle == 0 || __atomic_load_n(&consumer_comp->num_consumers, __ATOMIC_ACQUIRE) != 0)
		return DOCA_ERROR_BAD_STATE;
	emu_comch_dpa_comp_stop(consumer_comp);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_completion_get_dpa_handle(
	struct doca_comch_consumer_completion *consumer_comp, doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle)
{
	EMU_CALL("doca_comch_consumer_completion_get_dpa_handle");
	if (consumer_comp == NULL || consumer_comp_handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->handle == 0)
		return DOCA_ERROR_BAD_STATE;
	*consumer_comp_handle = consumer_comp->handle;
	return DOCA_SUCCESS;
}
