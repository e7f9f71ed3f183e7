/* The library of doca_sta.h. */
#include <doca_sta.h>
#include <stdio.h>
#include <stdlib.h>

struct doca_sta {
	doca_sta_alloc_cb_t alloc;
	doca_sta_free_cb_t free;
	uint32_t private_sum;
};

struct doca_sta_task_go {
	const uint8_t *iv;
	uint32_t iv_len;
};

struct doca_sta_pipe_cfg {
	struct doca_sta_actions *const *actions, *const *masks;
	size_t n;
};

doca_error_t doca_sta_create(struct doca_sta **sta)
{
	*sta = calloc(1, sizeof(**sta));
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_set_allocator(struct doca_sta *sta, doca_sta_alloc_cb_t alloc_cb, doca_sta_free_cb_t free_cb)
{
	if (alloc_cb == NULL && free_cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	sta->alloc = alloc_cb;
	sta->free = free_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_work(struct doca_sta *sta, size_t size, uint32_t *zeros, uint64_t *more)
{
	uint8_t *p = sta->alloc(size);

	if (p == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (size_t i = 0; i < size; i++)
		*zeros += p[i] == 0;
	sta->free(p);
	*more = 7;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_resize(struct doca_sta *sta, uint8_t level, doca_sta_resize_nr_entries_cb_t nr_entries_cb, doca_sta_resize_relocate_cb_t relocate_cb)
{
	void *moved = NULL;
	doca_error_t rc = nr_entries_cb((void *)5, level * 100u);

	(void)sta;
	if (rc != DOCA_SUCCESS)
		return rc;
	rc = relocate_cb((void *)5, 3, (void *)6, &moved);
	if (rc == DOCA_SUCCESS && moved != (void *)60)
		return DOCA_ERROR_UNEXPECTED;
	return rc;
}

doca_error_t doca_sta_pipe_cfg_create(struct doca_sta_pipe_cfg **cfg)
{
	*cfg = calloc(1, sizeof(**cfg));
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_pipe_cfg_set_actions(struct doca_sta_pipe_cfg *cfg, struct doca_sta_actions *const *actions,
					   struct doca_sta_actions *const *actions_masks, size_t nr_actions)
{
	*cfg = (struct doca_sta_pipe_cfg){actions, actions_masks, nr_actions};
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_pipe_create(const struct doca_sta_pipe_cfg *cfg, uint64_t *sum)
{
	for (size_t i = 0; i < cfg->n; i++)
		*sum += cfg->actions[i]->idx * (cfg->masks == NULL ? 1 : cfg->masks[i]->meta) + cfg->actions[i]->meta;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_resources_query(struct doca_sta *sta, uint32_t *res_array, struct doca_sta_query *query_results_array, uint32_t array_len)
{
	(void)sta;
	for (uint32_t i = 0; i < array_len; i++)
		query_results_array[i] = (struct doca_sta_query){res_array[i] * UINT64_C(1000), res_array[i]};
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_recover(struct doca_sta *sta, const uint32_t missing_indices[], size_t n_missing, uint64_t *sum)
{
	*sum = sta->private_sum;
	for (size_t i = 0; i < n_missing; i++)
		*sum += missing_indices[i];
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_task_go_create(struct doca_sta *sta, struct doca_sta_task_go **task)
{
	(void)sta;
	*task = calloc(1, sizeof(**task));
	return DOCA_SUCCESS;
}

struct doca_task *doca_sta_task_go_as_task(struct doca_sta_task_go *task) { return (struct doca_task *)(void *)task; }

void doca_sta_task_go_set_iv(struct doca_sta_task_go *task, const uint8_t *iv, uint32_t iv_length)
{
	task->iv = iv;
	task->iv_len = iv_length;
}

uint32_t doca_sta_task_go_get_iv_sum(const struct doca_sta_task_go *task)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < task->iv_len; i++)
		sum += task->iv[i];
	return sum;
}

doca_error_t doca_sta_key_check(struct doca_sta *sta, const void *raw_key, enum doca_sta_key_type raw_key_type, uint32_t *sum)
{
	(void)sta;
	for (int i = 0; i < (raw_key_type == DOCA_STA_KEY_128 ? 16 : 32); i++)
		*sum += ((const uint8_t *)raw_key)[i];
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_accept(struct doca_sta *sta, void *private_data, uint8_t private_data_len)
{
	for (int i = 0; i < private_data_len; i++)
		sta->private_sum += ((uint8_t *)private_data)[i];
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_get_name(const struct doca_sta *sta, char name[DOCA_STA_NAME_LEN])
{
	(void)sta;
	snprintf(name, DOCA_STA_NAME_LEN, "the name of an object");
	return DOCA_SUCCESS;
}
