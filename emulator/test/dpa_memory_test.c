/* SPDX-License-Identifier: Apache-2.0 */
/* DPA memory, memory maps and buffer arrays in device code, and asynchronous copies. */
#include "dpa_call.h"

#include <doca_buf_array.h>
#include <doca_mmap.h>
#include <doca_sync_event.h>

#include "dpacore/emu_dpa_completion.h"
#include "dpacore/emu_dpa_mmap.h"

static struct doca_dev *dev;
static struct doca_dpa *dpa;

static void begin(void)
{
	dev = open_dev(DPU_0);
	dpa = start_dpa(dev);
}

static void finish(void)
{
	MUST(doca_dpa_destroy(dpa));
	MUST(doca_dev_close(dev));
}

static void restart(void)
{
	MUST(doca_dpa_destroy(dpa));
	dpa = start_dpa(dev);
}

static uint64_t alloc(size_t size)
{
	uint64_t addr = 0;

	MUST(doca_dpa_mem_alloc(dpa, size, &addr));
	return addr;
}

static void test_alloc(void)
{
	uint64_t a, b, c, d;
	uint8_t bytes[64];

	EXPECT(ERROR_INVALID_VALUE, doca_dpa_mem_alloc(dpa, 0, &a));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_mem_alloc(NULL, 8, &a));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_mem_alloc(dpa, 8, NULL));
	EXPECT(ERROR_DRIVER, doca_dpa_mem_alloc(dpa, SIZE_MAX, &a));
	EXPECT(ERROR_DRIVER, doca_dpa_mem_alloc(dpa, ((size_t)1 << 30) + 1, &a));
	a = alloc(3);
	b = alloc(100);
	CHECK(a % 64 == 0 && b % 64 == 0 && b >= a + 3);
	EXPECT(ERROR_DRIVER, doca_dpa_mem_free(dpa, b + 1));
	EXPECT(ERROR_DRIVER, doca_dpa_mem_free(dpa, 0));
	MUST(doca_dpa_mem_free(dpa, a));
	EXPECT(ERROR_DRIVER, doca_dpa_mem_free(dpa, a));
	/* Ranges must be within one allocation. */
	EXPECT(SUCCESS, doca_dpa_memset(dpa, b, 0x5a, 100));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_memset(dpa, b, 1, 101));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_memset(dpa, b + 100, 1, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_memset(dpa, b - 1, 1, 2));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_memset(dpa, a, 1, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_memset(dpa, b, 1, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_memset(dpa, b + 1, 1, SIZE_MAX));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_h2d_memcpy(dpa, (uint64_t)(uintptr_t)bytes, bytes, 1));
	memset(bytes, 7, sizeof(bytes));
	EXPECT(SUCCESS, doca_dpa_h2d_memcpy(dpa, b + 36, bytes, 64));
	EXPECT(SUCCESS, doca_dpa_d2h_memcpy(dpa, bytes, b + 4, 64));
	for (size_t i = 0; i < 64; i++)
		CHECK(bytes[i] == (i < 32 ? 0x5a : 7));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_d2h_memcpy(dpa, NULL, b, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_h2d_memcpy(dpa, b, NULL, 1));
	MUST(doca_dpa_mem_free(dpa, b));
	/* All of it can be had, again and again, and gaps are used. */
	for (int i = 0; i < 2; i++) {
		a = alloc((size_t)1 << 29);
		c = alloc(64);
		b = alloc(((size_t)1 << 29) - 128);
		d = alloc(64);
		EXPECT(ERROR_DRIVER, doca_dpa_mem_alloc(dpa, 1, &(uint64_t){0}));
		MUST(doca_dpa_mem_free(dpa, c));
		c = alloc(1);
		MUST(doca_dpa_mem_free(dpa, a));
		MUST(doca_dpa_mem_free(dpa, b));
		MUST(doca_dpa_mem_free(dpa, c));
		MUST(doca_dpa_mem_free(dpa, d));
	}
}

/* Memory that was not freed goes with the context. */
static void test_left_memory(void)
{
	alloc(1000);
	MUST(doca_dpa_stop(dpa));
	EXPECT(ERROR_BAD_STATE, doca_dpa_mem_alloc(dpa, 8, &(uint64_t){0}));
	EXPECT(ERROR_BAD_STATE, doca_dpa_mem_free(dpa, 64));
	EXPECT(ERROR_BAD_STATE, doca_dpa_memset(dpa, 64, 0, 1));
	MUST(doca_dpa_start(dpa));
}

static void test_buf_copies(void)
{
	static uint8_t memory[256];
	struct doca_mmap *map = make_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_mmap *read_only = make_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	struct doca_buf_inventory *inventory = make_inventory(4);
	struct doca_buf *src = src_buf(inventory, map, memory, 64), *dst = dst_buf(inventory, map, memory + 64, 64);
	struct doca_buf *fixed = dst_buf(inventory, read_only, memory, 64);
	uint64_t addr = alloc(128);

	memset(memory, 9, 64);
	EXPECT(SUCCESS, doca_dpa_h2d_buf_memcpy(dpa, addr, src, 64));
	EXPECT(SUCCESS, doca_dpa_d2h_buf_memcpy(dpa, dst, addr, 64));
	CHECK(data_len(dst) == 64 && memcmp(memory, memory + 64, 64) == 0);
	EXPECT(SUCCESS, doca_dpa_d2h_buf_memcpy(dpa, dst, addr, 10)); /* from the start again */
	CHECK(data_len(dst) == 10);
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_h2d_buf_memcpy(dpa, addr, src, 65));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_d2h_buf_memcpy(dpa, dst, addr, 65));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_d2h_buf_memcpy(dpa, fixed, addr, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_h2d_buf_memcpy(dpa, addr + 100, src, 64));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_h2d_buf_memcpy(dpa, addr, NULL, 1));
	EXPECT(ERROR_INVALID_VALUE, doca_dpa_d2h_buf_memcpy(dpa, NULL, addr, 1));
	put_buf(src);
	put_buf(dst);
	put_buf(fixed);
	MUST(doca_buf_inventory_destroy(inventory));
	MUST(doca_mmap_destroy(map));
	MUST(doca_mmap_destroy(read_only));
	MUST(doca_dpa_mem_free(dpa, addr));
}

/* Maps. */

static void test_dpa_maps(void)
{
	struct doca_dev *other = open_dev(DPU_1);
	uint64_t addr = alloc(256);
	struct doca_mmap *map, *second;
	uint32_t handle = 0, same = 0;
	uint8_t memory[16];
	const void *desc;
	size_t len;

	MUST(doca_mmap_create(&map));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_dpa_memrange(map, NULL, addr, 256));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_dpa_memrange(NULL, dpa, addr, 256));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_dpa_memrange(map, dpa, addr, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_set_dpa_memrange(map, dpa, addr, 257));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_dev_get_dpa_handle(map, dev, &handle)); /* not started */
	MUST(doca_mmap_set_dpa_memrange(map, dpa, addr, 256));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_set_dpa_memrange(map, dpa, addr, 256)); /* once */
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_add_dev(map, other));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_rm_dev(map, dev));
	EXPECT(ERROR_IN_USE, doca_dpa_stop(dpa));
	MUST(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ));
	MUST(doca_mmap_start(map));
	EXPECT(ERROR_BAD_STATE, doca_mmap_set_dpa_memrange(map, dpa, addr, 256));
	EXPECT(SUCCESS, doca_mmap_dev_get_dpa_handle(map, dev, &handle));
	EXPECT(SUCCESS, doca_mmap_dev_get_dpa_handle(map, dev, &same));
	CHECK(handle != 0 && handle == same);
	EXPECT(ERROR_NOT_FOUND, doca_mmap_dev_get_dpa_handle(map, other, &same));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_dev_get_dpa_handle(map, NULL, &same));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_dev_get_dpa_handle(NULL, dev, &same));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_dev_get_dpa_handle(map, dev, NULL));
	EXPECT(SUCCESS, doca_mmap_export_rdma(map, dev, &desc, &len));
	MUST(doca_mmap_stop(map));
	MUST(doca_mmap_destroy(map));
	/* One that has a device takes no DPA memory. */
	MUST(doca_mmap_create(&second));
	MUST(doca_mmap_add_dev(second, dev));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_set_dpa_memrange(second, dpa, addr, 256));
	MUST(doca_mmap_set_memrange(second, memory, sizeof(memory)));
	MUST(doca_mmap_destroy(second));
	MUST(doca_dpa_mem_free(dpa, addr));
	MUST(doca_dev_close(other));
}

/* Asynchronous copies. */

struct copy_job {
	uint64_t ops, comp;
	uint32_t dst, src;
	uint64_t dst_addr, src_addr;
	size_t len;
	uint32_t flags;
	uint64_t dst_buf, src_buf; /* used if they are not 0 */
	/* The completions. */
	uint32_t num;
	uint32_t types[16];
	uint32_t user_data[16];
};

static void post_copy(void *arg)
{
	const struct copy_job *c = arg;

	if (c->dst_buf != 0)
		device->post_buf_memcpy(c->ops, c->dst_buf, c->src_buf, c->flags);
	else
		device->post_memcpy(c->ops, c->dst, c->dst_addr, c->src, c->src_addr, c->len, c->flags);
}

static void take_all(void *arg)
{
	struct copy_job *c = arg;
	uint64_t element;

	c->num = 0;
	while (device->get_completion(c->comp, &element)) {
		c->types[c->num % 16] = (uint32_t)device->get_completion_type(element);
		c->user_data[c->num++ % 16] = device->get_completion_user_data(element);
		device->completion_ack(c->comp, 1);
	}
}

struct queue {
	struct doca_dpa_completion *comp;
	struct doca_dpa_async_ops *ops;
};

static struct queue make_queue(struct copy_job *c)
{
	struct queue q;

	MUST(doca_dpa_completion_create(dpa, 16, &q.comp));
	MUST(doca_dpa_async_ops_create(dpa, 4, 77, &q.ops));
	EXPECT(ERROR_BAD_STATE, doca_dpa_async_ops_start(q.ops)); /* not attached */
	MUST(doca_dpa_async_ops_attach(q.ops, q.comp));
	EXPECT(ERROR_BAD_STATE, doca_dpa_async_ops_start(q.ops)); /* not to a started one */
	EXPECT(ERROR_BAD_STATE, doca_dpa_async_ops_get_dpa_handle(q.ops, &c->ops));
	EXPECT(ERROR_BAD_STATE, doca_dpa_completion_get_dpa_handle(q.comp, &c->comp));
	EXPECT(ERROR_BAD_STATE, doca_dpa_completion_destroy(q.comp)); /* attached */
	MUST(doca_dpa_completion_start(q.comp));
	MUST(doca_dpa_async_ops_start(q.ops));
	EXPECT(ERROR_BAD_STATE, doca_dpa_async_ops_attach(q.ops, q.comp));
	MUST(doca_dpa_async_ops_get_dpa_handle(q.ops, &c->ops));
	MUST(doca_dpa_completion_get_dpa_handle(q.comp, &c->comp));
	return q;
}

static void free_queue(struct queue *q)
{
	MUST(doca_dpa_async_ops_destroy(q->ops));
	MUST(doca_dpa_completion_destroy(q->comp));
}

static uint8_t host[4096];

static struct doca_mmap *map_host(uint32_t permissions, uint32_t *handle)
{
	struct doca_mmap *map = make_mmap(dev, host, sizeof(host), permissions);

	MUST(doca_mmap_dev_get_dpa_handle(map, dev, handle));
	return map;
}

static struct doca_mmap *map_dpa(uint64_t addr, size_t len, uint32_t *handle)
{
	struct doca_mmap *map;

	MUST(doca_mmap_create(&map));
	MUST(doca_mmap_set_dpa_memrange(map, dpa, addr, len));
	MUST(doca_mmap_start(map));
	MUST(doca_mmap_dev_get_dpa_handle(map, dev, handle));
	return map;
}

static void test_copies(void)
{
	struct copy_job c = {.len = 100, .flags = EMU_DPA_SUBMIT_FLUSH};
	struct queue q = make_queue(&c);
	uint64_t addr = alloc(256);
	struct doca_mmap *host_map = map_host(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &c.dst);
	struct doca_mmap *dpa_map = map_dpa(addr, 256, &c.src);

	c.dst_addr = (uint64_t)(uintptr_t)host;
	c.src_addr = addr + 28;
	MUST(doca_dpa_memset(dpa, addr, 3, 256));
	on_dpa(dpa, post_copy, &c);
	on_dpa(dpa, take_all, &c);
	CHECK(c.num == 1 && c.types[0] == EMU_DPA_COMP_SEND && c.user_data[0] == 77);
	CHECK(host[0] == 3 && host[99] == 3 && host[100] == 0);
	/* Without a flush nothing happens until one comes, and one may have no report. */
	memset(host, 0, sizeof(host));
	c.flags = 0;
	on_dpa(dpa, post_copy, &c);
	c.dst_addr += 100;
	c.flags = EMU_DPA_SUBMIT_OPTIMIZE_REPORTS;
	on_dpa(dpa, post_copy, &c);
	on_dpa(dpa, take_all, &c);
	CHECK(c.num == 0 && host[0] == 0);
	c.dst_addr += 100;
	c.flags = EMU_DPA_SUBMIT_FLUSH;
	on_dpa(dpa, post_copy, &c);
	on_dpa(dpa, take_all, &c);
	CHECK(c.num == 2 && host[0] == 3 && host[299] == 3 && host[300] == 0);
	/* A failed one is reported, and breaks the queue. */
	c.src_addr = addr + 200;
	c.flags = EMU_DPA_SUBMIT_FLUSH | EMU_DPA_SUBMIT_OPTIMIZE_REPORTS;
	on_dpa(dpa, post_copy, &c);
	c.src_addr = addr;
	on_dpa(dpa, post_copy, &c);
	on_dpa(dpa, take_all, &c);
	CHECK(c.num == 2 && c.types[0] == EMU_DPA_COMP_SEND_ERR && c.types[1] == EMU_DPA_COMP_SEND_ERR);
	EXPECT(SUCCESS, doca_dpa_peek_at_last_error(dpa));
	free_queue(&q);
	MUST(doca_mmap_destroy(host_map));
	MUST(doca_mmap_destroy(dpa_map));
	MUST(doca_dpa_mem_free(dpa, addr));
}

/* What a device may not do. */
static void test_copy_errors(void)
{
	struct doca_dev *other = open_dev(DPU_1);
	struct doca_mmap *writable, *read_only, *others;
	struct copy_job c;
	uint32_t handles[3];
	struct queue q;

	writable = map_host(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &handles[0]);
	read_only = map_host(DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, &handles[1]);
	others = make_mmap(other, host, sizeof(host), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	MUST(doca_mmap_dev_get_dpa_handle(others, other, &handles[2]));
	for (int i = 0; i < 5; i++) {
		c = (struct copy_job){.dst = handles[0],
				      .src = handles[0],
				      .dst_addr = (uint64_t)(uintptr_t)host,
				      .src_addr = (uint64_t)(uintptr_t)host + 2048,
				      .len = 64,
				      .flags = EMU_DPA_SUBMIT_FLUSH};
		q = make_queue(&c);
		if (i == 1)
			c.dst = handles[1];
		if (i == 2)
			c.dst = handles[2];
		if (i == 3)
			c.src_addr += 2048 - 63;
		if (i == 4)
			c.dst_addr -= 1;
		on_dpa(dpa, post_copy, &c);
		on_dpa(dpa, take_all, &c);
		CHECK(c.num == 1 && c.types[0] == (i == 0 ? EMU_DPA_COMP_SEND : EMU_DPA_COMP_SEND_ERR));
		free_queue(&q);
	}
	MUST(doca_mmap_destroy(writable));
	/* The handle of a map that is gone. */
	c.dst = handles[0];
	q = make_queue(&c);
	IS_FATAL(dpa, post_copy, &c);
	free_queue(&q);
	restart();
	/* More operations than the queue holds. */
	c.dst = handles[1];
	c.src = handles[1];
	c.flags = 0;
	q = make_queue(&c);
	for (int i = 0; i < 4; i++)
		on_dpa(dpa, post_copy, &c);
	IS_FATAL(dpa, post_copy, &c);
	free_queue(&q);
	restart();
	/* Flags that do not exist. */
	c.flags = 4;
	q = make_queue(&c);
	IS_FATAL(dpa, post_copy, &c);
	free_queue(&q);
	restart();
	MUST(doca_mmap_destroy(read_only));
	MUST(doca_mmap_destroy(others));
	MUST(doca_dev_close(other));
}

/* Buffer arrays. */

struct arr_job {
	uint64_t arr;
	uint32_t mmap;
	uint64_t addr;
	/* Results. */
	uint64_t ptr, map_ptr;
};

/* The first and the last byte of an element. */
static void read_elements(void *arg)
{
	struct arr_job *a = arg;
	const struct emu_dpa_buf *bufs = *(struct emu_dpa_buf **)(uintptr_t)a->arr;

	a->ptr = device->buf_get_external_ptr((uint64_t)(uintptr_t)&bufs[2]);
	a->map_ptr = device->mmap_get_external_ptr(bufs[2].mmap, bufs[2].addr + 1);
	*(uint8_t *)(uintptr_t)a->ptr = 42;
}

static void external_ptr(void *arg)
{
	const struct arr_job *a = arg;

	device->mmap_get_external_ptr(a->mmap, a->addr);
}

static void test_arrays(void)
{
	struct doca_buf_arr *arr;
	struct doca_mmap *map = make_mmap(dev, host, sizeof(host), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE), *idle;
	struct copy_job c = {.flags = EMU_DPA_SUBMIT_FLUSH};
	struct arr_job a = {.arr = 0};
	struct queue q;
	uint64_t handle;

	EXPECT(ERROR_INVALID_VALUE, doca_buf_arr_create(0, &arr));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_arr_create(1, NULL));
	MUST(doca_buf_arr_create(4, &arr));
	EXPECT(ERROR_BAD_STATE, doca_buf_arr_start(arr)); /* no target, no memory */
	EXPECT(ERROR_INVALID_VALUE, doca_buf_arr_set_params(arr, map, 0, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_arr_set_params(arr, NULL, 1, 0));
	EXPECT(ERROR_INVALID_VALUE, doca_buf_arr_set_target_dpa(arr, NULL));
	EXPECT(ERROR_NOT_SUPPORTED, doca_buf_arr_set_target_gpu(arr, NULL));
	MUST(doca_buf_arr_set_params(arr, map, 1000, 100));
	EXPECT(ERROR_BAD_STATE, doca_buf_arr_start(arr));
	MUST(doca_buf_arr_set_target_dpa(arr, dpa));
	EXPECT(ERROR_IN_USE, doca_dpa_stop(dpa));
	EXPECT(ERROR_NO_MEMORY, doca_buf_arr_start(arr)); /* the map is too small */
	MUST(doca_mmap_create(&idle));
	MUST(doca_buf_arr_set_params(arr, idle, 1000, 0));
	EXPECT(ERROR_BAD_STATE, doca_buf_arr_start(arr)); /* the map is not started */
	MUST(doca_buf_arr_set_params(arr, map, 1000, 96));
	EXPECT(ERROR_BAD_STATE, doca_buf_arr_get_dpa_handle(arr, &handle));
	MUST(doca_buf_arr_start(arr));
	EXPECT(ERROR_BAD_STATE, doca_buf_arr_start(arr));
	EXPECT(ERROR_BAD_STATE, doca_buf_arr_set_params(arr, map, 1, 0));
	EXPECT(ERROR_BAD_STATE, doca_buf_arr_set_target_dpa(arr, dpa));
	MUST(doca_buf_arr_get_dpa_handle(arr, &a.arr));
	CHECK(a.arr % 64 == 0);
	on_dpa(dpa, read_elements, &a);
	CHECK(a.ptr == (uint64_t)(uintptr_t)host + 96 + 2000 && a.map_ptr == a.ptr + 1 && host[2096] == 42);
	/* Copies between elements. */
	q = make_queue(&c);
	c.src_buf = *(uint64_t *)(uintptr_t)a.arr + 2 * sizeof(struct emu_dpa_buf);
	c.dst_buf = *(uint64_t *)(uintptr_t)a.arr + 3 * sizeof(struct emu_dpa_buf);
	on_dpa(dpa, post_copy, &c);
	on_dpa(dpa, take_all, &c);
	CHECK(c.num == 1 && c.types[0] == EMU_DPA_COMP_SEND && host[3096] == 42);
	((struct emu_dpa_buf *)(uintptr_t)c.dst_buf)->len = 999;
	IS_FATAL(dpa, post_copy, &c); /* it is too short */
	free_queue(&q);
	MUST(doca_buf_arr_stop(arr));
	EXPECT(ERROR_BAD_STATE, doca_buf_arr_get_dpa_handle(arr, &handle));
	EXPECT(ERROR_BAD_STATE, doca_buf_arr_start(arr)); /* only once */
	MUST(doca_buf_arr_destroy(arr));
	restart();
	/* Outside of the map. */
	MUST(doca_mmap_dev_get_dpa_handle(map, dev, &a.mmap));
	a.addr = (uint64_t)(uintptr_t)host + sizeof(host) - 1;
	on_dpa(dpa, external_ptr, &a);
	a.addr++;
	IS_FATAL(dpa, external_ptr, &a);
	restart();
	MUST(doca_mmap_destroy(idle));
	MUST(doca_mmap_destroy(map));
}

TEST_MAIN(begin, test_alloc, test_left_memory, test_buf_copies, test_dpa_maps, test_copies, test_copy_errors, test_arrays,
	  finish)
