/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_mmap.h
 * @brief The memory map: a range of memory, the devices that may access it, and their permissions.
 *
 * A memory map is configured, started, used, and stopped or destroyed. Its memory range can be set
 * once in its life. A started map can be exported to a peer, which creates a map of its own from
 * the export descriptor; such a map is usable at once and stands for the memory of the exporter.
 */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_devinfo;
struct doca_dpa;

/** @brief A memory map. */
struct doca_mmap;

/** @brief Handle of a memory map on a DPA, for use in device code. */
typedef uint32_t doca_dpa_dev_mmap_t;

/**
 * @brief Called when a memory map is destroyed, to free its memory. A type of a function, not of a
 * pointer to it.
 *
 * @param [in] addr Start of the memory range.
 * @param [in] len Length of the memory range in bytes.
 * @param [in] opaque What doca_mmap_set_free_cb() was given.
 */
typedef void (doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *opaque);

/**
 * @brief Creates a memory map without memory, devices or user data.
 *
 * Without a doca_mmap_set_permissions() local devices may read and write.
 *
 * @param [out] mmap The new map; to be destroyed with doca_mmap_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory could not be allocated.
 */
DOCA_STABLE
doca_error_t doca_mmap_create(struct doca_mmap **mmap);

/**
 * @brief Destroys a memory map, and stops it before if it is started.
 *
 * The memory itself stays the caller's, unless doca_mmap_set_free_cb() set a callback, which then
 * runs. Export descriptors of the map become invalid.
 *
 * @param [in] mmap The map.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: buffers of the map are still out; they are not counted when thread
 *   safety is enabled.
 */
DOCA_STABLE
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * @brief Starts a memory map: from then on buffers can be taken from it and it can be exported.
 *
 * A map without devices can be started. Starting a started map is a success without any effect; a
 * stopped map can be started again.
 *
 * @param [in] mmap The map; its memory range must be set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_BAD_STATE: the memory range has not been set.
 * - DOCA_ERROR_NO_MEMORY: memory could not be allocated or registered.
 * - DOCA_ERROR_NOT_PERMITTED: the map is exported, or was created from an export.
 */
DOCA_STABLE
doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/**
 * @brief Stops a memory map, so that it can be configured again.
 *
 * Its export descriptors are freed, and maps that peers created from them stop working. Stopping a
 * map that is not started is a success without any effect.
 *
 * @note The release build of DOCA 2.5 does not check for buffers.
 * @param [in] mmap The map.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: buffers of the map are still out.
 */
DOCA_STABLE
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/**
 * @brief Adds a device to those that may access the memory of a memory map.
 *
 * @param [in] mmap The map; not started, not exported and not created from an export.
 * @param [in] dev The device. At most as many as doca_mmap_set_max_num_devices() allows.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, exported or created from an export, or its
 *   memory is that of a DPA.
 * - DOCA_ERROR_NO_MEMORY: the map has as many devices as it can take, or memory could not be
 *   allocated.
 * - DOCA_ERROR_ALREADY_EXIST: the map has the device already.
 * - DOCA_ERROR_NOT_SUPPORTED: the device was opened through the RDMA bridge.
 */
DOCA_STABLE
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * @brief Takes a device away from a memory map.
 *
 * @param [in] mmap The map; not started, not exported and not created from an export.
 * @param [in] dev The device.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, exported or created from an export.
 * - DOCA_ERROR_NOT_FOUND: the map does not have the device.
 */
DOCA_STABLE
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * @brief Exports a memory map to a peer across PCI, between the host and its DPU.
 *
 * The descriptor is opaque. It may be copied and sent by any means; whoever has it can access the
 * memory within the permissions of the map, so keep it secret. The peer passes it to
 * doca_mmap_create_from_export(). A map may be exported more than once, for other devices too.
 *
 * @param [in] mmap The map; started, with DOCA_ACCESS_FLAG_PCI_READ_ONLY or
 * DOCA_ACCESS_FLAG_PCI_READ_WRITE among its permissions.
 * @param [in] dev The device to export through, one of the map's.
 * @param [out] export_desc The descriptor. It belongs to the map, must not be freed, and is valid
 * until the map is stopped or destroyed.
 * @param [out] export_desc_len Length of the descriptor in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, lacks a PCI permission, or was created from
 *   an export.
 * - DOCA_ERROR_NOT_FOUND: the map does not have the device.
 * - DOCA_ERROR_NO_MEMORY: memory could not be allocated.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot export across PCI; see
 *   doca_mmap_cap_is_export_pci_supported().
 * - DOCA_ERROR_DRIVER: the driver refused.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_pci(
		struct doca_mmap *mmap,
		const struct doca_dev *dev,
		const void **export_desc,
		size_t *export_desc_len);

/**
 * @brief Exports a memory map to peers that reach it through RDMA.
 *
 * The descriptor is opaque. It may be copied and sent by any means; whoever has it can access the
 * memory within the permissions of the map, so keep it secret. The peer passes it to
 * doca_mmap_create_from_export(). Since 3.0 a map that was created from an export can be exported
 * in this way.
 *
 * @param [in] mmap The map; started or created from an export, with at least one of the
 * DOCA_ACCESS_FLAG_RDMA flags among its permissions.
 * @param [in] dev The device to export through, one of the map's; for DPA memory the device of
 * that DPA.
 * @param [out] export_desc The descriptor. It belongs to the map, must not be freed, and is valid
 * until the map is stopped or destroyed.
 * @param [out] export_desc_len Length of the descriptor in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started or lacks an RDMA permission.
 * - DOCA_ERROR_NOT_FOUND: the map does not have the device.
 * - DOCA_ERROR_NO_MEMORY: memory could not be allocated.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot export for RDMA.
 * - DOCA_ERROR_DRIVER: the driver refused.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_rdma(
		struct doca_mmap *mmap,
		const struct doca_dev *dev,
		const void **export_desc,
		size_t *export_desc_len);

/**
 * @brief Returns the handle under which code on the DPA of a device knows a memory map.
 *
 * @param [in] mmap The map; started.
 * @param [in] dev The device, one of the map's; for DPA memory the device of that DPA.
 * @param [out] dpa_mmap_handle The handle, valid until the map is stopped or destroyed.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started.
 * - DOCA_ERROR_NOT_FOUND: the map does not have the device.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_get_dpa_handle(
		struct doca_mmap *mmap,
		const struct doca_dev *dev,
		doca_dpa_dev_mmap_t *dpa_mmap_handle);

/**
 * @brief Creates a memory map for the memory of a peer, from the descriptor of its export.
 *
 * The map is usable at once and must not be started. Its buffers carry addresses of the exporter,
 * which the CPU here cannot access; doca_mmap_get_memrange() tells the range. Once the exporter
 * stops its map, operations on this one fail when they complete.
 *
 * @param [in] user_data Pointer to the user data of the new map; NULL for none.
 * @param [in] export_desc The descriptor; it is not needed any more when the call returns.
 * @param [in] export_desc_len Length of the descriptor in bytes.
 * @param [in] dev The device to access the memory with: for an export across PCI on the same PCI
 * device as the exporter's, for RDMA any.
 * @param [out] mmap The new map; to be destroyed with doca_mmap_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a mandatory argument is NULL, or the descriptor is malformed.
 * - DOCA_ERROR_NO_MEMORY: memory could not be allocated.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; see
 *   doca_mmap_cap_is_create_from_export_pci_supported().
 * - DOCA_ERROR_NOT_PERMITTED: the export does not allow it.
 * - DOCA_ERROR_DRIVER: the driver refused.
 */
DOCA_STABLE
doca_error_t doca_mmap_create_from_export(
		const union doca_data *user_data,
		const void *export_desc,
		size_t export_desc_len,
		struct doca_dev *dev,
		struct doca_mmap **mmap);

/**
 * @brief Sets the memory of a memory map to a range of the process's address space.
 *
 * Mandatory, and possible only once in the life of a map: stopping the map does not change that.
 *
 * @param [in] mmap The map; not started.
 * @param [in] addr Start of the range. The memory stays the caller's and must stay valid while the
 * map is started.
 * @param [in] len Length of the range in bytes, not 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is 0, or the range runs past the end of the
 *   address space.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 * - DOCA_ERROR_NOT_PERMITTED: the memory of the map has been set before.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/**
 * @brief Sets the memory of a memory map to a part of a dma-buf, such as the memory of a GPU.
 * Linux only.
 *
 * Like every choice of memory it is possible only once in the life of a map.
 *
 * @param [in] mmap The map; not started.
 * @param [in] dmabuf_fd File descriptor of the dma-buf; it stays the caller's.
 * @param [in] addr Start of the range in the process's address space.
 * @param [in] dmabuf_offset Start of the range in the dma-buf, in bytes.
 * @param [in] len Length of the range in bytes, not 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NOT_SUPPORTED: the operating system has no dma-bufs.
 * - DOCA_ERROR_INVALID_VALUE: an argument is not valid, or the range runs past the end of the
 *   address space.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 * - DOCA_ERROR_NOT_PERMITTED: the memory of the map has been set before.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_dmabuf_memrange(
		struct doca_mmap *mmap,
		int dmabuf_fd,
		void *addr,
		size_t dmabuf_offset,
		size_t len);

/**
 * @brief Sets the memory of a memory map to a range of a DPA's memory.
 *
 * Like every choice of memory it is possible only once in the life of a map. Such a map takes no
 * devices.
 *
 * @param [in] mmap The map; not started, without devices.
 * @param [in] dpa The DPA.
 * @param [in] dpa_addr Start of the range in the address space of the DPA.
 * @param [in] len Length of the range in bytes, not 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is not valid.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 * - DOCA_ERROR_NOT_PERMITTED: the memory of the map has been set before.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_dpa_memrange(
		struct doca_mmap *mmap,
		struct doca_dpa *dpa,
		uint64_t dpa_addr,
		size_t len);

/**
 * @brief Returns the memory range of a memory map; that of the exporter when the map was created
 * from an export.
 *
 * @param [in] mmap The map.
 * @param [out] addr Start of the range.
 * @param [out] len Length of the range in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the memory range has not been set.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/**
 * @brief Sets a callback that frees the memory of a memory map when the map is destroyed.
 *
 * The callback runs once, inside doca_mmap_destroy(), and only if the map was started at some time
 * after the callback had been set.
 *
 * @param [in] mmap The map; not started.
 * @param [in] free_cb The callback.
 * @param [in] opaque Passed to the callback; may be NULL.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_free_cb(
		struct doca_mmap *mmap,
		doca_mmap_memrange_free_cb_t *free_cb,
		void *opaque);

/**
 * @brief Returns the user data of a memory map.
 *
 * @param [in] mmap The map.
 * @param [out] user_data The data; 0 when none was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data);

/**
 * @brief Returns how many devices a memory map can take.
 *
 * @param [in] mmap The map.
 * @param [out] max_num_devices Number of devices; 1 by default.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices);

/**
 * @brief Returns how many buffers of a memory map are out.
 *
 * @param [in] mmap The map. With thread safety enabled its buffers are not counted.
 * @param [out] num_bufs Number of buffers.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * @brief Tells whether a memory map has been exported.
 *
 * @param [in] mmap The map.
 * @param [out] exported 1 when it has, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);

/**
 * @brief Tells whether a memory map was created from an export.
 *
 * @param [in] mmap The map.
 * @param [out] from_export 1 when it was, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export);

/**
 * @brief Sets how many devices a memory map can take.
 *
 * @param [in] mmap The map; must never have been started.
 * @param [in] max_num_devices Number of devices, at least 1, which is the default.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL or max_num_devices is 0.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started or has been before.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);

/**
 * @brief Sets who may access the memory of a memory map, and how.
 *
 * @param [in] mmap The map; not started.
 * @param [in] access_mask Bit mask of enum doca_access_flag; DOCA_ACCESS_FLAG_LOCAL_READ_WRITE by
 * default.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL, a bit is unknown, or DOCA_ACCESS_FLAG_PCI_READ_ONLY
 *   and DOCA_ACCESS_FLAG_PCI_READ_WRITE stand together.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/**
 * @brief Sets the user data of a memory map.
 *
 * @param [in] mmap The map; not started.
 * @param [in] user_data The data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/**
 * @brief Tells whether a device can export memory maps across PCI.
 *
 * @param [in] devinfo The device.
 * @param [out] mmap_export 1 when it can; 0 when doca_mmap_export_pci() returns
 * DOCA_ERROR_NOT_SUPPORTED.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver could not be asked.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_export_pci_supported(
		const struct doca_devinfo *devinfo,
		uint8_t *mmap_export);

/**
 * @brief Tells whether memory maps can be created, for a device, from an export across PCI.
 *
 * @param [in] devinfo The device.
 * @param [out] from_export 1 when they can; 0 when doca_mmap_create_from_export() returns
 * DOCA_ERROR_NOT_SUPPORTED.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver could not be asked.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(
		const struct doca_devinfo *devinfo,
		uint8_t *from_export);

/**
 * @brief Allows several threads to take buffers from a memory map and give them back at the same
 * time.
 *
 * Buffers are not counted any more: doca_mmap_destroy() then does not notice those that are still
 * out. This call and doca_mmap_destroy() are not thread safe themselves.
 *
 * @param [in] mmap The map; not started and without buffers. A map that was just created from an
 * export is accepted.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started or buffers of it are out.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_H_ */
