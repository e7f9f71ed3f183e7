/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>

#include "core/emu_apart.h"
#include "core/emu_ctx.h"
#include "core/emu_log.h"
#include "core/emu_notify.h"
#include "core/emu_task.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_msgq.h"

/* Gives the endpoint its id. */
static doca_error_t admit(struct emu_comch_endpoint *endpoint)
{
	struct doca_comch_msgq *msgq = endpoint->msgq;
	doca_error_t result = DOCA_ERROR_BAD_STATE;

	pthread_mutex_lock(&msgq->lock);
	if (msgq->is_started) {
		endpoint->id = endpoint->is_consumer ?
				       emu_comch_ids_take(&msgq->consumer_ids, msgq->max_num_consumers) :
				       emu_comch_ids_take(&msgq->producer_ids, msgq->max_num_producers);
		result = endpoint->id == 0 ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
	}
	if (result == DOCA_SUCCESS)
		msgq->num_endpoints++;
	pthread_mutex_unlock(&msgq->lock);
	return result;
}

static void expel(struct emu_comch_endpoint *endpoint)
{
	struct doca_comch_msgq *msgq = endpoint->msgq;

	pthread_mutex_lock(&msgq->lock);
	emu_comch_ids_put(endpoint->is_consumer ? &msgq->consumer_ids : &msgq->producer_ids, endpoint->id);
	msgq->num_endpoints--;
	pthread_mutex_unlock(&msgq->lock);
}

doca_error_t emu_comch_msgq_join(struct doca_comch_msgq *msgq, size_t size, const struct emu_ctx_ops *ops,
				 bool is_consumer, struct emu_comch_endpoint **endpoint)
{
	struct emu_comch_endpoint *made = emu_calloc_apart(size);
	doca_error_t result;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->msgq = msgq;
	made->is_consumer = is_consumer;
	made->wake_fd = made->peer_fds[0] = made->peer_fds[1] = -1;
	result = admit(made);
	if (result == DOCA_SUCCESS) {
		result = emu_ctx_init(&made->ctx, ops, msgq->dev);
		if (result != DOCA_SUCCESS)
			expel(made);
	}
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	*endpoint = made;
	return DOCA_SUCCESS;
}

doca_error_t emu_comch_msgq_leave(struct emu_comch_endpoint *endpoint)
{
	doca_error_t result = emu_ctx_fini(&endpoint->ctx);

	if (result != DOCA_SUCCESS)
		return result;
	expel(endpoint);
	emu_task_pool_destroy(&endpoint->pool);
	free(endpoint);
	return DOCA_SUCCESS;
}

bool emu_comch_msgq_is_ready(const struct emu_comch_endpoint *endpoint)
{
	const struct doca_comch_msgq *msgq = endpoint->msgq;
	const char *what = endpoint->is_consumer ? "consumer" : "producer";

	if (endpoint->is_consumer == msgq->leads_to_dpa && emu_ctx_dpa(&endpoint->ctx) != msgq->dpa) {
		EMU_LOG_ERR("Comch: cannot start %s %u: call doca_ctx_set_datapath_on_dpa with the DPA of its MsgQ",
			    what, endpoint->id);
		return false;
	}
	if (emu_dpa_ready(msgq->dpa) != DOCA_SUCCESS) {
		EMU_LOG_ERR("Comch: cannot start %s %u: the DPA of its MsgQ is not started, or has had a fatal error", what,
			    endpoint->id);
		return false;
	}
	return true;
}

static void dpa_failed(struct emu_dpa_watcher *watcher)
{
	struct emu_comch_endpoint *endpoint = (struct emu_comch_endpoint *)(void *)((uint8_t *)watcher -
				    offsetof(struct emu_comch_endpoint, watcher));

	emu_pe_signal(endpoint->ctx.pe);
}

void emu_comch_msgq_watch(struct emu_comch_endpoint *endpoint)
{
	endpoint->watcher.failed = dpa_failed;
	emu_dpa_watch(&endpoint->watcher, endpoint->msgq->dpa);
}

void emu_comch_msgq_unwatch(struct emu_comch_endpoint *endpoint)
{
	emu_dpa_unwatch(&endpoint->watcher);
}
