/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/mman.h>

#include "fixture.h"
#include "process.h"

static uint8_t memory[4096];
static uint8_t garbage[512];

static void checks(void)
{
	struct doca_dev *dev = open_dev(HOST_0), *other = open_dev(HOST_1);
	struct doca_mmap *mmap, *import;
	const void *desc, *again;
	size_t len;
	uint8_t flag;

	EXPECT(SUCCESS, doca_mmap_cap_is_export_pci_supported(doca_dev_as_devinfo(dev), &flag));
	CHECK(flag != 0);
	EXPECT(SUCCESS, doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(dev), &flag));
	CHECK(flag != 0);

	mmap = make_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_export_pci(mmap, dev, &desc, &len));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_export_rdma(mmap, dev, &desc, &len));
	MUST(doca_mmap_stop(mmap));
	MUST(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_export_pci(mmap, dev, &desc, &len)); /* not started */
	MUST(doca_mmap_start(mmap));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_export_rdma(mmap, dev, &desc, &len));
	EXPECT(ERROR_NOT_FOUND, doca_mmap_export_pci(mmap, other, &desc, &len));
	EXPECT(SUCCESS, doca_mmap_get_exported(mmap, &flag));
	CHECK(flag == 0);
	EXPECT(SUCCESS, doca_mmap_start(mmap));
	EXPECT(SUCCESS, doca_mmap_export_pci(mmap, dev, &desc, &len));
	CHECK(len > 0 && len <= 512);
	EXPECT(SUCCESS, doca_mmap_export_pci(mmap, dev, &again, &len));
	CHECK(again == desc);
	EXPECT(SUCCESS, doca_mmap_get_exported(mmap, &flag));
	CHECK(flag == 1);
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_start(mmap)); /* exported */
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_add_dev(mmap, other));
	EXPECT(ERROR_BAD_STATE, doca_mmap_set_memrange(mmap, memory, 1));

	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, garbage, sizeof(garbage), dev, &import));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, desc, len, NULL, &import));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, NULL, len, dev, &import));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, desc, 0, dev, &import));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, desc, len - 1, dev, &import));

	/* A change of any byte of a descriptor makes it invalid, or one of another version. */
	for (size_t i = 0; i < len; i++) {
		uint8_t copy[512];
		doca_error_t result;

		memcpy(copy, desc, len);
		copy[i] ^= 1;
		result = doca_mmap_create_from_export(NULL, copy, len, dev, &import);
		CHECK(result == (i >= 8 && i < 12 ? DOCA_ERROR_UNSUPPORTED_VERSION : DOCA_ERROR_INVALID_VALUE));
	}
	EXPECT(SUCCESS, doca_mmap_destroy(mmap)); /* without a stop */
	MUST(doca_dev_close(dev));
	MUST(doca_dev_close(other));
}

static void imported_map(void)
{
	struct doca_dev *host = open_dev(HOST_0), *dpu = open_dev(DPU_0);
	struct doca_mmap *mmap = make_mmap(host, memory, sizeof(memory),
					   DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ);
	struct doca_mmap *import;
	union doca_data data = {.u64 = 5};
	const void *desc;
	uint8_t copy[512];
	void *addr;
	size_t len;
	uint8_t flag;

	MUST(doca_mmap_export_pci(mmap, host, &desc, &len));
	memcpy(copy, desc, len);
	EXPECT(SUCCESS, doca_mmap_create_from_export(&data, copy, len, dpu, &import));
	EXPECT(SUCCESS, doca_mmap_get_from_export(import, &flag));
	CHECK(flag == 1);
	EXPECT(SUCCESS, doca_mmap_get_from_export(mmap, &flag));
	CHECK(flag == 0);
	EXPECT(SUCCESS, doca_mmap_get_memrange(import, &addr, &len));
	CHECK(addr == memory && len == sizeof(memory));
	data.u64 = 0;
	EXPECT(SUCCESS, doca_mmap_get_user_data(import, &data));
	CHECK(data.u64 == 5);
	EXPECT(SUCCESS, doca_mmap_enable_thread_safety(import));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_start(import));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_add_dev(import, host));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_rm_dev(import, dpu));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_set_memrange(import, memory, 1));
	EXPECT(ERROR_BAD_STATE, doca_mmap_set_permissions(import, 0));
	EXPECT(ERROR_NOT_PERMITTED, doca_mmap_export_pci(import, dpu, &desc, &len));
	EXPECT(SUCCESS, doca_mmap_export_rdma(import, dpu, &desc, &len)); /* since 3.0 */
	EXPECT(SUCCESS, doca_mmap_stop(import));
	EXPECT(SUCCESS, doca_mmap_destroy(import));

	EXPECT(SUCCESS, doca_mmap_stop(mmap)); /* an exported map stops */
	EXPECT(SUCCESS, doca_mmap_get_exported(mmap, &flag));
	CHECK(flag == 0);
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, copy, sizeof(copy), dpu, &import));
	EXPECT(SUCCESS, doca_mmap_start(mmap));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, copy, sizeof(copy), dpu, &import));
	EXPECT(SUCCESS, doca_mmap_export_pci(mmap, host, &desc, &len));
	CHECK(memcmp(copy, desc, len) != 0);
	EXPECT(SUCCESS, doca_mmap_destroy(mmap));
	MUST(doca_dev_close(host));
	MUST(doca_dev_close(dpu));
}

/* Copies through an import on the DPU. */
static doca_error_t copy(struct fixture *f, struct doca_mmap *src_mmap, void *src,
			 struct doca_mmap *dst_mmap, void *dst, size_t len)
{
	struct doca_buf *from = src_buf(f->inventory, src_mmap, src, len);
	struct doca_buf *to = dst_buf(f->inventory, dst_mmap, dst, len);
	int errors = f->errors;
	doca_error_t result;

	if (ctx_state(f->ctx) == DOCA_CTX_STATE_IDLE)
		MUST(doca_ctx_start(f->ctx)); /* an earlier failure has stopped it */
	MUST(doca_task_submit(make_task(f, from, to)));
	drain_pe(f->pe);
	result = f->errors == errors ? DOCA_SUCCESS : f->last_error;
	CHECK(data_len(to) == (result == DOCA_SUCCESS ? len : 0));
	put_buf(from);
	put_buf(to);
	return result;
}

static void remote_copies(void)
{
	struct fixture *f = fixture_create(4);
	struct doca_dev *host = open_dev(HOST_0);
	uint8_t *remote = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct doca_mmap *map = make_mmap(host, remote, 256, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct doca_mmap *import, *other;
	const void *desc;
	size_t len;

	memset(remote, 0x5a, 256);
	MUST(doca_mmap_export_pci(map, host, &desc, &len));
	MUST(doca_mmap_create_from_export(NULL, desc, len, f->dev, &import));
	EXPECT(SUCCESS, copy(f, import, remote, f->dst_mmap, f->dst, 256));
	CHECK(memcmp(f->dst, remote, 256) == 0);
	EXPECT(ERROR_IO_FAILED, copy(f, f->src_mmap, f->src, import, remote, 16)); /* read only */
	EXPECT(ERROR_IO_FAILED, copy(f, import, remote + 1, f->dst_mmap, f->dst, 256));
	EXPECT(ERROR_IO_FAILED, copy(f, map, remote, f->dst_mmap, f->dst, 16)); /* the host's own map */
	CHECK(remote[0] == 0x5a);

	/* The importer does not stop its map: the memory no longer exists, but the map does. */
	MUST(doca_mmap_stop(map));
	munmap(remote, 4096); /* an access would end the program */
	EXPECT(ERROR_IO_FAILED, copy(f, import, remote, f->dst_mmap, f->dst, 16));
	MUST(doca_mmap_destroy(map));
	EXPECT(ERROR_IO_FAILED, copy(f, import, remote, f->dst_mmap, f->dst, 16));
	MUST(doca_mmap_destroy(import));

	/* Writable, and both sides remote. */
	map = make_mmap(host, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	MUST(doca_mmap_export_pci(map, host, &desc, &len));
	MUST(doca_mmap_create_from_export(NULL, desc, len, f->dev, &import));
	EXPECT(SUCCESS, copy(f, f->src_mmap, f->src, import, memory, 512));
	CHECK(memcmp(memory, f->src, 512) == 0);
	MUST(doca_mmap_create_from_export(NULL, desc, len, f->dev, &other));
	EXPECT(SUCCESS, copy(f, import, memory, other, memory + 1024, 512));
	CHECK(memcmp(memory + 1024, f->src, 512) == 0);
	EXPECT(ERROR_IO_FAILED, copy(f, import, memory, other, memory + 511, 512)); /* overlap */
	MUST(doca_mmap_stop(import));
	EXPECT(ERROR_IO_FAILED, copy(f, import, memory, f->dst_mmap, f->dst, 16));
	MUST(doca_mmap_destroy(import));
	MUST(doca_mmap_destroy(other));
	MUST(doca_mmap_destroy(map));

	/* An RDMA export is no PCI memory. */
	map = make_mmap(host, memory, sizeof(memory),
			 DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ);
	MUST(doca_mmap_export_rdma(map, host, &desc, &len));
	MUST(doca_mmap_create_from_export(NULL, desc, len, f->dev, &import));
	EXPECT(ERROR_IO_FAILED, copy(f, import, memory, f->dst_mmap, f->dst, 16));
	MUST(doca_mmap_destroy(map)); /* before its import */
	MUST(doca_mmap_destroy(import));
	MUST(doca_dev_close(host));
	fixture_destroy(f);
}

/* After a fork, exports and imports belong to the parent. The child can import like any other process. */
static void forked(void)
{
	struct fixture *f = fixture_create(4);
	struct doca_dev *dev = open_dev(HOST_0);
	struct doca_mmap *mmap = make_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct doca_mmap *import, *own;
	const void *desc;
	size_t len;
	pid_t pid;

	MUST(doca_mmap_export_pci(mmap, dev, &desc, &len));
	MUST(doca_mmap_create_from_export(NULL, desc, len, f->dev, &own));
	memset(memory, 1, sizeof(memory));
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		uint8_t parents[512];
		size_t parents_len = len;

		test_failures = 0;
		memcpy(parents, desc, len);
		memset(memory, 2, sizeof(memory)); /* the child's own */
		EXPECT(SUCCESS, doca_mmap_create_from_export(NULL, parents, parents_len, f->dev, &import));
		EXPECT(SUCCESS, copy(f, import, memory, f->dst_mmap, f->dst, 64));
		CHECK(f->dst[0] == 1 && f->dst[63] == 1);
		MUST(doca_mmap_destroy(import));

		/* The child has its own exports. */
		MUST(doca_mmap_stop(mmap));
		MUST(doca_mmap_start(mmap));
		EXPECT(SUCCESS, doca_mmap_export_pci(mmap, dev, &desc, &len));
		CHECK(memcmp(desc, parents, len) != 0);
		EXPECT(SUCCESS, doca_mmap_create_from_export(NULL, desc, len, f->dev, &import));
		EXPECT(SUCCESS, copy(f, import, memory, f->dst_mmap, f->dst, 64));
		CHECK(f->dst[0] == 2);
		EXPECT(SUCCESS, doca_mmap_destroy(import));
		EXPECT(SUCCESS, doca_mmap_destroy(own));
		EXPECT(SUCCESS, doca_mmap_destroy(mmap));
		_exit(test_failures != 0);
	}
	expect_end(pid, 0);
	EXPECT(SUCCESS, copy(f, own, memory, f->dst_mmap, f->dst, 64));
	MUST(doca_mmap_destroy(own));
	EXPECT(SUCCESS, doca_mmap_create_from_export(NULL, desc, len, dev, &import));
	MUST(doca_mmap_destroy(import));
	MUST(doca_mmap_destroy(mmap));
	MUST(doca_dev_close(dev));
	fixture_destroy(f);
}

TEST_MAIN(checks, imported_map, remote_copies, forked, left_nothing)
