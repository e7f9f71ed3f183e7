/* SPDX-License-Identifier: Apache-2.0 */
#include "ping_pong.h"

#define CONNECTION 0

static void use_device(const struct player *p)
{
	if (p->dpa != 0)
		doca_dpa_dev_device_set(p->dpa);
}

static volatile uint64_t *window(const struct player *p, uint64_t addr)
{
	return (volatile uint64_t *)doca_dpa_dev_mmap_get_external_ptr(p->mmap, addr);
}

static void send_value(const struct player *p, uint64_t value)
{
	*window(p, p->send_addr) = value;
	doca_dpa_dev_rdma_post_send(p->rdma, CONNECTION, p->mmap, p->send_addr, sizeof(value),
				    DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
}

/* Returns 1 when all messages are there, 2 after an error. */
static int take(struct player *p, doca_dpa_dev_completion_element_t element)
{
	uint64_t value;

	switch (doca_dpa_dev_get_completion_type(element)) {
	case DOCA_DPA_DEV_COMP_SEND:
		return 0;
	case DOCA_DPA_DEV_COMP_RECV_SEND:
		break;
	default:
		return 2;
	}
	value = *window(p, p->receive_addr);
	if (value != p->first + 2 * p->received) {
		DOCA_DPA_DEV_LOG_ERR("Received %lu after %lu messages\n", (unsigned long)value, (unsigned long)p->received);
		return 2;
	}
	p->received++;
	doca_dpa_dev_rdma_receive_ack(p->rdma, 1);
	if (p->received < p->rounds)
		doca_dpa_dev_rdma_post_receive(p->rdma, p->mmap, p->receive_addr, sizeof(value));
	/* The one that has served gets the last message, and does not answer it. */
	if (p->received < p->rounds || p->first == 1)
		send_value(p, value + 1);
	return p->received == p->rounds;
}

__dpa_global__ void play(uint64_t arg)
{
	struct player *p = (struct player *)arg;
	doca_dpa_dev_completion_element_t element;
	int over = 0;

	use_device(p);
	while (over == 0) {
		if (doca_dpa_dev_get_completion(p->comp, &element) == 0)
			continue;
		over = take(p, element);
		doca_dpa_dev_completion_ack(p->comp, 1);
	}
	doca_dpa_dev_sync_event_update_set(p->end, over == 1 ? p->end_value : p->end_value + 1);
	doca_dpa_dev_thread_finish();
}

__dpa_rpc__ uint64_t prepare(doca_dpa_dev_uintptr_t player, uint32_t serves)
{
	struct player *p = (struct player *)player;

	use_device(p);
	doca_dpa_dev_rdma_post_receive(p->rdma, p->mmap, p->receive_addr, sizeof(uint64_t));
	if (serves != 0)
		send_value(p, 1);
	return 0;
}
