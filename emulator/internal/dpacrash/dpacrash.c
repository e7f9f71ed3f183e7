/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <stdint.h>

#include <doca_dev.h>
#include <doca_dpa.h>

#include "dpacore/emu_dpa_app.h"
#include "dpacore/emu_dpa_dev_ops.h"

#include "dpacrash.h"

#define UNCHECKED __attribute__((no_sanitize_address, noinline))

static const struct emu_dpa_dev_ops *device;
static volatile uintptr_t nowhere = 8;

static UNCHECKED uint64_t fall(volatile uint8_t *from)
{
	volatile uint8_t frame[1024];

	frame[0] = from == NULL ? 1 : (uint8_t)(from[0] + 1);
	return nowhere == 0 ? 0 : fall(frame) + frame[0];
}

static UNCHECKED uint64_t misbehave(int fault)
{
	uint64_t element;

	switch (fault) {
	case DPACRASH_NULL:
		*(volatile uint32_t *)nowhere = 1;
		break;
	case DPACRASH_TRAP:
		__builtin_trap();
	case DPACRASH_OVERFLOW:
		return fall(NULL);
	case DPACRASH_HANG:
		for (;;)
			__asm__ volatile("");
	case DPACRASH_HANDLE:
		return (uint64_t)device->get_completion(1, &element);
	}
	return 0;
}

static void collect(void *args, va_list *ap)
{
	*(int *)args = va_arg(*ap, int);
}

static uint64_t call(const void *args)
{
	return misbehave(*(const int *)args);
}

static const struct emu_dpa_func funcs[] = {
	{.name = "misbehave", .func = (doca_dpa_func_t *)(void *)misbehave, .is_rpc = 1, .args_size = sizeof(int),
	 .collect = collect, .call = call},
};

static struct doca_dpa_app app = {
	.abi = EMU_DPA_APP_ABI, .num_funcs = 1, .name = "dpacrash", .funcs = funcs, .ops = &device};

static struct doca_dev *open_any(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t num;

	if (doca_devinfo_create_list(&list, &num) != DOCA_SUCCESS)
		return NULL;
	doca_dev_open(list[0], &dev);
	doca_devinfo_destroy_list(list);
	return dev;
}

struct dpacrash_result dpacrash_run(int fault)
{
	struct dpacrash_result result = {.call = DOCA_ERROR_UNKNOWN};
	struct doca_dev *dev = open_any();
	struct doca_dpa *dpa;
	uint64_t value;

	if (dev == NULL || doca_dpa_create(dev, &dpa) != DOCA_SUCCESS)
		return result;
	doca_dpa_set_app(dpa, &app);
	if (doca_dpa_start(dpa) == DOCA_SUCCESS)
		result.call = (int)doca_dpa_rpc(dpa, (doca_dpa_func_t *)(void *)misbehave, &value, fault);
	result.peek = (int)doca_dpa_peek_at_last_error(dpa);
	result.destroy = (int)doca_dpa_destroy(dpa);
	doca_dev_close(dev);
	return result;
}

UNCHECKED void dpacrash_on_host(void)
{
	*(volatile uint32_t *)nowhere = 1;
}
