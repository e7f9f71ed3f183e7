/* SPDX-License-Identifier: Apache-2.0 */
/* The states of DPA contexts and their objects, and what they tell. */
#include "dpa_call.h"

#include <doca_ctx.h>

#include "catch_log.h"
#include "core/emu_fault.h"
#include "dpacore/emu_dpa_completion.h"

static struct doca_dev *dev;

static void begin(void)
{
	dev = open_dev(DPU_0);
	catch_log();
}

static void finish(void)
{
	MUST(doca_dev_close(dev));
}

static void nothing(void *arg)
{
	(void)arg;
}

/* Contexts. */

static void test_context(void)
{
	struct doca_dpa *dpa;
	struct doca_dpa_app *found, *wrong = &(struct doca_dpa_app){.abi = 99, .name = "old", .ops = &device};
	uint64_t handle;
	uint32_t uar, len = 2;
	char name[8];

	MUST(doca_dpa_create(dev, &dpa));
	EXPECT(ERROR_IN_USE, doca_dev_close(dev)); /* the context has it */
	MUST(doca_dpa_get_app(dpa, &found));
	CHECK(found == NULL);
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_start(dpa)); /* no application */
	EXPECT(ERROR_BAD_STATE, doca_dpa_get_dpa_handle(dpa, &handle));
	EXPECT(ERROR_BAD_STATE, doca_dpa_get_uar_id(dpa, &uar));
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(dpa));
	EXPECT(SUCCESS, doca_dpa_stop(dpa));
	MUST(doca_dpa_set_app(dpa, wrong));
	forget_log();
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_start(dpa));
	CHECK(strstr(caught, "dpacc") != NULL);
	MUST(doca_dpa_set_app(dpa, &app));
	MUST(doca_dpa_start(dpa));
	EXPECT(ERROR_BAD_STATE, doca_dpa_start(dpa));
	EXPECT(ERROR_BAD_STATE, doca_dpa_set_app(dpa, &app));
	MUST(doca_dpa_get_app(dpa, &found));
	CHECK(found == &app);
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_app_get_name(&app, name, &len));
	CHECK(len == sizeof("test"));
	MUST(doca_dpa_app_get_name(&app, name, &len));
	CHECK(strcmp(name, "test") == 0 && len == 4);
	MUST(doca_dpa_get_dpa_handle(dpa, &handle));
	MUST(doca_dpa_get_uar_id(dpa, &uar));
	CHECK(handle != 0 && uar != 0);
	/* It can start again. */
	for (int i = 0; i < 3; i++) {
		on_dpa(dpa, nothing, NULL);
		MUST(doca_dpa_stop(dpa));
		EXPECT(ERROR_BAD_STATE, try_on_dpa(dpa, nothing, NULL));
		MUST(doca_dpa_start(dpa));
	}
	MUST(doca_dpa_destroy(dpa)); /* without a stop */
}

static void test_info(void)
{
	struct doca_dpa *dpa;
	unsigned int cores, eus, total, threads;
	unsigned long long time;

	MUST(doca_dpa_create(dev, &dpa));
	MUST(doca_dpa_get_core_num(dpa, &cores));
	MUST(doca_dpa_get_num_eus_per_core(dpa, &eus));
	MUST(doca_dpa_get_total_num_eus_available(dpa, &total));
	MUST(doca_dpa_get_max_threads_per_kernel(dpa, &threads));
	MUST(doca_dpa_get_kernel_max_run_time(dpa, &time));
	CHECK(cores == 16 && eus == 16 && total == 256 && threads == 128 && time == 60000);
	setenv("DOCA_EMU_DPA_MAX_RUN_TIME", "0", 1); /* no such time */
	MUST(doca_dpa_get_kernel_max_run_time(dpa, &time));
	CHECK(time == 60000);
	unsetenv("DOCA_EMU_DPA_MAX_RUN_TIME");
	MUST(doca_dpa_destroy(dpa));
}

static void test_affinity(void)
{
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_dpa_eu_affinity *affinity;
	const struct doca_dpa_eu_affinity *found;
	struct doca_dpa_thread *thread;
	unsigned int eu;

	MUST(doca_dpa_eu_affinity_create(dpa, &affinity));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_eu_affinity_get(affinity, &eu)); /* none is set */
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_eu_affinity_set(affinity, 256));
	MUST(doca_dpa_eu_affinity_set(affinity, 255));
	MUST(doca_dpa_eu_affinity_get(affinity, &eu));
	CHECK(eu == 255);
	MUST(doca_dpa_thread_create(dpa, &thread));
	MUST(doca_dpa_thread_set_affinity(thread, affinity));
	MUST(doca_dpa_thread_get_affinity(thread, &found));
	CHECK(found == affinity);
	MUST(doca_dpa_eu_affinity_clear(affinity));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_eu_affinity_get(affinity, &eu));
	EXPECT(ERROR_IN_USE, doca_dpa_destroy(dpa));
	MUST(doca_dpa_eu_affinity_destroy(affinity));
	EXPECT(ERROR_IN_USE, doca_dpa_destroy(dpa));
	MUST(doca_dpa_thread_destroy(thread));
	MUST(doca_dpa_destroy(dpa));
}

/* Extended contexts. */

static void test_extend(void)
{
	struct doca_dev *other = open_dev(DPU_1);
	struct doca_dpa *dpa, *ext, *more;
	struct doca_dpa_app *found;
	uint64_t addr, handle, ext_handle;

	MUST(doca_dpa_create(dev, &dpa));
	MUST(doca_dpa_set_app(dpa, &app));
	EXPECT(ERROR_BAD_STATE, doca_dpa_device_extend(dpa, other, &ext));
	MUST(doca_dpa_start(dpa));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_device_extend(dpa, NULL, &ext));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_device_extend(NULL, other, &ext));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_device_extend(dpa, other, NULL));
	MUST(doca_dpa_device_extend(dpa, other, &ext));
	EXPECT(ERROR_BAD_STATE, doca_dpa_device_extend(ext, other, &more));
	EXPECT(ERROR_BAD_STATE, doca_dpa_start(ext)); /* it is started */
	EXPECT(ERROR_BAD_STATE, doca_dpa_set_app(ext, &app));
	EXPECT(ERROR_IN_USE, doca_dev_close(other));
	EXPECT(ERROR_IN_USE, doca_dpa_stop(dpa));
	EXPECT(ERROR_IN_USE, doca_dpa_destroy(dpa));
	MUST(doca_dpa_get_dpa_handle(dpa, &handle));
	MUST(doca_dpa_get_dpa_handle(ext, &ext_handle));
	CHECK(handle != ext_handle);
	MUST(doca_dpa_get_app(ext, &found));
	CHECK(found == &app);
	/* They share memory and kernels. */
	MUST(doca_dpa_mem_alloc(ext, 16, &addr));
	EXPECT(SUCCESS, doca_dpa_memset(dpa, addr, 1, 16));
	on_dpa(ext, nothing, NULL);
	MUST(doca_dpa_stop(ext));
	EXPECT(ERROR_BAD_STATE, try_on_dpa(ext, nothing, NULL));
	MUST(doca_dpa_start(ext));
	MUST(doca_dpa_mem_free(dpa, addr));
	MUST(doca_dpa_destroy(ext));
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(other));
}

/* Threads, queues and notifications before and after their start. */

static void test_thread_states(void)
{
	struct doca_dpa *dpa = start_dpa(dev), *stopped, *other = start_dpa(dev);
	struct doca_dpa_thread *thread, *found;
	struct doca_dpa_completion *comp;
	struct doca_dpa_notification_completion *notify;
	doca_dpa_func_t *func = (doca_dpa_func_t *)(void *)call_thread, *got;
	uint64_t handle, arg;
	uint32_t id;

	MUST(doca_dpa_thread_create(dpa, &thread));
	MUST(doca_dpa_thread_get_func_arg(thread, &got, &arg));
	CHECK(got == NULL && arg == 0);
	EXPECT(ERROR_BAD_STATE, doca_dpa_thread_start(thread)); /* no function */
	EXPECT(ERROR_BAD_STATE, doca_dpa_thread_run(thread));
	EXPECT(ERROR_BAD_STATE, doca_dpa_thread_get_id(thread, &id));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_thread_set_func_arg(thread, (doca_dpa_func_t *)(void *)call_rpc, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_thread_set_func_arg(thread, (doca_dpa_func_t *)(void *)test_thread_states, 1));
	MUST(doca_dpa_thread_set_func_arg(thread, func, 7));
	MUST(doca_dpa_thread_get_func_arg(thread, &got, &arg));
	CHECK(got == func && arg == 7);
	/* A queue starts after its thread. */
	MUST(doca_dpa_completion_create(dpa, 1, &comp));
	MUST(doca_dpa_completion_get_thread(comp, &found));
	CHECK(found == NULL);
	MUST(doca_dpa_completion_set_thread(comp, thread));
	EXPECT(ERROR_BAD_STATE, doca_dpa_completion_start(comp));
	MUST(doca_dpa_notification_completion_create(dpa, thread, &notify));
	EXPECT(ERROR_BAD_STATE, doca_dpa_notification_completion_start(notify));
	EXPECT(ERROR_BAD_STATE, doca_dpa_notification_completion_get_dpa_handle(notify, &handle));
	MUST(doca_dpa_notification_completion_get_thread(notify, &found));
	CHECK(found == thread);
	MUST(doca_dpa_thread_start(thread));
	EXPECT(ERROR_BAD_STATE, doca_dpa_thread_start(thread));
	EXPECT(ERROR_BAD_STATE, doca_dpa_thread_set_func_arg(thread, func, 8));
	EXPECT(ERROR_BAD_STATE, doca_dpa_thread_run(thread)); /* nothing can wake it */
	MUST(doca_dpa_completion_start(comp));
	EXPECT(ERROR_BAD_STATE, doca_dpa_completion_start(comp));
	EXPECT(ERROR_BAD_STATE, doca_dpa_completion_set_thread(comp, thread));
	MUST(doca_dpa_completion_stop(comp));
	EXPECT(SUCCESS, doca_dpa_completion_stop(comp));
	EXPECT(ERROR_BAD_STATE, doca_dpa_thread_run(thread));
	MUST(doca_dpa_notification_completion_start(notify));
	EXPECT(ERROR_BAD_STATE, doca_dpa_notification_completion_start(notify));
	EXPECT(SUCCESS, doca_dpa_thread_run(thread));
	EXPECT(SUCCESS, doca_dpa_notification_completion_stop(notify));
	EXPECT(SUCCESS, doca_dpa_notification_completion_stop(notify));
	EXPECT(SUCCESS, doca_dpa_notification_completion_destroy(notify));
	EXPECT(SUCCESS, doca_dpa_completion_destroy(comp));
	/* Contexts do not mix. */
	MUST(doca_dpa_completion_create(other, 1, &comp));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_completion_set_thread(comp, thread));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_notification_completion_create(other, thread, &notify));
	MUST(doca_dpa_completion_destroy(comp));
	MUST(doca_dpa_thread_destroy(thread)); /* while it runs */
	/* In a context that is not started, objects can be made but not started. */
	MUST(doca_dpa_create(dev, &stopped));
	MUST(doca_dpa_set_app(stopped, &app));
	MUST(doca_dpa_thread_create(stopped, &thread));
	MUST(doca_dpa_thread_set_func_arg(thread, func, 7));
	EXPECT(ERROR_BAD_STATE, doca_dpa_thread_start(thread));
	MUST(doca_dpa_completion_create(stopped, 1, &comp));
	EXPECT(ERROR_BAD_STATE, doca_dpa_completion_start(comp));
	MUST(doca_dpa_completion_destroy(comp));
	MUST(doca_dpa_thread_destroy(thread));
	MUST(doca_dpa_destroy(stopped));
	MUST(doca_dpa_destroy(other));
	MUST(doca_dpa_destroy(dpa));
}

static void test_sizes(void)
{
	struct doca_dpa *dpa = start_dpa(dev);
	struct doca_dpa_completion *comp;
	struct doca_dpa_async_ops *ops;
	unsigned int size;
	uint64_t data;

	EXPECT(ERROR_INVALID_VALUE, doca_dpa_completion_create(dpa, 0, &comp));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_completion_create(dpa, UINT32_MAX, &comp));
	MUST(doca_dpa_completion_create(dpa, 1000, &comp));
	MUST(doca_dpa_completion_get_queue_size(comp, &size));
	CHECK(size == 1024);
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_async_ops_create(dpa, 0, 0, &ops));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_async_ops_create(dpa, 3, 0, &ops));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_async_ops_create(dpa, 4, 1 << 24, &ops));
	MUST(doca_dpa_async_ops_create(dpa, 4, (1 << 24) - 1, &ops));
	MUST(doca_dpa_async_ops_get_queue_size(ops, &size));
	MUST(doca_dpa_async_ops_get_user_data(ops, &data));
	CHECK(size == 4 && data == (1 << 24) - 1);
	MUST(doca_dpa_async_ops_attach(ops, comp));
	MUST(doca_dpa_async_ops_attach(ops, comp));
	EXPECT(SUCCESS, doca_dpa_async_ops_stop(ops));
	MUST(doca_dpa_async_ops_destroy(ops));
	MUST(doca_dpa_completion_destroy(comp));
	MUST(doca_dpa_destroy(dpa));
}

/* A context of another library uses the DPA from when it is told to. */
static void test_datapath(void)
{
	struct doca_dpa *dpa = start_dpa(dev), *other = start_dpa(dev);
	struct fixture *f = fixture_create(1);
	struct doca_dma *dma;
	struct doca_ctx *ctx;

	EXPECT(ERROR_BAD_STATE, doca_ctx_set_datapath_on_dpa(f->ctx, dpa)); /* it runs */
	MUST(doca_dma_create(dev, &dma));
	ctx = doca_dma_as_ctx(dma);
	EXPECT(ERROR_INVALID_VALUE, doca_ctx_set_datapath_on_dpa(NULL, dpa));
	EXPECT(ERROR_INVALID_VALUE, doca_ctx_set_datapath_on_dpa(ctx, NULL));
	MUST(doca_ctx_set_datapath_on_dpa(ctx, dpa));
	EXPECT(ERROR_IN_USE, doca_dpa_stop(dpa));
	MUST(doca_ctx_set_datapath_on_dpa(ctx, other));
	EXPECT(ERROR_IN_USE, doca_dpa_destroy(other));
	EXPECT(ERROR_NOT_SUPPORTED, doca_ctx_start(ctx)); /* there is no DMA on the DPA */
	EXPECT(SUCCESS, doca_ctx_stop(ctx));
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dma_destroy(dma));
	MUST(doca_dpa_destroy(other));
	fixture_destroy(f);
}

/* A lost device. */
static void test_lost_device(void)
{
	struct doca_dpa *dpa = start_dpa(dev), *more;
	struct fixture *f = fixture_create(1);
	struct copy copy = make_copy(f, 0);
	uint64_t addr;

	MUST(emu_fault_set("lose-device=1", NULL, 0));
	doca_task_submit(copy.task);
	drain_pe(f->pe);
	EXPECT(ERROR_DRIVER, doca_dpa_mem_alloc(dpa, 8, &addr));
	EXPECT(ERROR_DRIVER, try_on_dpa(dpa, nothing, NULL));
	EXPECT(ERROR_DRIVER, doca_dpa_create(dev, &more));
	EXPECT(SUCCESS, doca_dpa_destroy(dpa));
	emu_fault_clear();
	finish_copy(&copy);
	fixture_destroy(f);
	dpa = start_dpa(dev);
	on_dpa(dpa, nothing, NULL);
	MUST(doca_dpa_destroy(dpa));
}

/* Both sides have the DPA. Where a function is split, it is with RDMA. */
static void test_supported(void)
{
	struct doca_devinfo **list;
	uint32_t num;

	MUST(doca_devinfo_create_list(&list, &num));
	CHECK(num == 4);
	for (uint32_t i = 0; i < num; i++)
		EXPECT(SUCCESS, doca_dpa_cap_is_supported(list[i]));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_cap_is_supported(NULL));
	MUST(doca_devinfo_destroy_list(list));
}

/* Many contexts at once, each with its own memory. */
static void test_many(void)
{
	struct doca_dpa *dpas[32];

	for (int i = 0; i < 32; i++)
		dpas[i] = start_dpa(dev);
	for (int i = 0; i < 32; i++)
		on_dpa(dpas[i], nothing, NULL);
	for (int i = 0; i < 32; i++)
		MUST(doca_dpa_destroy(dpas[i]));
}

TEST_MAIN(begin, test_context, test_info, test_affinity, test_extend, test_thread_states, test_sizes, test_datapath,
	  test_lost_device, test_supported, test_many, finish)
