/* SPDX-License-Identifier: Apache-2.0 */
#include "device.hpp"

#include <cstdlib>
#include <cstring>

#include <doca_log.h>
#include <unistd.h>

DOCA_LOG_REGISTER(STORAGE::DEVICE);

namespace storage {

namespace {

bool matches(const doca_devinfo *info, const std::string &identifier)
{
	char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	uint8_t is_equal = 0;

	if ((identifier.size() == 7 || identifier.size() == 12) &&
	    doca_devinfo_is_equal_pci_addr(info, identifier.c_str(), &is_equal) == DOCA_SUCCESS && is_equal != 0)
		return true;
	if (doca_devinfo_get_ibdev_name(info, ibdev, sizeof(ibdev)) == DOCA_SUCCESS && identifier == ibdev)
		return true;
	return doca_devinfo_get_iface_name(info, iface, sizeof(iface)) == DOCA_SUCCESS && identifier == iface;
}

bool matches(const doca_devinfo_rep *info, const std::string &identifier)
{
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	uint8_t is_equal = 0;

	if ((identifier.size() == 7 || identifier.size() == 12) &&
	    doca_devinfo_rep_is_equal_pci_addr(info, identifier.c_str(), &is_equal) == DOCA_SUCCESS && is_equal != 0)
		return true;
	return doca_devinfo_rep_get_iface_name(info, iface, sizeof(iface)) == DOCA_SUCCESS && identifier == iface;
}

} /* namespace */

handle<doca_dev> open_device(const std::string &identifier)
{
	doca_devinfo **list = nullptr;
	uint32_t num = 0;
	doca_dev *dev = nullptr;

	check(doca_devinfo_create_list(&list, &num), "doca_devinfo_create_list");
	for (uint32_t i = 0; i < num && dev == nullptr; i++)
		if (matches(list[i], identifier) && doca_dev_open(list[i], &dev) != DOCA_SUCCESS)
			dev = nullptr;
	try_to(doca_devinfo_destroy_list(list), "doca_devinfo_destroy_list");
	if (dev == nullptr)
		throw failure{DOCA_ERROR_NOT_FOUND, "Opening the device " + identifier};
	DOCA_LOG_DBG("The device %s: erasure coding %s, decompression %s", identifier.c_str(),
		     doca_error_get_name(doca_ec_cap_task_recover_is_supported(doca_dev_as_devinfo(dev))),
		     doca_error_get_name(
			     doca_compress_cap_task_decompress_lz4_stream_is_supported(doca_dev_as_devinfo(dev))));
	return handle<doca_dev>{dev};
}

handle<doca_dev_rep> open_representor(doca_dev *dev, const std::string &identifier)
{
	doca_devinfo_rep **list = nullptr;
	uint32_t num = 0;
	doca_dev_rep *rep = nullptr;

	check(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &num), "doca_devinfo_rep_create_list");
	for (uint32_t i = 0; i < num && rep == nullptr; i++)
		if (matches(list[i], identifier) && doca_dev_rep_open(list[i], &rep) != DOCA_SUCCESS)
			rep = nullptr;
	try_to(doca_devinfo_rep_destroy_list(list), "doca_devinfo_rep_destroy_list");
	if (rep == nullptr)
		throw failure{DOCA_ERROR_NOT_FOUND, "Opening the representor " + identifier};
	return handle<doca_dev_rep>{rep};
}

handle<doca_pe> make_pe()
{
	doca_pe *pe = nullptr;

	check(doca_pe_create(&pe), "doca_pe_create");
	return handle<doca_pe>{pe};
}

handle<doca_buf_inventory> make_inventory(size_t num_bufs)
{
	doca_buf_inventory *inventory = nullptr;

	check(doca_buf_inventory_create(num_bufs, &inventory), "doca_buf_inventory_create");
	handle<doca_buf_inventory> made{inventory};
	check(doca_buf_inventory_start(inventory), "doca_buf_inventory_start");
	return made;
}

handle<doca_buf> buf_by_addr(doca_buf_inventory *inventory, doca_mmap *mmap, void *addr, size_t len)
{
	doca_buf *buf = nullptr;

	check(doca_buf_inventory_buf_get_by_addr(inventory, mmap, addr, len, &buf), "doca_buf_inventory_buf_get_by_addr");
	return handle<doca_buf>{buf};
}

handle<doca_mmap> make_mmap(doca_dev *dev, void *addr, size_t len, uint32_t permissions, bool is_thread_safe)
{
	doca_mmap *mmap = nullptr;

	check(doca_mmap_create(&mmap), "doca_mmap_create");
	handle<doca_mmap> made{mmap};
	check(doca_mmap_add_dev(mmap, dev), "doca_mmap_add_dev");
	check(doca_mmap_set_permissions(mmap, permissions), "doca_mmap_set_permissions");
	check(doca_mmap_set_memrange(mmap, addr, len), "doca_mmap_set_memrange");
	if (is_thread_safe)
		check(doca_mmap_enable_thread_safety(mmap), "doca_mmap_enable_thread_safety");
	check(doca_mmap_start(mmap), "doca_mmap_start");
	return made;
}

handle<doca_mmap> import_mmap(doca_dev *dev, const bytes &descriptor, bool is_thread_safe)
{
	doca_mmap *mmap = nullptr;

	check(doca_mmap_create_from_export(nullptr, descriptor.data(), descriptor.size(), dev, &mmap),
	      "doca_mmap_create_from_export");
	handle<doca_mmap> made{mmap};
	if (is_thread_safe)
		check(doca_mmap_enable_thread_safety(mmap), "doca_mmap_enable_thread_safety");
	return made;
}

bytes export_pci(doca_mmap *mmap, doca_dev *dev)
{
	const void *descriptor = nullptr;
	size_t len = 0;

	check(doca_mmap_export_pci(mmap, dev, &descriptor, &len), "doca_mmap_export_pci");
	return bytes(static_cast<const uint8_t *>(descriptor), static_cast<const uint8_t *>(descriptor) + len);
}

bytes export_rdma(doca_mmap *mmap, doca_dev *dev)
{
	const void *descriptor = nullptr;
	size_t len = 0;

	check(doca_mmap_export_rdma(mmap, dev, &descriptor, &len), "doca_mmap_export_rdma");
	return bytes(static_cast<const uint8_t *>(descriptor), static_cast<const uint8_t *>(descriptor) + len);
}

memory_range range_of(const doca_mmap *mmap)
{
	void *addr = nullptr;
	size_t len = 0;

	check(doca_mmap_get_memrange(mmap, &addr, &len), "doca_mmap_get_memrange");
	return memory_range{static_cast<uint8_t *>(addr), len};
}

memory make_memory(size_t size)
{
	const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
	const size_t rounded = (size + page - 1) / page * page;
	auto *at = static_cast<uint8_t *>(std::aligned_alloc(page, rounded));

	if (at == nullptr)
		throw failure{DOCA_ERROR_NO_MEMORY, "Allocating " + std::to_string(rounded) + " bytes"};
	std::memset(at, 0, rounded);
	return memory{at};
}

} /* namespace storage */
