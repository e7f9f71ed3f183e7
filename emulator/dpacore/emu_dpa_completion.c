/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>

#include "emu_dpa.h"
#include "emu_dpa_completion.h"
#include "emu_dpa_handle.h"
#include "emu_dpa_run.h"
#include "emu_dpa_thread.h"

static struct emu_dpa_slot *slot_of(const struct doca_dpa_completion *comp, uint64_t index)
{
	return &comp->slots[index & (comp->queue_size - 1)];
}

/* Between an arming and a post, at least one sees what the other has done. */

static void wake_if_armed(struct doca_dpa_completion *comp)
{
	if (__atomic_load_n(&comp->armed, __ATOMIC_SEQ_CST) != 0 &&
	    __atomic_exchange_n(&comp->armed, 0, __ATOMIC_SEQ_CST) != 0 && comp->thread != NULL)
		emu_dpa_thread_wake(comp->thread);
}

void emu_dpa_completion_post(struct doca_dpa_completion *comp, const struct emu_dpa_cqe *cqe)
{
	uint64_t index = __atomic_fetch_add(&comp->num_posted, 1, __ATOMIC_RELAXED);
	struct emu_dpa_slot *slot = slot_of(comp, index);

	if (index - __atomic_load_n(&comp->num_acked, __ATOMIC_ACQUIRE) >= comp->queue_size) {
		emu_dpa_fail(comp->dpa,
			     "a completion queue of %u is full: the code on the DPA must acknowledge the completions that it "
			     "takes, or the queue must be larger",
			     comp->queue_size);
		return;
	}
	slot->cqe = *cqe;
	__atomic_store_n(&slot->sequence, index + 1, __ATOMIC_SEQ_CST);
	wake_if_armed(comp);
}

static bool has_next(const struct doca_dpa_completion *comp, uint64_t index)
{
	return __atomic_load_n(&slot_of(comp, index)->sequence, __ATOMIC_SEQ_CST) == index + 1;
}

void emu_dpa_completion_arm(struct doca_dpa_completion *comp)
{
	__atomic_store_n(&comp->armed, 1, __ATOMIC_SEQ_CST);
	if (has_next(comp, __atomic_load_n(&comp->num_taken, __ATOMIC_RELAXED)))
		wake_if_armed(comp);
}

bool emu_dpa_completion_take(struct doca_dpa_completion *comp, uint64_t *element)
{
	uint64_t index = __atomic_load_n(&comp->num_taken, __ATOMIC_RELAXED);

	if (!has_next(comp, index))
		return false;
	__atomic_store_n(&comp->num_taken, index + 1, __ATOMIC_RELEASE);
	*element = emu_dpa_element(comp->handle, (uint32_t)index);
	return true;
}

/* False: so many were not taken. */
bool emu_dpa_completion_ack(struct doca_dpa_completion *comp, uint64_t num)
{
	uint64_t acked = __atomic_load_n(&comp->num_acked, __ATOMIC_RELAXED);

	if (num > __atomic_load_n(&comp->num_taken, __ATOMIC_RELAXED) - acked)
		return false;
	__atomic_store_n(&comp->num_acked, acked + num, __ATOMIC_RELEASE);
	return true;
}

struct emu_dpa_cqe emu_dpa_completion_of(struct emu_dpa_run *run, uint64_t element)
{
	uint32_t sequence;
	struct doca_dpa_completion *comp = emu_dpa_lookup_element(run, element, EMU_DPA_COMPLETION, &sequence);
	uint64_t acked = __atomic_load_n(&comp->num_acked, __ATOMIC_RELAXED);
	uint64_t index = acked + (uint32_t)(sequence - (uint32_t)acked);

	if (index >= __atomic_load_n(&comp->num_taken, __ATOMIC_RELAXED))
		emu_dpa_fatal(run, "0x%016llx is not a completion that was taken and not acknowledged yet",
			      (unsigned long long)element);
	return slot_of(comp, index)->cqe;
}

/* Attached objects. */

void emu_dpa_completion_attach(struct doca_dpa_completion *comp)
{
	__atomic_add_fetch(&comp->num_attached, 1, __ATOMIC_ACQ_REL);
}

void emu_dpa_completion_detach(struct doca_dpa_completion *comp)
{
	__atomic_sub_fetch(&comp->num_attached, 1, __ATOMIC_ACQ_REL);
}

/* Start and stop. */

doca_error_t emu_dpa_completion_begin(struct doca_dpa_completion *comp)
{
	doca_error_t result = comp->thread == NULL ? DOCA_SUCCESS : emu_dpa_thread_add_waker(comp->thread);

	if (result != DOCA_SUCCESS)
		return result;
	comp->slots = calloc(comp->queue_size, sizeof(*comp->slots));
	comp->armed = 1;
	comp->num_posted = 0;
	comp->num_taken = 0;
	comp->num_acked = 0;
	if (comp->slots == NULL ||
	    emu_dpa_handle_open(EMU_DPA_COMPLETION, comp->dpa, comp, &comp->handle) != DOCA_SUCCESS) {
		free(comp->slots);
		comp->slots = NULL;
		if (comp->thread != NULL)
			emu_dpa_thread_remove_waker(comp->thread);
		return DOCA_ERROR_DRIVER;
	}
	return DOCA_SUCCESS;
}

void emu_dpa_completion_end(struct doca_dpa_completion *comp)
{
	uint64_t handle = comp->handle;

	if (handle == 0)
		return;
	emu_dpa_handle_close(handle);
	comp->handle = 0;
	free(comp->slots);
	comp->slots = NULL;
	if (comp->thread != NULL)
		emu_dpa_thread_remove_waker(comp->thread);
}
