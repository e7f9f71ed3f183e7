/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_DEV_H_
#define EMU_DEV_H_

/*
 * Devices: one emulated BlueField with two ports. Each port has a function on the DPU side and one on the host
 * side, and the DPU side sees the host's function through a representor.
 *
 * Devices are in static memory, and opening one twice gives the same device. So memory maps and contexts may keep a
 * pointer to a device that was closed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_dev.h>

#include "emulator.h"

struct doca_ctx;
struct doca_pe;

enum emu_side {
	EMU_SIDE_DPU,
	EMU_SIDE_HOST,
};

#define EMU_NUM_PORTS 2
#define EMU_NUM_FUNCTIONS (2 * EMU_NUM_PORTS)

/* The properties of one PCI function. */
struct emu_function {
	enum emu_side side;
	uint32_t port;
	const char *pci_addr;
	const char *ibdev_name;
	const char *iface_name;
	const char *rep_iface_name; /* host functions: the representor on the DPU */
	const char *comch_ibdev_name; /* of the entry for Comch, if the function is split */
	const char *comch_iface_name;
	const char *vuid;
	uint16_t vhca_id;
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];
	uint8_t ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE];
};

/* With DOCA_EMU_SPLIT_DEVICES a function has two entries in the list of devices, which share its PCI address: one without
 * Comch, and one without RDMA. */
enum emu_part {
	EMU_PART_ALL,
	EMU_PART_RDMA,
	EMU_PART_COMCH,
};

struct doca_devinfo {
	const struct emu_function *function;
	enum emu_part part;
};

/* The answer to whether a device supports RDMA or Comch. */
static inline doca_error_t emu_devinfo_supports(const struct doca_devinfo *devinfo, enum emu_part part)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return devinfo->part == EMU_PART_ALL || devinfo->part == part ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

struct doca_devinfo_rep {
	const struct emu_function *function; /* of the host */
	struct doca_dev *dev;                /* on the DPU */
};

struct doca_dev {
	struct doca_devinfo info;
	uint32_t refcount;
	uint8_t lost; /* accessed with atomics */
	uint32_t num_contexts;
	struct doca_ctx *contexts;
};

struct doca_dev_rep {
	struct doca_devinfo_rep info;
	uint32_t num_servers; /* of Comch, which prevent its close; accessed with atomics */
};

/* All functions of the BlueField. */
extern EMU_API const struct emu_function emu_functions[EMU_NUM_FUNCTIONS];

/* The other side's function of the same port. */
EMU_API const struct emu_function *emu_function_peer(const struct emu_function *function);

/* A context without a device (NULL) has none to lose. */
static inline bool emu_dev_is_lost(const struct doca_dev *dev)
{
	return dev != NULL && __atomic_load_n(&dev->lost, __ATOMIC_ACQUIRE) != 0;
}

/* Returns NOT_CONNECTED if the device is lost. */
EMU_LOCAL doca_error_t emu_dev_open(const struct doca_devinfo *info, struct doca_dev **dev);
/* Returns IN_USE if this is the last close and the device has contexts, INVALID_VALUE if the device is not open. */
EMU_LOCAL doca_error_t emu_dev_close(struct doca_dev *dev);

/* Loses the device. Its contexts, on any thread, stop when their engines next make progress. */
EMU_LOCAL void emu_dev_lose(struct doca_dev *dev);

/* The contexts of a device, which prevent its close. */
EMU_LOCAL void emu_dev_add_ctx(struct doca_ctx *ctx);
EMU_LOCAL void emu_dev_remove_ctx(struct doca_ctx *ctx);
EMU_LOCAL void emu_dev_set_ctx_pe(struct doca_ctx *ctx, struct doca_pe *pe);

#endif /* EMU_DEV_H_ */
