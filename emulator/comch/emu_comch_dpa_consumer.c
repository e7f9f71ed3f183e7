/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include "core/emu_ctx.h"
#include "core/emu_log.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_handle.h"
#include "dpacore/emu_dpa_thread.h"
#include "emu_comch_consumer.h"
#include "emu_comch_dpa_consumer.h"
#include "emu_comch_fifo.h"
#include "emu_comch_inbox.h"
#include "emu_comch_msgq.h"

static struct doca_comch_consumer *of(struct doca_ctx *ctx)
{
	return (struct doca_comch_consumer *)ctx;
}

uint32_t emu_comch_dpa_round_up(uint32_t num)
{
	uint32_t power = 1;

	while (power < num)
		power *= 2;
	return power;
}

/* Completion queues. */

static void wake(void *thread)
{
	emu_dpa_thread_wake(thread);
}

doca_error_t emu_comch_dpa_comp_start(struct doca_comch_consumer_completion *comp)
{
	struct doca_dpa *dpa = comp->thread->dpa;
	doca_error_t result = emu_dpa_ready(dpa);

	if (result == DOCA_SUCCESS)
		result = emu_dpa_thread_add_waker(comp->thread);
	if (result != DOCA_SUCCESS)
		return result;
	comp->fifo = emu_comch_fifo_new(comp->max_num_recv, wake, comp->thread);
	result = comp->fifo == NULL ? DOCA_ERROR_NO_MEMORY :
				      emu_dpa_handle_open(EMU_DPA_CONSUMER_COMPLETION, dpa, comp, &comp->handle);
	if (result != DOCA_SUCCESS) {
		emu_comch_fifo_delete(comp->fifo);
		comp->fifo = NULL;
		emu_dpa_thread_remove_waker(comp->thread);
		return result;
	}
	(void)emu_comch_fifo_arm(comp->fifo); /* the first message wakes the thread */
	return DOCA_SUCCESS;
}

void emu_comch_dpa_comp_stop(struct doca_comch_consumer_completion *comp)
{
	emu_dpa_handle_close(comp->handle);
	comp->handle = 0;
	emu_comch_fifo_delete(comp->fifo);
	comp->fifo = NULL;
	emu_dpa_thread_remove_waker(comp->thread);
}

doca_error_t emu_comch_dpa_comp_add(struct doca_comch_consumer_completion *comp)
{
	if (__atomic_add_fetch(&comp->num_consumers, 1, __ATOMIC_ACQ_REL) <= comp->max_num_consumers)
		return DOCA_SUCCESS;
	emu_comch_dpa_comp_remove(comp);
	return DOCA_ERROR_NO_MEMORY;
}

void emu_comch_dpa_comp_remove(struct doca_comch_consumer_completion *comp)
{
	__atomic_sub_fetch(&comp->num_consumers, 1, __ATOMIC_ACQ_REL);
}

/* Consumers. */

static bool is_configured(const struct doca_comch_consumer *consumer)
{
	const struct doca_comch_consumer_completion *comp = consumer->comp;
	const char *missing = NULL;

	if (consumer->dev_num_recv == 0)
		missing = "doca_comch_consumer_set_dev_max_num_recv was not called";
	else if (comp == NULL)
		missing = "doca_comch_consumer_set_completion was not called";
	else if (comp->thread->dpa != consumer->endpoint.msgq->dpa)
		missing = "its completion queue is of another DPA than its MsgQ";
	else if (comp->imm_data_len < consumer->imm_data_len)
		missing = "it accepts more immediate data than its completion queue";
	if (missing != NULL)
		EMU_LOG_ERR("Comch: cannot start consumer %u: %s", consumer->endpoint.id, missing);
	return missing == NULL;
}

/* Takes the consumer's part of its completion queue. */
static bool take_part(struct doca_comch_consumer *consumer)
{
	struct doca_comch_consumer_completion *comp = consumer->comp;

	if (__atomic_add_fetch(&comp->num_recv, consumer->dev_num_recv, __ATOMIC_ACQ_REL) <= comp->max_num_recv)
		return true;
	__atomic_sub_fetch(&comp->num_recv, consumer->dev_num_recv, __ATOMIC_ACQ_REL);
	EMU_LOG_ERR("Comch: cannot start consumer %u: the consumers of its completion queue may have more receives "
		    "than the queue (%u)",
		    consumer->endpoint.id, comp->max_num_recv);
	return false;
}

static void give_part(struct doca_comch_consumer *consumer)
{
	__atomic_sub_fetch(&consumer->comp->num_recv, consumer->dev_num_recv, __ATOMIC_ACQ_REL);
}

static struct emu_comch_inbox *inbox_of(const struct doca_comch_consumer *consumer)
{
	return emu_comch_msgq_inbox(consumer->endpoint.msgq, consumer->endpoint.id);
}

static doca_error_t consumer_start(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);

	if (!emu_comch_msgq_is_ready(&consumer->endpoint) || !is_configured(consumer) || !take_part(consumer))
		return DOCA_ERROR_INITIALIZATION;
	if (emu_dpa_handle_open(EMU_DPA_CONSUMER, consumer->endpoint.msgq->dpa, consumer, &consumer->handle) !=
	    DOCA_SUCCESS) {
		give_part(consumer);
		return DOCA_ERROR_INITIALIZATION;
	}
	emu_comch_inbox_open(inbox_of(consumer), consumer->comp->fifo, consumer->imm_data_len,
			     consumer->comp_user_data);
	return DOCA_SUCCESS;
}

/* Messages that have arrived stay in the completion queue. */
static bool consumer_stop(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = of(ctx);

	emu_dpa_handle_close(consumer->handle);
	consumer->handle = 0;
	emu_comch_inbox_close(inbox_of(consumer));
	emu_comch_inbox_settle(inbox_of(consumer));
	give_part(consumer);
	return true;
}

const struct emu_ctx_ops emu_comch_dpa_consumer_ops = {
	.can_run_on_dpa = true,
	.start = consumer_start,
	.stop = consumer_stop,
};
