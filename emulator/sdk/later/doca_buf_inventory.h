/* SPDX-License-Identifier: Apache-2.0 */
/* What 3.2 has added to this header, as programs use it. Its prototype is a guess, so the bindings do not have it. */

/**
 * @brief Moves a buffer to another place of its memory map.
 *
 * The parameters are those of doca_buf_inventory_buf_get_by_args(). The real header has the two inline functions below
 * over this one, so libraries export this one alone.
 *
 * @param [in] buf the buffer; it must be in no list, and in no task that is in flight.
 * @param [in] addr where the region begins.
 * @param [in] len its length in bytes.
 * @param [in] data where the data begin, within the region.
 * @param [in] data_len their length in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the data are not within the region.
 * @since 3.2
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_args(struct doca_buf *buf, void *addr, size_t len, void *data,
						  size_t data_len);

/* Programs that call none of them get no warning about an experimental function. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/**
 * @brief Moves a buffer to another place of its memory map, which is filled with data.
 *
 * @param [in] buf the buffer; it must be in no list, and in no task that is in flight.
 * @param [in] data where region and data begin.
 * @param [in] data_len their length in bytes.
 * @return as doca_buf_inventory_buf_reuse_by_args().
 * @since 3.2
 */
static inline doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data, size_t data_len)
{
	return doca_buf_inventory_buf_reuse_by_args(buf, data, data_len, data, data_len);
}

/**
 * @brief Moves a buffer to another place of its memory map, which has no data.
 *
 * @param [in] buf the buffer; it must be in no list, and in no task that is in flight.
 * @param [in] addr where the region begins.
 * @param [in] len its length in bytes.
 * @return as doca_buf_inventory_buf_reuse_by_args().
 * @since 3.2
 */
static inline doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr, size_t len)
{
	return doca_buf_inventory_buf_reuse_by_args(buf, addr, len, addr, 0);
}

#pragma GCC diagnostic pop
