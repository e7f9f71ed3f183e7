/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdlib.h>

#include <doca_comch_msgq.h>

#include "core/emu_fault.h"
#include "dpacore/emu_dpa.h"
#include "emu_comch_consumer.h"
#include "emu_comch_dpa_consumer.h"
#include "emu_comch_dpa_dev.h"
#include "emu_comch_dpa_producer.h"
#include "emu_comch_endpoint.h"
#include "emu_comch_inbox.h"
#include "emu_comch_msgq.h"
#include "emu_comch_msgq_consumer.h"
#include "emu_comch_msgq_producer.h"
#include "emu_comch_producer.h"
#include "emu_comch_ring.h"

doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq)
{
	EMU_CALL("doca_comch_msgq_create");
	struct doca_comch_msgq *made;

	if (dev == NULL || msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->dev = dev;
	made->max_num_consumers = made->max_num_producers = 1;
	pthread_mutex_init(&made->lock, NULL);
	*msgq = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq)
{
	EMU_CALL("doca_comch_msgq_destroy");
	if (msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (msgq->is_started)
		return DOCA_ERROR_BAD_STATE;
	if (msgq->dpa != NULL)
		emu_dpa_remove_object(msgq->dpa);
	pthread_mutex_destroy(&msgq->lock);
	free(msgq);
	return DOCA_SUCCESS;
}

/* Configuration. */

static doca_error_t set_dpa(struct doca_comch_msgq *msgq, struct doca_dpa *dpa, bool leads_to_dpa)
{
	if (msgq == NULL || dpa == NULL || emu_dpa_dev(dpa) != msgq->dev)
		return DOCA_ERROR_INVALID_VALUE;
	if (msgq->is_started || (msgq->dpa != NULL && msgq->leads_to_dpa != leads_to_dpa))
		return DOCA_ERROR_BAD_STATE;
	emu_dpa_add_object(dpa);
	if (msgq->dpa != NULL)
		emu_dpa_remove_object(msgq->dpa);
	msgq->dpa = dpa;
	msgq->leads_to_dpa = leads_to_dpa;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
	EMU_CALL("doca_comch_msgq_set_dpa_consumer");
	return set_dpa(msgq, dpa, true);
}

doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
	EMU_CALL("doca_comch_msgq_set_dpa_producer");
	return set_dpa(msgq, dpa, false);
}

static doca_error_t set_max(struct doca_comch_msgq *msgq, uint32_t *field, uint32_t max)
{
	if (msgq == NULL || max == 0 || max > EMU_COMCH_MAX_ENDPOINTS)
		return DOCA_ERROR_INVALID_VALUE;
	if (msgq->is_started)
		return DOCA_ERROR_BAD_STATE;
	*field = max;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq, uint32_t max_num_consumers)
{
	EMU_CALL("doca_comch_msgq_set_max_num_consumers");
	return set_max(msgq, msgq == NULL ? NULL : &msgq->max_num_consumers, max_num_consumers);
}

doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq, uint32_t max_num_producers)
{
	EMU_CALL("doca_comch_msgq_set_max_num_producers");
	return set_max(msgq, msgq == NULL ? NULL : &msgq->max_num_producers, max_num_producers);
}

/* Start and stop. */

doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq)
{
	EMU_CALL("doca_comch_msgq_start");
	doca_error_t result;

	if (msgq == NULL || msgq->dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (msgq->is_started)
		return DOCA_ERROR_BAD_STATE;
	result = emu_dpa_ready(msgq->dpa);
	if (result != DOCA_SUCCESS)
		return result;
	msgq->inboxes = aligned_alloc(64, msgq->max_num_consumers * sizeof(msgq->inboxes[0]));
	if (msgq->inboxes == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (uint32_t i = 0; i < msgq->max_num_consumers; i++)
		emu_comch_inbox_init(&msgq->inboxes[i]);
	msgq->consumer_ids = msgq->producer_ids = (struct emu_comch_ids){0};
	msgq->is_started = true;
	emu_comch_dpa_dev_init();
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq)
{
	EMU_CALL("doca_comch_msgq_stop");
	doca_error_t result = DOCA_SUCCESS;

	if (msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&msgq->lock);
	if (!msgq->is_started)
		result = DOCA_ERROR_BAD_STATE;
	else if (msgq->num_endpoints != 0)
		result = DOCA_ERROR_IN_USE;
	else
		msgq->is_started = false;
	pthread_mutex_unlock(&msgq->lock);
	if (result != DOCA_SUCCESS)
		return result;
	free(msgq->inboxes);
	msgq->inboxes = NULL;
	return DOCA_SUCCESS;
}

/* Consumers and producers. */

doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq, struct doca_comch_consumer **consumer)
{
	EMU_CALL("doca_comch_msgq_consumer_create");
	struct emu_comch_endpoint *made;
	doca_error_t result;

	if (msgq == NULL || consumer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_comch_msgq_join(msgq, sizeof(**consumer),
				     msgq->leads_to_dpa ? &emu_comch_dpa_consumer_ops : &emu_comch_msgq_consumer_ops,
				     true, &made);
	if (result != DOCA_SUCCESS)
		return result;
	*consumer = (struct doca_comch_consumer *)made;
	(*consumer)->ring_fd = -1;
	(*consumer)->imm_data_len = EMU_COMCH_MAX_IMM_DATA_LEN; /* a MsgQ carries nothing else */
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq, struct doca_comch_producer **producer)
{
	EMU_CALL("doca_comch_msgq_producer_create");
	struct emu_comch_endpoint *made;
	doca_error_t result;

	if (msgq == NULL || producer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = emu_comch_msgq_join(msgq, sizeof(**producer),
				     msgq->leads_to_dpa ? &emu_comch_msgq_producer_ops : &emu_comch_dpa_producer_ops,
				     false, &made);
	if (result != DOCA_SUCCESS)
		return result;
	*producer = (struct doca_comch_producer *)made;
	return DOCA_SUCCESS;
}
