/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dev_later.h
 * @brief Functions that releases after 3.0 have added to doca_dev.h, and their samples use.
 *
 * `make sdk` makes the installed doca_dev.h include this file, so that C programs for a later 3.x build, too. It
 * is not part of the 3.0 API, from which the Go bindings are generated.
 */
#ifndef DOCA_DEV_LATER_H_
#define DOCA_DEV_LATER_H_

#include <doca_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DEV_LATER_H_ */
