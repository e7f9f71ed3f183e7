/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Launches the kernels of two applications, each in a context of its own, through DOCA: arguments of all kinds arrive bit for
 * bit in DPA memory, and the results of RPCs come back.
 */

#include <limits.h>
#include <string.h>

#include <doca_dev.h>
#include <doca_dpa.h>
#include <doca_sync_event.h>

#include "../check.h"
#include "arguments.h"

extern struct doca_dpa_app *arguments_app;
extern struct doca_dpa_app *second_app;

extern doca_dpa_func_t integers, records, thread_ranks, nothing, sum, how_often, second_how_often;

struct context {
	struct doca_dpa *dpa;
	struct doca_sync_event *event; /* that ends of kernels set */
	uint64_t num_ends;
	doca_dpa_dev_uintptr_t memory;
};

#define MEMORY 4096

/* Launches a kernel and waits for its end. */
#define LAUNCH(ctx, threads, ...)                                                                                           \
	do {                                                                                                                \
		CHECK_OK(doca_dpa_kernel_launch_update_set((ctx)->dpa, NULL, 0, (ctx)->event, ++(ctx)->num_ends, threads,   \
							   __VA_ARGS__));                                                   \
		CHECK_OK(doca_sync_event_wait_gt((ctx)->event, (ctx)->num_ends - 1, UINT64_MAX));                           \
	} while (0)

static struct doca_dev *open_device(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t num;

	CHECK_OK(doca_devinfo_create_list(&list, &num));
	for (uint32_t i = 0; i < num && dev == NULL; i++) {
		if (doca_dpa_cap_is_supported(list[i]) == DOCA_SUCCESS)
			CHECK_OK(doca_dev_open(list[i], &dev));
	}
	CHECK_OK(doca_devinfo_destroy_list(list));
	return dev;
}

static void start(struct context *ctx, struct doca_dev *dev, struct doca_dpa_app *app)
{
	memset(ctx, 0, sizeof(*ctx));
	CHECK_OK(doca_dpa_create(dev, &ctx->dpa));
	CHECK_OK(doca_dpa_set_app(ctx->dpa, app));
	CHECK_OK(doca_dpa_start(ctx->dpa));
	CHECK_OK(doca_sync_event_create(&ctx->event));
	CHECK_OK(doca_sync_event_add_publisher_location_dpa(ctx->event, ctx->dpa));
	CHECK_OK(doca_sync_event_add_subscriber_location_cpu(ctx->event, dev));
	CHECK_OK(doca_sync_event_start(ctx->event));
	CHECK_OK(doca_dpa_mem_alloc(ctx->dpa, MEMORY, &ctx->memory));
	CHECK_OK(doca_dpa_memset(ctx->dpa, ctx->memory, 0, MEMORY));
}

static void end(struct context *ctx)
{
	CHECK_OK(doca_dpa_peek_at_last_error(ctx->dpa));
	CHECK_OK(doca_dpa_mem_free(ctx->dpa, ctx->memory));
	CHECK_OK(doca_sync_event_destroy(ctx->event));
	CHECK_OK(doca_dpa_destroy(ctx->dpa));
}

static void test_integers(struct context *ctx)
{
	struct integers got;

	LAUNCH(ctx, 1, integers, ctx->memory, (int8_t)-128, (uint8_t)255, (int16_t)-32768, (uint16_t)65535, INT32_MIN, UINT32_MAX,
	       INT64_MIN, UINT64_MAX, 'x', LONG_MIN, ULLONG_MAX - 1, true, false, MODE_LOW, MODE_HIGH, SMALL_ON);
	CHECK_OK(doca_dpa_d2h_memcpy(ctx->dpa, &got, ctx->memory, sizeof(got)));
	CHECK(got.i8 == -128 && got.u8 == 255);
	CHECK(got.i16 == -32768 && got.u16 == 65535);
	CHECK(got.i32 == INT32_MIN && got.u32 == UINT32_MAX);
	CHECK(got.i64 == INT64_MIN && got.u64 == UINT64_MAX);
	CHECK(got.c == 'x' && got.l == LONG_MIN && got.ull == ULLONG_MAX - 1);
	CHECK(got.yes && !got.no);
	CHECK(got.low == MODE_LOW && got.high == MODE_HIGH && got.small == SMALL_ON);
}

static struct large make_large(void)
{
	struct large large;

	memset(&large, 0, sizeof(large));
	for (int i = 0; i < 9; i++)
		large.list[i] = UINT64_C(0x0123456789abcdef) * (uint64_t)(i + 1);
	large.inner.a = 1;
	large.inner.b = 2;
	memcpy(large.inner.c, "abcd", 4);
	large.flag = true;
	return large;
}

static void test_records(struct context *ctx)
{
	struct one_byte one = {0xfe}, constant = {0x7f};
	struct registers registers = {UINT64_MAX - 5, 77, {1, 2, 3, 4}};
	struct packed packed = {9, 0xdeadbeef, UINT64_C(0x1122334455667788)};
	struct large large = make_large();
	struct aligned aligned = {UINT64_C(0xfedcba9876543210)};
	union either either;
	struct records got;

	memcpy(either.bytes, "twelve bytes", 12);
	LAUNCH(ctx, 1, records, one, registers, packed, ctx->memory, large, either, aligned, constant);
	CHECK_OK(doca_dpa_d2h_memcpy(ctx->dpa, &got, ctx->memory, sizeof(got)));
	CHECK(memcmp(&got.one, &one, sizeof(one)) == 0);
	CHECK(memcmp(&got.registers, &registers, sizeof(registers)) == 0);
	CHECK(memcmp(&got.packed, &packed, sizeof(packed)) == 0);
	CHECK(memcmp(&got.large, &large, sizeof(large)) == 0);
	CHECK(memcmp(&got.either, &either, sizeof(either)) == 0);
	CHECK(got.aligned.value == aligned.value);
	CHECK(got.constant.value == constant.value);
}

static void test_threads(struct context *ctx)
{
	uint32_t counts[MOST_THREADS];

	CHECK_OK(doca_dpa_memset(ctx->dpa, ctx->memory, 0, MEMORY));
	LAUNCH(ctx, MOST_THREADS, thread_ranks, ctx->memory); /* the kernel takes it as a pointer */
	LAUNCH(ctx, 1, thread_ranks, ctx->memory);
	CHECK_OK(doca_dpa_d2h_memcpy(ctx->dpa, counts, ctx->memory, sizeof(counts)));
	CHECK(counts[0] == MOST_THREADS + 1);
	for (int i = 1; i < MOST_THREADS; i++)
		CHECK(counts[i] == MOST_THREADS);
}

static uint64_t rpc_how_often(struct context *ctx)
{
	uint64_t result = 0;

	CHECK_OK(doca_dpa_rpc(ctx->dpa, how_often, &result));
	return result;
}

static void test_results(struct context *ctx, struct context *second)
{
	struct packed packed = {0, 10, 1000};
	struct large large = make_large();
	uint64_t result = 0;

	CHECK_OK(doca_dpa_rpc(ctx->dpa, sum, &result, large, (int8_t)-3, packed));
	CHECK(result == 1 + 2 + 1 - 3 + 10 + 1000 + UINT64_C(0x0123456789abcdef) * 45);
	CHECK(rpc_how_often(ctx) == 101);
	CHECK(rpc_how_often(ctx) == 102);
	CHECK_OK(doca_dpa_rpc(second->dpa, second_how_often, &result, UINT64_C(1) << 63));
	CHECK(result == (UINT64_C(1) << 63) + 1010);
	LAUNCH(ctx, 3, nothing);
	CHECK(rpc_how_often(ctx) == 106);
	/* A function of the other application is none of this one's. */
	CHECK_CODE(doca_dpa_rpc(second->dpa, how_often, &result), DOCA_ERROR_INVALID_VALUE);
	CHECK_CODE(doca_dpa_kernel_launch_update_set(ctx->dpa, NULL, 0, NULL, 0, 1, second_how_often), DOCA_ERROR_INVALID_VALUE);
}

int main(void)
{
	struct doca_dev *dev = open_device();
	struct context ctx, second;

	CHECK(dev != NULL);
	if (dev == NULL)
		return check_done("launch");
	start(&ctx, dev, arguments_app);
	start(&second, dev, second_app);
	test_integers(&ctx);
	test_records(&ctx);
	test_threads(&ctx);
	test_results(&ctx, &second);
	end(&second);
	end(&ctx);
	CHECK_OK(doca_dev_close(dev));
	return check_done("launch");
}
