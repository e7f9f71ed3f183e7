/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <pthread.h>
#include <string.h>

#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_dev.h"
#include "dpacore/emu_dpa_handle.h"
#include "dpacore/emu_dpa_run.h"
#include "dpacore/emu_dpa_thread.h"
#include "emu_comch_consumer.h"
#include "emu_comch_dpa_consumer.h"
#include "emu_comch_dpa_dev.h"
#include "emu_comch_dpa_producer.h"
#include "emu_comch_fifo.h"
#include "emu_comch_inbox.h"
#include "emu_comch_msgq.h"
#include "emu_comch_producer.h"

/* Consumers. */

static void consumer_ack(uint64_t handle, uint32_t num_msg)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_comch_consumer_ack");
	const struct doca_comch_consumer *consumer = emu_dpa_lookup(run, handle, EMU_DPA_CONSUMER);
	struct emu_comch_inbox *inbox = emu_comch_msgq_inbox(consumer->endpoint.msgq, consumer->endpoint.id);
	uint64_t num_posted = emu_comch_inbox_num_posted(inbox);

	if (num_msg > consumer->dev_num_recv - num_posted)
		emu_dpa_fatal(run, "the consumer may have %u receives, not %llu", consumer->dev_num_recv,
			      (unsigned long long)(num_posted + num_msg));
	emu_comch_inbox_post(inbox, num_msg);
	emu_dpa_exit(run);
}

static int consumer_get_completion(uint64_t handle, uint64_t *comp_element)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_comch_consumer_get_completion");
	const struct doca_comch_consumer_completion *comp = emu_dpa_lookup(run, handle, EMU_DPA_CONSUMER_COMPLETION);
	const struct emu_comch_message *message = emu_comch_fifo_peek(comp->fifo);
	uint64_t element = 0;

	if (message != NULL) {
		element = emu_dpa_element(handle, (uint32_t)__atomic_load_n(&comp->fifo->taken, __ATOMIC_RELAXED));
		emu_comch_fifo_take(comp->fifo);
	}
	emu_dpa_exit(run);
	if (message == NULL)
		return 0;
	*comp_element = element;
	return 1;
}

/* The message of an element, which must be taken and not acknowledged. */
static const struct emu_comch_message *message_of(struct emu_dpa_run *run, uint64_t element)
{
	uint32_t sequence;
	const struct doca_comch_consumer_completion *comp =
		emu_dpa_lookup_element(run, element, EMU_DPA_CONSUMER_COMPLETION, &sequence);
	uint64_t freed = __atomic_load_n(&comp->fifo->freed, __ATOMIC_RELAXED);
	uint64_t number = freed + (uint32_t)(sequence - (uint32_t)freed);

	if (number >= __atomic_load_n(&comp->fifo->taken, __ATOMIC_RELAXED))
		emu_dpa_fatal(run, "the completion was acknowledged, or is none");
	return emu_comch_fifo_slot(comp->fifo, number);
}

static const uint8_t *consumer_get_completion_imm(uint64_t comp_element, uint32_t *imm_length)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_comch_consumer_get_completion_imm");
	const struct emu_comch_message *message = message_of(run, comp_element);
	const uint8_t *imm = message->imm;
	uint32_t len = message->imm_len;

	emu_dpa_exit(run);
	*imm_length = len;
	return imm;
}

static uint32_t consumer_get_completion_producer_id(uint64_t comp_element)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_comch_consumer_get_completion_producer_id");
	uint32_t id = message_of(run, comp_element)->producer_id;

	emu_dpa_exit(run);
	return id;
}

static void consumer_completion_ack(uint64_t handle, uint64_t num_comp)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_comch_consumer_completion_ack");
	const struct doca_comch_consumer_completion *comp = emu_dpa_lookup(run, handle, EMU_DPA_CONSUMER_COMPLETION);

	if (!emu_comch_fifo_free(comp->fifo, num_comp))
		emu_dpa_fatal(run, "fewer than %llu completions were taken", (unsigned long long)num_comp);
	emu_dpa_exit(run);
}

static void consumer_completion_request_notification(uint64_t handle)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_comch_consumer_completion_request_notification");
	const struct doca_comch_consumer_completion *comp = emu_dpa_lookup(run, handle, EMU_DPA_CONSUMER_COMPLETION);

	if (emu_comch_fifo_arm(comp->fifo) && emu_comch_fifo_disarm(comp->fifo))
		emu_dpa_thread_wake(comp->thread);
	emu_dpa_exit(run);
}

/* Producers. */

static int producer_is_consumer_empty(uint64_t handle, uint32_t consumer_id)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_comch_producer_is_consumer_empty");
	const struct doca_comch_producer *producer = emu_dpa_lookup(run, handle, EMU_DPA_PRODUCER);
	const struct emu_comch_inbox *inbox = emu_comch_msgq_inbox(producer->endpoint.msgq, consumer_id);
	int is_empty;

	if (inbox == NULL)
		emu_dpa_fatal(run, "no consumer of the MsgQ has the id %u", consumer_id);
	is_empty = emu_comch_inbox_num_posted(inbox) == 0;
	emu_dpa_exit(run);
	return is_empty;
}

/* Runs before emu_dpa_enter, because imm is the kernel's pointer. */
static void set_imm(struct emu_comch_message *message, const uint8_t *imm, uint32_t len)
{
	message->imm_len = len;
	if (len > 0 && len <= EMU_COMCH_MAX_IMM_DATA_LEN)
		memcpy(message->imm, imm, len);
}

static void send(struct emu_dpa_run *run, uint64_t handle, const struct emu_comch_dpa_send *send)
{
	if (send->message.imm_len > EMU_COMCH_MAX_IMM_DATA_LEN)
		emu_dpa_fatal(run, "%u bytes of immediate data are more than %u", send->message.imm_len,
			      EMU_COMCH_MAX_IMM_DATA_LEN);
	emu_comch_dpa_producer_send(run, handle, send);
	emu_dpa_exit(run);
}

static void producer_post_send_imm_only(uint64_t handle, uint32_t consumer_id, const uint8_t *imm, uint32_t imm_length,
					uint32_t flags)
{
	struct emu_comch_dpa_send made = {.consumer_id = consumer_id, .flags = flags};

	set_imm(&made.message, imm, imm_length);
	send(emu_dpa_enter("doca_dpa_dev_comch_producer_post_send_imm_only"), handle, &made);
}

static void producer_dma_copy(uint64_t handle, uint32_t consumer_id, uint32_t dst_mmap, uint64_t dst_addr,
			      uint32_t src_mmap, uint64_t src_addr, size_t length, const uint8_t *imm,
			      uint32_t imm_length, uint32_t flags)
{
	struct emu_comch_dpa_send made = {
		.consumer_id = consumer_id,
		.flags = flags,
		.has_copy = true,
		.dst_mmap = dst_mmap,
		.src_mmap = src_mmap,
		.dst = dst_addr,
		.src = src_addr,
		.len = length,
	};

	set_imm(&made.message, imm, imm_length);
	send(emu_dpa_enter("doca_dpa_dev_comch_producer_dma_copy"), handle, &made);
}

static void set_ops(void)
{
	static const struct emu_dpa_dev_ops ops = {
		.comch_consumer_ack = consumer_ack,
		.comch_consumer_get_completion = consumer_get_completion,
		.comch_consumer_get_completion_imm = consumer_get_completion_imm,
		.comch_consumer_get_completion_producer_id = consumer_get_completion_producer_id,
		.comch_consumer_completion_ack = consumer_completion_ack,
		.comch_consumer_completion_request_notification = consumer_completion_request_notification,
		.comch_producer_is_consumer_empty = producer_is_consumer_empty,
		.comch_producer_post_send_imm_only = producer_post_send_imm_only,
		.comch_producer_dma_copy = producer_dma_copy,
	};

	emu_dpa_dev_ops_set_msgq(&ops);
}

void emu_comch_dpa_dev_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, set_ops);
}
