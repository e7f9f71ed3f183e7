/* In the style of DOCA 2.2, for tests. */
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <stdbool.h>

#include "doca_compat.h"
#include "doca_error.h"
#include "doca_types.h"

#define DOCA_DEVINFO_PCI_ADDR_SIZE 13
#define DOCA_DEVINFO_IBDEV_NAME_SIZE 64

struct doca_dev;
struct doca_devinfo;

DOCA_STABLE
doca_error_t doca_devinfo_list_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs);
DOCA_STABLE
doca_error_t doca_devinfo_list_destroy(struct doca_devinfo **dev_list);
DOCA_STABLE
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo, struct doca_pci_bdf *pci_addr);
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);
DOCA_STABLE
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name, uint32_t size);
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_is_hotplug_manager_supported(const struct doca_devinfo *devinfo, bool *supported);

#endif
