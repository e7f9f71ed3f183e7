/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>

#include <doca_dev.h>

#include "emu_ctx.h"
#include "emu_dev.h"
#include "emu_fault.h"
#include "emu_notify.h"

const struct emu_function emu_functions[EMU_NUM_FUNCTIONS] = {
	{
		.side = EMU_SIDE_DPU,
		.port = 0,
		.pci_addr = "0000:03:00.0",
		.ibdev_name = "mlx5_0",
		.iface_name = "p0",
		.comch_ibdev_name = "mlx5_4",
		.comch_iface_name = "p0s0",
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
		.comch_ibdev_name = "mlx5_5",
		.comch_iface_name = "p1s0",
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
		.comch_ibdev_name = "mlx5_6",
		.comch_iface_name = "enp177s0f0s0",
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
		.comch_ibdev_name = "mlx5_7",
		.comch_iface_name = "enp177s0f1s0",
		.rep_iface_name = "pf1hpf",
		.vuid = "MT0000X00000MLNXS0D0F1",
		.vhca_id = 3,
		.mac = {0x02, 0x0d, 0x0c, 0x0a, 0x01, 0x01},
		.ipv4 = {10, 0, 1, 1},
	},
};

/* The second half is for the entries for Comch. */
#define NUM_DEVICES (2 * EMU_NUM_FUNCTIONS)

static struct doca_dev devices[NUM_DEVICES];

/* Guards devices[], except the lost flags, and the engine pointers of contexts. */
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;

const struct emu_function *emu_function_peer(const struct emu_function *function)
{
	for (size_t i = 0; i < EMU_NUM_FUNCTIONS; i++) {
		if (emu_functions[i].side != function->side && emu_functions[i].port == function->port)
			return &emu_functions[i];
	}
	return NULL;
}

doca_error_t emu_dev_open(const struct doca_devinfo *info, struct doca_dev **dev)
{
	struct doca_dev *found =
		&devices[info->function - emu_functions + (info->part == EMU_PART_COMCH ? EMU_NUM_FUNCTIONS : 0)];

	if (emu_dev_is_lost(found))
		return DOCA_ERROR_NOT_CONNECTED;
	pthread_mutex_lock(&registry_lock);
	if (found->refcount == 0)
		found->info = *info;
	found->refcount++;
	pthread_mutex_unlock(&registry_lock);
	*dev = found;
	return DOCA_SUCCESS;
}

doca_error_t emu_dev_close(struct doca_dev *dev)
{
	doca_error_t result = DOCA_SUCCESS;

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

/* Needs the lock because emu_dev_lose reads the engine on other threads. */
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

static void revive(struct doca_dev *dev)
{
	for (size_t i = 0; i < NUM_DEVICES; i++) {
		if (dev == NULL || dev == &devices[i])
			__atomic_store_n(&devices[i].lost, 0, __ATOMIC_RELEASE);
	}
}

static const char *find(const char *pci_addr)
{
	for (size_t i = 0; i < EMU_NUM_FUNCTIONS; i++) {
		const char *addr = emu_functions[i].pci_addr;

		if (strcasecmp(pci_addr, addr) == 0 || strcasecmp(pci_addr, addr + strlen("0000:")) == 0)
			return addr;
	}
	return NULL;
}

static __attribute__((constructor(1000))) void tell_faults(void)
{
	static const struct emu_fault_devices known = {.revive = revive, .find = find};

	emu_fault_set_devices(&known);
}
