/* SPDX-License-Identifier: Apache-2.0 */
/* What 3.2 has added to this header. */

/**
 * @brief Reads the memory key by which a device reaches a memory map, as verbs and code on a GPU or a DPA use it.
 *
 * @param [in] mmap the memory map, which is started.
 * @param [in] dev a device of the map.
 * @param [out] mkey the key.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the map is not started or does not have the device.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_mkey(const struct doca_mmap *mmap, const struct doca_dev *dev, uint32_t *mkey);

/**
 * @brief Sets the token that exports of a memory map through a device carry, in place of one that the library makes.
 *
 * Whoever has the token reaches the memory: take it from a strong source of random numbers, at full length, and write it to no log.
 *
 * @param [in] mmap the memory map; it must not be started.
 * @param [in] dev a device of the map.
 * @param [in] token the token.
 * @param [in] token_sz its length in bytes, at most that of doca_mmap_cap_get_max_export_access_token_size().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 * - DOCA_ERROR_NOT_FOUND: the map does not have the device.
 * - DOCA_ERROR_NOT_PERMITTED: the map is exported, or made from an export.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_export_access_token(struct doca_mmap *mmap, const struct doca_dev *dev, const uint8_t *token,
					       size_t token_sz);

/**
 * @brief Reads how long a token of doca_mmap_set_export_access_token() may be.
 *
 * @param [in] devinfo the device.
 * @param [out] max_sz the length in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_cap_get_max_export_access_token_size(const struct doca_devinfo *devinfo, size_t *max_sz);
