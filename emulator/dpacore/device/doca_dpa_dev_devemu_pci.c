/* SPDX-License-Identifier: Apache-2.0 */
/* Stubs: the emulator has no emulated PCI devices, and ends a kernel that calls one of these. */
#include <doca_dpa_dev_devemu_pci.h>

#include "emu_dpa_dev_library.h"

int doca_dpa_dev_devemu_pci_get_db_completion(doca_dpa_dev_devemu_pci_db_completion_t comp,
					      doca_dpa_dev_devemu_pci_db_completion_element_t *comp_element)
{
	return emu_dpa_dev_ops->devemu_pci_get_db_completion(comp, comp_element);
}

void doca_dpa_dev_devemu_pci_db_completion_ack(doca_dpa_dev_devemu_pci_db_completion_t comp, uint64_t num_comp)
{
	emu_dpa_dev_ops->devemu_pci_db_completion_ack(comp, num_comp);
}

void doca_dpa_dev_devemu_pci_db_completion_request_notification(doca_dpa_dev_devemu_pci_db_completion_t comp)
{
	emu_dpa_dev_ops->devemu_pci_db_completion_request_notification(comp);
}

int doca_dpa_dev_devemu_pci_db_completion_bind_db(doca_dpa_dev_devemu_pci_db_completion_t comp,
						  doca_dpa_dev_devemu_pci_db_t db)
{
	return emu_dpa_dev_ops->devemu_pci_db_completion_bind_db(comp, db);
}

int doca_dpa_dev_devemu_pci_db_completion_unbind_db(doca_dpa_dev_devemu_pci_db_completion_t comp,
						    doca_dpa_dev_devemu_pci_db_t db)
{
	return emu_dpa_dev_ops->devemu_pci_db_completion_unbind_db(comp, db);
}

void doca_dpa_dev_devemu_pci_db_completion_element_get_db_properties(doca_dpa_dev_devemu_pci_db_completion_t comp,
								     doca_dpa_dev_devemu_pci_db_completion_element_t comp_element,
								     doca_dpa_dev_devemu_pci_db_t *db,
								     doca_dpa_dev_uintptr_t *db_user_data)
{
	emu_dpa_dev_ops->devemu_pci_db_completion_element_get_db_properties(comp, comp_element, db, db_user_data);
}

void doca_dpa_dev_devemu_pci_db_request_notification(doca_dpa_dev_devemu_pci_db_t db)
{
	emu_dpa_dev_ops->devemu_pci_db_request_notification(db);
}

uint32_t doca_dpa_dev_devemu_pci_db_get_value(doca_dpa_dev_devemu_pci_db_t db)
{
	return emu_dpa_dev_ops->devemu_pci_db_get_value(db);
}

void doca_dpa_dev_devemu_pci_msix_raise(doca_dpa_dev_devemu_pci_msix_t msix)
{
	emu_dpa_dev_ops->devemu_pci_msix_raise(msix);
}

doca_dpa_dev_uintptr_t doca_dpa_dev_devemu_pci_msix_get_user_data(doca_dpa_dev_devemu_pci_msix_t msix)
{
	return emu_dpa_dev_ops->devemu_pci_msix_get_user_data(msix);
}
