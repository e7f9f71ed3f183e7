/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <sched.h>
#include <stdio.h>

#include "emu_dpa.h"
#include "emu_dpa_completion.h"
#include "emu_dpa_dev_base.h"
#include "emu_dpa_handle.h"
#include "emu_dpa_hash.h"
#include "emu_dpa_notification.h"
#include "emu_dpa_run.h"
#include "emu_dpa_thread.h"

#define MAX_LOG_LINE 1024

/* Threads. */

static void dev_device_set(uint64_t dpa_handle)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_device_set");

	run->device = emu_dpa_lookup(run, dpa_handle, EMU_DPA_CONTEXT);
	emu_dpa_exit(run);
}

static unsigned int dev_thread_rank(void)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_thread_rank");
	unsigned int rank = run->rank;

	emu_dpa_exit(run);
	return rank;
}

static unsigned int dev_num_threads(void)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_num_threads");
	unsigned int num = run->num_threads;

	emu_dpa_exit(run);
	return num;
}

static void need_thread(struct emu_dpa_run *run)
{
	if (run->thread == NULL)
		emu_dpa_fatal(run, "only DPA threads can call it, not kernels");
}

static uint64_t dev_thread_get_local_storage(void)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_thread_get_local_storage");
	uint64_t addr;

	need_thread(run);
	addr = run->thread->local_storage;
	emu_dpa_exit(run);
	return addr;
}

static void dev_yield(void)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_yield");

	if (run->thread != NULL)
		emu_dpa_fatal(run, "only kernels can call it, not DPA threads");
	emu_dpa_exit(run);
	sched_yield();
}

static void dev_thread_reschedule(void)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_thread_reschedule");

	need_thread(run);
	emu_dpa_leave(run, EMU_DPA_RESCHEDULED);
}

static void dev_thread_finish(void)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_thread_finish");

	need_thread(run);
	emu_dpa_leave(run, EMU_DPA_FINISHED);
}

static void dev_thread_notify(uint64_t comp_handle)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_thread_notify");
	const struct doca_dpa_notification_completion *comp;

	need_thread(run);
	comp = emu_dpa_lookup(run, comp_handle, EMU_DPA_NOTIFICATION);
	emu_dpa_thread_wake(comp->thread);
	emu_dpa_exit(run);
}

/* Log and trace. */

static void dev_log(int log_level, const char *format, va_list args)
{
	struct emu_dpa_run *run = emu_dpa_enter_guarded("doca_dpa_dev_log");
	struct emu_dpa_log *log = &run->dpa->base->log;
	char line[MAX_LOG_LINE];

	if (log_level < DOCA_DPA_DEV_LOG_LEVEL_ERROR || (uint32_t)log_level > log->level) {
		emu_dpa_exit(run);
		return;
	}
	vsnprintf(line, sizeof(line), format, args);
	emu_dpa_exit(run);
	run = emu_dpa_enter("doca_dpa_dev_log");
	emu_dpa_log_write(log, (uint32_t)log_level, line);
	emu_dpa_exit(run);
}

static void dev_trace(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_trace");
	const uint64_t args[] = {arg1, arg2, arg3, arg4, arg5};

	if (!emu_dpa_log_trace(&run->dpa->base->log, args))
		emu_dpa_fatal(run, "no memory for the trace");
	emu_dpa_exit(run);
}

static void dev_trace_flush(void)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_trace_flush");

	emu_dpa_log_flush_trace(&run->dpa->base->log);
	emu_dpa_exit(run);
}

/* Hash tables. */

static void dev_hash_table_add(uint64_t ht_handle, uint32_t key, uint64_t value)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_hash_table_add");
	struct doca_dpa_hash_table *table = emu_dpa_lookup(run, ht_handle, EMU_DPA_HASH_TABLE);

	if (!emu_dpa_hash_add(table, key, value))
		emu_dpa_fatal(run, "the table has its %u entries", table->num_entries);
	emu_dpa_exit(run);
}

static void dev_hash_table_remove(uint64_t ht_handle, uint32_t key)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_hash_table_remove");

	emu_dpa_hash_remove(emu_dpa_lookup(run, ht_handle, EMU_DPA_HASH_TABLE), key);
	emu_dpa_exit(run);
}

static int dev_hash_table_find(uint64_t ht_handle, uint32_t key, uint64_t *value)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_hash_table_find");
	uint64_t found = 0;
	bool is_found = emu_dpa_hash_find(emu_dpa_lookup(run, ht_handle, EMU_DPA_HASH_TABLE), key, &found);

	emu_dpa_exit(run);
	if (is_found)
		*value = found;
	return is_found;
}

/* Completions. */

static int dev_get_completion(uint64_t comp_handle, uint64_t *comp_element)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_get_completion");
	uint64_t element = 0;
	bool is_taken = emu_dpa_completion_take(emu_dpa_lookup(run, comp_handle, EMU_DPA_COMPLETION), &element);

	emu_dpa_exit(run);
	if (is_taken)
		*comp_element = element;
	return is_taken;
}

static struct emu_dpa_cqe read_completion(const char *function, uint64_t comp_element)
{
	struct emu_dpa_run *run = emu_dpa_enter(function);
	struct emu_dpa_cqe cqe = emu_dpa_completion_of(run, comp_element);

	emu_dpa_exit(run);
	return cqe;
}

static int dev_get_completion_type(uint64_t comp_element)
{
	return (int)read_completion("doca_dpa_dev_get_completion_type", comp_element).type;
}

static uint32_t dev_get_completion_user_data(uint64_t comp_element)
{
	return read_completion("doca_dpa_dev_get_completion_user_data", comp_element).user_data;
}

static uint32_t dev_get_completion_immediate(uint64_t comp_element)
{
	return read_completion("doca_dpa_dev_get_completion_immediate", comp_element).immediate;
}

static void dev_completion_ack(uint64_t comp_handle, uint64_t num_comp)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_completion_ack");

	if (!emu_dpa_completion_ack(emu_dpa_lookup(run, comp_handle, EMU_DPA_COMPLETION), num_comp))
		emu_dpa_fatal(run, "the kernel acknowledges %llu completions, which is more than it has taken",
			      (unsigned long long)num_comp);
	emu_dpa_exit(run);
}

static void dev_completion_request_notification(uint64_t comp_handle)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_completion_request_notification");

	emu_dpa_completion_arm(emu_dpa_lookup(run, comp_handle, EMU_DPA_COMPLETION));
	emu_dpa_exit(run);
}

void emu_dpa_dev_base_set(struct emu_dpa_dev_ops *ops)
{
	ops->device_set = dev_device_set;
	ops->thread_rank = dev_thread_rank;
	ops->num_threads = dev_num_threads;
	ops->thread_get_local_storage = dev_thread_get_local_storage;
	ops->yield = dev_yield;
	ops->thread_reschedule = dev_thread_reschedule;
	ops->thread_finish = dev_thread_finish;
	ops->thread_notify = dev_thread_notify;
	ops->log = dev_log;
	ops->trace = dev_trace;
	ops->trace_flush = dev_trace_flush;
	ops->hash_table_add = dev_hash_table_add;
	ops->hash_table_remove = dev_hash_table_remove;
	ops->hash_table_find = dev_hash_table_find;
	ops->get_completion = dev_get_completion;
	ops->get_completion_type = dev_get_completion_type;
	ops->get_completion_user_data = dev_get_completion_user_data;
	ops->get_completion_immediate = dev_get_completion_immediate;
	ops->completion_ack = dev_completion_ack;
	ops->completion_request_notification = dev_completion_request_notification;
}
