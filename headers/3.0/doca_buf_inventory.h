/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_buf_inventory.h
 * @brief The inventory: a number of buffers that a program takes for any memory of any memory map.
 * A buffer returns to the inventory when its last reference is dropped.
 *
 * Only one thread at a time may use an inventory.
 */
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <stddef.h>
#include <stdint.h>

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
 * @param [in] num_elements Number of buffers. It must not be 0.
 * @param [out] inventory The new inventory. Destroy it with doca_buf_inventory_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL, or num_elements is 0.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory);

/**
 * @brief Destroys an inventory of buffers, and stops it first if it is started.
 *
 * @param [in] inventory The inventory.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 * - DOCA_ERROR_IN_USE: a buffer has not been released.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/**
 * @brief Starts an inventory. The program can then take buffers from it.
 *
 * Starting a started inventory succeeds and has no effect.
 *
 * @param [in] inventory The inventory.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/**
 * @brief Stops an inventory.
 *
 * It is allowed while buffers have not been released, and is not needed before
 * doca_buf_inventory_destroy(). Stopping a stopped inventory succeeds and has no effect.
 *
 * @param [in] inventory The inventory.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/**
 * @brief Takes a buffer from an inventory, and sets the memory that it covers and the data in it.
 *
 * The buffer has one reference and is in no list.
 *
 * @note Release builds check only whether an element is free. A range outside the map then makes
 * the task fail that uses the buffer.
 * @param [in] inventory The inventory. It must be started.
 * @param [in] mmap The memory map. It must be started or created from an export.
 * @param [in] addr Start of the memory that the buffer covers, inside the map.
 * @param [in] len Length of the memory that the buffer covers, in bytes.
 * @param [in] data Start of the data, inside the memory that the buffer covers.
 * @param [in] data_len Length of the data in bytes. It must not exceed the memory that the buffer
 * covers.
 * @param [out] buf The buffer. Release it with doca_buf_dec_refcount().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the memory is not inside the map.
 * - DOCA_ERROR_NO_MEMORY: the inventory has no free buffer.
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
 * @brief Takes an empty buffer from an inventory, for use as a destination.
 *
 * The data starts at addr and is 0 bytes long. As a source, such a buffer sends nothing.
 *
 * @param [in] inventory The inventory. It must be started.
 * @param [in] mmap The memory map. It must be started or created from an export.
 * @param [in] addr Start of the memory that the buffer covers, inside the map.
 * @param [in] len Length of the memory that the buffer covers, in bytes.
 * @param [out] buf The buffer. Release it with doca_buf_dec_refcount().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the memory is not inside the map.
 * - DOCA_ERROR_NO_MEMORY: the inventory has no free buffer.
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
 * @brief Takes a full buffer from an inventory, for use as a source.
 *
 * The buffer covers exactly the data.
 *
 * @param [in] inventory The inventory. It must be started.
 * @param [in] mmap The memory map. It must be started or created from an export.
 * @param [in] data Start of the data, inside the map.
 * @param [in] data_len Length of the data in bytes.
 * @param [out] buf The buffer. Release it with doca_buf_dec_refcount().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the memory is not inside the map.
 * - DOCA_ERROR_NO_MEMORY: the inventory has no free buffer.
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
 * @brief Duplicates a buffer, or the whole list if the buffer is the head of a list.
 *
 * The new buffers describe the same memory and data. The call does not copy the data.
 *
 * @param [in] inventory The inventory that provides the new buffers, one for each element of the
 * list. It must be started.
 * @param [in] src_buf The buffer to duplicate, which must be the head of its list or in no list.
 * Its memory map must be started.
 * @param [out] dst_buf The new buffer, or the head of the new list. Release it with
 * doca_buf_dec_refcount().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the inventory, the inventory of src_buf or the memory map of src_buf is
 *   not started.
 * - DOCA_ERROR_NOT_PERMITTED: src_buf is in a list and is not its head.
 * - DOCA_ERROR_NO_MEMORY: the inventory does not have enough free buffers.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_dup(
		struct doca_buf_inventory *inventory,
		const struct doca_buf *src_buf,
		struct doca_buf **dst_buf);

/**
 * @brief Sets the user data of an inventory.
 *
 * @param [in] inventory The inventory. It must not be started.
 * @param [in] user_data The user data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL.
 * - DOCA_ERROR_BAD_STATE: the inventory is started.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_set_user_data(
		struct doca_buf_inventory *inventory,
		union doca_data user_data);

/**
 * @brief Returns the number of buffers of an inventory, free or not.
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
 * @brief Returns the number of free buffers of an inventory.
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
 * @param [out] user_data The user data, or 0 if none was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_user_data(
		const struct doca_buf_inventory *inventory,
		union doca_data *user_data);

/**
 * @brief Adds buffers to a started inventory.
 *
 * @param [in] inventory The inventory. It must be started.
 * @param [in] num_elements Number of buffers to add.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: inventory is NULL, or num_elements is 0.
 * - DOCA_ERROR_BAD_STATE: the inventory is not started.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_INVENTORY_H_ */
