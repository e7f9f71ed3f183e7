/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

static uint8_t memory[4096];

static struct doca_mmap *started_mmap(void)
{
	struct doca_mmap *mmap;

	MUST(doca_mmap_create(&mmap));
	MUST(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	MUST(doca_mmap_start(mmap));
	return mmap;
}

static uint32_t num_free(const struct doca_buf_inventory *inventory)
{
	uint32_t num;

	EXPECT(SUCCESS, doca_buf_inventory_get_num_free_elements(inventory, &num));
	return num;
}

static void life(void)
{
	struct doca_mmap *mmap = started_mmap();
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
	union doca_data data = {.u64 = 3};
	uint32_t num;

	EXPECT(ERROR_INVALID_VALUE, doca_buf_inventory_create(0, &inventory));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_inventory_create(1, NULL));
	EXPECT(ERROR_NO_MEMORY, doca_buf_inventory_create(SIZE_MAX, &inventory));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_inventory_start(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_inventory_stop(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_inventory_destroy(NULL));
	EXPECT(SUCCESS, doca_buf_inventory_create(2, &inventory));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_inventory_get_num_elements(inventory, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_inventory_get_user_data(NULL, &data));
	EXPECT(SUCCESS, doca_buf_inventory_get_user_data(inventory, &data));
	CHECK(data.u64 == 0);
	data.u64 = 4;
	EXPECT(SUCCESS, doca_buf_inventory_set_user_data(inventory, data));
	EXPECT(ERROR_BAD_STATE, doca_buf_inventory_expand(inventory, 1));
	EXPECT(SUCCESS, doca_buf_inventory_stop(inventory)); /* never started */
	EXPECT(SUCCESS, doca_buf_inventory_start(inventory));
	EXPECT(SUCCESS, doca_buf_inventory_start(inventory));
	EXPECT(ERROR_BAD_STATE, doca_buf_inventory_set_user_data(inventory, data));
	EXPECT(SUCCESS, doca_buf_inventory_get_user_data(inventory, &data));
	CHECK(data.u64 == 4);
	EXPECT(SUCCESS, doca_buf_inventory_get_num_elements(inventory, &num));
	CHECK(num == 2 && num_free(inventory) == 2);
	buf = dst_buf(inventory, mmap, memory, 8);
	CHECK(num_free(inventory) == 1);
	EXPECT(SUCCESS, doca_buf_inventory_stop(inventory));
	EXPECT(SUCCESS, doca_buf_inventory_stop(inventory));
	EXPECT(ERROR_IN_USE, doca_buf_inventory_destroy(inventory));
	put_buf(buf);
	MUST(doca_buf_inventory_start(inventory));
	EXPECT(SUCCESS, doca_buf_inventory_destroy(inventory)); /* stops it */
	MUST(doca_mmap_destroy(mmap));
}

/* Nothing is checked when a buffer is made. */
static void unchecked(void)
{
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf[4];
	struct doca_mmap *mmap;
	void *addr;
	size_t len;

	MUST(doca_mmap_create(&mmap)); /* no range, not started */
	MUST(doca_buf_inventory_create(4, &inventory));
	EXPECT(SUCCESS, doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 100, &buf[0]));
	EXPECT(SUCCESS, doca_buf_inventory_buf_get_by_data(inventory, mmap, memory, 100, &buf[1]));
	EXPECT(SUCCESS, doca_buf_inventory_buf_get_by_args(inventory, mmap, memory, 100, memory + 90, 500,
							   &buf[2]));
	CHECK(data_len(buf[0]) == 0 && data_len(buf[1]) == 100 && data_len(buf[2]) == 500);
	MUST(doca_buf_get_data(buf[2], &addr));
	CHECK(addr == memory + 90);
	MUST(doca_buf_get_data(buf[1], &addr));
	CHECK(addr == memory);
	MUST(doca_buf_get_len(buf[1], &len));
	CHECK(len == 100);
	MUST(doca_mmap_set_memrange(mmap, memory, 10));
	MUST(doca_mmap_start(mmap));
	EXPECT(SUCCESS, doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + 20, 100, &buf[3]));
	EXPECT(ERROR_NO_MEMORY, doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 1, &buf[3]));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_inventory_buf_get_by_addr(NULL, mmap, memory, 1, &buf[3]));
	for (int i = 0; i < 4; i++)
		put_buf(buf[i]);
	MUST(doca_mmap_destroy(mmap));
	MUST(doca_buf_inventory_destroy(inventory));
}

static void expand(void)
{
	struct doca_mmap *mmap = started_mmap();
	struct doca_buf_inventory *inventory = make_inventory(3);
	struct doca_buf *buf[8];
	uint32_t num;

	buf[0] = dst_buf(inventory, mmap, memory, 8);
	EXPECT(ERROR_INVALID_VALUE, doca_buf_inventory_expand(NULL, 1));
	EXPECT(SUCCESS, doca_buf_inventory_expand(inventory, 5));
	EXPECT(SUCCESS, doca_buf_inventory_get_num_elements(inventory, &num));
	CHECK(num == 8 && num_free(inventory) == 7);
	for (int i = 1; i < 8; i++)
		buf[i] = dst_buf(inventory, mmap, memory, 8);
	for (int i = 0; i < 8; i++) {
		for (int j = 0; j < i; j++)
			CHECK(buf[i] != buf[j]);
	}
	EXPECT(ERROR_NO_MEMORY, doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 1, &buf[0]));
	for (int i = 0; i < 8; i++)
		put_buf(buf[i]);
	MUST(doca_buf_inventory_destroy(inventory));
	MUST(doca_mmap_destroy(mmap));
}

static void dup(void)
{
	struct doca_mmap *mmap = started_mmap();
	struct doca_buf_inventory *inventory = make_inventory(6), *other = make_inventory(2);
	struct doca_buf *a = src_buf(inventory, mmap, memory, 10);
	struct doca_buf *b = dst_buf(inventory, mmap, memory + 10, 20);
	struct doca_buf *copy, *next;
	uint32_t num;
	uint16_t count;
	void *addr;

	MUST(doca_buf_chain_list(a, b));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_inventory_buf_dup(NULL, a, &copy));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_inventory_buf_dup(inventory, NULL, &copy));
	EXPECT(ERROR_NOT_PERMITTED, doca_buf_inventory_buf_dup(inventory, b, &copy));
	EXPECT(SUCCESS, doca_buf_inventory_buf_dup(inventory, a, &copy));
	CHECK(copy != a && num_free(inventory) == 2);
	EXPECT(SUCCESS, doca_buf_get_list_len(copy, &num));
	CHECK(num == 2);
	EXPECT(SUCCESS, doca_buf_get_refcount(copy, &count));
	CHECK(count == 1 && data_len(copy) == 10);
	MUST(doca_buf_get_next_in_list(copy, &next));
	MUST(doca_buf_get_data(next, &addr));
	CHECK(addr == memory + 10 && data_len(next) == 0);
	EXPECT(ERROR_NOT_PERMITTED, doca_buf_dec_refcount(next, NULL));
	MUST(doca_mmap_get_num_bufs(mmap, &num));
	CHECK(num == 4);

	/* A list that does not fit changes nothing. */
	MUST(doca_buf_inventory_expand(inventory, 1));
	next = dst_buf(inventory, mmap, memory, 1);
	EXPECT(SUCCESS, doca_buf_chain_list(a, next));
	EXPECT(ERROR_NO_MEMORY, doca_buf_inventory_buf_dup(inventory, a, &next));
	CHECK(num_free(inventory) == 2);
	EXPECT(ERROR_NO_MEMORY, doca_buf_inventory_buf_dup(other, a, &next));
	CHECK(num_free(other) == 2);

	MUST(doca_buf_inventory_stop(other));
	EXPECT(ERROR_BAD_STATE, doca_buf_inventory_buf_dup(other, copy, &next));
	MUST(doca_buf_inventory_start(other));
	MUST(doca_buf_inventory_stop(inventory));
	EXPECT(ERROR_BAD_STATE, doca_buf_inventory_buf_dup(other, copy, &next));
	MUST(doca_buf_inventory_start(inventory));
	MUST(doca_mmap_stop(mmap));
	EXPECT(ERROR_BAD_STATE, doca_buf_inventory_buf_dup(other, copy, &next));
	MUST(doca_mmap_start(mmap));
	EXPECT(SUCCESS, doca_buf_inventory_buf_dup(other, copy, &next));
	put_buf(next);
	put_buf(a);
	put_buf(copy);
	CHECK(num_free(inventory) == 7 && num_free(other) == 2);
	MUST(doca_buf_inventory_destroy(inventory));
	MUST(doca_buf_inventory_destroy(other));
	MUST(doca_mmap_destroy(mmap));
}

TEST_MAIN(life, unchecked, expand, dup)
