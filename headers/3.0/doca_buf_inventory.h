/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_buf_inventory.h
 * @brief The inventory: a fixed number of buffers that can be taken for any piece of memory of any
 * memory map, and go back when their last reference is dropped.
 *
 * An inventory belongs to one thread at a time.
 */
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_mmap;

/** @brief An inventory of buffers. */
struct doca_buf_inventory;

/**
 * @brief Creates an inventory of buffers.
 *
 * @param [in] num_elements Number of buffers, not 0.
 * @param [out] inventory The new inventory; to be destroyed with doca_buf_inventory_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL or num_elements is 0.
 * - DOCA_ERROR_NO_MEMORY: memory could not be allocated.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory);

/**
 * @brief Destroys an inventory of buffers, and stops it before if it is started.
 *
 * @param [in] inventory The inventory.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 * - DOCA_ERROR_IN_USE: buffers are still out.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * @brief Starts an inventory; to be done before buffers are taken from it. Starting a started
 * inventory is a success without any effect.
 *
 * @param [in] inventory The inventory.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * @brief Stops an inventory; allowed while buffers are out, and not needed before it is destroyed.
 * Stopping a stopped inventory is a success without any effect.
 *
 * @param [in] inventory The inventory.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * @brief Takes a buffer from an inventory, with a choice of the memory it covers and of the data
 * in it.
 *
 * The buffer has one reference and is not in a list.
 *
 * @note Release builds check nothing but the number of free elements: a range outside the map then
 * shows when a task fails.
 * @param [in] inventory The inventory; started.
 * @param [in] mmap The memory map; started or created from an export.
 * @param [in] addr Start of the memory that the buffer covers, within the map.
 * @param [in] len Length of the memory that the buffer covers, in bytes.
 * @param [in] data Start of the data, within the memory that the buffer covers.
 * @param [in] data_len Length of the data in bytes, up to the end of the memory that the buffer
 * covers.
 * @param [out] buf The buffer; to be returned with doca_buf_dec_refcount().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the memory is not within the map.
 * - DOCA_ERROR_NO_MEMORY: no element is free.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_get_by_args(
		struct doca_buf_inventory *inventory,
		struct doca_mmap *mmap,
		void *addr,
		size_t len,
		void *data,
		size_t data_len,
		struct doca_buf **buf);

/**
 * @brief Takes a buffer without data from an inventory: for a destination, or to receive into.
 *
 * The data starts at addr and is 0 bytes long.
 *
 * @param [in] inventory The inventory; started.
 * @param [in] mmap The memory map; started or created from an export.
 * @param [in] addr Start of the memory that the buffer covers, within the map.
 * @param [in] len Length of the memory that the buffer covers, in bytes.
 * @param [out] buf The buffer; to be returned with doca_buf_dec_refcount().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the memory is not within the map.
 * - DOCA_ERROR_NO_MEMORY: no element is free.
 */
static inline doca_error_t doca_buf_inventory_buf_get_by_addr(
		struct doca_buf_inventory *inventory,
		struct doca_mmap *mmap,
		void *addr,
		size_t len,
		struct doca_buf **buf)
{
	return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, addr, 0, buf);
}

/**
 * @brief Takes a buffer that is full of data from an inventory: for a source, or to send from.
 *
 * The buffer covers the data and nothing else.
 *
 * @param [in] inventory The inventory; started.
 * @param [in] mmap The memory map; started or created from an export.
 * @param [in] data Start of the data, within the map.
 * @param [in] data_len Length of the data in bytes.
 * @param [out] buf The buffer; to be returned with doca_buf_dec_refcount().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the memory is not within the map.
 * - DOCA_ERROR_NO_MEMORY: no element is free.
 */
static inline doca_error_t doca_buf_inventory_buf_get_by_data(
		struct doca_buf_inventory *inventory,
		struct doca_mmap *mmap,
		void *data,
		size_t data_len,
		struct doca_buf **buf)
{
	return doca_buf_inventory_buf_get_by_args(inventory, mmap, data, data_len, data,
						  data_len, buf);
}

/**
 * @brief Takes buffers from an inventory that describe the same memory and data as another buffer;
 * for the head of a list, as the whole list.
 *
 * The descriptors are copied, not the bytes.
 *
 * @param [in] inventory The inventory; started. The copy takes as many of its elements as the list
 * has.
 * @param [in] src_buf The buffer to copy, not in a list or its head. Its map must be started.
 * @param [out] dst_buf The copy, or the head of the copied list; to be returned with
 * doca_buf_dec_refcount().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the inventory of the copy or of src_buf, or the memory map of src_buf,
 *   is not started.
 * - DOCA_ERROR_NOT_PERMITTED: src_buf is in a list and not its head.
 * - DOCA_ERROR_NO_MEMORY: not enough elements are free.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_dup(
		struct doca_buf_inventory *inventory,
		const struct doca_buf *src_buf,
		struct doca_buf **dst_buf);

/**
 * @brief Sets the user data of an inventory.
 *
 * @param [in] inventory The inventory; not started.
 * @param [in] user_data The data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 * - DOCA_ERROR_BAD_STATE: the inventory is started.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_set_user_data(
		struct doca_buf_inventory *inventory,
		union doca_data user_data);

/**
 * @brief Returns how many buffers an inventory has, free or not.
 *
 * @param [in] inventory The inventory.
 * @param [out] num_of_elements Number of buffers.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_elements(
		const struct doca_buf_inventory *inventory,
		uint32_t *num_of_elements);

/**
 * @brief Returns how many buffers can still be taken from an inventory.
 *
 * @param [in] inventory The inventory.
 * @param [out] num_of_free_elements Number of free buffers.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_free_elements(
		const struct doca_buf_inventory *inventory,
		uint32_t *num_of_free_elements);

/**
 * @brief Returns the user data of an inventory.
 *
 * @param [in] inventory The inventory.
 * @param [out] user_data The data; 0 when none was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_user_data(
		const struct doca_buf_inventory *inventory,
		union doca_data *user_data);

/**
 * @brief Adds buffers to an inventory that is in use.
 *
 * @param [in] inventory The inventory; started.
 * @param [in] num_elements Number of buffers to add.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL or num_elements is 0.
 * - DOCA_ERROR_BAD_STATE: the inventory is not started.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_INVENTORY_H_ */
