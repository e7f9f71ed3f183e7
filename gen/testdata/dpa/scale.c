/* The kernels of kernels.h. */
#include <string.h>

#include <doca_dpa_dev.h>
#include <dpaintrin.h>

#include "kernels.h"

#define NUMBERS(range) ((uint32_t *)(uintptr_t)(range).first)

uint64_t resets; /* another package has a variable of this name */

void call_reset(void); /* names that gen might take */
void collect_reset(void);

void call_reset(void)
{
	resets++;
}

void collect_reset(void)
{
	resets--;
}

int helper(const int *p)
{
	return *p + 1;
}

static uint32_t scaled(uint32_t number, uint32_t factor, enum scale_mode mode)
{
	uint64_t wide = (uint64_t)number * factor;

	return mode == SCALE_SATURATE && wide > UINT32_MAX ? UINT32_MAX : (uint32_t)wide;
}

__dpa_global__ void scale_numbers(struct scale_range range, uint32_t factor, enum scale_mode mode, int8_t delta)
{
	for (uint32_t i = 0; i < range.count; i++)
		NUMBERS(range)[i] = scaled(NUMBERS(range)[i], factor, mode) + (uint32_t)delta;
	__dpa_thread_memory_fence(__DPA_W, __DPA_W);
}

__dpa_global__ void on_wake(uint64_t arg)
{
	*(uint64_t *)(uintptr_t)arg += resets;
}

KERNEL reset(void)
{
	int one = 0;

	call_reset();
	collect_reset();
	resets += (uint64_t)helper(&one);
}

__dpa_global__ void drain(doca_dpa_dev_completion_t comp, doca_dpa_dev_uintptr_t to, struct scale_pair pair, _Bool all)
{
	char text[] = "/* not a comment */ // nor this";

	*(uint64_t *)(uintptr_t)to = comp + pair.tag + pair.value + all + strlen(text);
}

__dpa_rpc__ uint64_t sum_numbers(struct scale_range range)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < range.count; i++)
		sum += NUMBERS(range)[i];
	return sum;
}
