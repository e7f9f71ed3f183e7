/* SPDX-License-Identifier: Apache-2.0 */

/* Kernels that write down their arguments. */

#include <doca_dpa_dev.h>
#include <dpaintrin.h>

#include "arguments.h"

#define KERNEL __dpa_global__ void
#define AT(type, addr) ((type *)(uintptr_t)(addr))

/* Both applications of the program have a function, and a variable, of these names. */
uint64_t calls = 100;

uint64_t helper(uint64_t n)
{
	return n + 1;
}

static uint64_t count(void)
{
	static uint64_t static_calls;

	static_calls = helper(static_calls);
	return static_calls + calls;
}

__dpa_global__ void integers(doca_dpa_dev_uintptr_t to, int8_t i8, uint8_t u8, int16_t i16, uint16_t u16, int32_t i32,
			     uint32_t u32, int64_t i64, const uint64_t u64, char c, long l, unsigned long long ull,
			     bool yes, bool no, enum mode low, enum mode high, enum small_mode small)
{
	struct integers *got = AT(struct integers, to);

	got->i8 = i8;
	got->u8 = u8;
	got->i16 = i16;
	got->u16 = u16;
	got->i32 = i32;
	got->u32 = u32;
	got->i64 = i64;
	got->u64 = u64;
	got->c = c;
	got->l = l;
	got->ull = ull;
	got->yes = yes;
	got->no = no;
	got->low = low;
	got->high = high;
	got->small = small;
	__dpa_thread_memory_fence(__DPA_W, __DPA_W);
}

KERNEL records(struct one_byte one, struct registers registers, struct packed packed, doca_dpa_dev_uintptr_t to,
	       struct large large, union either either, struct aligned aligned, constant_byte constant)
{
	struct records *got = AT(struct records, to);

	got->one = one;
	got->registers = registers;
	got->packed = packed;
	got->large = large;
	got->either = either;
	got->aligned = aligned;
	got->constant = constant;
}

/* Each thread of a launch counts at its rank. */
KERNEL thread_ranks(uint32_t *counts)
{
	__atomic_fetch_add(&counts[doca_dpa_dev_thread_rank()], doca_dpa_dev_num_threads(), __ATOMIC_RELAXED);
}

KERNEL nothing(void)
{
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

/* May be the function of a DPA thread. */
KERNEL woken(uint64_t arg)
{
	*AT(uint64_t, arg) += 1;
}

__dpa_rpc__ uint64_t sum(struct large large, int8_t less, struct packed packed)
{
	uint64_t total = large.inner.a + large.inner.b + (large.flag ? 1 : 0);

	for (int i = 0; i < 9; i++)
		total += large.list[i];
	return total + (uint64_t)less + packed.value + packed.more;
}

__dpa_rpc__ uint64_t how_often(void)
{
	return count();
}
