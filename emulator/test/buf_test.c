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

	/* Releasing the last reference of the head returns the whole list. */
	CHECK(num_free() == 12);
	MUST(doca_buf_inc_refcount(a, &old));
	MUST(doca_buf_dec_refcount(a, &old));
	CHECK(num_free() == 12);
	put_buf(a);
	CHECK(num_free() == 14);
	put_buf(c);
	teardown();
}

/* Makes the same calls in random order on the library and on a simple model, where each list is an array of
 * indices. */
#define NUM_BUFS 16

static struct {
	struct doca_buf *buf;
	int list[NUM_BUFS]; /* for a head: the members in order */
	int list_len;       /* 0: not a head */
	int refcount;       /* of a head */
	int head;           /* -1: free */
} model[NUM_BUFS];

static void model_append(int head, int index)
{
	model[head].list[model[head].list_len++] = index;
	model[index].head = head;
}

/* Moves the members of one list from a position on to another list, which may be empty. */
static void model_move(int from, int position, int to)
{
	int end = model[from].list_len;

	model[from].list_len = position;
	for (int i = position; i < end; i++)
		model_append(to, model[from].list[i]);
}

static int position_of(int index)
{
	int head = model[index].head, position = 0;

	while (model[head].list[position] != index)
		position++;
	return position;
}

static int free_slot(void)
{
	for (int i = 0; i < NUM_BUFS; i++) {
		if (model[i].head < 0)
			return i;
	}
	return -1;
}

static void model_new_head(int index, struct doca_buf *buf)
{
	model[index].buf = buf;
	model[index].refcount = 1;
	model[index].list_len = 0;
	model_append(index, index);
}

/* The result that the library must return for a call on elements a and b, which are allocated. */
static int expect_chain(int a, int b)
{
	if (model[a].head != a || model[b].head != b || a == b || model[b].refcount != 1)
		return DOCA_ERROR_NOT_PERMITTED;
	return DOCA_SUCCESS;
}

static int expect_unchain(int a, int b)
{
	if (model[a].head != a || model[b].head != a || a == b)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

static void check_model(void)
{
	uint32_t num_out = 0;

	for (int i = 0; i < NUM_BUFS; i++) {
		int head = model[i].head, position;

		if (head < 0)
			continue;
		num_out++;
		position = position_of(i);
		CHECK((int)list_len(model[i].buf) == model[head].list_len - position);
		CHECK(is_first(model[i].buf) == (i == head));
		CHECK(is_last(model[i].buf) == (position == model[head].list_len - 1));
		CHECK(is_in_list(model[i].buf) == (model[head].list_len > 1));
		CHECK(refcount(model[i].buf) == (i == head ? model[i].refcount : 1));
	}
	CHECK(num_free() == NUM_BUFS - num_out);
}

static void walk_step(unsigned int random)
{
	int a = (int)(random >> 4) % NUM_BUFS, b = (int)(random >> 8) % NUM_BUFS;
	int slot = free_slot();
	struct doca_buf *buf;
	uint16_t old = 0;

	if (random % 8 < 2 || model[a].head < 0 || model[b].head < 0) {
		if (slot < 0) {
			EXPECT(ERROR_NO_MEMORY, doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 8, &buf));
			return;
		}
		EXPECT(SUCCESS, doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 8, &buf));
		model_new_head(slot, buf);
		return;
	}
	switch (random % 8) {
	case 2:
	case 3: {
		int expected = expect_chain(a, b);

		CHECK((int)doca_buf_chain_list(model[a].buf, model[b].buf) == expected);
		if (expected == DOCA_SUCCESS)
			model_move(b, 0, a);
		break;
	}
	case 4: {
		int expected = expect_unchain(a, b);

		CHECK((int)doca_buf_unchain_list(model[a].buf, model[b].buf) == expected);
		if (expected == DOCA_SUCCESS) {
			int position = position_of(b);

			model[b].list_len = 0;
			model[b].refcount = 1;
			model_move(a, position, b);
		}
		break;
	}
	case 5:
		if (model[a].head != a) {
			EXPECT(ERROR_NOT_PERMITTED, doca_buf_inc_refcount(model[a].buf, &old));
			break;
		}
		EXPECT(SUCCESS, doca_buf_inc_refcount(model[a].buf, &old));
		CHECK(old == model[a].refcount++);
		break;
	case 6:
		if (model[a].head != a) {
			EXPECT(ERROR_NOT_PERMITTED, doca_buf_inventory_buf_dup(inventory, model[a].buf, &buf));
			break;
		}
		if ((int)num_free() < model[a].list_len) {
			EXPECT(ERROR_NO_MEMORY, doca_buf_inventory_buf_dup(inventory, model[a].buf, &buf));
			break;
		}
		EXPECT(SUCCESS, doca_buf_inventory_buf_dup(inventory, model[a].buf, &buf));
		model_new_head(slot, buf);
		for (int i = 1; i < model[a].list_len; i++) {
			int member = free_slot();

			MUST(doca_buf_get_next_in_list(buf, &buf));
			model[member].buf = buf;
			model_append(slot, member);
		}
		break;
	default:
		if (model[a].head != a) {
			EXPECT(ERROR_NOT_PERMITTED, doca_buf_dec_refcount(model[a].buf, &old));
			break;
		}
		EXPECT(SUCCESS, doca_buf_dec_refcount(model[a].buf, &old));
		CHECK(old == model[a].refcount--);
		if (model[a].refcount == 0) {
			for (int i = model[a].list_len; i-- > 0;)
				model[model[a].list[i]].head = -1;
		}
		break;
	}
}

static void random_walk(void)
{
	uint64_t random = 88172645463325252u; /* xorshift */

	setup();
	for (int i = 0; i < NUM_BUFS; i++)
		model[i].head = -1;
	for (int step = 0; step < 20000; step++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		walk_step((unsigned int)(random >> 20) & 0xfffff);
		check_model();
	}
	for (int i = 0; i < NUM_BUFS; i++) {
		if (model[i].head != i)
			continue;
		while (model[i].refcount-- > 0)
			MUST(doca_buf_dec_refcount(model[i].buf, NULL));
	}
	teardown();
}

TEST_MAIN(fields, references, lists, random_walk)
