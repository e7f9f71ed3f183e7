/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emu_fault.h"
#include "sync_event_fixture.h"
#include "syncevent/emu_syncevent.h"

static void configuration(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_sync_event *event;
	uint64_t word = 0;

	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_create(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_destroy(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_start(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_stop(NULL));
	EXPECT(SUCCESS, doca_sync_event_create(&event));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_start(event));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_cpu(event, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_cpu(NULL, dev));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_remote_pci(NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_set_addr(event, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_set_addr(event, (uint64_t *)(void *)((char *)&word + 1)));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_dpa(event, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_add_subscriber_location_dpa(event, NULL));
	EXPECT(ERROR_NOT_SUPPORTED, doca_sync_event_add_subscriber_location_gpu(event, NULL));
	EXPECT(SUCCESS, doca_sync_event_add_publisher_location_cpu(event, dev));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_start(event)); /* no subscriber */
	EXPECT(SUCCESS, doca_sync_event_add_subscriber_location_cpu(event, dev));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_update_set(event, 1)); /* not started */
	EXPECT(ERROR_BAD_STATE, doca_sync_event_wait_gt(event, 0, ~UINT64_C(0)));
	EXPECT(SUCCESS, doca_sync_event_stop(event));
	EXPECT(SUCCESS, doca_sync_event_start(event));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_start(event));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_add_publisher_location_cpu(event, dev));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_set_addr(event, &word));
	EXPECT(ERROR_IN_USE, doca_dev_close(dev));
	EXPECT(SUCCESS, doca_sync_event_destroy(event)); /* started */
	EXPECT(SUCCESS, doca_dev_close(dev));
}

static void one_way_of_two(void)
{
	struct fixture *f = fixture_create(1);
	struct doca_sync_event *event = make_event(f->dev);
	struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
	uint64_t value;

	CHECK(doca_sync_event_as_ctx(NULL) == NULL);
	EXPECT(ERROR_NOT_CONNECTED, doca_ctx_start(ctx));
	MUST(doca_pe_connect_ctx(f->pe, ctx));
	EXPECT(ERROR_INITIALIZATION, doca_ctx_start(ctx)); /* no tasks */
	EXPECT(SUCCESS, doca_sync_event_start(event));
	EXPECT(ERROR_BAD_STATE, doca_ctx_start(ctx));
	EXPECT(SUCCESS, doca_sync_event_update_set(event, 5));
	EXPECT(SUCCESS, doca_sync_event_stop(event));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_get(event, &value));
	EXPECT(SUCCESS, doca_sync_event_start(event));
	CHECK(value_of(event) == 5); /* it is a level */
	EXPECT(SUCCESS, doca_sync_event_destroy(event));
	fixture_destroy(f);
}

static void values(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_sync_event *event = make_event(dev);
	const uint64_t all = ~UINT64_C(0);
	uint64_t old = 99;

	MUST(doca_sync_event_start(event));
	CHECK(value_of(event) == 0);
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_get(event, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_get(NULL, &old));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_update_add(event, 1, NULL));
	EXPECT(SUCCESS, doca_sync_event_update_set(event, 0x123456789abcdef0));
	EXPECT(SUCCESS, doca_sync_event_update_add(event, 0x10, &old));
	CHECK(old == 0x123456789abcdef0 && value_of(event) == 0x123456789abcdf00);
	EXPECT(SUCCESS, doca_sync_event_wait_gt(event, 0x123456789abcdeff, all));
	EXPECT(SUCCESS, doca_sync_event_wait_gt_yield(event, 0xde, 0xff00));
	EXPECT(SUCCESS, doca_sync_event_wait_eq(event, 0xdf00, 0xffff));
	EXPECT(SUCCESS, doca_sync_event_wait_eq_yield(event, 0, 0));
	EXPECT(SUCCESS, doca_sync_event_wait_neq(event, 0xdf01, 0xffff));
	EXPECT(SUCCESS, doca_sync_event_wait_neq_yield(event, 0, all));
	EXPECT(SUCCESS, doca_sync_event_update_set(event, all));
	EXPECT(SUCCESS, doca_sync_event_update_add(event, 2, &old));
	CHECK(old == all && value_of(event) == 1); /* it wraps */
	MUST(doca_sync_event_destroy(event));
	MUST(doca_dev_close(dev));
}

static void memory_of_the_program(void)
{
	struct doca_dev *dev = open_dev(DPU_0);
	struct doca_sync_event *event = make_shared_event(dev), *import;
	const uint8_t *blob;
	uint64_t word = 7;
	size_t len;

	EXPECT(SUCCESS, doca_sync_event_set_addr(event, &word));
	MUST(doca_sync_event_start(event));
	CHECK(value_of(event) == 7);
	EXPECT(SUCCESS, doca_sync_event_update_set(event, 8));
	CHECK(word == 8);
	EXPECT(SUCCESS, doca_sync_event_export_to_remote_pci(event, dev, &blob, &len));
	MUST(doca_sync_event_create_from_export(dev, blob, len, &import));
	MUST(doca_sync_event_start(import));
	EXPECT(SUCCESS, doca_sync_event_update_set(import, 9));
	CHECK(word == 9 && value_of(import) == 9);
	MUST(doca_sync_event_destroy(import));
	MUST(doca_sync_event_destroy(event));
	CHECK(word == 9);
	MUST(doca_dev_close(dev));
}

#define RDMA_ALL                                                                                   \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |   \
	 DOCA_ACCESS_FLAG_RDMA_ATOMIC)

static void memory_of_a_buffer(void)
{
	struct fixture *f = fixture_create(1);
	static _Alignas(8) uint64_t words[4];
	struct doca_sync_event *event = make_shared_event(f->dev);
	struct doca_mmap *map = make_mmap(f->dev, words, sizeof(words), RDMA_ALL);
	struct doca_mmap *for_pci = make_mmap(f->dev, words, sizeof(words), RDMA_ALL | DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_buf *weak = src_buf(f->inventory, f->dst_mmap, f->dst, 8);
	struct doca_buf *empty = dst_buf(f->inventory, map, &words[1], 8);
	struct doca_buf *crooked = src_buf(f->inventory, map, (char *)&words[1] + 4, 8);
	struct doca_buf *good = src_buf(f->inventory, map, &words[1], 8);
	struct doca_buf *better = src_buf(f->inventory, for_pci, &words[2], 8);
	const uint8_t *blob;
	size_t len;

	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_set_doca_buf(event, NULL));
	EXPECT(ERROR_NOT_PERMITTED, doca_sync_event_set_doca_buf(event, weak)); /* of a map without RDMA */
	EXPECT(ERROR_NOT_PERMITTED, doca_sync_event_set_doca_buf(event, empty));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_set_doca_buf(event, crooked));
	EXPECT(SUCCESS, doca_sync_event_set_doca_buf(event, good));
	MUST(doca_sync_event_start(event));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_set_doca_buf(event, better));
	EXPECT(SUCCESS, doca_sync_event_update_set(event, 21));
	CHECK(words[1] == 21);
	EXPECT(ERROR_NOT_PERMITTED, doca_sync_event_export_to_remote_pci(event, f->dev, &blob, &len));
	MUST(doca_sync_event_stop(event));
	EXPECT(SUCCESS, doca_sync_event_set_doca_buf(event, better));
	MUST(doca_sync_event_start(event));
	EXPECT(SUCCESS, doca_sync_event_export_to_remote_pci(event, f->dev, &blob, &len));
	MUST(doca_sync_event_destroy(event));
	put_buf(weak);
	put_buf(empty);
	put_buf(crooked);
	put_buf(good);
	put_buf(better);
	MUST(doca_mmap_destroy(map));
	MUST(doca_mmap_destroy(for_pci));
	fixture_destroy(f);
}

static void exports(void)
{
	struct doca_dev *dpu = open_dev(DPU_0), *host = open_dev(HOST_0), *other = open_dev(HOST_1);
	struct doca_sync_event *event = make_shared_event(dpu), *local = make_event(dpu), *import, *second;
	const uint8_t *blob, *again;
	uint8_t longer[513] = {0}, damaged[512];
	size_t len = 0, len_again = 0;
	uint64_t value;

	EXPECT(ERROR_BAD_STATE, doca_sync_event_export_to_remote_pci(event, dpu, &blob, &len));
	MUST(doca_sync_event_start(event));
	MUST(doca_sync_event_start(local));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_export_to_remote_pci(local, dpu, &blob, &len));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_export_to_remote_pci(event, NULL, &blob, &len));
	EXPECT(SUCCESS, doca_sync_event_export_to_remote_pci(event, dpu, &blob, &len));
	EXPECT(SUCCESS, doca_sync_event_export_to_remote_pci(event, dpu, &again, &len_again));
	CHECK(blob == again && len == len_again && len <= 512);
	memcpy(longer, blob, len);
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_create_from_export(NULL, blob, len, &import));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_create_from_export(host, NULL, len, &import));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_create_from_export(host, blob, 0, &import));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_create_from_export(host, blob, len - 1, &import));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_create_from_export(host, longer, 513, &import));
	EXPECT(ERROR_NOT_PERMITTED, doca_sync_event_create_from_export(other, blob, len, &import)); /* the other port */
	for (size_t i = 0; i < len; i++) {
		doca_error_t result;

		memcpy(damaged, blob, len);
		damaged[i] ^= 1;
		result = doca_sync_event_create_from_export(host, damaged, len, &import);
		CHECK(result == DOCA_ERROR_INVALID_VALUE || result == DOCA_ERROR_UNSUPPORTED_VERSION);
	}
	EXPECT(SUCCESS, doca_sync_event_create_from_export(host, longer, 512, &import));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_add_publisher_location_cpu(import, host));
	EXPECT(ERROR_BAD_STATE, doca_sync_event_set_addr(import, &value));
	EXPECT(SUCCESS, doca_sync_event_start(import));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_export_to_remote_pci(import, host, &blob, &len));
	EXPECT(SUCCESS, doca_sync_event_update_set(event, 3));
	CHECK(value_of(import) == 3);
	EXPECT(SUCCESS, doca_sync_event_update_add(import, 4, &value));
	CHECK(value == 3 && value_of(event) == 7);
	EXPECT(SUCCESS, doca_sync_event_create_from_export(dpu, longer, len, &second));
	MUST(doca_sync_event_start(second));
	CHECK(value_of(second) == 7);
	MUST(doca_sync_event_destroy(second));

	/* The end of the exporter is the end of all imports, and of the blob. */
	MUST(doca_sync_event_stop(event));
	EXPECT(ERROR_IO_FAILED, doca_sync_event_get(import, &value));
	EXPECT(ERROR_IO_FAILED, doca_sync_event_update_set(import, 1));
	EXPECT(ERROR_IO_FAILED, doca_sync_event_wait_gt(import, 100, ~UINT64_C(0)));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_create_from_export(host, longer, len, &second));
	MUST(doca_sync_event_destroy(event));
	MUST(doca_sync_event_destroy(import));
	MUST(doca_sync_event_destroy(local));
	MUST(doca_dev_close(dpu));
	MUST(doca_dev_close(host));
	MUST(doca_dev_close(other));
}

static void blobs_of_other_kinds(void)
{
	struct fixture *f = fixture_create(1);
	struct doca_sync_event *event = make_shared_event(f->dev), *import;
	struct doca_sync_event_remote_net *remote;
	struct doca_mmap *map = make_mmap(f->dev, f->dst, 8, DOCA_ACCESS_FLAG_PCI_READ_WRITE), *imported;
	const uint8_t *blob, *net;
	const void *desc;
	size_t len, net_len, desc_len;

	MUST(doca_sync_event_start(event));
	MUST(doca_sync_event_export_to_remote_pci(event, f->dev, &blob, &len));
	MUST(doca_sync_event_export_to_remote_net(event, &net, &net_len));
	MUST(doca_mmap_export_pci(map, f->dev, &desc, &desc_len));
	EXPECT(ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, blob, len, f->dev, &imported));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_create_from_export(f->dev, desc, desc_len, &import));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_create_from_export(f->dev, net, net_len, &import));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_remote_net_create_from_export(f->dev, blob, len, &remote));
	MUST(doca_mmap_destroy(map));
	MUST(doca_sync_event_destroy(event));
	fixture_destroy(f);
}

/* What the library for RDMA does with a handle. */
static void across_the_network(void)
{
	struct doca_dev *dev = open_dev(DPU_0), *host = open_dev(HOST_1);
	struct doca_sync_event *event = make_shared_event(dev);
	struct doca_sync_event_remote_net *remote;
	struct emu_event_key key, wrong;
	const uint8_t *blob;
	uint8_t damaged[512] = {0};
	uint64_t old = 0;
	size_t len;

	EXPECT(ERROR_BAD_STATE, doca_sync_event_export_to_remote_net(event, &blob, &len));
	MUST(doca_sync_event_start(event));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_export_to_remote_net(event, NULL, &len));
	EXPECT(SUCCESS, doca_sync_event_export_to_remote_net(event, &blob, &len));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_remote_net_create_from_export(NULL, blob, len, &remote));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_remote_net_create_from_export(host, blob, len - 1, &remote));
	memcpy(damaged, blob, len);
	damaged[len] = 1;
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_remote_net_create_from_export(host, damaged, 512, &remote));
	damaged[len] = 0;
	damaged[8]++;
	EXPECT(ERROR_UNSUPPORTED_VERSION, doca_sync_event_remote_net_create_from_export(host, damaged, len, &remote));
	damaged[0]++;
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_remote_net_create_from_export(host, damaged, len, &remote));
	EXPECT(SUCCESS, doca_sync_event_remote_net_create_from_export(host, blob, len, &remote));

	key = wrong = *emu_event_remote_key(remote);
	wrong.bytes[15] ^= 1;
	EXPECT(ERROR_NOT_FOUND, emu_event_apply(&wrong, EMU_EVENT_SET, 9, NULL));
	EXPECT(SUCCESS, emu_event_apply(&key, EMU_EVENT_SET, 9, NULL));
	CHECK(value_of(event) == 9);
	EXPECT(SUCCESS, emu_event_apply(&key, EMU_EVENT_ADD, 2, &old));
	CHECK(old == 9);
	EXPECT(SUCCESS, emu_event_apply(&key, EMU_EVENT_GET, 0, &old));
	CHECK(old == 11);
	MUST(doca_sync_event_stop(event));
	EXPECT(ERROR_NOT_FOUND, emu_event_apply(&key, EMU_EVENT_GET, 0, &old));
	EXPECT(ERROR_INVALID_VALUE, doca_sync_event_remote_net_destroy(NULL));
	EXPECT(SUCCESS, doca_sync_event_remote_net_destroy(remote));
	MUST(doca_sync_event_destroy(event));
	MUST(doca_dev_close(dev));
	MUST(doca_dev_close(host));
}

static void capabilities(void)
{
	struct doca_dev *dev = open_dev(HOST_0);
	const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	doca_error_t (*const asks[])(const struct doca_devinfo *) = {
		doca_sync_event_cap_is_create_from_export_supported,
		doca_sync_event_cap_remote_net_is_create_from_export_supported,
		doca_sync_event_cap_is_export_to_remote_pci_supported,
		doca_sync_event_cap_is_export_to_remote_net_supported,
		doca_sync_event_cap_is_export_to_dpa_supported,
		doca_sync_event_cap_remote_net_is_export_to_dpa_supported,
		doca_sync_event_cap_task_get_is_supported,
		doca_sync_event_cap_task_notify_set_is_supported,
		doca_sync_event_cap_task_notify_add_is_supported,
		doca_sync_event_cap_task_wait_eq_is_supported,
		doca_sync_event_cap_task_wait_neq_is_supported,
	};

	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		EXPECT(SUCCESS, asks[i](info));
		EXPECT(ERROR_INVALID_VALUE, asks[i](NULL));
	}
	EXPECT(ERROR_NOT_SUPPORTED, doca_sync_event_cap_is_export_to_gpu_supported(info));
	MUST(doca_dev_close(dev));
}

static void a_lost_device(void)
{
	struct fixture *f = fixture_create(1);
	struct doca_sync_event *event = make_event(f->dev);
	struct copy copy = make_copy(f, 0);
	uint64_t value;

	MUST(doca_sync_event_start(event));
	MUST(emu_fault_set("lose-device=1", NULL, 0));
	MUST(doca_task_submit(copy.task));
	EXPECT(ERROR_NOT_CONNECTED, doca_sync_event_get(event, &value));
	EXPECT(ERROR_NOT_CONNECTED, doca_sync_event_wait_eq(event, 1, ~UINT64_C(0)));
	emu_fault_clear();
	drain_pe(f->pe);
	MUST(doca_sync_event_destroy(event));
	finish_copy(&copy);
	fixture_destroy(f);
}

TEST_MAIN(configuration, one_way_of_two, values, memory_of_the_program, memory_of_a_buffer, exports,
	  blobs_of_other_kinds, across_the_network, capabilities, a_lost_device)
