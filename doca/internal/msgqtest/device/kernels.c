/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

static void reap(struct ends *e)
{
	doca_dpa_dev_completion_element_t element;

	while (doca_dpa_dev_get_completion(e->producer_comp, &element) != 0) {
		if (doca_dpa_dev_get_completion_type(element) == DOCA_DPA_DEV_COMP_SEND)
			e->sent++;
		else
			e->failed++;
		e->user_data = doca_dpa_dev_get_completion_user_data(element);
		doca_dpa_dev_completion_ack(e->producer_comp, 1);
	}
}

static void send(struct ends *e, const uint8_t *message, uint32_t len)
{
	doca_dpa_dev_comch_producer_post_send_imm_only(e->producer, e->to, message, len, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
}

/* Takes all messages; sends them back if answers is not 0. */
static void take(struct ends *e, int answers)
{
	doca_dpa_dev_comch_consumer_completion_element_t element;

	while (doca_dpa_dev_comch_consumer_get_completion(e->consumer_comp, &element) != 0) {
		uint32_t len;
		const uint8_t *message = doca_dpa_dev_comch_consumer_get_completion_imm(element, &len);

		e->messages++;
		e->bytes += len;
		e->producer_id = doca_dpa_dev_comch_consumer_get_completion_producer_id(element);
		while (answers != 0 && doca_dpa_dev_comch_producer_is_consumer_empty(e->producer, e->to) != 0)
			reap(e);
		if (answers != 0)
			send(e, message, len);
		doca_dpa_dev_comch_consumer_completion_ack(e->consumer_comp, 1);
		doca_dpa_dev_comch_consumer_ack(e->consumer, 1);
		if (answers != 0)
			reap(e);
	}
	doca_dpa_dev_comch_consumer_completion_request_notification(e->consumer_comp);
	doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void echo(uint64_t arg)
{
	take((struct ends *)arg, 1);
}

__dpa_global__ void sink(uint64_t arg)
{
	take((struct ends *)arg, 0);
}

__dpa_global__ void crash(uint64_t arg)
{
	(void)arg;
	*(volatile int *)8 = 1;
}

__dpa_rpc__ uint64_t make_room(doca_dpa_dev_uintptr_t ends, uint32_t count)
{
	doca_dpa_dev_comch_consumer_ack(((struct ends *)ends)->consumer, count);
	return 0;
}

__dpa_rpc__ uint64_t send_numbers(doca_dpa_dev_uintptr_t ends, uint64_t first, uint32_t count)
{
	struct ends *e = (struct ends *)ends;
	uint32_t sent = 0;

	for (; sent < count; sent++) {
		const uint64_t number = first + sent;

		reap(e);
		if (doca_dpa_dev_comch_producer_is_consumer_empty(e->producer, e->to) != 0)
			break;
		send(e, (const uint8_t *)&number, sizeof(number));
	}
	reap(e);
	return sent;
}
