/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "msgq_echo.h"

static void reap(struct echo_args *a)
{
	doca_dpa_dev_completion_element_t element;

	while (doca_dpa_dev_get_completion(a->producer_comp, &element) != 0) {
		if (doca_dpa_dev_get_completion_type(element) != DOCA_DPA_DEV_COMP_SEND)
			a->errors++;
		doca_dpa_dev_completion_ack(a->producer_comp, 1);
	}
}

static void answer(struct echo_args *a, const uint8_t *message, uint32_t len)
{
	uint64_t number;

	memcpy(&number, message, sizeof(number)); /* DOCA does not say how it is aligned */
	while (doca_dpa_dev_comch_producer_is_consumer_empty(a->producer, a->consumer_id) != 0)
		reap(a);
	if (a->copy_len == 0) {
		doca_dpa_dev_comch_producer_post_send_imm_only(a->producer, a->consumer_id, message, len,
							       DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	} else {
		const uint64_t off = number % a->slots * a->copy_len;

		doca_dpa_dev_comch_producer_dma_copy(a->producer, a->consumer_id, a->destination_mmap, a->destination + off,
						     a->source_mmap, a->source + off, a->copy_len, message, len,
						     DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	}
}

__dpa_global__ void echo(uint64_t arg)
{
	struct echo_args *a = (struct echo_args *)arg;
	doca_dpa_dev_comch_consumer_completion_element_t element;

	while (doca_dpa_dev_comch_consumer_get_completion(a->consumer_comp, &element) != 0) {
		uint32_t len;
		const uint8_t *message = doca_dpa_dev_comch_consumer_get_completion_imm(element, &len);

		answer(a, message, len);
		doca_dpa_dev_comch_consumer_completion_ack(a->consumer_comp, 1);
		doca_dpa_dev_comch_consumer_ack(a->consumer, 1);
		reap(a);
	}
	doca_dpa_dev_comch_consumer_completion_request_notification(a->consumer_comp);
	doca_dpa_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t echo_ready(doca_dpa_dev_uintptr_t args, uint32_t count)
{
	doca_dpa_dev_comch_consumer_ack(((const struct echo_args *)args)->consumer, count);
	return 0;
}
