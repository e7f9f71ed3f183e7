#include "kernels.h"

static volatile uint64_t *at(doca_dpa_dev_uintptr_t addr)
{
	return (volatile uint64_t *)(uintptr_t)addr;
}

__dpa_global__ void add(struct numbers numbers, uint64_t n)
{
	for (uint32_t i = doca_dpa_dev_thread_rank(); i < numbers.count; i += doca_dpa_dev_num_threads())
		at(numbers.first)[i] += n;
}

__dpa_global__ void ranks(struct numbers numbers)
{
	if (doca_dpa_dev_thread_rank() < numbers.count)
		at(numbers.first)[doca_dpa_dev_thread_rank()] = doca_dpa_dev_num_threads();
}

__dpa_global__ void nothing(void)
{
}

__dpa_global__ void crash(void)
{
	*at(16) = 1;
}

__dpa_global__ void until(doca_dpa_dev_uintptr_t number)
{
	while (*at(number) == 0)
		doca_dpa_dev_yield();
}

__dpa_global__ void say(uint32_t number)
{
	DOCA_DPA_DEV_LOG_ERR("error %u", number);
	DOCA_DPA_DEV_LOG_WARN("warning %u", number);
	DOCA_DPA_DEV_LOG_INFO("information %u", number);
	DOCA_DPA_DEV_LOG_DBG("detail %u", number);
	doca_dpa_dev_trace(number, 2, 3, 4, 5);
	doca_dpa_dev_trace_flush();
}

__dpa_global__ void signal_event(doca_dpa_dev_sync_event_t event, uint64_t n)
{
	doca_dpa_dev_sync_event_update_add(event, n);
}

__dpa_global__ void await_event(doca_dpa_dev_sync_event_t event, uint64_t greater, doca_dpa_dev_uintptr_t number)
{
	uint64_t value;

	doca_dpa_dev_sync_event_wait_gt(event, greater, UINT64_MAX);
	doca_dpa_dev_sync_event_get(event, &value);
	*at(number) = value;
}

__dpa_global__ void copy(doca_dpa_dev_async_ops_t async, doca_dpa_dev_mmap_t dst_map, uint64_t dst, doca_dpa_dev_mmap_t src_map, uint64_t src,
			 uint64_t len)
{
	doca_dpa_dev_post_memcpy(async, dst_map, dst, src_map, src, len, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
}

__dpa_global__ void take(doca_dpa_dev_completion_t completion, uint32_t many, doca_dpa_dev_uintptr_t number)
{
	doca_dpa_dev_completion_element_t element;

	while (many > 0) {
		if (!doca_dpa_dev_get_completion(completion, &element)) {
			doca_dpa_dev_yield();
			continue;
		}
		if (doca_dpa_dev_get_completion_type(element) == DOCA_DPA_DEV_COMP_SEND)
			at(number)[0]++;
		at(number)[1] = doca_dpa_dev_get_completion_user_data(element);
		doca_dpa_dev_completion_ack(completion, 1);
		many--;
	}
}

__dpa_global__ void table(doca_dpa_dev_hash_table_t table, uint32_t key, uint64_t value, doca_dpa_dev_uintptr_t numbers)
{
	uint64_t found = 0;

	doca_dpa_dev_hash_table_add(table, key, value);
	at(numbers)[1] = (uint64_t)doca_dpa_dev_hash_table_find(table, key, &found);
	at(numbers)[0] = found;
	doca_dpa_dev_hash_table_remove(table, key);
	at(numbers)[2] = (uint64_t)doca_dpa_dev_hash_table_find(table, key, &found);
}

__dpa_global__ void look_at(doca_dpa_dev_buf_arr_t array, uint64_t index, doca_dpa_dev_uintptr_t numbers)
{
	doca_dpa_dev_buf_t buf = doca_dpa_dev_buf_array_get_buf(array, index);

	at(numbers)[0] = doca_dpa_dev_buf_get_addr(buf);
	at(numbers)[1] = doca_dpa_dev_buf_get_len(buf);
}

__dpa_global__ void select_device(doca_dpa_dev_t device)
{
	doca_dpa_dev_device_set(device);
}

__dpa_global__ void on_wake(uint64_t addr)
{
	struct thread_arg *arg = (struct thread_arg *)(uintptr_t)addr;
	doca_dpa_dev_completion_element_t element;

	arg->rank = doca_dpa_dev_thread_rank();
	arg->num_threads = doca_dpa_dev_num_threads();
	arg->storage = doca_dpa_dev_thread_get_local_storage();
	arg->wakes++;
	if (arg->completion != 0) {
		while (doca_dpa_dev_get_completion(arg->completion, &element)) {
			arg->type = (uint64_t)doca_dpa_dev_get_completion_type(element);
			arg->user_data = doca_dpa_dev_get_completion_user_data(element);
			arg->completions++;
			doca_dpa_dev_completion_ack(arg->completion, 1);
		}
		doca_dpa_dev_completion_request_notification(arg->completion);
	}
	if (arg->other != 0)
		doca_dpa_dev_thread_notify(arg->other);
	if (arg->event != 0)
		doca_dpa_dev_sync_event_update_add(arg->event, 1);
	doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void busy(uint64_t addr)
{
	struct thread_arg *arg = (struct thread_arg *)(uintptr_t)addr;
	doca_dpa_dev_completion_element_t element;

	doca_dpa_dev_sync_event_update_add(arg->event, 1);
	for (;;)
		if (doca_dpa_dev_get_completion(arg->completion, &element))
			doca_dpa_dev_completion_ack(arg->completion, 1);
}

__dpa_rpc__ uint64_t sum(struct numbers numbers)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < numbers.count; i++)
		sum += at(numbers.first)[i];
	return sum;
}

__dpa_rpc__ uint64_t call_until(doca_dpa_dev_uintptr_t number)
{
	while (*at(number) == 0)
		;
	return *at(number);
}

__dpa_rpc__ uint64_t call_await(doca_dpa_dev_sync_event_t event, uint64_t greater)
{
	uint64_t value;

	doca_dpa_dev_sync_event_wait_gt(event, greater, UINT64_MAX);
	doca_dpa_dev_sync_event_get(event, &value);
	return value;
}

__dpa_rpc__ uint64_t call_crash(void)
{
	*at(16) = 1;
	return 0;
}
