/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that releases after 3.0 have added to doca_dev.h. */
#include "emulator.h"

#include "emu_dev.h"
#include "emu_fault.h"
#include "later.h"

/* The kernel numbers its interfaces from 1, and knows none of the emulator's. */
#define IFACE_INDEX 4096

static uint32_t number_of(const struct emu_function *function)
{
	return (uint32_t)(function - emu_functions);
}

/* All devices of the emulator are physical functions. */
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo, enum doca_pci_func_type *pci_func_type)
{
	EMU_CALL("doca_devinfo_get_pci_func_type");
	if (devinfo == NULL || pci_func_type == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*pci_func_type = DOCA_PCI_FUNC_TYPE_PF;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index)
{
	EMU_CALL("doca_devinfo_get_sf_index");
	if (devinfo == NULL || sf_index == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_NOT_SUPPORTED;
}

/* Each function has an InfiniBand device of its own, whose first port is the uplink. */
doca_error_t doca_devinfo_get_uplink_ib_port(const struct doca_devinfo *devinfo, uint16_t *ib_port)
{
	EMU_CALL("doca_devinfo_get_uplink_ib_port");
	if (devinfo == NULL || ib_port == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*ib_port = 1;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_iface_index(const struct doca_devinfo *devinfo, uint32_t *iface_index)
{
	EMU_CALL("doca_devinfo_get_iface_index");
	if (devinfo == NULL || iface_index == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*iface_index = IFACE_INDEX + number_of(devinfo->function);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_data_direct_pci_dev(struct doca_devinfo *devinfo, char *pci_addr_str)
{
	EMU_CALL("doca_devinfo_get_data_direct_pci_dev");
	return devinfo == NULL || pci_addr_str == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_NOT_FOUND;
}

doca_error_t doca_devinfo_rep_get_iface_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *iface_index)
{
	EMU_CALL("doca_devinfo_rep_get_iface_index");
	if (devinfo_rep == NULL || iface_index == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*iface_index = IFACE_INDEX + EMU_NUM_FUNCTIONS + number_of(devinfo_rep->function);
	return DOCA_SUCCESS;
}

/* The InfiniBand device of a function on the DPU has a second port, for the representor. */
doca_error_t doca_devinfo_rep_get_ib_port(const struct doca_devinfo_rep *devinfo_rep, uint16_t *ib_port)
{
	EMU_CALL("doca_devinfo_rep_get_ib_port");
	if (devinfo_rep == NULL || ib_port == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*ib_port = 2;
	return DOCA_SUCCESS;
}

/* There is one host. */
doca_error_t doca_devinfo_rep_get_host_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *host_index)
{
	EMU_CALL("doca_devinfo_rep_get_host_index");
	if (devinfo_rep == NULL || host_index == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*host_index = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_pf_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *pf_index)
{
	EMU_CALL("doca_devinfo_rep_get_pf_index");
	if (devinfo_rep == NULL || pf_index == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*pf_index = devinfo_rep->function->port;
	return DOCA_SUCCESS;
}

/* All represented functions are physical, and have no virtual ones. */
doca_error_t doca_devinfo_rep_get_vf_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *vf_index)
{
	EMU_CALL("doca_devinfo_rep_get_vf_index");
	return devinfo_rep == NULL || vf_index == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_DRIVER;
}

doca_error_t doca_devinfo_rep_get_sf_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *sf_index)
{
	EMU_CALL("doca_devinfo_rep_get_sf_index");
	return devinfo_rep == NULL || sf_index == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_DRIVER;
}

doca_error_t doca_devinfo_rep_get_total_vfs(const struct doca_devinfo_rep *devinfo_rep, uint32_t *total_vfs)
{
	EMU_CALL("doca_devinfo_rep_get_total_vfs");
	if (devinfo_rep == NULL || total_vfs == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*total_vfs = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_pf_vuid(struct doca_devinfo_rep *devinfo_rep, char *pf_vuid, uint32_t size)
{
	EMU_CALL("doca_devinfo_rep_get_pf_vuid");
	return doca_devinfo_rep_get_vuid(devinfo_rep, pf_vuid, size);
}

doca_error_t doca_devinfo_rep_get_data_direct_pci_dev(struct doca_devinfo_rep *devinfo_rep, char *pci_addr_str)
{
	EMU_CALL("doca_devinfo_rep_get_data_direct_pci_dev");
	return devinfo_rep == NULL || pci_addr_str == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_NOT_FOUND;
}
