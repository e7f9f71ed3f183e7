/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_buf.h
 * @brief The buffer: a descriptor of a piece of the memory of a memory map.
 *
 * A buffer covers len bytes from its head on; data_len of them, from data on, hold data. Always
 * head <= data and data + data_len <= head + len; the functions do not check it, and breaking it
 * is undefined behaviour. Operations that receive write behind the data, into the tail, and
 * lengthen the data.
 *
 * Buffers can be chained into a list, which operations treat as one long buffer. Only the head of
 * a list is counted: its last reference returns the whole list.
 *
 * Buffers come from a doca_buf_inventory or a doca_buf_pool. Tasks take no references; a buffer
 * may belong to several tasks. Neither a buffer nor its memory may be touched by the caller while
 * a task that writes to it is in flight.
 */
#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief A buffer, perhaps an element of a list of buffers. */
struct doca_buf;

/**
 * @brief Adds a reference to a buffer.
 *
 * @param [in] buf The buffer, not in a list or its head; must not be NULL.
 * @param [out] refcount Number of references before the call; must not be NULL.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NOT_PERMITTED: buf is in a list and not its head.
 * - DOCA_ERROR_TOO_BIG: the buffer has 65535 references already.
 */
DOCA_STABLE
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * @brief Drops a reference to a buffer; with the last one it returns to its inventory or pool, and
 * with the head of a list the whole list does.
 *
 * @param [in] buf The buffer, not in a list or its head; must not be NULL.
 * @param [out] refcount Number of references before the call: 1 means that the buffer has been
 * returned and must not be used any more. May be NULL.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NOT_PERMITTED: buf is in a list and not its head.
 * - DOCA_ERROR_BAD_STATE: the buffer has no references: it has been returned before.
 */
DOCA_STABLE
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * @brief Returns how many references a buffer has.
 *
 * @param [in] buf The buffer; must not be NULL.
 * @param [out] refcount Number of references; must not be NULL.
 * @return DOCA_SUCCESS always.
 */
DOCA_STABLE
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/**
 * @brief Returns the length of the memory that a buffer covers.
 *
 * @param [in] buf The buffer; must not be NULL.
 * @param [out] len Length in bytes; must not be NULL.
 * @return DOCA_SUCCESS always.
 */
DOCA_STABLE
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/**
 * @brief Returns the start of the memory that a buffer covers.
 *
 * @param [in] buf The buffer; must not be NULL.
 * @param [out] head The address, that of the exporter for a map created from an export; must not
 * be NULL.
 * @return DOCA_SUCCESS always.
 */
DOCA_STABLE
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/**
 * @brief Returns the length of the data in a buffer.
 *
 * @param [in] buf The buffer; must not be NULL.
 * @param [out] data_len Length in bytes; must not be NULL.
 * @return DOCA_SUCCESS always.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/**
 * @brief Returns the start of the data in a buffer.
 *
 * @param [in] buf The buffer; must not be NULL.
 * @param [out] data The address, that of the exporter for a map created from an export; must not
 * be NULL.
 * @return DOCA_SUCCESS always.
 */
DOCA_STABLE
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/**
 * @brief Sets where the data in a buffer starts and how long it is. The values are stored as
 * given.
 *
 * @param [in] buf The buffer; must not be NULL.
 * @param [in] data Start of the data, within the memory that the buffer covers.
 * @param [in] data_len Length of the data in bytes, up to the end of the memory that the buffer
 * covers.
 * @return DOCA_SUCCESS always.
 */
DOCA_STABLE
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);

/**
 * @brief Sets the length of the data in a buffer; its start stays. The value is stored as given.
 *
 * @param [in] buf The buffer; must not be NULL.
 * @param [in] data_len Length in bytes, up to the end of the memory that the buffer covers.
 * @return DOCA_SUCCESS always.
 * @since 3.0
 */
DOCA_STABLE
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);

/**
 * @brief Sets the length of the data in a buffer to 0; its start stays.
 *
 * Needed before a buffer receives again, for data that arrives is appended.
 *
 * @param [in] buf The buffer; must not be NULL.
 * @return DOCA_SUCCESS always.
 */
DOCA_STABLE
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/**
 * @brief Returns the element that follows a buffer in its list.
 *
 * @param [in] buf The buffer; must not be NULL.
 * @param [out] next_buf The next element; NULL at the end of the list. Must not be NULL itself.
 * @return DOCA_SUCCESS always.
 */
DOCA_STABLE
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf);

/**
 * @brief Returns the last element of the list that a buffer is in.
 *
 * @param [in] buf Any element of the list.
 * @param [out] last_buf The last element, which may be buf itself.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf);

/**
 * @brief Tells whether a buffer is the last element of its list.
 *
 * @param [in] buf The buffer; must not be NULL.
 * @param [out] is_last Not 0 when it is (the value may be other than 1), else 0; must not be NULL.
 * @return DOCA_SUCCESS always.
 */
DOCA_STABLE
doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);

/**
 * @brief Tells whether a buffer is the head of its list.
 *
 * @param [in] buf The buffer; must not be NULL.
 * @param [out] is_first Not 0 when it is (the value may be other than 1), else 0; must not be
 * NULL.
 * @return DOCA_SUCCESS always.
 */
DOCA_STABLE
doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);

/**
 * @brief Tells whether a buffer is in a list with others.
 *
 * @param [in] buf The buffer; must not be NULL.
 * @param [out] is_in_list Not 0 when it is (the value may be other than 1), else 0; must not be
 * NULL.
 * @return DOCA_SUCCESS always.
 */
DOCA_STABLE
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);

/**
 * @brief Returns how many elements a list of buffers has.
 *
 * @param [in] buf The head of the list.
 * @param [out] num_elements Number of elements, 1 for a buffer that is not in a list.
 * @note For another element than the head, releases either fail or count from that element on.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: buf is not the head of its list.
 */
DOCA_STABLE
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

/**
 * @brief Appends a list of buffers to another one. It walks along the first list to find its end.
 *
 * The head of list2 gives up its own reference: the whole list is returned with list1.
 *
 * @param [in] list1 Head of the list to append to, or a buffer that is not in a list; must not be
 * NULL.
 * @param [in] list2 Head of the list to append, or a buffer that is not in a list, with one
 * reference; must not be NULL.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NOT_PERMITTED: list1 or list2 is not a head, or list2 does not have exactly one
 *   reference.
 */
DOCA_STABLE
doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);

/**
 * @brief Appends a list of buffers to another one, in constant time.
 *
 * The head of list2 gives up its own reference: the whole list is returned with list1_head.
 *
 * @param [in] list1_head Head of the list to append to, or a buffer that is not in a list; must
 * not be NULL.
 * @param [in] list1_tail Last element of that list; must not be NULL.
 * @param [in] list2 Head of the list to append, or a buffer that is not in a list, with one
 * reference; must not be NULL.
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
 * @brief Splits a list of buffers in two: list2, and what follows it, becomes a list of its own
 * with one reference.
 *
 * @param [in] list1 Head of the list.
 * @param [in] list2 The element at which to split, not the head.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or list2 is not an element of the list.
 */
DOCA_STABLE
doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_H_ */
