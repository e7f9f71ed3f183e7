/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>

#include "core/emu_ctx.h"
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
	struct emu_comch_endpoint *made = calloc(1, size);
	doca_error_t result;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->msgq = msgq;
	made->is_consumer = is_consumer;
	made->wake_fd = made->bell_fd = -1;
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
