/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_dev.h>

#include "emu_dev.h"
#include "emu_fault.h"

#define ACTIVE_RATE_BPS UINT64_C(200000000000)

/* The list of devices, and opening. */

/* True if DOCA_EMU_SIDE lets this process see the function. */
static bool visible(const struct emu_function *function, const char *side)
{
	if (side == NULL || side[0] == '\0')
		return true;
	return strcmp(side, function->side == EMU_SIDE_DPU ? "dpu" : "host") == 0;
}

/* True if DOCA_EMU_SPLIT_DEVICES asks for it. */
static bool is_split(void)
{
	const char *text = getenv("DOCA_EMU_SPLIT_DEVICES");

	return text != NULL && strcmp(text, "1") == 0;
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
	/* One block: the pointers, a NULL that ends them, and the devinfos. */
	list = calloc(1, (2 * EMU_NUM_FUNCTIONS + 1) * sizeof(*list) + 2 * EMU_NUM_FUNCTIONS * sizeof(*infos));
	if (list == NULL)
		return DOCA_ERROR_NO_MEMORY;
	infos = (struct doca_devinfo *)(void *)(list + 2 * EMU_NUM_FUNCTIONS + 1);
	for (size_t i = 0; i < EMU_NUM_FUNCTIONS; i++) {
		enum emu_part part = is_split() ? EMU_PART_RDMA : EMU_PART_ALL;
		enum emu_part last = is_split() ? EMU_PART_COMCH : EMU_PART_ALL;

		if (!visible(&emu_functions[i], side))
			continue;
		for (; part <= last; part++) {
			infos[count] = (struct doca_devinfo){.function = &emu_functions[i], .part = part};
			list[count] = &infos[count];
			count++;
		}
	}
	if (count == 0) {
		fprintf(stderr, "DOCA emulator: DOCA_EMU_SIDE must be host or dpu, not \"%s\"; there are no devices\n",
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
	if (devinfo == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_dev_open(devinfo, dev);
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
	EMU_CALL("doca_dev_close");
	if (dev == NULL) /* programs close devices that they never opened */
		return DOCA_SUCCESS;
	return emu_dev_close(dev);
}

struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev)
{
	return dev == NULL ? NULL : (struct doca_devinfo *)(uintptr_t)&dev->info;
}

struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep)
{
	return dev_rep == NULL ? NULL : &dev_rep->info;
}

/* Properties. */

/* Copies a string into a buffer, which must have at least the size that the API specifies. */
static doca_error_t copy_name(char *buf, uint32_t size, uint32_t min_size, const char *name)
{
	if (buf == NULL || size < min_size)
		return DOCA_ERROR_INVALID_VALUE;
	strcpy(buf, name); /* all names are shorter than min_size */
	return DOCA_SUCCESS;
}

/* True if text is "bb:dd.f" in hexadecimal digits. */
static bool is_bdf(const char *text)
{
	static const char form[] = "xx:xx.x";

	for (size_t i = 0; i < sizeof(form); i++) {
		if (form[i] == 'x' ? !isxdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
	}
	return true;
}

static doca_error_t equal_pci_addr(const struct emu_function *function, const char *text,
				   uint8_t *is_equal)
{
	static const char domain[] = "0000:";
	const char *addr = function->pci_addr;
	size_t len = strlen(text);

	if (len == DOCA_DEVINFO_PCI_BDF_SIZE - 1 && is_bdf(text)) {
		addr += sizeof(domain) - 1; /* all functions are in domain 0 */
	} else {
		if (len != DOCA_DEVINFO_PCI_ADDR_SIZE - 1 || text[4] != ':' ||
		    !is_bdf(text + sizeof(domain) - 1))
			return DOCA_ERROR_INVALID_VALUE;
		for (size_t i = 0; i < 4; i++) {
			if (!isxdigit((unsigned char)text[i]))
				return DOCA_ERROR_INVALID_VALUE;
		}
	}
	*is_equal = strcasecmp(text, addr) == 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str)
{
	EMU_CALL("doca_devinfo_get_pci_addr_str");
	if (devinfo == NULL || pci_addr_str == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	strcpy(pci_addr_str, devinfo->function->pci_addr);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
					    const char *pci_addr_str, uint8_t *is_equal)
{
	EMU_CALL("doca_devinfo_is_equal_pci_addr");
	if (devinfo == NULL || pci_addr_str == NULL || is_equal == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return equal_pci_addr(devinfo->function, pci_addr_str, is_equal);
}

doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
					uint32_t size)
{
	EMU_CALL("doca_devinfo_get_ipv4_addr");
	if (devinfo == NULL || ipv4_addr == NULL || size < DOCA_DEVINFO_IPV4_ADDR_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(ipv4_addr, devinfo->function->ipv4, DOCA_DEVINFO_IPV4_ADDR_SIZE);
	return DOCA_SUCCESS;
}

/* The link-local address is derived from the MAC address (EUI-64). */
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
					uint32_t size)
{
	EMU_CALL("doca_devinfo_get_ipv6_addr");
	if (devinfo == NULL || ipv6_addr == NULL || size < DOCA_DEVINFO_IPV6_ADDR_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	const uint8_t *mac = devinfo->function->mac;
	const uint8_t addr[DOCA_DEVINFO_IPV6_ADDR_SIZE] = {
		0xfe, 0x80, 0, 0, 0, 0, 0, 0,
		mac[0] ^ 0x02, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5],
	};

	memcpy(ipv6_addr, addr, sizeof(addr));
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
				       uint32_t size)
{
	EMU_CALL("doca_devinfo_get_mac_addr");
	if (devinfo == NULL || mac_addr == NULL || size < DOCA_DEVINFO_MAC_ADDR_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(mac_addr, devinfo->function->mac, DOCA_DEVINFO_MAC_ADDR_SIZE);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
					 uint32_t size)
{
	EMU_CALL("doca_devinfo_get_iface_name");
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return copy_name(iface_name, size, DOCA_DEVINFO_IFACE_NAME_SIZE,
			 devinfo->part == EMU_PART_COMCH ? devinfo->function->comch_iface_name :
							   devinfo->function->iface_name);
}

doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
					 uint32_t size)
{
	EMU_CALL("doca_devinfo_get_ibdev_name");
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return copy_name(ibdev_name, size, DOCA_DEVINFO_IBDEV_NAME_SIZE,
			 devinfo->part == EMU_PART_COMCH ? devinfo->function->comch_ibdev_name :
							   devinfo->function->ibdev_name);
}

/* Only InfiniBand has LIDs, and all links are Ethernet. */
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid)
{
	EMU_CALL("doca_devinfo_get_lid");
	if (devinfo == NULL || lid == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo, uint64_t *active_rate)
{
	EMU_CALL("doca_devinfo_get_active_rate");
	if (devinfo == NULL || active_rate == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*active_rate = ACTIVE_RATE_BPS;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id)
{
	EMU_CALL("doca_devinfo_get_vhca_id");
	if (devinfo == NULL || vhca_id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*vhca_id = devinfo->function->vhca_id;
	return DOCA_SUCCESS;
}

/* Capabilities that no emulated device has. */
static doca_error_t absent(const struct doca_devinfo *devinfo, uint8_t *supported)
{
	if (devinfo == NULL || supported == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*supported = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
							   uint8_t *is_hotplug_manager)
{
	EMU_CALL("doca_devinfo_cap_is_hotplug_manager_supported");
	return absent(devinfo, is_hotplug_manager);
}

doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
		const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported)
{
	EMU_CALL("doca_devinfo_cap_is_notification_moderation_supported");
	return absent(devinfo, is_notification_moderation_supported);
}

doca_error_t doca_devinfo_cap_is_accelerate_resource_reclaim_supported(
		const struct doca_devinfo *devinfo, uint8_t *is_accelerate_resource_reclaim)
{
	EMU_CALL("doca_devinfo_cap_is_accelerate_resource_reclaim_supported");
	return absent(devinfo, is_accelerate_resource_reclaim);
}

doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev)
{
	EMU_CALL("doca_dev_accelerate_resource_reclaim");
	return dev == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_NOT_SUPPORTED;
}

/* Representors. */

/* Tells whether a filter finds representors of a device. NOT_SUPPORTED: the device is on the host, which has
 * none. */
static doca_error_t filter_cap(const struct doca_devinfo *devinfo, uint8_t *supported, uint8_t answer)
{
	if (devinfo == NULL || supported == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (devinfo->function->side == EMU_SIDE_HOST)
		return DOCA_ERROR_NOT_SUPPORTED;
	*supported = answer;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
							  uint8_t *filter_all_supported)
{
	EMU_CALL("doca_devinfo_rep_cap_is_filter_all_supported");
	return filter_cap(devinfo, filter_all_supported, 1);
}

doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
							  uint8_t *filter_net_supported)
{
	EMU_CALL("doca_devinfo_rep_cap_is_filter_net_supported");
	return filter_cap(devinfo, filter_net_supported, 1);
}

doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
							       uint8_t *filter_emulated_supported)
{
	EMU_CALL("doca_devinfo_rep_cap_is_filter_emulated_supported");
	return filter_cap(devinfo, filter_emulated_supported, 0);
}

doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep)
{
	EMU_CALL("doca_devinfo_rep_create_list");
	struct doca_devinfo_rep **list;

	if (dev == NULL || dev_list_rep == NULL || nb_devs_rep == NULL ||
	    (filter != DOCA_DEVINFO_REP_FILTER_ALL && filter != DOCA_DEVINFO_REP_FILTER_NET &&
	     filter != DOCA_DEVINFO_REP_FILTER_EMULATED))
		return DOCA_ERROR_INVALID_VALUE;
	if (dev->info.function->side == EMU_SIDE_HOST || filter == DOCA_DEVINFO_REP_FILTER_EMULATED)
		return DOCA_ERROR_NOT_SUPPORTED;
	/* One block: the pointer, a NULL that ends the list, and the only representor. */
	list = calloc(1, 2 * sizeof(*list) + sizeof(**list));
	if (list == NULL)
		return DOCA_ERROR_NO_MEMORY;
	list[0] = (struct doca_devinfo_rep *)(void *)(list + 2);
	list[0]->function = emu_function_peer(dev->info.function);
	list[0]->dev = dev;
	*dev_list_rep = list;
	*nb_devs_rep = 1;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep)
{
	EMU_CALL("doca_devinfo_rep_destroy_list");
	if (dev_list_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	free(dev_list_rep);
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep)
{
	EMU_CALL("doca_dev_rep_open");
	struct doca_dev_rep *rep;

	if (devinfo == NULL || dev_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	rep = malloc(sizeof(*rep));
	if (rep == NULL)
		return DOCA_ERROR_NO_MEMORY;
	rep->info = *devinfo;
	rep->num_servers = 0;
	*dev_rep = rep;
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev)
{
	EMU_CALL("doca_dev_rep_close");
	if (dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (__atomic_load_n(&dev->num_servers, __ATOMIC_ACQUIRE) != 0)
		return DOCA_ERROR_IN_USE;
	free(dev);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
				       uint32_t size)
{
	EMU_CALL("doca_devinfo_rep_get_vuid");
	if (devinfo_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return copy_name(rep_vuid, size, DOCA_DEVINFO_REP_VUID_SIZE, devinfo_rep->function->vuid);
}

doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
					       char *pci_addr_str)
{
	EMU_CALL("doca_devinfo_rep_get_pci_addr_str");
	if (devinfo_rep == NULL || pci_addr_str == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	strcpy(pci_addr_str, devinfo_rep->function->pci_addr);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
						const char *pci_addr_str, uint8_t *is_equal)
{
	EMU_CALL("doca_devinfo_rep_is_equal_pci_addr");
	if (devinfo_rep == NULL || pci_addr_str == NULL || is_equal == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return equal_pci_addr(devinfo_rep->function, pci_addr_str, is_equal);
}

doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
						enum doca_pci_func_type *pci_func_type)
{
	EMU_CALL("doca_devinfo_rep_get_pci_func_type");
	if (devinfo_rep == NULL || pci_func_type == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*pci_func_type = DOCA_PCI_FUNC_TYPE_PF;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
					     uint8_t *is_hotplug)
{
	EMU_CALL("doca_devinfo_rep_get_is_hotplug");
	if (devinfo_rep == NULL || is_hotplug == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*is_hotplug = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
					     char *iface_name, uint32_t size)
{
	EMU_CALL("doca_devinfo_rep_get_iface_name");
	if (devinfo_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return copy_name(iface_name, size, DOCA_DEVINFO_IFACE_NAME_SIZE,
			 devinfo_rep->function->rep_iface_name);
}

doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
					  uint16_t *vhca_id)
{
	EMU_CALL("doca_devinfo_rep_get_vhca_id");
	if (devinfo_rep == NULL || vhca_id == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*vhca_id = devinfo_rep->function->vhca_id;
	return DOCA_SUCCESS;
}
