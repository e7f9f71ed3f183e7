/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

static uint8_t memory[4096];
static struct doca_mmap *mmap;
static struct doca_buf_inventory *inventory;

static void setup(void)
{
	MUST(doca_mmap_create(&mmap));
	MUST(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	MUST(doca_mmap_start(mmap));
	inventory = make_inventory(16);
}

static uint32_t num_free(void)
{
	uint32_t num;

	MUST(doca_buf_inventory_get_num_free_elements(inventory, &num));
	return num;
}

static void teardown(void)
{
	CHECK(num_free() == 16);
	MUST(doca_buf_inventory_destroy(inventory));
	MUST(doca_mmap_destroy(mmap));
}

static uint16_t refcount(const struct doca_buf *buf)
{
	uint16_t count;

	EXPECT(SUCCESS, doca_buf_get_refcount(buf, &count));
	return count;
}

static uint32_t list_len(const struct doca_buf *buf)
{
	uint32_t len;

	EXPECT(SUCCESS, doca_buf_get_list_len(buf, &len));
	return len;
}

static int is_first(const struct doca_buf *buf)
{
	uint8_t is;

	EXPECT(SUCCESS, doca_buf_is_first_in_list(buf, &is));
	return is != 0;
}

static int is_last(const struct doca_buf *buf)
{
	uint8_t is;

	EXPECT(SUCCESS, doca_buf_is_last_in_list(buf, &is));
	return is != 0;
}

static int is_in_list(const struct doca_buf *buf)
{
	uint8_t is;

	EXPECT(SUCCESS, doca_buf_is_in_list(buf, &is));
	return is != 0;
}

static void fields(void)
{
	struct doca_buf *buf;
	size_t len;
	void *addr;

	setup();
	buf = dst_buf(inventory, mmap, memory + 8, 100);
	EXPECT(SUCCESS, doca_buf_get_head(buf, &addr));
	CHECK(addr == memory + 8);
	EXPECT(SUCCESS, doca_buf_get_len(buf, &len));
	CHECK(len == 100);
	EXPECT(SUCCESS, doca_buf_get_data(buf, &addr));
	CHECK(addr == memory + 8);
	CHECK(data_len(buf) == 0);
	EXPECT(SUCCESS, doca_buf_set_data(buf, memory + 10, 50));
	EXPECT(SUCCESS, doca_buf_get_data(buf, &addr));
	CHECK(addr == memory + 10 && data_len(buf) == 50);
	EXPECT(SUCCESS, doca_buf_set_data_len(buf, 20));
	EXPECT(SUCCESS, doca_buf_get_data(buf, &addr));
	CHECK(addr == memory + 10 && data_len(buf) == 20);
	EXPECT(SUCCESS, doca_buf_reset_data_len(buf));
	EXPECT(SUCCESS, doca_buf_get_data(buf, &addr));
	CHECK(addr == memory + 10 && data_len(buf) == 0);
	/* Outside the region: stored as given. */
	EXPECT(SUCCESS, doca_buf_set_data(buf, memory, 2000));
	EXPECT(SUCCESS, doca_buf_get_data(buf, &addr));
	CHECK(addr == memory && data_len(buf) == 2000);
	put_buf(buf);
	teardown();
}

static void references(void)
{
	struct doca_buf *buf;
	uint16_t old;

	setup();
	buf = dst_buf(inventory, mmap, memory, 8);
	CHECK(refcount(buf) == 1);
	EXPECT(SUCCESS, doca_buf_inc_refcount(buf, &old));
	CHECK(old == 1 && refcount(buf) == 2);
	EXPECT(SUCCESS, doca_buf_dec_refcount(buf, &old));
	CHECK(old == 2 && refcount(buf) == 1);
	CHECK(num_free() == 15);
	while (refcount(buf) < UINT16_MAX)
		MUST(doca_buf_inc_refcount(buf, &old));
	EXPECT(ERROR_TOO_BIG, doca_buf_inc_refcount(buf, &old));
	while (refcount(buf) > 1)
		MUST(doca_buf_dec_refcount(buf, NULL));
	EXPECT(SUCCESS, doca_buf_dec_refcount(buf, &old));
	CHECK(old == 1);
	CHECK(num_free() == 16);
	EXPECT(ERROR_BAD_STATE, doca_buf_dec_refcount(buf, &old));
	teardown();
}

static void lists(void)
{
	struct doca_buf *a, *b, *c, *other;
	uint16_t old;

	setup();
	a = dst_buf(inventory, mmap, memory, 8);
	b = dst_buf(inventory, mmap, memory + 8, 8);
	c = dst_buf(inventory, mmap, memory + 16, 8);
	CHECK(list_len(a) == 1 && is_first(a) && is_last(a) && !is_in_list(a));
	EXPECT(ERROR_NOT_PERMITTED, doca_buf_chain_list(a, a));

	EXPECT(SUCCESS, doca_buf_chain_list(b, c));
	EXPECT(SUCCESS, doca_buf_chain_list(a, b));
	CHECK(list_len(a) == 3 && list_len(b) == 2 && list_len(c) == 1);
	CHECK(is_first(a) && !is_first(b) && !is_first(c));
	CHECK(!is_last(a) && !is_last(b) && is_last(c));
	CHECK(is_in_list(a) && is_in_list(b) && is_in_list(c));
	EXPECT(SUCCESS, doca_buf_get_next_in_list(a, &other));
	CHECK(other == b);
	EXPECT(SUCCESS, doca_buf_get_next_in_list(c, &other));
	CHECK(other == NULL);
	EXPECT(SUCCESS, doca_buf_get_last_in_list(b, &other));
	CHECK(other == c);
	EXPECT(SUCCESS, doca_buf_get_last_in_list(c, &other));
	CHECK(other == c);
	EXPECT(ERROR_INVALID_VALUE, doca_buf_get_last_in_list(NULL, &other));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_get_list_len(NULL, NULL));

	/* Only the head is counted. */
	CHECK(refcount(a) == 1 && refcount(b) == 1 && refcount(c) == 1);
	EXPECT(ERROR_NOT_PERMITTED, doca_buf_inc_refcount(b, &old));
	EXPECT(ERROR_NOT_PERMITTED, doca_buf_dec_refcount(c, &old));

	/* Heads only. */
	other = dst_buf(inventory, mmap, memory + 24, 8);
	EXPECT(ERROR_NOT_PERMITTED, doca_buf_chain_list(b, other));
	EXPECT(ERROR_NOT_PERMITTED, doca_buf_chain_list(other, b));
	MUST(doca_buf_inc_refcount(other, &old));
	EXPECT(ERROR_NOT_PERMITTED, doca_buf_chain_list(a, other));
	MUST(doca_buf_dec_refcount(other, &old));
	EXPECT(ERROR_NOT_PERMITTED, doca_buf_chain_list_tail(a, b, other)); /* not the tail */
	EXPECT(SUCCESS, doca_buf_chain_list_tail(a, c, other));
	CHECK(list_len(a) == 4);

	EXPECT(ERROR_INVALID_VALUE, doca_buf_unchain_list(a, a));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_unchain_list(other, a));
	EXPECT(SUCCESS, doca_buf_unchain_list(a, c));
	CHECK(list_len(a) == 2 && list_len(c) == 2 && is_first(c) && refcount(c) == 1);
	EXPECT(ERROR_INVALID_VALUE, doca_buf_unchain_list(a, c));

	/* The last reference of the head gives the whole list back. */
	CHECK(num_free() == 12);
	MUST(doca_buf_inc_refcount(a, &old));
	MUST(doca_buf_dec_refcount(a, &old));
	CHECK(num_free() == 12);
	put_buf(a);
	CHECK(num_free() == 14);
	put_buf(c);
	teardown();
}

TEST_MAIN(fields, references, lists)
