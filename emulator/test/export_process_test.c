/* SPDX-License-Identifier: Apache-2.0 */

/* Memory of another process: copies, permissions, descriptors, ends. */

#include "export_host.h"

#define READ_ONLY DOCA_ACCESS_FLAG_PCI_READ_ONLY
#define READ_WRITE DOCA_ACCESS_FLAG_PCI_READ_WRITE

static void read_and_write(void)
{
	struct host host = start_exporter(HOST_0, READ_WRITE);
	struct dpu dpu = make_dpu();
	struct doca_mmap *import;
	union doca_data data = {.u64 = 7};
	void *addr;
	size_t len;
	uint8_t flag;

	EXPECT(SUCCESS, doca_mmap_create_from_export(&data, host.desc, host.desc_len, dpu.f->dev, &import));
	EXPECT(SUCCESS, doca_mmap_get_memrange(import, &addr, &len));
	CHECK(addr == host.addr && len == HOST_SIZE);
	EXPECT(SUCCESS, doca_mmap_get_from_export(import, &flag));
	CHECK(flag == 1);
	data.u64 = 0;
	EXPECT(SUCCESS, doca_mmap_get_user_data(import, &data));
	CHECK(data.u64 == 7);

	EXPECT(SUCCESS, pull(&dpu, import, &host));
	CHECK(has_pattern(dpu.memory, HOST_SIZE, 1));
	fill(dpu.memory, HOST_SIZE, 2);
	EXPECT(SUCCESS, push(&dpu, import, &host));
	EXPECT(SUCCESS, tell(&host, HOST_CHECK, 2));

	/* The import works while the exporter is stopped. */
	EXPECT(SUCCESS, tell(&host, HOST_FILL, 3));
	stop_child(host.pid);
	EXPECT(SUCCESS, pull(&dpu, import, &host));
	CHECK(has_pattern(dpu.memory, HOST_SIZE, 3));
	kill(host.pid, SIGCONT);

	/* It ends with the range, although the host has memory behind it. */
	EXPECT(ERROR_IO_FAILED, dma_copy(dpu.f, import, host.addr + HOST_SIZE - 10, dpu.map, dpu.memory, 11));
	EXPECT(ERROR_IO_FAILED, dma_copy(dpu.f, dpu.map, dpu.memory, import, host.addr - 1, 11));
	EXPECT(SUCCESS, dma_copy(dpu.f, import, host.addr + HOST_SIZE - 10, dpu.map, dpu.memory, 10));
	MUST(doca_mmap_stop(import));
	EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host));
	MUST(doca_mmap_destroy(import));
	delete_dpu(&dpu);
	quit_host(&host);
}

/* A program may end its main thread and go on with others. */
static void without_main_thread(void)
{
	struct dpu dpu = make_dpu();
	struct doca_mmap *import;
	struct host host;

	test_ends_main_thread = true;
	host = start_exporter(HOST_0, READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ);
	test_ends_main_thread = false;
	MUST(doca_mmap_create_from_export(NULL, host.desc, host.desc_len, dpu.f->dev, &import));
	EXPECT(SUCCESS, pull(&dpu, import, &host));
	CHECK(has_pattern(dpu.memory, HOST_SIZE, 1));
	fill(dpu.memory, HOST_SIZE, 2);
	EXPECT(SUCCESS, push(&dpu, import, &host));
	EXPECT(SUCCESS, tell(&host, HOST_CHECK, 2));
	EXPECT(SUCCESS, tell(&host, HOST_EXPORT_RDMA, 0));
	EXPECT(SUCCESS, tell(&host, HOST_STOP, 0));
	EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host));
	MUST(doca_mmap_destroy(import));
	/* It is still known to be of this host, where it is clear at once that it has ended. */
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, host.desc, host.desc_len, dpu.f->dev, &import));
	delete_dpu(&dpu);
	quit_host(&host);
}

static doca_error_t try_copy(struct fixture *f, struct doca_mmap *src_map, void *src, struct doca_mmap *dst_map,
			     void *dst)
{
	struct doca_buf *from = src_buf(f->inventory, src_map, src, 16), *to = dst_buf(f->inventory, dst_map, dst, 16);
	struct doca_task *task = make_task(f, from, to);
	doca_error_t result = doca_task_try_submit(task);

	if (result == DOCA_SUCCESS)
		drain_pe(f->pe);
	else
		doca_task_free(task);
	put_buf(from);
	put_buf(to);
	return result;
}

/* Which accesses the permissions and the device allow, and when the others are refused. */
static void permissions(void)
{
	static const uint32_t masks[] = {
		0, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, READ_ONLY, READ_WRITE,
		DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE,
		READ_ONLY | DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE,
		READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ};
	struct dpu dpu = make_dpu();

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		struct host host = start_host(HOST_0, masks[i]);
		bool may_export = (masks[i] & (READ_ONLY | READ_WRITE)) != 0, may_write = (masks[i] & READ_WRITE) != 0;
		doca_error_t exported = tell(&host, HOST_EXPORT, 0);
		struct doca_mmap *import;

		CHECK(exported == (may_export ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED));
		if (may_export) {
			import = must_import(&host, dpu.f->dev);
			EXPECT(SUCCESS, pull(&dpu, import, &host));
			CHECK(has_pattern(dpu.memory, HOST_SIZE, 1));
			EXPECT(SUCCESS, try_copy(dpu.f, import, host.addr, dpu.map, dpu.memory));
			fill(dpu.memory, HOST_SIZE, 2);
			CHECK(push(&dpu, import, &host) == (may_write ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED));
			EXPECT(SUCCESS, tell(&host, HOST_CHECK, may_write ? 2 : 1));
			CHECK(try_copy(dpu.f, dpu.map, dpu.memory, import, host.addr) ==
			      (may_write ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE));
			MUST(doca_mmap_destroy(import));
		}
		exported = tell(&host, HOST_EXPORT_RDMA, 0);
		CHECK(exported == (masks[i] & (DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE) ?
					   DOCA_SUCCESS :
					   DOCA_ERROR_NOT_PERMITTED));
		if (exported == DOCA_SUCCESS) { /* no PCI memory */
			import = must_import(&host, dpu.f->dev);
			EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host));
			MUST(doca_mmap_destroy(import));
		}
		quit_host(&host);
	}
	delete_dpu(&dpu);
}

/* Over PCI, a function and the one at its other end share memory; over RDMA, any two functions. */
static void devices(void)
{
	static const char *const addrs[] = {DPU_0, DPU_1, HOST_0, HOST_1};
	static const bool matches[] = {true, false, true, false};
	struct host host = start_exporter(HOST_0, READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ);

	for (int i = 0; i < 8; i++) {
		struct doca_dev *dev = open_dev(addrs[i % 4]);
		struct doca_mmap *import;
		doca_error_t result;

		if (i == 4)
			EXPECT(SUCCESS, tell(&host, HOST_EXPORT_RDMA, 0));
		result = import_host(&host, dev, &import);
		CHECK(result == (i >= 4 || matches[i % 4] ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED));
		if (result == DOCA_SUCCESS)
			MUST(doca_mmap_destroy(import));
		MUST(doca_dev_close(dev));
	}
	quit_host(&host);
}

static void refused_descriptors(void)
{
	struct host host = start_exporter(HOST_0, READ_ONLY);
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_mmap *import;
	uint8_t long_desc[513];

	for (size_t i = 0; i < host.desc_len; i++) {
		for (int bit = 0; bit < 8; bit += 7) {
			struct host altered = host;

			altered.desc[i] ^= (uint8_t)(1 << bit);
			if (i >= 8 && i < 12)
				EXPECT(ERROR_UNSUPPORTED_VERSION, import_host(&altered, dev, &import));
			else
				EXPECT(ERROR_INVALID_VALUE, import_host(&altered, dev, &import));
		}
	}
	for (size_t len = 0; len < host.desc_len; len++)
		EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, host.desc, len, dev, &import));
	memset(long_desc, 0, sizeof(long_desc)); /* padded with zeros, as from a file */
	memcpy(long_desc, host.desc, host.desc_len);
	for (size_t len = host.desc_len; len < sizeof(long_desc); len++) {
		EXPECT(SUCCESS, doca_mmap_create_from_export(NULL, long_desc, len, dev, &import));
		MUST(doca_mmap_destroy(import));
		long_desc[len] = 1;
		EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, long_desc, len + 1, dev, &import));
		long_desc[len] = 0;
	}
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, long_desc, sizeof(long_desc), dev, &import));

	/* Once the export has ended its descriptor is useless, even if there are other exports. */
	EXPECT(SUCCESS, tell(&host, HOST_STOP, 0));
	EXPECT(ERROR_INVALID_VALUE, import_host(&host, dev, &import));
	EXPECT(SUCCESS, tell(&host, HOST_START, 0));
	EXPECT(ERROR_INVALID_VALUE, import_host(&host, dev, &import));
	memcpy(long_desc, host.desc, host.desc_len);
	EXPECT(SUCCESS, tell(&host, HOST_EXPORT, 0));
	CHECK(memcmp(long_desc, host.desc, host.desc_len) != 0);
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, long_desc, host.desc_len, dev, &import));
	EXPECT(SUCCESS, import_host(&host, dev, &import));
	MUST(doca_mmap_destroy(import));
	EXPECT(SUCCESS, tell(&host, HOST_DESTROY, 0));
	EXPECT(ERROR_INVALID_VALUE, import_host(&host, dev, &import));
	CHECK(!there_are_servers());
	quit_host(&host);
	EXPECT(ERROR_INVALID_VALUE, import_host(&host, dev, &import));
	MUST(doca_dev_close(dev));
}

/* The exporter stops its map, destroys it, or ends. */
static void ends_of_exports(void)
{
	struct dpu dpu = make_dpu();

	for (int i = 0; i < 4; i++) {
		struct host host = start_exporter(HOST_0, READ_WRITE);
		struct doca_mmap *import = must_import(&host, dpu.f->dev);

		EXPECT(SUCCESS, pull(&dpu, import, &host));
		if (i == 0)
			EXPECT(SUCCESS, tell(&host, HOST_STOP, 0));
		if (i == 1)
			EXPECT(SUCCESS, tell(&host, HOST_DESTROY, 0));
		if (i == 2)
			quit_host(&host);
		if (i == 3) {
			kill_host(&host);
			CHECK(there_are_servers());
		}
		EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host));
		EXPECT(ERROR_IO_FAILED, push(&dpu, import, &host));
		CHECK(try_copy(dpu.f, import, host.addr, dpu.map, dpu.memory) == (i < 3 ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS));
		if (ctx_state(dpu.f->ctx) == DOCA_CTX_STATE_IDLE)
			MUST(doca_ctx_start(dpu.f->ctx));
		if (i == 0) { /* it does not become valid again */
			EXPECT(SUCCESS, tell(&host, HOST_START, 0));
			EXPECT(SUCCESS, tell(&host, HOST_EXPORT, 0));
			EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host));
		}
		MUST(doca_mmap_destroy(import));
		if (i < 2)
			quit_host(&host);
		CHECK(!there_are_servers()); /* what a killed exporter has left is removed with its last import */
	}
	delete_dpu(&dpu);
}

/* The program unmaps its memory before it stops the map. */
static void unmapped(void)
{
	struct host host = start_exporter(HOST_0, READ_WRITE);
	struct dpu dpu = make_dpu();
	struct doca_mmap *import = must_import(&host, dpu.f->dev);

	EXPECT(SUCCESS, tell(&host, HOST_UNMAP, 0));
	EXPECT(ERROR_IO_FAILED, pull(&dpu, import, &host));
	EXPECT(ERROR_IO_FAILED, push(&dpu, import, &host));
	MUST(doca_mmap_destroy(import));
	delete_dpu(&dpu);
	quit_host(&host);
}

/* Lists of local memory and of that of two processes, and copies from one of these to the other. */
static void several_processes(void)
{
	struct host a = start_exporter(HOST_0, READ_WRITE), b = start_exporter(HOST_0, READ_WRITE);
	struct dpu dpu = make_dpu();
	struct doca_mmap *from = must_import(&a, dpu.f->dev), *to = must_import(&b, dpu.f->dev);
	struct doca_mmap *again = must_import(&a, dpu.f->dev);
	struct doca_buf *src, *dst;

	EXPECT(SUCCESS, tell(&b, HOST_FILL, 5));
	/* The addresses may be the same: they do not overlap. */
	EXPECT(SUCCESS, dma_copy(dpu.f, from, a.addr, to, b.addr, HOST_SIZE));
	EXPECT(SUCCESS, tell(&b, HOST_CHECK, 1));
	/* In one process they overlap, whichever import they are of. */
	EXPECT(ERROR_IO_FAILED, dma_copy(dpu.f, from, a.addr, again, a.addr + 99, 100));
	EXPECT(SUCCESS, dma_copy(dpu.f, from, a.addr, again, a.addr + 100, 100));

	EXPECT(SUCCESS, tell(&a, HOST_FILL, 1));
	src = src_buf(dpu.f->inventory, from, a.addr, 1000);
	MUST(doca_buf_chain_list(src, src_buf(dpu.f->inventory, dpu.map, dpu.memory, 1000)));
	fill(dpu.memory, 1000, 8);
	dst = dst_buf(dpu.f->inventory, to, b.addr, 500);
	MUST(doca_buf_chain_list(dst, dst_buf(dpu.f->inventory, dpu.map, dpu.memory + 5000, 1500)));
	MUST(doca_task_submit(make_task(dpu.f, src, dst)));
	CHECK(drain_pe(dpu.f->pe) == 1 && ctx_state(dpu.f->ctx) == DOCA_CTX_STATE_RUNNING);
	CHECK(data_len(dst) == 500);
	for (size_t i = 0; i < 500; i++)
		CHECK(dpu.memory[5000 + i] == pattern(500 + i, 1));
	CHECK(has_pattern(dpu.memory + 5500, 1000, 8));

	/* One of two exports ends: the copy fails. */
	MUST(doca_buf_reset_data_len(dst));
	EXPECT(SUCCESS, tell(&b, HOST_STOP, 0));
	MUST(doca_task_submit(make_task(dpu.f, src, dst)));
	drain_pe(dpu.f->pe);
	CHECK(dpu.f->last_error == DOCA_ERROR_IO_FAILED && data_len(dst) == 0);
	MUST(doca_ctx_start(dpu.f->ctx));
	put_buf(src);
	put_buf(dst);
	MUST(doca_mmap_destroy(from));
	MUST(doca_mmap_destroy(to));
	MUST(doca_mmap_destroy(again));
	delete_dpu(&dpu);
	quit_host(&a);
	quit_host(&b);
}

/* Exporting an import: refused over PCI; over RDMA it lasts as long as the import. */
static void exported_again(void)
{
	struct host host = start_exporter(HOST_0, READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ);
	struct dpu dpu = make_dpu();
	struct doca_mmap *import = must_import(&host, dpu.f->dev), *second;
	const void *desc;
	void *addr;
	size_t len;

	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_export_pci(import, dpu.f->dev, &desc, &len));
	EXPECT(SUCCESS, doca_mmap_export_rdma(import, dpu.f->dev, &desc, &len));
	EXPECT(SUCCESS, doca_mmap_create_from_export(NULL, desc, len, dpu.f->dev, &second));
	EXPECT(SUCCESS, doca_mmap_get_memrange(second, &addr, &len));
	CHECK(addr == host.addr && len == HOST_SIZE);
	EXPECT(ERROR_IO_FAILED, pull(&dpu, second, &host)); /* it is for RDMA */
	MUST(doca_mmap_destroy(import));
	EXPECT(ERROR_IO_FAILED, pull(&dpu, second, &host));
	MUST(doca_mmap_destroy(second));
	delete_dpu(&dpu);
	quit_host(&host);
}

/* No process can be reached: the calls return the errors of the system. */
static void unfit_directory(void)
{
	struct host host = start_exporter(HOST_0, READ_ONLY);
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_mmap *import, *map;
	struct stat made;
	uint8_t memory[64];
	const void *desc;
	size_t len;

	CHECK(stat(test_servers, &made) == 0 && chmod(test_servers, 0755) == 0);
	EXPECT(ERROR_DRIVER, import_host(&host, dev, &import));
	map = make_mmap(dev, memory, sizeof(memory), READ_ONLY);
	EXPECT(ERROR_DRIVER, doca_mmap_export_pci(map, dev, &desc, &len));
	CHECK(chmod(test_servers, made.st_mode & 07777) == 0);
	EXPECT(SUCCESS, doca_mmap_export_pci(map, dev, &desc, &len));
	MUST(doca_mmap_destroy(map));
	setenv("DOCA_EMU_RUNTIME_DIR", "/nowhere", 1); /* nor has this process an export */
	EXPECT(ERROR_INVALID_VALUE, import_host(&host, dev, &import));
	setenv("DOCA_EMU_RUNTIME_DIR", test_servers, 1);
	MUST(doca_dev_close(dev));
	quit_host(&host);
}

TEST_MAIN(read_and_write, without_main_thread, permissions, devices, refused_descriptors, ends_of_exports, unmapped, several_processes,
	  exported_again, unfit_directory, left_nothing)
