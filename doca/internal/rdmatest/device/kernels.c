/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

static uint64_t slot(const struct end *e, uint64_t number)
{
	return e->addr + number % e->slots * e->slot_len;
}

static void post_one(struct end *e)
{
	doca_dpa_dev_rdma_post_receive(e->rdma, e->mmap, slot(e, e->posted++), e->slot_len);
}

/* Receives end in the order in which they were posted. */
static void arrived(struct end *e, doca_dpa_dev_completion_element_t element, int answers)
{
	const uint64_t at = slot(e, e->received++);

	e->immediate = doca_dpa_dev_get_completion_immediate(element);
	if (answers != 0)
		doca_dpa_dev_rdma_post_send_imm(e->rdma, e->connection, e->mmap, at, e->slot_len, e->immediate,
						DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	doca_dpa_dev_rdma_receive_ack(e->rdma, 1);
	post_one(e); /* what is sent was copied */
}

static void take(struct end *e, int answers)
{
	doca_dpa_dev_completion_element_t element;

	while (doca_dpa_dev_get_completion(e->comp, &element) != 0) {
		e->connection = doca_dpa_dev_get_completion_user_data(element);
		switch (doca_dpa_dev_get_completion_type(element)) {
		case DOCA_DPA_DEV_COMP_SEND:
			e->sent++;
			break;
		case DOCA_DPA_DEV_COMP_RECV_SEND:
		case DOCA_DPA_DEV_COMP_RECV_SEND_IMM:
			arrived(e, element, answers);
			break;
		case DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM:
			e->written++;
			arrived(e, element, 0);
			break;
		case DOCA_DPA_DEV_COMP_RECV_ERR:
			e->receive_errors++;
			doca_dpa_dev_rdma_receive_ack(e->rdma, 1);
			break;
		default:
			e->send_errors++;
			break;
		}
		doca_dpa_dev_completion_ack(e->comp, 1);
	}
	doca_dpa_dev_completion_request_notification(e->comp);
	doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void echo(uint64_t arg)
{
	take((struct end *)arg, 1);
}

__dpa_global__ void sink(uint64_t arg)
{
	take((struct end *)arg, 0);
}

__dpa_global__ void crash(uint64_t arg)
{
	(void)arg;
	*(volatile int *)8 = 1;
}

__dpa_rpc__ uint64_t post_receives(doca_dpa_dev_uintptr_t end, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		post_one((struct end *)end);
	return 0;
}

__dpa_rpc__ uint64_t send_out(doca_dpa_dev_uintptr_t end, uint32_t connection, uint32_t len, uint32_t immediate)
{
	const struct end *e = (const struct end *)end;

	doca_dpa_dev_rdma_post_send_imm(e->rdma, connection, e->mmap, e->out, len, immediate, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	return 0;
}

__dpa_rpc__ uint64_t write_out(doca_dpa_dev_uintptr_t end, uint32_t connection, uint32_t len)
{
	const struct end *e = (const struct end *)end;

	doca_dpa_dev_rdma_post_write(e->rdma, connection, e->peer, e->peer_addr, e->mmap, e->out, len,
				     DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	return 0;
}

__dpa_rpc__ uint64_t read_in(doca_dpa_dev_uintptr_t end, uint32_t connection, uint32_t len)
{
	const struct end *e = (const struct end *)end;

	doca_dpa_dev_rdma_post_read(e->rdma, connection, e->mmap, e->out, e->peer, e->peer_addr, len,
				    DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	return 0;
}

__dpa_rpc__ uint64_t add(doca_dpa_dev_uintptr_t end, uint32_t connection, uint64_t value)
{
	const struct end *e = (const struct end *)end;

	doca_dpa_dev_rdma_post_atomic_fetch_add(e->rdma, connection, e->peer, e->peer_addr, value, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	return 0;
}
