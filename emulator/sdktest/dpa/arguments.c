/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Two applications for the DPA in one program: each argument reaches the kernel as it was, bit for bit. The kernels are called
 * by the descriptions that dpacc makes of the applications, as the emulator does it.
 */

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "arguments.h"
#include "emu_dpa_app.h"
#include "emu_dpa_dev_ops.h"

extern struct doca_dpa_app *arguments_app;
extern struct doca_dpa_app *second_app;

extern doca_dpa_func_t integers, records, thread_ranks, nothing, woken, sum, how_often, second_how_often;

/* The names that the applications have for themselves may be the program's as well. */
static int calls = 7;

int helper(void);
int helper(void)
{
	return calls;
}

static const struct emu_dpa_func *find(const struct doca_dpa_app *app, doca_dpa_func_t *func)
{
	for (uint32_t i = 0; i < app->num_funcs; i++) {
		if (app->funcs[i].func == func)
			return &app->funcs[i];
	}
	return NULL;
}

static uint64_t call(const struct doca_dpa_app *app, doca_dpa_func_t *func, ...)
{
	const struct emu_dpa_func *f = find(app, func);
	uint64_t result;
	void *args;
	va_list ap;

	CHECK(f != NULL);
	if (f == NULL)
		return 0;
	args = f->args_size > 0 ? malloc(f->args_size) : NULL; /* what is written behind it, a sanitizer sees */
	va_start(ap, func);
	f->collect(args, &ap);
	va_end(ap);
	result = f->call(args);
	free(args);
	return result;
}

static uint64_t addr(void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void test_integers(void)
{
	struct integers got;

	memset(&got, 0x55, sizeof(got));
	call(arguments_app, integers, addr(&got), (int8_t)-128, (uint8_t)255, (int16_t)-32768, (uint16_t)65535, INT32_MIN,
	     UINT32_MAX, INT64_MIN, UINT64_MAX, 'x', LONG_MIN, ULLONG_MAX - 1, true, false, MODE_LOW, MODE_HIGH, SMALL_ON);
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

static void test_records(void)
{
	struct one_byte one = {0xfe}, constant = {0x7f};
	struct registers registers = {UINT64_MAX - 5, 77, {1, 2, 3, 4}};
	struct packed packed = {9, 0xdeadbeef, UINT64_C(0x1122334455667788)};
	struct large large = make_large();
	struct aligned aligned = {UINT64_C(0xfedcba9876543210)};
	union either either;
	struct records got;

	memset(&got, 0x55, sizeof(got));
	memcpy(either.bytes, "twelve bytes", 12);
	call(arguments_app, records, one, registers, packed, addr(&got), large, either, aligned, constant);
	CHECK(memcmp(&got.one, &one, sizeof(one)) == 0);
	CHECK(memcmp(&got.registers, &registers, sizeof(registers)) == 0);
	CHECK(memcmp(&got.packed, &packed, sizeof(packed)) == 0);
	CHECK(memcmp(&got.large, &large, sizeof(large)) == 0);
	CHECK(memcmp(&got.either, &either, sizeof(either)) == 0);
	CHECK(got.aligned.value == aligned.value);
	CHECK(got.constant.value == constant.value);
}

static void test_results(void)
{
	struct packed packed = {0, 10, 1000};
	struct large large = make_large();
	uint64_t want = 1 + 2 + 1 - 3 + 10 + 1000 + UINT64_C(0x0123456789abcdef) * 45;

	CHECK(call(arguments_app, sum, large, (int8_t)-3, packed) == want);
	/* Variables of the device keep their values, and each application has its own. */
	CHECK(call(arguments_app, how_often) == 101);
	CHECK(call(arguments_app, how_often) == 102);
	CHECK(call(second_app, second_how_often, (uint64_t)5) == 1015);
	CHECK(call(second_app, second_how_often, UINT64_C(1) << 63) == (UINT64_C(1) << 63) + 1020);
	call(arguments_app, nothing);
	CHECK(call(arguments_app, how_often) == 104);
	CHECK(calls == 7 && helper() == 7);
}

static unsigned int rank_of_one(void)
{
	return 3;
}

static unsigned int num_of_one(void)
{
	return 4;
}

/* The device library of each application calls by the pointer of that one. */
static void test_library(void)
{
	struct emu_dpa_dev_ops ops = {.thread_rank = rank_of_one, .num_threads = num_of_one};
	uint32_t counts[MOST_THREADS] = {0};

	*arguments_app->ops = &ops;
	call(arguments_app, thread_ranks, counts);
	CHECK(counts[3] == 4 && counts[0] == 0);
	CHECK(arguments_app->ops != second_app->ops && *second_app->ops == NULL);
	*arguments_app->ops = NULL;
}

static void test_descriptions(void)
{
	uint64_t woken_times = 0;

	CHECK(arguments_app->abi == EMU_DPA_APP_ABI && arguments_app->num_funcs == 7);
	CHECK(strcmp(arguments_app->name, "arguments_app") == 0);
	CHECK(strcmp(second_app->name, "second_app") == 0 && second_app->num_funcs == 1);
	CHECK(find(arguments_app, second_how_often) == NULL);
	for (uint32_t i = 0; i < arguments_app->num_funcs; i++) {
		const struct emu_dpa_func *f = &arguments_app->funcs[i];

		CHECK(f->is_rpc == (f->func == sum || f->func == how_often));
		CHECK(f->is_thread == (f->func == woken));
		CHECK((f->args_size == 0) == (f->func == nothing || f->func == how_often));
	}
	CHECK(strcmp(find(arguments_app, records)->name, "records") == 0);
	call(arguments_app, woken, addr(&woken_times));
	CHECK(woken_times == 1);
}

int main(void)
{
	test_integers();
	test_records();
	test_results();
	test_library();
	test_descriptions();
	return check_done("arguments");
}
