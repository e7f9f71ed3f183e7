/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_DEVICE_HPP_
#define STORAGE_DEVICE_HPP_

/* Devices and memory, which their owners release. */

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_compress.h>
#include <doca_dev.h>
#include <doca_erasure_coding.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "bytes.hpp"

namespace storage {

/* One deleter for all, also for the libraries that a storage program of another kind uses. */
struct deleter {
	void operator()(doca_dev *dev) const noexcept
	{
		try_to(doca_dev_close(dev), "doca_dev_close");
	}
	void operator()(doca_dev_rep *rep) const noexcept
	{
		try_to(doca_dev_rep_close(rep), "doca_dev_rep_close");
	}
	void operator()(doca_mmap *mmap) const noexcept
	{
		try_to(doca_mmap_stop(mmap), "doca_mmap_stop");
		try_to(doca_mmap_destroy(mmap), "doca_mmap_destroy");
	}
	void operator()(doca_buf_inventory *inventory) const noexcept
	{
		try_to(doca_buf_inventory_stop(inventory), "doca_buf_inventory_stop");
		try_to(doca_buf_inventory_destroy(inventory), "doca_buf_inventory_destroy");
	}
	void operator()(doca_buf *buf) const noexcept
	{
		try_to(doca_buf_dec_refcount(buf, nullptr), "doca_buf_dec_refcount");
	}
	void operator()(doca_pe *pe) const noexcept
	{
		try_to(doca_pe_destroy(pe), "doca_pe_destroy");
	}
	void operator()(doca_compress *compress) const noexcept
	{
		try_to(doca_compress_destroy(compress), "doca_compress_destroy");
	}
	void operator()(doca_ec *ec) const noexcept
	{
		try_to(doca_ec_destroy(ec), "doca_ec_destroy");
	}
};

template <typename T>
using handle = std::unique_ptr<T, deleter>;

/* Opens a device by its PCI address (with or without domain), its RDMA device's name, or its interface's name. */
handle<doca_dev> open_device(const std::string &identifier);
handle<doca_dev_rep> open_representor(doca_dev *dev, const std::string &identifier);

handle<doca_pe> make_pe();
handle<doca_buf_inventory> make_inventory(size_t num_bufs);
handle<doca_buf> buf_by_addr(doca_buf_inventory *inventory, doca_mmap *mmap, void *addr, size_t len);

/* A started map of somebody's memory. */
handle<doca_mmap> make_mmap(doca_dev *dev, void *addr, size_t len, uint32_t permissions, bool is_thread_safe);
/* The map of a peer's memory. */
handle<doca_mmap> import_mmap(doca_dev *dev, const bytes &descriptor, bool is_thread_safe);
bytes export_pci(doca_mmap *mmap, doca_dev *dev);
bytes export_rdma(doca_mmap *mmap, doca_dev *dev);

struct memory_range {
	uint8_t *addr;
	size_t len;
};
memory_range range_of(const doca_mmap *mmap);

/* Memory, aligned to pages. */
struct free_memory {
	void operator()(void *memory) const noexcept
	{
		std::free(memory);
	}
};
using memory = std::unique_ptr<uint8_t[], free_memory>;
memory make_memory(size_t size);

} /* namespace storage */

#endif /* STORAGE_DEVICE_HPP_ */
