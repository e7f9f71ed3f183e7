/* SPDX-License-Identifier: Apache-2.0 */
/* What 3.1 has added to this header. */

/**
 * @brief Tells what kind of PCI function a device is.
 *
 * @param [in] devinfo the device.
 * @param [out] pci_func_type the kind.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * @since 3.1
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo, enum doca_pci_func_type *pci_func_type);

/**
 * @brief Reads the index of a device that is a scalable function.
 *
 * @param [in] devinfo the device.
 * @param [out] sf_index the index.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is not a scalable function.
 * @since 3.1
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index);
