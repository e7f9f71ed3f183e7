/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>

#include "core/emu_clock.h"
#include "core/emu_ctx.h"
#include "core/emu_log.h"
#include "core/emu_remote.h"
#include "dpacore/emu_dpa.h"
#include "dpacore/emu_dpa_completion.h"
#include "dpacore/emu_dpa_handle.h"
#include "dpacore/emu_dpa_mmap.h"
#include "dpacore/emu_dpa_run.h"
#include "emu_comch_dpa_producer.h"
#include "emu_comch_inbox.h"
#include "emu_comch_msgq.h"
#include "emu_comch_producer.h"

/* How long a send waits for the consumer to post a receive. Hardware tries again for a while, too. */
#define MAX_WAIT_NS (100 * UINT64_C(1000000))

#define USER_DATA_MASK ((UINT64_C(1) << 24) - 1)

static struct doca_comch_producer *of(struct doca_ctx *ctx)
{
	return (struct doca_comch_producer *)ctx;
}

/* Sending. */

static void report(const struct doca_comch_producer *producer, enum emu_dpa_completion_type type)
{
	struct emu_dpa_cqe cqe = {
		.type = type,
		.user_data = (uint32_t)(producer->endpoint.ctx.user_data.u64 & USER_DATA_MASK),
	};

	emu_dpa_completion_post(producer->comp, &cqe);
}

/* A producer that has failed must be started again. */
static void fail(const struct doca_comch_producer *producer, const struct emu_comch_dpa_send *send, const char *why)
{
	if (!__atomic_exchange_n(&producer->sends->is_broken, true, __ATOMIC_RELAXED))
		EMU_LOG_ERR("Comch: a send of producer %u on the DPA to consumer %u fails, and all later ones: %s",
			    producer->endpoint.id, send->consumer_id, why);
	report(producer, EMU_DPA_COMP_SEND_ERR);
}

static bool overlaps(const struct doca_mmap *to, const struct doca_mmap *from, const struct emu_comch_dpa_send *send)
{
	uint64_t distance = send->dst > send->src ? send->dst - send->src : send->src - send->dst;

	return distance < send->len && emu_remote_is_same_process(to->remote, from->remote);
}

/* Copies the memory of a send. Returns what is wrong, or NULL. */
static const char *copy(struct emu_dpa_run *run, const struct doca_comch_producer *producer,
			const struct emu_comch_dpa_send *send)
{
	const struct doca_mmap *to = emu_dpa_mmap_lookup(run, send->dst_mmap);
	const struct doca_mmap *from = emu_dpa_mmap_lookup(run, send->src_mmap);

	if (overlaps(to, from, send))
		return "source and destination of its copy overlap";
	if (!emu_dpa_mmap_copy(producer->endpoint.ctx.dev, to, send->dst, from, send->src, send->len))
		return "its copy is not within the memory maps, or they do not permit it";
	return NULL;
}

/* Tries once. False: the consumer has no posted receive. */
static bool try_to_send(const struct doca_comch_producer *producer, const struct emu_comch_dpa_send *send)
{
	struct emu_comch_inbox *inbox = emu_comch_msgq_inbox(producer->endpoint.msgq, send->consumer_id);
	struct emu_comch_message message = send->message;

	message.producer_id = producer->endpoint.id;
	switch (emu_comch_inbox_send(inbox, &message)) {
	case DOCA_SUCCESS:
		if (!(send->flags & EMU_DPA_SUBMIT_OPTIMIZE_REPORTS))
			report(producer, EMU_DPA_COMP_SEND);
		return true;
	case DOCA_ERROR_AGAIN:
		return false;
	case DOCA_ERROR_INVALID_VALUE:
		fail(producer, send, "its immediate data is longer than the consumer accepts");
		return true;
	default:
		fail(producer, send, "the consumer is not started");
		return true;
	}
}

/* Returns the producer, which is looked up again after a pause. */
static const struct doca_comch_producer *execute(struct emu_dpa_run *run, uint64_t handle,
						 const struct doca_comch_producer *producer,
						 const struct emu_comch_dpa_send *send)
{
	const char *error = NULL;
	uint64_t give_up_at = 0;

	if (emu_comch_msgq_inbox(producer->endpoint.msgq, send->consumer_id) == NULL)
		emu_dpa_fatal(run, "no consumer of the MsgQ has the id %u", send->consumer_id);
	while (!__atomic_load_n(&producer->sends->is_broken, __ATOMIC_RELAXED)) {
		if (send->has_copy && give_up_at == 0 && (error = copy(run, producer, send)) != NULL)
			break;
		if (try_to_send(producer, send))
			return producer;
		if (give_up_at == 0)
			give_up_at = emu_clock_ns() + MAX_WAIT_NS;
		else if (emu_clock_ns() >= give_up_at)
			error = "the consumer has no posted receive";
		if (error != NULL)
			break;
		emu_dpa_pause(run);
		producer = emu_dpa_lookup(run, handle, EMU_DPA_PRODUCER);
	}
	fail(producer, send, error);
	return producer;
}

/* Sends that wait for a flush. */

static bool push(const struct doca_comch_producer *producer, const struct emu_comch_dpa_send *send)
{
	struct emu_comch_dpa_sends *sends = producer->sends;
	bool has_room;

	pthread_mutex_lock(&sends->lock);
	has_room = sends->num < producer->dev_num_send;
	if (has_room) {
		sends->waiting[(sends->first + sends->num) % producer->dev_num_send] = *send;
		__atomic_store_n(&sends->num, sends->num + 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&sends->lock);
	return has_room;
}

static bool pop(const struct doca_comch_producer *producer, struct emu_comch_dpa_send *send)
{
	struct emu_comch_dpa_sends *sends = producer->sends;
	bool has_one;

	if (__atomic_load_n(&sends->num, __ATOMIC_RELAXED) == 0)
		return false;
	pthread_mutex_lock(&sends->lock);
	has_one = sends->num > 0;
	if (has_one) {
		*send = sends->waiting[sends->first];
		sends->first = (sends->first + 1) % producer->dev_num_send;
		__atomic_store_n(&sends->num, sends->num - 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&sends->lock);
	return has_one;
}

void emu_comch_dpa_producer_send(struct emu_dpa_run *run, uint64_t handle, const struct emu_comch_dpa_send *send)
{
	const struct doca_comch_producer *producer = emu_dpa_lookup(run, handle, EMU_DPA_PRODUCER);
	struct emu_comch_dpa_send earlier;

	if (!(send->flags & EMU_DPA_SUBMIT_FLUSH)) {
		if (!push(producer, send))
			emu_dpa_fatal(run, "the producer has %u sends, which is all that it may have, and none was flushed",
				      producer->dev_num_send);
		return;
	}
	while (pop(producer, &earlier))
		producer = execute(run, handle, producer, &earlier);
	execute(run, handle, producer, send);
}

/* The context. */

static bool is_configured(const struct doca_comch_producer *producer)
{
	const char *missing = NULL;

	if (producer->dev_num_send == 0)
		missing = "doca_comch_producer_set_dev_max_num_send was not called";
	else if (producer->comp == NULL)
		missing = "doca_comch_producer_dpa_completion_attach was not called";
	else if (!emu_dpa_completion_is_started(producer->comp))
		missing = "its completion queue is not started";
	else if (producer->comp->dpa != producer->endpoint.msgq->dpa)
		missing = "its completion queue is of another DPA than its MsgQ";
	if (missing != NULL)
		EMU_LOG_ERR("Comch: cannot start producer %u: %s", producer->endpoint.id, missing);
	return missing == NULL;
}

static void release(struct doca_comch_producer *producer)
{
	if (producer->sends == NULL)
		return;
	pthread_mutex_destroy(&producer->sends->lock);
	free(producer->sends);
	producer->sends = NULL;
}

static doca_error_t producer_start(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = of(ctx);

	if (!emu_comch_msgq_is_ready(&producer->endpoint) || !is_configured(producer))
		return DOCA_ERROR_INITIALIZATION;
	producer->sends = aligned_alloc(64, sizeof(*producer->sends) +
						    producer->dev_num_send * sizeof(producer->sends->waiting[0]));
	if (producer->sends == NULL)
		return DOCA_ERROR_INITIALIZATION;
	producer->sends->is_broken = false;
	producer->sends->num = producer->sends->first = 0;
	pthread_mutex_init(&producer->sends->lock, NULL);
	if (emu_dpa_handle_open(EMU_DPA_PRODUCER, producer->endpoint.msgq->dpa, producer, &producer->handle) !=
	    DOCA_SUCCESS) {
		release(producer);
		return DOCA_ERROR_INITIALIZATION;
	}
	return DOCA_SUCCESS;
}

/* Sends that wait for a flush are gone. */
static bool producer_stop(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = of(ctx);

	emu_dpa_handle_close(producer->handle);
	producer->handle = 0;
	release(producer);
	return true;
}

const struct emu_ctx_ops emu_comch_dpa_producer_ops = {
	.can_run_on_dpa = true,
	.start = producer_start,
	.stop = producer_stop,
};
