/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <doca_buf.h>

#include "emu_buf.h"
#include "emu_fault.h"

/* The API promises "non-zero" for true; these are the values that the real library returns. */
enum {
	IN_LIST = 1,
	FIRST_IN_LIST = 2,
	LAST_IN_LIST = 4,
};

/* References. */

doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	EMU_CALL("doca_buf_inc_refcount");
	if (EMU_UNLIKELY(buf == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	if (buf->is_member || buf->refcount == 0)
		return DOCA_ERROR_NOT_PERMITTED;
	if (buf->refcount == UINT16_MAX)
		return DOCA_ERROR_TOO_BIG;
	if (refcount != NULL)
		*refcount = buf->refcount;
	buf->refcount++;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	EMU_CALL("doca_buf_dec_refcount");
	if (EMU_UNLIKELY(buf == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	if (buf->is_member)
		return DOCA_ERROR_NOT_PERMITTED;
	if (buf->refcount == 0)
		return DOCA_ERROR_BAD_STATE;
	if (refcount != NULL)
		*refcount = buf->refcount;
	if (--buf->refcount == 0)
		emu_buf_release(buf);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount)
{
	if (EMU_UNLIKELY(buf == NULL || refcount == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	*refcount = buf->refcount;
	return DOCA_SUCCESS;
}

/* Region and data segment. */

doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len)
{
	if (EMU_UNLIKELY(buf == NULL || len == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	*len = buf->len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head)
{
	if (EMU_UNLIKELY(buf == NULL || head == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	*head = buf->head;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
	if (EMU_UNLIKELY(buf == NULL || data_len == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	*data_len = buf->data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data)
{
	if (EMU_UNLIKELY(buf == NULL || data == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	*data = buf->data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
	if (EMU_UNLIKELY(buf == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	buf->data = data;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len)
{
	if (EMU_UNLIKELY(buf == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_reset_data_len(struct doca_buf *buf)
{
	if (EMU_UNLIKELY(buf == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	buf->data_len = 0;
	return DOCA_SUCCESS;
}

/* Lists. */

doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf)
{
	if (EMU_UNLIKELY(buf == NULL || next_buf == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	*next_buf = buf->next;
	return DOCA_SUCCESS;
}

static struct doca_buf *last_of(struct doca_buf *buf)
{
	while (buf->next != NULL)
		buf = buf->next;
	return buf;
}

doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf)
{
	if (buf == NULL || last_buf == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*last_buf = last_of(buf);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last)
{
	if (EMU_UNLIKELY(buf == NULL || is_last == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	*is_last = buf->next == NULL ? LAST_IN_LIST : 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first)
{
	if (EMU_UNLIKELY(buf == NULL || is_first == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	*is_first = buf->is_member ? 0 : FIRST_IN_LIST;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list)
{
	if (EMU_UNLIKELY(buf == NULL || is_in_list == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	*is_in_list = buf->is_member || buf->next != NULL ? IN_LIST : 0;
	return DOCA_SUCCESS;
}

/* Counts from the given element, whether or not it is the head. */
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements)
{
	uint32_t count = 0;

	if (buf == NULL || num_elements == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	for (; buf != NULL; buf = buf->next)
		count++;
	*num_elements = count;
	return DOCA_SUCCESS;
}

static doca_error_t chain(struct doca_buf *head, struct doca_buf *tail, struct doca_buf *list2)
{
	if (head == list2 || head->is_member || list2->is_member || head->refcount == 0 ||
	    list2->refcount != 1 || tail->next != NULL)
		return DOCA_ERROR_NOT_PERMITTED;
	tail->next = list2;
	list2->is_member = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	EMU_CALL("doca_buf_chain_list");
	if (EMU_UNLIKELY(list1 == NULL || list2 == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	return chain(list1, last_of(list1), list2);
}

doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
				      struct doca_buf *list2)
{
	EMU_CALL("doca_buf_chain_list_tail");
	if (EMU_UNLIKELY(list1_head == NULL || list1_tail == NULL || list2 == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	return chain(list1_head, list1_tail, list2);
}

doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	EMU_CALL("doca_buf_unchain_list");
	if (EMU_UNLIKELY(list1 == NULL || list2 == NULL))
		return DOCA_ERROR_INVALID_VALUE;
	if (list1->is_member)
		return DOCA_ERROR_INVALID_VALUE;
	for (struct doca_buf *buf = list1; buf->next != NULL; buf = buf->next) {
		if (buf->next == list2) {
			buf->next = NULL;
			list2->is_member = false;
			return DOCA_SUCCESS;
		}
	}
	return DOCA_ERROR_INVALID_VALUE;
}
