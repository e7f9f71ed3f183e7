/* The library of doca_eth_txq.h: it sends at once. */
#include <doca_eth_txq.h>
#include <stdlib.h>

struct doca_eth_txq {
	union doca_data user_data, event_data;
	doca_eth_txq_task_batch_send_completion_cb_t success, error;
	doca_eth_txq_task_batch_lso_send_completion_cb_t lso;
	doca_eth_txq_event_error_cb_t event;
	doca_eth_txq_empty_cb_t empty;
	uint32_t sum;
};

doca_error_t doca_eth_txq_create(struct doca_eth_txq **eth_txq)
{
	*eth_txq = calloc(1, sizeof(**eth_txq));
	return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_set_user_data(struct doca_eth_txq *eth_txq, union doca_data user_data)
{
	eth_txq->user_data = user_data;
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_eth_txq_as_ctx(struct doca_eth_txq *eth_txq) { return (struct doca_ctx *)(void *)eth_txq; }

doca_error_t doca_eth_txq_task_batch_send_set_conf(struct doca_eth_txq *eth_txq, uint16_t max_tasks, doca_eth_txq_task_batch_send_completion_cb_t success,
						   doca_eth_txq_task_batch_send_completion_cb_t error)
{
	(void)max_tasks;
	eth_txq->success = success;
	eth_txq->error = error;
	return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_task_batch_lso_send_set_conf(struct doca_eth_txq *eth_txq, uint16_t max_tasks,
						       doca_eth_txq_task_batch_lso_send_completion_cb_t success)
{
	(void)max_tasks;
	eth_txq->lso = success;
	return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_event_error_register(struct doca_eth_txq *eth_txq, union doca_data user_data, doca_eth_txq_event_error_cb_t cb)
{
	eth_txq->event = cb;
	eth_txq->event_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_set_empty_cb(struct doca_eth_txq *eth_txq, doca_eth_txq_empty_cb_t empty_cb)
{
	eth_txq->empty = empty_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_set_odd_cb(struct doca_eth_txq *eth_txq, doca_eth_txq_odd_cb_t odd_cb)
{
	(void)eth_txq;
	(void)odd_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_batch_send(struct doca_eth_txq *eth_txq, uint16_t n, union doca_data batch_user_data)
{
	union doca_data data[8];
	struct doca_buf *packets[8];
	struct doca_gather_list headers[8], *list[8];
	doca_error_t status[8];

	for (int i = 0; i < n; i++) {
		data[i].u64 = batch_user_data.u64 * 10 + i;
		packets[i] = (struct doca_buf *)(uintptr_t)(0x1000 + i);
		list[i] = &headers[i];
		status[i] = i % 2 == 0 ? DOCA_SUCCESS : DOCA_ERROR_AGAIN;
	}
	eth_txq->success((struct doca_task_batch *)0x77, n, eth_txq->user_data, batch_user_data, data, packets, status);
	if (eth_txq->lso != NULL)
		eth_txq->lso((struct doca_task_batch *)0x78, n, 17, UINT64_MAX, -3, true, eth_txq->user_data, batch_user_data, data, packets, list, status);
	if (eth_txq->event != NULL)
		eth_txq->event(NULL, 5, eth_txq->event_data);
	if (eth_txq->empty != NULL)
		eth_txq->empty(eth_txq, batch_user_data, eth_txq->user_data);
	for (int i = 0; i < n; i++) { /* the arrays end with the callback */
		data[i].u64 = 0;
		packets[i] = NULL;
		status[i] = DOCA_ERROR_UNKNOWN;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_eth_txq_apply_metadata(struct doca_eth_txq *eth_txq, const uint32_t metadata_array[], const uint8_t flags_array[], size_t metadata_num)
{
	for (size_t i = 0; i < metadata_num; i++)
		eth_txq->sum += metadata_array[i] + 100u * flags_array[i];
	return DOCA_SUCCESS;
}

uint32_t doca_eth_txq_get_metadata_sum(const struct doca_eth_txq *eth_txq) { return eth_txq->sum; }
