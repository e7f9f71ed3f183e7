/* SPDX-License-Identifier: Apache-2.0 */
#include "core/emulator.h"

#include <string.h>

#include "emu_dpa.h"
#include "emu_dpa_async.h"
#include "emu_dpa_dev_buf.h"
#include "emu_dpa_mmap.h"
#include "emu_dpa_run.h"

/* The kernel's buffer, which is at any address. */
static struct emu_dpa_buf read_buf(uint64_t handle)
{
	struct emu_dpa_buf buf;

	memcpy(&buf, (const void *)(uintptr_t)handle, sizeof(buf));
	return buf;
}

/* The DPA reaches the memory of this process only. */
static uint64_t external_ptr(struct emu_dpa_run *run, uint32_t handle, uint64_t addr)
{
	const struct doca_mmap *map = emu_dpa_mmap_lookup(run, handle);

	if (map->remote != NULL)
		emu_dpa_fatal(run, "the memory of the map is of another process, which the emulator reaches by copies only");
	if (!emu_dpa_mmap_permits(map, emu_dpa_dev(run->device), addr, 1, EMU_ACCESS_READ))
		emu_dpa_fatal(run, "0x%llx is not in the memory map, or the map does not have the device",
			      (unsigned long long)addr);
	return addr;
}

static uint64_t dev_mmap_get_external_ptr(uint32_t mmap_handle, uint64_t addr)
{
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_mmap_get_external_ptr");
	uint64_t ptr = external_ptr(run, mmap_handle, addr);

	emu_dpa_exit(run);
	return ptr;
}

static uint64_t dev_buf_get_external_ptr(uint64_t buf)
{
	struct emu_dpa_buf it = read_buf(buf);
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_buf_get_external_ptr");
	uint64_t ptr = external_ptr(run, it.mmap, it.addr);

	emu_dpa_exit(run);
	return ptr;
}

static void post(struct emu_dpa_run *run, uint64_t async_ops_handle, const struct emu_dpa_async_op *op)
{
	emu_dpa_mmap_lookup(run, op->dst_mmap);
	emu_dpa_mmap_lookup(run, op->src_mmap);
	emu_dpa_async_post(run, async_ops_handle, op);
	emu_dpa_exit(run);
}

static void dev_post_memcpy(uint64_t async_ops_handle, uint32_t dst_mmap_handle, uint64_t dst_addr,
			    uint32_t src_mmap_handle, uint64_t src_addr, size_t length, uint32_t flags)
{
	const struct emu_dpa_async_op op = {
		.flags = flags,
		.dst_mmap = dst_mmap_handle,
		.src_mmap = src_mmap_handle,
		.dst = dst_addr,
		.src = src_addr,
		.len = length,
	};

	post(emu_dpa_enter("doca_dpa_dev_post_memcpy"), async_ops_handle, &op);
}

/* The length is that of the source, which must fit into the destination. */
static void dev_post_buf_memcpy(uint64_t async_ops_handle, uint64_t dst_buf_handle, uint64_t src_buf_handle,
				uint32_t flags)
{
	struct emu_dpa_buf dst = read_buf(dst_buf_handle), src = read_buf(src_buf_handle);
	const struct emu_dpa_async_op op = {
		.flags = flags,
		.dst_mmap = dst.mmap,
		.src_mmap = src.mmap,
		.dst = dst.addr,
		.src = src.addr,
		.len = src.len,
	};
	struct emu_dpa_run *run = emu_dpa_enter("doca_dpa_dev_post_buf_memcpy");

	if (src.len > dst.len)
		emu_dpa_fatal(run, "the %llu bytes of the source do not fit into the %llu bytes of the destination",
			      (unsigned long long)src.len, (unsigned long long)dst.len);
	post(run, async_ops_handle, &op);
}

void emu_dpa_dev_buf_set(struct emu_dpa_dev_ops *ops)
{
	ops->buf_get_external_ptr = dev_buf_get_external_ptr;
	ops->post_buf_memcpy = dev_post_buf_memcpy;
	ops->post_memcpy = dev_post_memcpy;
	ops->mmap_get_external_ptr = dev_mmap_get_external_ptr;
}
