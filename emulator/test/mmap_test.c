/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

static uint8_t memory[4096];

static struct doca_mmap *new_mmap(void)
{
	struct doca_mmap *mmap;

	MUST(doca_mmap_create(&mmap));
	return mmap;
}

static void null_arguments(void)
{
	struct doca_mmap *mmap = new_mmap();
	struct doca_dev *dev = open_dev(DPU_0);
	const void *desc;
	size_t len;
	void *addr;
	uint32_t num;
	uint8_t flag;

	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_destroy(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_start(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_stop(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_add_dev(mmap, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_add_dev(NULL, dev));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_rm_dev(mmap, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_export_pci(mmap, NULL, &desc, &len));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_export_rdma(mmap, NULL, &desc, &len));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_memrange(NULL, memory, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_get_memrange(mmap, NULL, &len));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_get_memrange(mmap, &addr, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_permissions(NULL, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_free_cb(NULL, NULL, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_user_data(NULL, (union doca_data){.u64 = 0}));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_get_user_data(mmap, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_max_num_devices(NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_get_max_num_devices(NULL, &num));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_get_num_bufs(mmap, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_get_exported(NULL, &flag));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_get_from_export(mmap, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_enable_thread_safety(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_cap_is_export_pci_supported(NULL, &flag));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(dev), NULL));
	MUST(doca_mmap_destroy(mmap));
	MUST(doca_dev_close(dev));
}

static void start_and_stop(void)
{
	struct doca_mmap *mmap = new_mmap();

	EXPECT(SUCCESS, doca_mmap_stop(mmap)); /* never started */
	EXPECT(ERROR_BAD_STATE, doca_mmap_start(mmap));
	EXPECT(SUCCESS, doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	EXPECT(SUCCESS, doca_mmap_start(mmap)); /* without a device */
	EXPECT(SUCCESS, doca_mmap_start(mmap));
	EXPECT(SUCCESS, doca_mmap_stop(mmap));
	EXPECT(SUCCESS, doca_mmap_stop(mmap));
	EXPECT(SUCCESS, doca_mmap_start(mmap));
	EXPECT(SUCCESS, doca_mmap_destroy(mmap)); /* stops it */
}

static void memrange(void)
{
	struct doca_mmap *mmap = new_mmap();
	void *addr;
	size_t len;

	EXPECT(ERROR_BAD_STATE, doca_mmap_get_memrange(mmap, &addr, &len));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_memrange(mmap, NULL, 8));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_memrange(mmap, memory, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_memrange(mmap, memory, SIZE_MAX));
	EXPECT(ERROR_BAD_STATE, doca_mmap_start(mmap));
	EXPECT(SUCCESS, doca_mmap_set_memrange(mmap, memory, 100));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_set_memrange(mmap, memory, 100));
	EXPECT(SUCCESS, doca_mmap_get_memrange(mmap, &addr, &len));
	CHECK(addr == memory && len == 100);
	EXPECT(SUCCESS, doca_mmap_start(mmap));
	EXPECT(ERROR_BAD_STATE, doca_mmap_set_memrange(mmap, memory, 100));
	EXPECT(SUCCESS, doca_mmap_get_memrange(mmap, &addr, &len));
	EXPECT(SUCCESS, doca_mmap_stop(mmap));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_set_memrange(mmap, memory, 100)); /* once in its life */
	EXPECT(SUCCESS, doca_mmap_destroy(mmap));
}

static void attributes(void)
{
	struct doca_mmap *mmap = new_mmap();
	union doca_data data = {.u64 = 1};

	EXPECT(SUCCESS, doca_mmap_get_user_data(mmap, &data));
	CHECK(data.u64 == 0);
	EXPECT(ERROR_INVALID_VALUE,
	       doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY |
						       DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_permissions(mmap, 128));
	EXPECT(SUCCESS, doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY));
	EXPECT(SUCCESS, doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
								DOCA_ACCESS_FLAG_PCI_READ_WRITE |
								DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING));
	EXPECT(SUCCESS, doca_mmap_set_user_data(mmap, (union doca_data){.u64 = 7}));
	MUST(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	MUST(doca_mmap_start(mmap));
	EXPECT(ERROR_BAD_STATE, doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY));
	EXPECT(ERROR_BAD_STATE, doca_mmap_set_free_cb(mmap, NULL, NULL));
	EXPECT(ERROR_BAD_STATE, doca_mmap_set_user_data(mmap, (union doca_data){.u64 = 8}));
	EXPECT(SUCCESS, doca_mmap_get_user_data(mmap, &data));
	CHECK(data.u64 == 7);
	MUST(doca_mmap_stop(mmap));
	EXPECT(SUCCESS, doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY));
	EXPECT(SUCCESS, doca_mmap_set_free_cb(mmap, NULL, NULL));
	EXPECT(SUCCESS, doca_mmap_set_user_data(mmap, (union doca_data){.u64 = 9}));
	MUST(doca_mmap_destroy(mmap));
}

/* Which masks are accepted, and that a started map looks at its state first. */
static void permissions(void)
{
	struct doca_mmap *mmap = new_mmap();

	MUST(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	for (uint32_t mask = 0; mask < 256; mask++) {
		const uint32_t pci = DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE;
		const uint32_t rdma = DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC;
		int valid = (mask & 128) == 0 && (mask & pci) != pci &&
			    ((mask & rdma) == 0 || (mask & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) != 0);
		doca_error_t result = doca_mmap_set_permissions(mmap, mask);

		CHECK(result == (valid ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE));
		MUST(doca_mmap_start(mmap));
		EXPECT(ERROR_BAD_STATE, doca_mmap_set_permissions(mmap, mask));
		MUST(doca_mmap_stop(mmap));
	}
	MUST(doca_mmap_destroy(mmap));
}

static void devices(void)
{
	struct doca_mmap *mmap = new_mmap();
	struct doca_dev *a = open_dev(DPU_0), *b = open_dev(DPU_1), *c = open_dev(HOST_0);
	uint32_t num;

	EXPECT(SUCCESS, doca_mmap_get_max_num_devices(mmap, &num));
	CHECK(num == 1);
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_max_num_devices(mmap, 0));
	EXPECT(SUCCESS, doca_mmap_add_dev(mmap, a));
	EXPECT(ERROR_ALREADY_EXIST, doca_mmap_add_dev(mmap, a));
	EXPECT(ERROR_NO_MEMORY, doca_mmap_add_dev(mmap, b));
	EXPECT(SUCCESS, doca_mmap_set_max_num_devices(mmap, 2));
	EXPECT(SUCCESS, doca_mmap_add_dev(mmap, b));
	EXPECT(ERROR_ALREADY_EXIST, doca_mmap_add_dev(mmap, b));
	EXPECT(ERROR_NO_MEMORY, doca_mmap_add_dev(mmap, c));
	EXPECT(ERROR_NOT_FOUND, doca_mmap_rm_dev(mmap, c));
	EXPECT(SUCCESS, doca_mmap_rm_dev(mmap, a));
	EXPECT(ERROR_NOT_FOUND, doca_mmap_rm_dev(mmap, a));
	EXPECT(SUCCESS, doca_mmap_add_dev(mmap, c));
	MUST(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	MUST(doca_mmap_start(mmap));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_add_dev(mmap, a));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_rm_dev(mmap, b));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap, 4));
	MUST(doca_mmap_stop(mmap));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap, 4)); /* before the first start only */
	EXPECT(SUCCESS, doca_mmap_rm_dev(mmap, b));
	EXPECT(SUCCESS, doca_mmap_add_dev(mmap, a));
	MUST(doca_dev_close(a)); /* a map does not keep its devices open */
	MUST(doca_dev_close(b));
	MUST(doca_dev_close(c));
	EXPECT(SUCCESS, doca_mmap_destroy(mmap));
}

static void bufs_out(void)
{
	struct doca_mmap *mmap = new_mmap();
	struct doca_buf_inventory *inventory = make_inventory(4);
	struct doca_buf *buf;
	uint32_t num;

	MUST(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	MUST(doca_mmap_start(mmap));
	buf = src_buf(inventory, mmap, memory, 10);
	EXPECT(SUCCESS, doca_mmap_get_num_bufs(mmap, &num));
	CHECK(num == 1);
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_enable_thread_safety(mmap));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap));
	EXPECT(SUCCESS, doca_mmap_stop(mmap));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap));
	put_buf(buf);
	EXPECT(SUCCESS, doca_mmap_get_num_bufs(mmap, &num));
	CHECK(num == 0);
	EXPECT(SUCCESS, doca_mmap_destroy(mmap));
	MUST(doca_buf_inventory_destroy(inventory));
}

static void thread_safety(void)
{
	struct doca_mmap *mmap = new_mmap();
	struct doca_buf_inventory *inventory = make_inventory(4);
	struct doca_buf *buf;
	uint32_t num;

	MUST(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	MUST(doca_mmap_start(mmap));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_enable_thread_safety(mmap));
	MUST(doca_mmap_stop(mmap));
	EXPECT(SUCCESS, doca_mmap_enable_thread_safety(mmap));
	MUST(doca_mmap_start(mmap));
	buf = src_buf(inventory, mmap, memory, 10);
	EXPECT(SUCCESS, doca_mmap_get_num_bufs(mmap, &num));
	CHECK(num == 0); /* not counted */
	put_buf(buf);
	EXPECT(SUCCESS, doca_mmap_get_num_bufs(mmap, &num));
	CHECK(num == 0);
	buf = src_buf(inventory, mmap, memory, 10);
	EXPECT(SUCCESS, doca_mmap_destroy(mmap)); /* although a buffer is out */
	put_buf(buf);
	MUST(doca_buf_inventory_destroy(inventory));
}

static struct {
	int calls;
	void *addr;
	size_t len;
	void *opaque;
} freed;

static void on_free(void *addr, size_t len, void *opaque)
{
	freed.calls++;
	freed.addr = addr;
	freed.len = len;
	freed.opaque = opaque;
}

static void free_callback(void)
{
	struct doca_mmap *mmap = new_mmap();

	freed.calls = 0;
	EXPECT(SUCCESS, doca_mmap_set_free_cb(mmap, on_free, &freed));
	MUST(doca_mmap_set_memrange(mmap, memory, 99));
	MUST(doca_mmap_start(mmap));
	MUST(doca_mmap_stop(mmap));
	CHECK(freed.calls == 0);
	MUST(doca_mmap_start(mmap));
	MUST(doca_mmap_destroy(mmap));
	CHECK(freed.calls == 1 && freed.addr == memory && freed.len == 99 && freed.opaque == &freed);

	mmap = new_mmap(); /* never started: not called */
	MUST(doca_mmap_set_free_cb(mmap, on_free, NULL));
	MUST(doca_mmap_set_memrange(mmap, memory, 99));
	MUST(doca_mmap_destroy(mmap));
	CHECK(freed.calls == 1);

	mmap = new_mmap(); /* changed after the start: not called */
	MUST(doca_mmap_set_free_cb(mmap, on_free, NULL));
	MUST(doca_mmap_set_memrange(mmap, memory, 99));
	MUST(doca_mmap_start(mmap));
	MUST(doca_mmap_stop(mmap));
	MUST(doca_mmap_set_free_cb(mmap, on_free, &freed));
	MUST(doca_mmap_destroy(mmap));
	CHECK(freed.calls == 1);

	mmap = new_mmap(); /* stopped, but was started: called */
	MUST(doca_mmap_set_free_cb(mmap, on_free, NULL));
	MUST(doca_mmap_set_memrange(mmap, memory, 99));
	MUST(doca_mmap_start(mmap));
	MUST(doca_mmap_stop(mmap));
	MUST(doca_mmap_destroy(mmap));
	CHECK(freed.calls == 2);
}

/* Programs free their memory before they destroy the map. */
static void memory_gone(void)
{
	struct doca_mmap *mmap = new_mmap();
	void *heap = malloc(64);

	MUST(doca_mmap_set_memrange(mmap, heap, 64));
	MUST(doca_mmap_start(mmap));
	free(heap);
	EXPECT(SUCCESS, doca_mmap_destroy(mmap));
}

/* Makes the same calls in random order on the library and on a simple model of the rules. */
static void random_walk(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	unsigned int seed = 1;

	for (int walk = 0; walk < 200; walk++) {
		struct doca_mmap *mmap = new_mmap();
		struct doca_buf_inventory *inventory = make_inventory(8);
		struct doca_buf *bufs[8];
		int started = 0, ranged = 0, was_started = 0, has_dev = 0, num_bufs = 0;

		for (int step = 0; step < 60; step++) {
			int expected;
			doca_error_t got;

			seed = seed * 1103515245u + 12345u;
			switch (seed >> 16 & 15) {
			case 0:
			case 1:
				expected = ranged ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
				got = doca_mmap_start(mmap);
				if (ranged)
					started = was_started = 1;
				break;
			case 2:
				expected = DOCA_SUCCESS;
				got = doca_mmap_stop(mmap);
				started = 0;
				break;
			case 3:
				expected = started ? DOCA_ERROR_BAD_STATE :
					   ranged  ? DOCA_ERROR_NOT_PERMITTED :
						     DOCA_SUCCESS;
				got = doca_mmap_set_memrange(mmap, memory, 64);
				ranged = 1;
				break;
			case 4:
				expected = started ? DOCA_ERROR_NOT_PERMITTED :
					   has_dev ? DOCA_ERROR_ALREADY_EXIST :
						     DOCA_SUCCESS;
				got = doca_mmap_add_dev(mmap, dev);
				has_dev |= !started;
				break;
			case 5:
				expected = started ? DOCA_ERROR_NOT_PERMITTED :
					   has_dev ? DOCA_SUCCESS :
						     DOCA_ERROR_NOT_FOUND;
				got = doca_mmap_rm_dev(mmap, dev);
				has_dev &= started;
				break;
			case 6:
				expected = started ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
				got = doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
				break;
			case 7:
				expected = started ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
				got = doca_mmap_set_user_data(mmap, (union doca_data){.u64 = 1});
				break;
			case 8:
				expected = was_started ? DOCA_ERROR_NOT_PERMITTED : DOCA_SUCCESS;
				got = doca_mmap_set_max_num_devices(mmap, 1);
				break;
			case 9:
			case 10:
				if (num_bufs == 8)
					continue;
				expected = DOCA_SUCCESS; /* in every state */
				got = doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 8,
									 &bufs[num_bufs++]);
				break;
			case 11:
			case 12:
				if (num_bufs == 0)
					continue;
				expected = DOCA_SUCCESS;
				got = doca_buf_dec_refcount(bufs[--num_bufs], NULL);
				break;
			case 13:
				if (num_bufs == 0)
					continue;
				expected = DOCA_ERROR_NOT_PERMITTED;
				got = doca_mmap_destroy(mmap);
				break;
			default: {
				void *addr;
				size_t len;

				expected = ranged ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
				got = doca_mmap_get_memrange(mmap, &addr, &len);
				break;
			}
			}
			CHECK((int)got == expected);
		}
		while (num_bufs > 0)
			put_buf(bufs[--num_bufs]);
		EXPECT(SUCCESS, doca_mmap_destroy(mmap));
		MUST(doca_buf_inventory_destroy(inventory));
	}
	MUST(doca_dev_close(dev));
}

/* As DOCA 3.2 on a card, if the environment asks for it. */
static void refused_relaxed_ordering(void)
{
	const uint32_t relaxed = DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING;
	struct doca_mmap *map;

	MUST(doca_mmap_create(&map));
	setenv("DOCA_EMU_REFUSE_RELAXED", "1", 1);
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_permissions(map, relaxed | DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	EXPECT(ERROR_INVALID_VALUE,
	       doca_mmap_set_permissions(map, relaxed | DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	EXPECT(SUCCESS, doca_mmap_set_permissions(map, relaxed));
	EXPECT(SUCCESS, doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	setenv("DOCA_EMU_REFUSE_RELAXED", "0", 1);
	EXPECT(SUCCESS, doca_mmap_set_permissions(map, relaxed | DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	unsetenv("DOCA_EMU_REFUSE_RELAXED");
	EXPECT(SUCCESS, doca_mmap_set_permissions(map, relaxed | DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	MUST(doca_mmap_destroy(map));
}

TEST_MAIN(null_arguments, start_and_stop, memrange, attributes, permissions, devices, bufs_out, thread_safety,
	  free_callback, memory_gone, random_walk, refused_relaxed_ordering)
