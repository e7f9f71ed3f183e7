/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_dev.h>

#include "emu_ctx.h"
#include "emu_dev.h"
#include "emu_fault.h"
#include "emu_pe.h"

static const struct emu_function functions[] = {
	{
		.side = EMU_SIDE_DPU,
		.port = 0,
		.pci_addr = "0000:03:00.0",
		.ibdev_name = "mlx5_0",
		.iface_name = "p0",
		.vuid = "MT0000X00000ECMLNXS0D0F0",
		.vhca_id = 0,
		.mac = {0x02, 0x0d, 0x0c, 0x0a, 0x00, 0x00},
		.ipv4 = {10, 0, 0, 2},
	},
	{
		.side = EMU_SIDE_DPU,
		.port = 1,
		.pci_addr = "0000:03:00.1",
		.ibdev_name = "mlx5_1",
		.iface_name = "p1",
		.vuid = "MT0000X00000ECMLNXS0D0F1",
		.vhca_id = 1,
		.mac = {0x02, 0x0d, 0x0c, 0x0a, 0x00, 0x01},
		.ipv4 = {10, 0, 1, 2},
	},
	{
		.side = EMU_SIDE_HOST,
		.port = 0,
		.pci_addr = "0000:b1:00.0",
		.ibdev_name = "mlx5_2",
		.iface_name = "enp177s0f0np0",
		.rep_iface_name = "pf0hpf",
		.vuid = "MT0000X00000MLNXS0D0F0",
		.vhca_id = 2,
		.mac = {0x02, 0x0d, 0x0c, 0x0a, 0x01, 0x00},
		.ipv4 = {10, 0, 0, 1},
	},
	{
		.side = EMU_SIDE_HOST,
		.port = 1,
		.pci_addr = "0000:b1:00.1",
		.ibdev_name = "mlx5_3",
		.iface_name = "enp177s0f1np1",
		.rep_iface_name = "pf1hpf",
		.vuid = "MT0000X00000MLNXS0D0F1",
		.vhca_id = 3,
		.mac = {0x02, 0x0d, 0x0c, 0x0a, 0x01, 0x01},
		.ipv4 = {10, 0, 1, 1},
	},
};

#define NUM_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static struct doca_dev devices[NUM_FUNCTIONS] = {
	{.info.function = &functions[0]},
	{.info.function = &functions[1]},
	{.info.function = &functions[2]},
	{.info.function = &functions[3]},
};

/* Guards devices[], but for the lost flags, and the engine pointers of contexts. */
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;

const struct emu_function *emu_function_peer(const struct emu_function *function)
{
	for (size_t i = 0; i < NUM_FUNCTIONS; i++) {
		if (functions[i].side != function->side && functions[i].port == function->port)
			return &functions[i];
	}
	return NULL;
}

/* Which functions DOCA_EMU_SIDE lets this process see. */
static bool visible(const struct emu_function *function, const char *side)
{
	if (side == NULL || side[0] == '\0')
		return true;
	return strcmp(side, function->side == EMU_SIDE_DPU ? "dpu" : "host") == 0;
}

doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
	EMU_CALL("doca_devinfo_create_list");
	const char *side = getenv("DOCA_EMU_SIDE");
	struct doca_devinfo **list;
	struct doca_devinfo *infos;
	uint32_t count = 0;

	if (dev_list == NULL || nb_devs == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	/* One block: the pointers, a NULL that ends them, and what they point to. */
	list = calloc(1, (NUM_FUNCTIONS + 1) * sizeof(*list) + NUM_FUNCTIONS * sizeof(*infos));
	if (list == NULL)
		return DOCA_ERROR_NO_MEMORY;
	infos = (struct doca_devinfo *)(void *)(list + NUM_FUNCTIONS + 1);
	for (size_t i = 0; i < NUM_FUNCTIONS; i++) {
		if (!visible(&functions[i], side))
			continue;
		infos[count].function = &functions[i];
		list[count] = &infos[count];
		count++;
	}
	if (count == 0) {
		fprintf(stderr, "DOCA emulator: DOCA_EMU_SIDE must be host or dpu, not \"%s\": no devices\n",
			side);
		free(list);
		return DOCA_ERROR_NOT_FOUND;
	}
	*dev_list = list;
	*nb_devs = count;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list)
{
	EMU_CALL("doca_devinfo_destroy_list");
	if (dev_list == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	free(dev_list);
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
	EMU_CALL("doca_dev_open");
	struct doca_dev *found;

	if (devinfo == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	found = &devices[devinfo->function - functions];
	if (emu_dev_is_lost(found))
		return DOCA_ERROR_NOT_CONNECTED;
	pthread_mutex_lock(&registry_lock);
	found->refcount++;
	pthread_mutex_unlock(&registry_lock);
	*dev = found;
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
	EMU_CALL("doca_dev_close");
	doca_error_t result = DOCA_SUCCESS;

	if (dev == NULL) /* programs close what they never opened */
		return DOCA_SUCCESS;
	pthread_mutex_lock(&registry_lock);
	if (dev->refcount == 0)
		result = DOCA_ERROR_INVALID_VALUE;
	else if (dev->refcount == 1 && dev->num_contexts != 0)
		result = DOCA_ERROR_IN_USE;
	else
		dev->refcount--;
	pthread_mutex_unlock(&registry_lock);
	return result;
}

void emu_dev_add_ctx(struct doca_ctx *ctx)
{
	struct doca_dev *dev = ctx->dev;

	if (dev == NULL)
		return;
	pthread_mutex_lock(&registry_lock);
	ctx->dev_prev = NULL;
	ctx->dev_next = dev->contexts;
	if (dev->contexts != NULL)
		dev->contexts->dev_prev = ctx;
	dev->contexts = ctx;
	dev->num_contexts++;
	pthread_mutex_unlock(&registry_lock);
}

void emu_dev_remove_ctx(struct doca_ctx *ctx)
{
	struct doca_dev *dev = ctx->dev;

	if (dev == NULL)
		return;
	pthread_mutex_lock(&registry_lock);
	if (ctx->dev_prev != NULL)
		ctx->dev_prev->dev_next = ctx->dev_next;
	else
		dev->contexts = ctx->dev_next;
	if (ctx->dev_next != NULL)
		ctx->dev_next->dev_prev = ctx->dev_prev;
	dev->num_contexts--;
	pthread_mutex_unlock(&registry_lock);
}

/* emu_dev_lose reads the engine on other threads. */
void emu_dev_set_ctx_pe(struct doca_ctx *ctx, struct doca_pe *pe)
{
	pthread_mutex_lock(&registry_lock);
	ctx->pe = pe;
	pthread_mutex_unlock(&registry_lock);
}

void emu_dev_lose(struct doca_dev *dev)
{
	if (dev == NULL)
		return;
	pthread_mutex_lock(&registry_lock);
	__atomic_store_n(&dev->lost, 1, __ATOMIC_RELEASE);
	for (struct doca_ctx *ctx = dev->contexts; ctx != NULL; ctx = ctx->dev_next) {
		if (ctx->pe != NULL)
			emu_pe_signal(ctx->pe);
	}
	pthread_mutex_unlock(&registry_lock);
}

void emu_dev_revive_all(void)
{
	for (size_t i = 0; i < NUM_FUNCTIONS; i++)
		__atomic_store_n(&devices[i].lost, 0, __ATOMIC_RELEASE);
}
