/* SPDX-License-Identifier: Apache-2.0 */
/* What 3.2 has added to this header. */

/**
 * @brief Reads the port of the uplink of a physical function; of other functions it is 1.
 *
 * @param [in] devinfo the device.
 * @param [out] ib_port the port.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver does not answer.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_uplink_ib_port(const struct doca_devinfo *devinfo, uint16_t *ib_port);

/**
 * @brief Reads the index that the kernel gives to the network interface of a device; of a physical function, to that of its uplink.
 *
 * @param [in] devinfo the device.
 * @param [out] iface_index the index.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_iface_index(const struct doca_devinfo *devinfo, uint32_t *iface_index);

/**
 * @brief Reads the PCI address of the function of a device for direct access to data.
 *
 * @param [in] devinfo the device.
 * @param [out] pci_addr_str the address with a NUL, DOCA_DEVINFO_PCI_ADDR_SIZE bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the operating system is not Linux.
 * - DOCA_ERROR_NOT_FOUND: the device has no such function.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_data_direct_pci_dev(struct doca_devinfo *devinfo, char *pci_addr_str);

/**
 * @brief Reads the index that the kernel gives to the network interface of a representor.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] iface_index the index.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *iface_index);

/**
 * @brief Reads the port of a representor.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] ib_port the port.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_ib_port(const struct doca_devinfo_rep *devinfo_rep, uint16_t *ib_port);

/**
 * @brief Tells which host a represented function belongs to.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] host_index the number of the host, 0 where there is one.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver does not answer.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_host_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *host_index);

/**
 * @brief Tells which physical function a represented function is, or belongs to.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] pf_index the number of the physical function.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver does not answer.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pf_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *pf_index);

/**
 * @brief Reads the index of a represented virtual function.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] vf_index the index.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver does not answer.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vf_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *vf_index);

/**
 * @brief Reads the number of a represented scalable function.
 *
 * doca_devinfo_get_sf_index() reads another one.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] sf_index the number that it was created with.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver does not answer.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_sf_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *sf_index);

/**
 * @brief Tells how many virtual functions a represented physical function may have.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] total_vfs the number.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: it is a virtual function, or was plugged in while the system ran.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_total_vfs(const struct doca_devinfo_rep *devinfo_rep, uint32_t *total_vfs);

/**
 * @brief Reads the lasting name of the physical function that a represented function is, or belongs to.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] pf_vuid the name with a NUL.
 * @param [in] size the size of pf_vuid in bytes, at least DOCA_DEVINFO_REP_VUID_SIZE.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or size is too small.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pf_vuid(struct doca_devinfo_rep *devinfo_rep, char *pf_vuid, uint32_t size);

/**
 * @brief Reads the PCI address of the function of a represented one for direct access to data.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] pci_addr_str the address with a NUL, DOCA_DEVINFO_PCI_ADDR_SIZE bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the operating system is not Linux.
 * - DOCA_ERROR_NOT_FOUND: the device has no such function.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_data_direct_pci_dev(struct doca_devinfo_rep *devinfo_rep, char *pci_addr_str);
