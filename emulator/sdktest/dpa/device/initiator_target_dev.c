/* SPDX-License-Identifier: Apache-2.0 */
#include "initiator_target.h"

#define CONNECTION 0

/* They stay from one wake to the next. */
static uint64_t right;
static uint64_t wrong;
static uint64_t counted;

static void use_device(const struct side_arg *side)
{
	if (side->dpa != 0)
		doca_dpa_dev_device_set(side->dpa);
}

static void receive(const struct side_arg *side)
{
	doca_dpa_dev_rdma_post_receive(side->rdma, side->mmap, side->addr, sizeof(uint64_t));
}

static void take(const struct side_arg *side, doca_dpa_dev_completion_element_t element)
{
	const uint64_t value = *(volatile uint64_t *)doca_dpa_dev_mmap_get_external_ptr(side->mmap, side->addr);

	if (doca_dpa_dev_get_completion_type(element) == DOCA_DPA_DEV_COMP_RECV_SEND_IMM && value == right + 1 &&
	    doca_dpa_dev_get_completion_immediate(element) == value &&
	    doca_dpa_dev_get_completion_user_data(element) == CONNECTION)
		right++;
	else
		wrong++;
}

__dpa_global__ void target(uint64_t arg)
{
	const struct side_arg *side = (const struct side_arg *)arg;
	doca_dpa_dev_completion_element_t element;

	use_device(side);
	while (doca_dpa_dev_get_completion(side->comp, &element) != 0) {
		take(side, element);
		doca_dpa_dev_completion_ack(side->comp, 1);
		doca_dpa_dev_rdma_receive_ack(side->rdma, 1);
		receive(side);
	}
	if (right + wrong >= side->expected)
		doca_dpa_dev_sync_event_update_set(side->end, wrong == 0 ? right : right + 1000);
	doca_dpa_dev_completion_request_notification(side->comp);
	doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void target_notifies(uint64_t arg)
{
	const struct side_arg *side = (const struct side_arg *)arg;
	doca_dpa_dev_completion_element_t element;

	use_device(side);
	if (doca_dpa_dev_get_completion(side->comp, &element) != 0) {
		take(side, element);
		doca_dpa_dev_completion_ack(side->comp, 1);
		doca_dpa_dev_rdma_receive_ack(side->rdma, 1);
		doca_dpa_dev_thread_notify(side->notify);
	}
	doca_dpa_dev_completion_request_notification(side->comp);
	doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void count(uint64_t arg)
{
	const struct side_arg *side = (const struct side_arg *)arg;

	use_device(side);
	counted++;
	if (counted < side->expected)
		receive(side);
	else
		doca_dpa_dev_sync_event_update_set(side->end, wrong == 0 ? right : right + 1000);
	doca_dpa_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t post_receive(doca_dpa_dev_uintptr_t address)
{
	const struct side_arg *side = (const struct side_arg *)address;

	use_device(side);
	receive(side);
	return 0;
}

__dpa_rpc__ uint64_t send_value(doca_dpa_dev_uintptr_t address, uint32_t immediate)
{
	const struct side_arg *side = (const struct side_arg *)address;

	use_device(side);
	doca_dpa_dev_rdma_post_send_imm(side->rdma, CONNECTION, side->mmap, side->addr, sizeof(uint64_t), immediate,
					DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	return 0;
}
