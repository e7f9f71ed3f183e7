/* SPDX-License-Identifier: Apache-2.0 */
#include <doca_dpa_dev.h>

#include "emu_dpa_dev_library.h"

void doca_dpa_dev_device_set(doca_dpa_dev_t dpa_handle)
{
	emu_dpa_dev_ops->device_set(dpa_handle);
}

unsigned int doca_dpa_dev_thread_rank(void)
{
	return emu_dpa_dev_ops->thread_rank();
}

unsigned int doca_dpa_dev_num_threads(void)
{
	return emu_dpa_dev_ops->num_threads();
}

doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage(void)
{
	return emu_dpa_dev_ops->thread_get_local_storage();
}

void doca_dpa_dev_yield(void)
{
	emu_dpa_dev_ops->yield();
}

void doca_dpa_dev_thread_reschedule(void)
{
	emu_dpa_dev_ops->thread_reschedule();
}

void doca_dpa_dev_thread_finish(void)
{
	emu_dpa_dev_ops->thread_finish();
}

void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t comp_handle)
{
	emu_dpa_dev_ops->thread_notify(comp_handle);
}

void doca_dpa_dev_log(doca_dpa_dev_log_level_t log_level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	emu_dpa_dev_ops->log((int)log_level, format, args);
	va_end(args);
}

void doca_dpa_dev_trace(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5)
{
	emu_dpa_dev_ops->trace(arg1, arg2, arg3, arg4, arg5);
}

void doca_dpa_dev_trace_flush(void)
{
	emu_dpa_dev_ops->trace_flush();
}

void doca_dpa_dev_hash_table_add(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t value)
{
	emu_dpa_dev_ops->hash_table_add(ht_handle, key, value);
}

void doca_dpa_dev_hash_table_remove(doca_dpa_dev_hash_table_t ht_handle, uint32_t key)
{
	emu_dpa_dev_ops->hash_table_remove(ht_handle, key);
}

int doca_dpa_dev_hash_table_find(doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t *value)
{
	return emu_dpa_dev_ops->hash_table_find(ht_handle, key, value);
}

int doca_dpa_dev_get_completion(doca_dpa_dev_completion_t dpa_comp_handle,
				doca_dpa_dev_completion_element_t *comp_element)
{
	return emu_dpa_dev_ops->get_completion(dpa_comp_handle, comp_element);
}

doca_dpa_dev_completion_type_t doca_dpa_dev_get_completion_type(doca_dpa_dev_completion_element_t comp_element)
{
	return (doca_dpa_dev_completion_type_t)emu_dpa_dev_ops->get_completion_type(comp_element);
}

uint32_t doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t comp_element)
{
	return emu_dpa_dev_ops->get_completion_user_data(comp_element);
}

uint32_t doca_dpa_dev_get_completion_immediate(doca_dpa_dev_completion_element_t comp_element)
{
	return emu_dpa_dev_ops->get_completion_immediate(comp_element);
}

void doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t dpa_comp_handle, uint64_t num_comp)
{
	emu_dpa_dev_ops->completion_ack(dpa_comp_handle, num_comp);
}

void doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t dpa_comp_handle)
{
	emu_dpa_dev_ops->completion_request_notification(dpa_comp_handle);
}
