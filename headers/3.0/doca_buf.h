/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_buf.h
 * @brief The buffer: a descriptor of a part of the memory of a memory map.
 *
 * A buffer covers len bytes that start at head. It holds data_len bytes of data that start at
 * data. The program must keep head <= data and data + data_len <= head + len: the functions do not
 * check it, and the behaviour is undefined otherwise. Operations that receive write after the
 * data, into the tail, and extend the data.
 *
 * A program can chain buffers into a list, which operations treat as one long buffer. Only the
 * head of a list counts references. Dropping its last reference releases the whole list.
 *
 * Buffers come from an inventory (struct doca_buf_inventory) or a pool (struct doca_buf_pool).
 * Tasks hold no references to their buffers, and several tasks can use the same buffer. While a
 * task that writes to a buffer is in flight, the program must not touch the buffer or its memory.
 */
#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <stdint.h>
#include <stddef.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A buffer. It can be an element of a list of buffers. */
struct doca_buf;

/**
 * @brief Adds a reference to a buffer.
 *
 * @param [in] buf The buffer, which must be the head of its list or in no list. It must not be
 * NULL.
 * @param [out] refcount Number of references before the call. It must not be NULL.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NOT_PERMITTED: buf is in a list and is not its head.
 * - DOCA_ERROR_TOO_BIG: the buffer already has 65535 references.
 */
DOCA_STABLE
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * @brief Drops a reference to a buffer. The last one returns the buffer to its inventory or pool.
 *
 * For the head of a list, the last reference returns the whole list.
 *
 * @param [in] buf The buffer, which must be the head of its list or in no list. It must not be
 * NULL.
 * @param [out] refcount Number of references before the call. It may be NULL. If it is 1, the
 * buffer has been returned and the caller must not use it any more.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NOT_PERMITTED: buf is in a list and is not its head.
 * - DOCA_ERROR_BAD_STATE: the buffer has no references: it was returned before.
 */
DOCA_STABLE
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * @brief Returns the number of references to a buffer.
 *
 * @param [in] buf The buffer. It must not be NULL.
 * @param [out] refcount Number of references. It must not be NULL.
 * @return Always DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/**
 * @brief Returns the length of the memory that a buffer covers.
 *
 * @param [in] buf The buffer. It must not be NULL.
 * @param [out] len Length in bytes. It must not be NULL.
 * @return Always DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/**
 * @brief Returns the start of the memory that a buffer covers.
 *
 * @param [in] buf The buffer. It must not be NULL.
 * @param [out] head The address. For a map that was created from an export it is an address of the
 * exporter. It must not be NULL.
 * @return Always DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/**
 * @brief Returns the length of the data in a buffer.
 *
 * @param [in] buf The buffer. It must not be NULL.
 * @param [out] data_len Length in bytes. It must not be NULL.
 * @return Always DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/**
 * @brief Returns the start of the data in a buffer.
 *
 * @param [in] buf The buffer. It must not be NULL.
 * @param [out] data The address. For a map that was created from an export it is an address of the
 * exporter. It must not be NULL.
 * @return Always DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/**
 * @brief Sets the start and the length of the data in a buffer. The call does not check them.
 *
 * @param [in] buf The buffer. It must not be NULL.
 * @param [in] data Start of the data, inside the memory that the buffer covers.
 * @param [in] data_len Length of the data in bytes. It must not exceed the memory that the buffer
 * covers.
 * @return Always DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);

/**
 * @brief Sets the length of the data in a buffer, and keeps its start. The call does not check the
 * length.
 *
 * @param [in] buf The buffer. It must not be NULL.
 * @param [in] data_len Length of the data in bytes. It must not exceed the memory that the buffer
 * covers.
 * @return Always DOCA_SUCCESS.
 * @since 3.0
 */
DOCA_STABLE
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);

/**
 * @brief Sets the length of the data in a buffer to 0, and keeps its start.
 *
 * Call it before a buffer receives again: a receive appends to the data.
 *
 * @param [in] buf The buffer. It must not be NULL.
 * @return Always DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/**
 * @brief Returns the element that follows a buffer in its list.
 *
 * @param [in] buf The buffer. It must not be NULL.
 * @param [out] next_buf The next element, or NULL at the end of the list. The pointer itself must
 * not be NULL.
 * @return Always DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf);

/**
 * @brief Returns the last element of the list of a buffer.
 *
 * @param [in] buf Any element of the list.
 * @param [out] last_buf The last element. It can be buf itself.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf);

/**
 * @brief Reports whether a buffer is the last element of its list.
 *
 * @param [in] buf The buffer. It must not be NULL.
 * @param [out] is_last Not 0 if it is, else 0. It must not be NULL.
 * @return Always DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);

/**
 * @brief Reports whether a buffer is the head of its list.
 *
 * @param [in] buf The buffer. It must not be NULL.
 * @param [out] is_first Not 0 if it is, else 0. It must not be NULL.
 * @return Always DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);

/**
 * @brief Reports whether a buffer is in a list with other buffers.
 *
 * @param [in] buf The buffer. It must not be NULL.
 * @param [out] is_in_list Not 0 if it is, else 0. It must not be NULL.
 * @return Always DOCA_SUCCESS.
 */
DOCA_STABLE
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);

/**
 * @brief Returns the number of elements in a list of buffers.
 *
 * @param [in] buf The head of the list.
 * @param [out] num_elements Number of elements. It is 1 for a buffer in no list.
 * @note For an element other than the head, DOCA 2.5 counts from that element on, and DOCA 3.0
 * specifies a failure.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: buf is not the head of its list.
 */
DOCA_STABLE
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

/**
 * @brief Appends a list of buffers to another list. It walks the first list to find its end.
 *
 * The head of list2 loses its own reference: the whole list is released with list1.
 *
 * @param [in] list1 Head of the list to extend, or a buffer in no list. It must not be NULL.
 * @param [in] list2 Head of the list to append, or a buffer in no list. It must have exactly one
 * reference and must not be NULL.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NOT_PERMITTED: list1 or list2 is not a head, or list2 does not have exactly one
 *   reference.
 */
DOCA_STABLE
doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);

/**
 * @brief Appends a list of buffers to another list, in constant time.
 *
 * The head of list2 loses its own reference: the whole list is released with list1_head.
 *
 * @param [in] list1_head Head of the list to extend, or a buffer in no list. It must not be NULL.
 * @param [in] list1_tail Last element of that list. It must not be NULL.
 * @param [in] list2 Head of the list to append, or a buffer in no list. It must have exactly one
 * reference and must not be NULL.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NOT_PERMITTED: list1_head or list2 is not a head, or list2 does not have exactly
 *   one reference.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_chain_list_tail(
		struct doca_buf *list1_head,
		struct doca_buf *list1_tail,
		struct doca_buf *list2);

/**
 * @brief Splits a list of buffers in two. The element list2 and its successors become a list with
 * one reference.
 *
 * @param [in] list1 Head of the list.
 * @param [in] list2 The element at which to split. It must not be the head.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or list2 is not an element of the list.
 */
DOCA_STABLE
doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_H_ */
