/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dev.h
 * @brief Devices and their representors: how to find and open them.
 *
 * A device is a PCI function of a DPU or NIC that this machine sees. A representor, on the DPU,
 * stands for a function that the host sees. A list of infos describes the devices or representors,
 * and a program opens one by its info. The program may destroy the list once it has opened the
 * device.
 */
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <stdint.h>

#include <doca_types.h>
#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Size in bytes of a buffer for the VUID of a device, including the terminating NUL. */
#define DOCA_DEVINFO_VUID_SIZE 128

/** @brief Size in bytes of an IPv4 address. */
#define DOCA_DEVINFO_IPV4_ADDR_SIZE 4

/** @brief Size in bytes of an IPv6 address. */
#define DOCA_DEVINFO_IPV6_ADDR_SIZE 16

/** @brief Size in bytes of a MAC address. */
#define DOCA_DEVINFO_MAC_ADDR_SIZE 6

/**
 * @brief Size in bytes of a buffer for the name of a network interface, including the terminating
 * NUL.
 */
#define DOCA_DEVINFO_IFACE_NAME_SIZE 256

/**
 * @brief Size in bytes of a buffer for the name of an InfiniBand device, including the terminating
 * NUL.
 */
#define DOCA_DEVINFO_IBDEV_NAME_SIZE 64

/**
 * @brief Size in bytes of a buffer for the PCI address of a device, "dddd:bb:dd.f", including the
 * terminating NUL.
 */
#define DOCA_DEVINFO_PCI_ADDR_SIZE 13

/**
 * @brief Size in bytes of a buffer for the PCI address of a device without its domain, "bb:dd.f",
 * including the terminating NUL.
 */
#define DOCA_DEVINFO_PCI_BDF_SIZE 8

/**
 * @brief Size in bytes of a buffer for the VUID of a representor, including the terminating NUL.
 */
#define DOCA_DEVINFO_REP_VUID_SIZE 128

/**
 * @brief Size in bytes of a buffer for the PCI address of a representor, "dddd:bb:dd.f", including
 * the terminating NUL.
 */
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE 13

/**
 * @brief Size in bytes of a buffer for the PCI address of a representor without its domain,
 * "bb:dd.f", including the terminating NUL.
 */
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE 8

/**
 * @brief The info of a device, which is available without opening it. It is an element of a list
 * of devices.
 */
struct doca_devinfo;

/**
 * @brief The info of a representor, which is available without opening it. It is an element of a
 * list of representors.
 */
struct doca_devinfo_rep;

/** @brief An open device. */
struct doca_dev;

/** @brief An open representor. */
struct doca_dev_rep;

/** @brief Which representors a list contains. */
enum doca_devinfo_rep_filter {
	DOCA_DEVINFO_REP_FILTER_ALL = 0, /**< All representors. */
	DOCA_DEVINFO_REP_FILTER_NET = 2, /**< Representors of network functions. */
	DOCA_DEVINFO_REP_FILTER_EMULATED = 4, /**< Representors of emulated functions. */
};

/**
 * @brief Lists the devices of this machine, which are its RDMA-capable functions.
 *
 * Several elements can have the same PCI address and differ in their capabilities. A program that
 * looks for an address should also check the capability that it needs.
 *
 * @param [out] dev_list Array of nb_devs elements. The library owns it. Release it with
 * doca_devinfo_destroy_list(). Unchanged on failure.
 * @param [out] nb_devs Number of elements. Unchanged on failure.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dev_list or nb_devs is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_NOT_FOUND: the machine has no RDMA-capable device. The call never returns an empty
 *   list.
 */
DOCA_STABLE
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/**
 * @brief Destroys a list of devices and all its elements. Devices that were opened from it stay
 * open.
 *
 * @param [in] dev_list The array from doca_devinfo_create_list().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dev_list is NULL.
 * - DOCA_ERROR_IN_USE: an element of the list is corrupt.
 */
DOCA_STABLE
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/**
 * @brief Lists the representors of a device of the DPU.
 *
 * @param [in] dev The open device.
 * @param [in] filter Which representors to list: a value of enum doca_devinfo_rep_filter.
 * @param [out] dev_list_rep Array of nb_devs_rep elements. The library owns it. Release it with
 * doca_devinfo_rep_destroy_list().
 * @param [out] nb_devs_rep Number of elements.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or filter is not a value of the enumeration.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_DRIVER: the driver cannot list the representors.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no representors, as is the case on the host, or does
 *   not support the filter.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_create_list(
		struct doca_dev *dev,
		int filter,
		struct doca_devinfo_rep ***dev_list_rep,
		uint32_t *nb_devs_rep);

/**
 * @brief Destroys a list of representors and all its elements. Representors that were opened from
 * it stay open.
 *
 * @param [in] dev_list_rep The array from doca_devinfo_rep_create_list().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dev_list_rep is NULL.
 * - DOCA_ERROR_IN_USE: an element of the list is corrupt.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/**
 * @brief Opens a device, or adds a reference to it if it is already open.
 *
 * Opening the same device again returns the same object. Each successful call needs its own
 * doca_dev_close().
 *
 * @param [in] devinfo The device to open: an element of a list of devices.
 * @param [out] dev The open device.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo or dev is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_NOT_CONNECTED: the device is not reachable.
 * - DOCA_ERROR_INITIALIZATION: too many devices are open, or the library cannot initialise the
 *   device.
 * - DOCA_ERROR_NOT_SUPPORTED: the device was opened through the RDMA bridge.
 */
DOCA_STABLE
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * @brief Closes a device: drops one reference, and closes the device with the last one.
 *
 * @param [in] dev The device. NULL is allowed and has no effect.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_IN_USE: an object that was created on the device still exists.
 */
DOCA_STABLE
doca_error_t doca_dev_close(struct doca_dev *dev);

/**
 * @brief Makes a device reclaim the resources of destroyed objects sooner than it otherwise would.
 *
 * @param [in] dev The device. doca_devinfo_cap_is_accelerate_resource_reclaim_supported() reports
 * whether it supports the call.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dev is NULL.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 * - DOCA_ERROR_AGAIN: the device is temporarily unable to do so. Repeat the call.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support the call.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/**
 * @brief Opens a representor.
 *
 * @param [in] devinfo The representor to open: an element of a list of representors.
 * @param [out] dev_rep The open representor. Close it with doca_dev_rep_close().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: devinfo or dev_rep is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_STABLE
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);

/**
 * @brief Closes a representor.
 *
 * @param [in] dev The representor.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: dev is NULL.
 * - DOCA_ERROR_IN_USE: an object that was created on the representor still exists.
 */
DOCA_STABLE
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

/**
 * @brief Returns the info of an open device.
 *
 * @param [in] dev The device.
 * @return The info, which is valid until the device is closed and which the caller must not
 * release. NULL if dev is invalid.
 */
DOCA_STABLE
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

/**
 * @brief Returns the info of an open representor.
 *
 * @param [in] dev_rep The representor.
 * @return The info, which is valid until the representor is closed and which the caller must not
 * release. NULL if dev_rep is invalid.
 */
DOCA_STABLE
struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/**
 * @brief Copies the PCI address of a device as a string: "dddd:bb:dd.f" in lower-case hexadecimal.
 *
 * @param [in] devinfo The device.
 * @param [out] pci_addr_str Buffer of at least DOCA_DEVINFO_PCI_ADDR_SIZE bytes that receives the
 * address, NUL-terminated.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_OPERATING_SYSTEM: the operating system did not provide the address.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);

/**
 * @brief Reports whether a device has the given PCI address.
 *
 * @param [in] devinfo The device.
 * @param [in] pci_addr_str The address, NUL-terminated: "dddd:bb:dd.f", or "bb:dd.f" for domain
 * 0000.
 * @param [out] is_equal 1 if the device has the address, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or pci_addr_str has neither form.
 * - DOCA_ERROR_OPERATING_SYSTEM: the operating system did not provide the address of the device.
 */
DOCA_STABLE
doca_error_t doca_devinfo_is_equal_pci_addr(
		const struct doca_devinfo *devinfo,
		const char *pci_addr_str,
		uint8_t *is_equal);

/**
 * @brief Copies the IPv4 address of a device.
 *
 * @param [in] devinfo The device.
 * @param [out] ipv4_addr Buffer that receives the address: DOCA_DEVINFO_IPV4_ADDR_SIZE bytes in
 * network byte order.
 * @param [in] size Size of ipv4_addr in bytes, at least DOCA_DEVINFO_IPV4_ADDR_SIZE.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small.
 * - DOCA_ERROR_NOT_FOUND: the device has no IPv4 address (since 3.0).
 * - DOCA_ERROR_OPERATING_SYSTEM: the operating system did not provide the address.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv4_addr(
		const struct doca_devinfo *devinfo,
		uint8_t *ipv4_addr,
		uint32_t size);

/**
 * @brief Copies the IPv6 address of a device.
 *
 * @param [in] devinfo The device.
 * @param [out] ipv6_addr Buffer that receives the address: DOCA_DEVINFO_IPV6_ADDR_SIZE bytes in
 * network byte order.
 * @param [in] size Size of ipv6_addr in bytes, at least DOCA_DEVINFO_IPV6_ADDR_SIZE.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the operating system did not provide the address.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv6_addr(
		const struct doca_devinfo *devinfo,
		uint8_t *ipv6_addr,
		uint32_t size);

/**
 * @brief Copies the MAC address of a device.
 *
 * @param [in] devinfo The device.
 * @param [out] mac_addr Buffer that receives the address: DOCA_DEVINFO_MAC_ADDR_SIZE bytes.
 * @param [in] size Size of mac_addr in bytes, at least DOCA_DEVINFO_MAC_ADDR_SIZE.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small.
 * - DOCA_ERROR_NOT_SUPPORTED: the link of the device is not Ethernet (RoCE).
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_mac_addr(
		const struct doca_devinfo *devinfo,
		uint8_t *mac_addr,
		uint32_t size);

/**
 * @brief Copies the name of the network interface of a device, such as "p0".
 *
 * @param [in] devinfo The device.
 * @param [out] iface_name Buffer that receives the name, NUL-terminated.
 * @param [in] size Size of iface_name in bytes, at least DOCA_DEVINFO_IFACE_NAME_SIZE.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the operating system did not provide the name.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_iface_name(
		const struct doca_devinfo *devinfo,
		char *iface_name,
		uint32_t size);

/**
 * @brief Copies the InfiniBand name of a device, such as "mlx5_0".
 *
 * @param [in] devinfo The device.
 * @param [out] ibdev_name Buffer that receives the name, NUL-terminated.
 * @param [in] size Size of ibdev_name in bytes, at least DOCA_DEVINFO_IBDEV_NAME_SIZE.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ibdev_name(
		const struct doca_devinfo *devinfo,
		char *ibdev_name,
		uint32_t size);

/**
 * @brief Returns the local identifier (LID) of the InfiniBand port of a device.
 *
 * @param [in] devinfo The device.
 * @param [out] lid The LID, in the byte order of the host.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the link of the device is not InfiniBand.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/**
 * @brief Returns the current rate of the link of a device.
 *
 * @param [in] devinfo The device.
 * @param [out] active_rate The rate in bits per second.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_active_rate(
		const struct doca_devinfo *devinfo,
		uint64_t *active_rate);

/**
 * @brief Returns the ID of the virtual HCA (VHCA) of a device.
 *
 * @param [in] devinfo The device.
 * @param [out] vhca_id The ID.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id);

/**
 * @brief Reports whether a device supports the hotplug of emulated devices.
 *
 * @param [in] devinfo The device.
 * @param [out] is_hotplug_manager 1 if it does, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 */
DOCA_STABLE
doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(
		const struct doca_devinfo *devinfo,
		uint8_t *is_hotplug_manager);

/**
 * @brief Reports whether a device supports notification moderation: one notification for several
 * completions.
 *
 * @param [in] devinfo The device.
 * @param [out] is_notification_moderation_supported 1 if it does, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
		const struct doca_devinfo *devinfo,
		uint8_t *is_notification_moderation_supported);

/**
 * @brief Reports whether a device can list its representors with DOCA_DEVINFO_REP_FILTER_ALL.
 *
 * @param [in] devinfo The device.
 * @param [out] filter_all_supported 1 if it can. If 0, doca_devinfo_rep_create_list() with this
 * filter returns DOCA_ERROR_NOT_SUPPORTED.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no representors, as is the case on the host.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(
		const struct doca_devinfo *devinfo,
		uint8_t *filter_all_supported);

/**
 * @brief Reports whether a device can list its representors with DOCA_DEVINFO_REP_FILTER_NET.
 *
 * @param [in] devinfo The device.
 * @param [out] filter_net_supported 1 if it can. If 0, doca_devinfo_rep_create_list() with this
 * filter returns DOCA_ERROR_NOT_SUPPORTED.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no representors, as is the case on the host.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(
		const struct doca_devinfo *devinfo,
		uint8_t *filter_net_supported);

/**
 * @brief Reports whether a device can list its representors with DOCA_DEVINFO_REP_FILTER_EMULATED.
 *
 * @param [in] devinfo The device.
 * @param [out] filter_emulated_supported 1 if it can. If 0, doca_devinfo_rep_create_list() with
 * this filter returns DOCA_ERROR_NOT_SUPPORTED.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no representors, as is the case on the host.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(
		const struct doca_devinfo *devinfo,
		uint8_t *filter_emulated_supported);

/**
 * @brief Reports whether a device supports doca_dev_accelerate_resource_reclaim().
 *
 * @param [in] devinfo The device.
 * @param [out] is_accelerate_resource_reclaim 1 if it does, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_cap_is_accelerate_resource_reclaim_supported(
		const struct doca_devinfo *devinfo,
		uint8_t *is_accelerate_resource_reclaim);

/**
 * @brief Copies the VUID of a representor: a string that identifies the function of the
 * representor.
 *
 * @param [in] devinfo_rep The representor.
 * @param [out] rep_vuid Buffer that receives the VUID, NUL-terminated.
 * @param [in] size Size of rep_vuid in bytes, at least DOCA_DEVINFO_REP_VUID_SIZE.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_vuid(
		const struct doca_devinfo_rep *devinfo_rep,
		char *rep_vuid,
		uint32_t size);

/**
 * @brief Copies the PCI address of the function of a representor, as the host sees it:
 * "dddd:bb:dd.f" in lower-case hexadecimal.
 *
 * @param [in] devinfo_rep The representor.
 * @param [out] pci_addr_str Buffer of at least DOCA_DEVINFO_REP_PCI_ADDR_SIZE bytes that receives
 * the address, NUL-terminated.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_UNEXPECTED: the address is not available.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_addr_str(
		const struct doca_devinfo_rep *devinfo_rep,
		char *pci_addr_str);

/**
 * @brief Returns the type of the PCI function of a representor.
 *
 * @param [in] devinfo_rep The representor.
 * @param [out] pci_func_type The type.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_func_type(
		const struct doca_devinfo_rep *devinfo_rep,
		enum doca_pci_func_type *pci_func_type);

/**
 * @brief Reports whether the function of a representor was hotplugged.
 *
 * @param [in] devinfo_rep The representor.
 * @param [out] is_hotplug 1 if it was, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_is_hotplug(
		const struct doca_devinfo_rep *devinfo_rep,
		uint8_t *is_hotplug);

/**
 * @brief Copies the name of the network interface of a representor.
 *
 * @param [in] devinfo_rep The representor.
 * @param [out] iface_name Buffer that receives the name, NUL-terminated.
 * @param [in] size Size of iface_name in bytes, at least DOCA_DEVINFO_IFACE_NAME_SIZE.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the operating system did not provide the name.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_name(
		const struct doca_devinfo_rep *devinfo_rep,
		char *iface_name,
		uint32_t size);

/**
 * @brief Returns the ID of the virtual HCA (VHCA) of a representor.
 *
 * @param [in] devinfo_rep The representor.
 * @param [out] vhca_id The ID.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vhca_id(
		const struct doca_devinfo_rep *devinfo_rep,
		uint16_t *vhca_id);

/**
 * @brief Reports whether the function of a representor has the given PCI address, as the host sees
 * it.
 *
 * @param [in] devinfo_rep The representor.
 * @param [in] pci_addr_str The address, NUL-terminated: "dddd:bb:dd.f", or "bb:dd.f" for domain
 * 0000.
 * @param [out] is_equal 1 if the function has the address, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or pci_addr_str has neither form.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_UNEXPECTED: the address of the function is not available.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_is_equal_pci_addr(
		const struct doca_devinfo_rep *devinfo_rep,
		const char *pci_addr_str,
		uint8_t *is_equal);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DEV_H_ */
