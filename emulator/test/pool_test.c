/* SPDX-License-Identifier: Apache-2.0 */
#include <doca_buf_pool.h>

#include "fixture.h"

static uint8_t memory[8192] __attribute__((aligned(4096)));

static struct doca_mmap *mmap_of(void *addr, size_t len)
{
	struct doca_mmap *mmap;

	MUST(doca_mmap_create(&mmap));
	MUST(doca_mmap_set_memrange(mmap, addr, len));
	return mmap;
}

static void rules(void)
{
	struct doca_mmap *mmap, *empty = NULL;
	struct doca_buf_pool *pool;
	struct doca_buf *buf[5];
	union doca_data data = {.u64 = 1};
	size_t alignment, len;
	uint32_t num;
	void *addr;

	mmap = mmap_of(memory, 4096);
	MUST(doca_mmap_create(&empty));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_pool_create(0, 1000, mmap, &pool));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_pool_create(4, 0, mmap, &pool));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_pool_create(4, 1000, NULL, &pool));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_pool_create(4, 1000, mmap, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_pool_create(4, 1000, empty, &pool)); /* no range */
	EXPECT(SUCCESS, doca_buf_pool_create(4, 1000, mmap, &pool));
	EXPECT(SUCCESS, doca_buf_pool_get_element_alignment(pool, &alignment));
	CHECK(alignment == 1);
	EXPECT(ERROR_INVALID_VALUE, doca_buf_pool_set_element_alignment(pool, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_pool_set_element_alignment(pool, 48));
	EXPECT(SUCCESS, doca_buf_pool_set_element_alignment(pool, 64));
	EXPECT(SUCCESS, doca_buf_pool_get_user_data(pool, &data));
	CHECK(data.u64 == 0);
	data.u64 = 6;
	EXPECT(SUCCESS, doca_buf_pool_set_user_data(pool, data));
	EXPECT(ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &buf[0]));
	EXPECT(SUCCESS, doca_buf_pool_stop(pool));
	EXPECT(ERROR_BAD_STATE, doca_buf_pool_start(pool)); /* map not started */
	MUST(doca_mmap_start(mmap));
	EXPECT(SUCCESS, doca_buf_pool_start(pool));
	EXPECT(SUCCESS, doca_buf_pool_start(pool));
	EXPECT(ERROR_BAD_STATE, doca_buf_pool_set_user_data(pool, data));
	EXPECT(ERROR_BAD_STATE, doca_buf_pool_set_element_alignment(pool, 1));
	for (int i = 0; i < 4; i++) {
		EXPECT(SUCCESS, doca_buf_pool_buf_alloc(pool, &buf[i]));
		MUST(doca_buf_get_head(buf[i], &addr));
		CHECK(addr == memory + i * 1024);
		MUST(doca_buf_get_data(buf[i], &addr));
		CHECK(addr == memory + i * 1024);
		MUST(doca_buf_get_len(buf[i], &len));
		CHECK(len == 1000 && data_len(buf[i]) == 0);
	}
	EXPECT(ERROR_EMPTY, doca_buf_pool_buf_alloc(pool, &buf[4]));
	EXPECT(SUCCESS, doca_buf_pool_get_num_elements(pool, &num));
	CHECK(num == 4);
	EXPECT(SUCCESS, doca_buf_pool_get_num_free_elements(pool, &num));
	CHECK(num == 0);
	MUST(doca_mmap_get_num_bufs(mmap, &num));
	CHECK(num == 4);
	EXPECT(ERROR_IN_USE, doca_buf_pool_stop(pool));
	EXPECT(ERROR_IN_USE, doca_buf_pool_destroy(pool));
	MUST(doca_buf_set_data(buf[2], memory, 5));
	put_buf(buf[2]);
	EXPECT(SUCCESS, doca_buf_pool_buf_alloc(pool, &buf[2])); /* fresh again */
	MUST(doca_buf_get_data(buf[2], &addr));
	CHECK(addr == memory + 2048 && data_len(buf[2]) == 0);
	for (int i = 0; i < 4; i++)
		put_buf(buf[i]);
	EXPECT(SUCCESS, doca_buf_pool_stop(pool));
	EXPECT(ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &buf[0]));
	EXPECT(SUCCESS, doca_buf_pool_start(pool));
	EXPECT(SUCCESS, doca_buf_pool_destroy(pool));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_pool_destroy(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_pool_start(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_pool_stop(NULL));
	MUST(doca_mmap_destroy(mmap));
	MUST(doca_mmap_destroy(empty));
}

static void room(void)
{
	struct doca_mmap *mmap = mmap_of(memory + 1, 4095);
	struct doca_buf_pool *pool;
	struct doca_buf *buf;
	void *addr;

	MUST(doca_mmap_start(mmap));
	MUST(doca_buf_pool_create(4, 1024, mmap, &pool));
	EXPECT(ERROR_INITIALIZATION, doca_buf_pool_start(pool));
	MUST(doca_buf_pool_destroy(pool));
	MUST(doca_buf_pool_create(4, 1023, mmap, &pool));
	EXPECT(SUCCESS, doca_buf_pool_start(pool));
	MUST(doca_buf_pool_stop(pool));
	MUST(doca_buf_pool_set_element_alignment(pool, 1024));
	EXPECT(ERROR_INITIALIZATION, doca_buf_pool_start(pool)); /* the first one begins at 1024 */
	MUST(doca_buf_pool_destroy(pool));
	MUST(doca_buf_pool_create(3, 1000, mmap, &pool));
	MUST(doca_buf_pool_set_element_alignment(pool, 1024));
	EXPECT(SUCCESS, doca_buf_pool_start(pool));
	MUST(doca_buf_pool_buf_alloc(pool, &buf));
	MUST(doca_buf_get_head(buf, &addr));
	CHECK(addr == memory + 1024);
	put_buf(buf);
	MUST(doca_buf_pool_destroy(pool));
	MUST(doca_buf_pool_create(1, SIZE_MAX - 10, mmap, &pool));
	MUST(doca_buf_pool_set_element_alignment(pool, 64));
	EXPECT(ERROR_INITIALIZATION, doca_buf_pool_start(pool));
	MUST(doca_buf_pool_destroy(pool));
	MUST(doca_mmap_destroy(mmap));

	mmap = mmap_of(memory + 1, 10); /* no aligned address in it */
	MUST(doca_mmap_start(mmap));
	MUST(doca_buf_pool_create(1, 1, mmap, &pool));
	MUST(doca_buf_pool_set_element_alignment(pool, 1024));
	EXPECT(ERROR_INITIALIZATION, doca_buf_pool_start(pool));
	MUST(doca_buf_pool_destroy(pool));
	MUST(doca_mmap_destroy(mmap));
}

TEST_MAIN(rules, room)
