/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TEST_DPA_CALL_H_
#define EMULATOR_TEST_DPA_CALL_H_

/*
 * Functions of the test that run as code on the DPA. The application is written by hand, as dpacc writes one. It has a
 * function of each kind, which calls a function of the test.
 */

#include <string.h>

#include <doca_dpa.h>

#include "dpacore/emu_dpa_app.h"
#include "dpacore/emu_dpa_dev_ops.h"
#include "fixture.h"
#include "process.h"

/* What device code calls: doca_dpa_dev_x is device->x. */
static const struct emu_dpa_dev_ops *device;

struct job {
	void (*run)(void *arg);
	void *arg;
};

static void run_job(uint64_t addr)
{
	const struct job *job = (const struct job *)(uintptr_t)addr;

	job->run(job->arg);
}

static void call_thread(uint64_t addr)
{
	run_job(addr);
}

static void call_kernel(uint64_t addr)
{
	run_job(addr);
}

static uint64_t call_rpc(uint64_t addr)
{
	run_job(addr);
	return 1;
}

struct one_number {
	uint64_t number;
};

static void collect_number(void *args, va_list *ap)
{
	((struct one_number *)args)->number = va_arg(*ap, uint64_t);
}

static uint64_t call_with_number(const void *args)
{
	run_job(((const struct one_number *)args)->number);
	return 1;
}

static const struct emu_dpa_func funcs[] = {
	{.name = "call_thread", .func = (doca_dpa_func_t *)(void *)call_thread, .is_thread = 1,
	 .args_size = sizeof(struct one_number), .collect = collect_number, .call = call_with_number},
	{.name = "call_kernel", .func = (doca_dpa_func_t *)(void *)call_kernel, .args_size = sizeof(struct one_number),
	 .collect = collect_number, .call = call_with_number},
	{.name = "call_rpc", .func = (doca_dpa_func_t *)(void *)call_rpc, .is_rpc = 1,
	 .args_size = sizeof(struct one_number), .collect = collect_number, .call = call_with_number},
};

static struct doca_dpa_app app = {
	.abi = EMU_DPA_APP_ABI,
	.num_funcs = sizeof(funcs) / sizeof(funcs[0]),
	.name = "test",
	.funcs = funcs,
	.ops = &device,
};

static inline struct doca_dpa *start_dpa(struct doca_dev *dev)
{
	struct doca_dpa *dpa;

	MUST(doca_dpa_create(dev, &dpa));
	MUST(doca_dpa_set_app(dpa, &app));
	MUST(doca_dpa_start(dpa));
	return dpa;
}

/* Runs a function as an RPC, and waits for its end. */
static inline doca_error_t try_on_dpa(struct doca_dpa *dpa, void (*run)(void *arg), void *arg)
{
	struct job job = {run, arg};
	uint64_t result = 0;

	return doca_dpa_rpc(dpa, (doca_dpa_func_t *)(void *)call_rpc, &result, (uint64_t)(uintptr_t)&job);
}

static inline void on_dpa(struct doca_dpa *dpa, void (*run)(void *arg), void *arg)
{
	MUST(try_on_dpa(dpa, run, arg));
}

/* Launches it as a kernel. The job stays the caller's. */
static inline void launch_on_dpa(struct doca_dpa *dpa, struct job *job)
{
	MUST(doca_dpa_kernel_launch_update_set(dpa, NULL, 0, NULL, 0, 1, (doca_dpa_func_t *)(void *)call_kernel,
					       (uint64_t)(uintptr_t)job));
}

/* A function that is a mistake ends, and its context has failed. */
#define IS_FATAL(dpa, run, arg)                                                                                        \
	do {                                                                                                           \
		CHECK(try_on_dpa(dpa, run, arg) != DOCA_SUCCESS);                                                      \
		EXPECT(ERROR_BAD_STATE, doca_dpa_peek_at_last_error(dpa));                                             \
	} while (0)

#define WAIT_UNTIL(condition)                                                                                          \
	do {                                                                                                           \
		uint64_t deadline_ = now_ms() + LONG_MS;                                                               \
		bool is_so_ = false;                                                                                   \
                                                                                                                       \
		while (!is_so_ && now_ms() < deadline_) {                                                              \
			is_so_ = (condition);                                                                          \
			if (!is_so_)                                                                                   \
				usleep(50);                                                                            \
		}                                                                                                      \
		CHECK(is_so_ && #condition);                                                                           \
	} while (0)

#endif /* EMULATOR_TEST_DPA_CALL_H_ */
