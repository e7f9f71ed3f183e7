/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_mmap.h
 * @brief The memory map: a range of memory, the devices that can access it, and their permissions.
 *
 * A program configures a memory map, starts it, uses it, and stops or destroys it. It can set the
 * memory range only once. It can export a started map to a peer. The peer creates its own map from
 * the export descriptor. Such a map is usable immediately, and describes the memory of the
 * exporter.
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

/** @brief Handle of a memory map for code that runs on a DPA. */
typedef uint32_t doca_dpa_dev_mmap_t;

/**
 * @brief Called when a memory map is destroyed, to free its memory. This is a function type, not a
 * pointer type.
 *
 * @param [in] addr Start of the memory range.
 * @param [in] len Length of the memory range in bytes.
 * @param [in] opaque The opaque argument of doca_mmap_set_free_cb().
 */
typedef void (doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *opaque);

/**
 * @brief Creates a memory map without memory, devices or user data.
 *
 * By default, local devices may read and write the memory. doca_mmap_set_permissions() changes
 * that.
 *
 * @param [out] mmap The new map. Destroy it with doca_mmap_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 */
DOCA_STABLE
doca_error_t doca_mmap_create(struct doca_mmap **mmap);

/**
 * @brief Destroys a memory map, and stops it first if it is started.
 *
 * The caller keeps ownership of the memory, unless doca_mmap_set_free_cb() set a callback, which
 * then runs. Export descriptors of the map become invalid.
 *
 * @param [in] mmap The map.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: a buffer of the map has not been released. With thread safety
 *   enabled, DOCA does not count the buffers.
 */
DOCA_STABLE
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * @brief Starts a memory map. The program can then take buffers from it and export it.
 *
 * The map needs no devices. Starting a started map succeeds and has no effect. A stopped map can
 * be started again.
 *
 * @param [in] mmap The map. Its memory range must be set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_BAD_STATE: the memory range is not set.
 * - DOCA_ERROR_NO_MEMORY: memory allocation or registration failed.
 * - DOCA_ERROR_NOT_PERMITTED: the map is exported or was created from an export.
 */
DOCA_STABLE
doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/**
 * @brief Stops a memory map. The program can then configure it again.
 *
 * The call frees the export descriptors of the map, and maps that peers created from them stop
 * working. Stopping a map that is not started succeeds and has no effect.
 *
 * @note DOCA 2.5 does not check for buffers: it stops the map.
 * @param [in] mmap The map.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: a buffer of the map has not been released.
 */
DOCA_STABLE
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/**
 * @brief Adds a device to a memory map, which lets the device access the memory.
 *
 * @param [in] mmap The map. It must not be started, exported or created from an export.
 * @param [in] dev The device. doca_mmap_set_max_num_devices() sets the maximum number of devices.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, exported or created from an export, or its
 *   memory belongs to a DPA.
 * - DOCA_ERROR_NO_MEMORY: the map has its maximum number of devices, or memory allocation failed.
 * - DOCA_ERROR_ALREADY_EXIST: the map already has the device.
 * - DOCA_ERROR_NOT_SUPPORTED: the device was opened through the RDMA bridge.
 */
DOCA_STABLE
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * @brief Removes a device from a memory map.
 *
 * @param [in] mmap The map. It must not be started, exported or created from an export.
 * @param [in] dev The device.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, exported or created from an export.
 * - DOCA_ERROR_NOT_FOUND: the map does not have the device.
 */
DOCA_STABLE
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * @brief Exports a memory map to the peer across PCI: the host or its DPU.
 *
 * The descriptor is opaque. The program may copy it and send it by any means. The peer passes it
 * to doca_mmap_create_from_export(). Keep it secret: whoever has it can access the memory within
 * the permissions of the map. A map can be exported several times, also through different devices.
 * The length of the descriptor can differ each time.
 *
 * @param [in] mmap The map. It must be started, and its permissions must include
 * DOCA_ACCESS_FLAG_PCI_READ_ONLY or DOCA_ACCESS_FLAG_PCI_READ_WRITE.
 * @param [in] dev The device to export through. The map must have it.
 * @param [out] export_desc The descriptor. The map owns it: it is valid until the map is stopped
 * or destroyed, and the caller must not free it.
 * @param [out] export_desc_len Length of the descriptor in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, lacks a PCI permission, or was created from
 *   an export.
 * - DOCA_ERROR_NOT_FOUND: the map does not have the device.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot export across PCI. See
 *   doca_mmap_cap_is_export_pci_supported().
 * - DOCA_ERROR_DRIVER: a driver call failed.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_pci(
		struct doca_mmap *mmap,
		const struct doca_dev *dev,
		const void **export_desc,
		size_t *export_desc_len);

/**
 * @brief Exports a memory map to peers that access it through RDMA.
 *
 * The descriptor is opaque. The program may copy it and send it by any means. The peer passes it
 * to doca_mmap_create_from_export(). Keep it secret: whoever has it can access the memory within
 * the permissions of the map. Since DOCA 3.0, a map that was created from an export can be
 * exported for RDMA.
 *
 * @param [in] mmap The map. It must be started or created from an export, and its permissions must
 * include at least one DOCA_ACCESS_FLAG_RDMA flag.
 * @param [in] dev The device to export through. The map must have it, or it must be the device of
 * the DPA whose memory the map describes.
 * @param [out] export_desc The descriptor. The map owns it: it is valid until the map is stopped
 * or destroyed, and the caller must not free it.
 * @param [out] export_desc_len Length of the descriptor in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started or lacks an RDMA permission.
 * - DOCA_ERROR_NOT_FOUND: the map does not have the device.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot export for RDMA.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_rdma(
		struct doca_mmap *mmap,
		const struct doca_dev *dev,
		const void **export_desc,
		size_t *export_desc_len);

/**
 * @brief Returns the handle of a memory map for code that runs on the DPA of a device.
 *
 * @param [in] mmap The map. It must be started.
 * @param [in] dev The device. The map must have it, or it must be the device of the DPA whose
 * memory the map describes.
 * @param [out] dpa_mmap_handle The handle. It is valid until the map is stopped or destroyed.
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
 * @brief Creates a memory map for the memory of a peer from an export descriptor.
 *
 * The map is usable immediately, and must not be started. Its addresses are those of the exporter,
 * which the local CPU cannot access. doca_mmap_get_memrange() returns the range. After the
 * exporter stops its map or exits, operations on the new map fail with DOCA_ERROR_IO_FAILED.
 *
 * @param [in] user_data Pointer to the user data of the new map, or NULL for none.
 * @param [in] export_desc The descriptor. DOCA does not need it after the call.
 * @param [in] export_desc_len Length of the descriptor in bytes.
 * @param [in] dev The device to access the memory with. For an export across PCI it must be on the
 * same PCI device as that of the exporter. For RDMA it can be any RDMA device.
 * @param [out] mmap The new map. Destroy it with doca_mmap_destroy().
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: export_desc, dev or mmap is NULL, or the descriptor is malformed.
 * - DOCA_ERROR_NO_MEMORY: memory allocation failed.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it. See
 *   doca_mmap_cap_is_create_from_export_pci_supported().
 * - DOCA_ERROR_NOT_PERMITTED: the export does not allow it.
 * - DOCA_ERROR_DRIVER: a driver call failed.
 */
DOCA_STABLE
doca_error_t doca_mmap_create_from_export(
		const union doca_data *user_data,
		const void *export_desc,
		size_t export_desc_len,
		struct doca_dev *dev,
		struct doca_mmap **mmap);

/**
 * @brief Sets the memory of a memory map to a range of the address space of the process.
 *
 * A map cannot start without memory. The memory can be set only once, even if the map has been
 * stopped.
 *
 * @param [in] mmap The map. It must not be started.
 * @param [in] addr Start of the range. The caller keeps ownership, and must keep the memory valid
 * while the map is started.
 * @param [in] len Length of the range in bytes. It must not be 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is 0, or the range exceeds the address space.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 * - DOCA_ERROR_NOT_PERMITTED: the memory of the map is already set.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/**
 * @brief Sets the memory of a memory map to a part of a dma-buf, such as GPU memory. Linux only.
 *
 * The memory of a map can be set only once.
 *
 * @param [in] mmap The map. It must not be started.
 * @param [in] dmabuf_fd File descriptor of the dma-buf. The caller keeps ownership.
 * @param [in] addr Start of the range in the address space of the process.
 * @param [in] dmabuf_offset Start of the range in the dma-buf, in bytes.
 * @param [in] len Length of the range in bytes. It must not be 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_NOT_SUPPORTED: the operating system does not support dma-bufs.
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid, or the range exceeds the address space.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 * - DOCA_ERROR_NOT_PERMITTED: the memory of the map is already set.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_dmabuf_memrange(
		struct doca_mmap *mmap,
		int dmabuf_fd,
		void *addr,
		size_t dmabuf_offset,
		size_t len);

/**
 * @brief Sets the memory of a memory map to a range of DPA memory.
 *
 * The memory of a map can be set only once. A map of DPA memory takes no devices.
 *
 * @param [in] mmap The map. It must not be started or have devices.
 * @param [in] dpa The DPA.
 * @param [in] dpa_addr Start of the range in the address space of the DPA.
 * @param [in] len Length of the range in bytes. It must not be 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is invalid.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 * - DOCA_ERROR_NOT_PERMITTED: the memory of the map is already set.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_dpa_memrange(
		struct doca_mmap *mmap,
		struct doca_dpa *dpa,
		uint64_t dpa_addr,
		size_t len);

/**
 * @brief Returns the memory range of a memory map. For a map that was created from an export, this
 * is the range of the exporter.
 *
 * @param [in] mmap The map.
 * @param [out] addr Start of the range.
 * @param [out] len Length of the range in bytes.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the memory range is not set.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/**
 * @brief Sets a callback that frees the memory of a memory map when the map is destroyed.
 *
 * The callback runs once, inside doca_mmap_destroy(), and only if the map was started after the
 * call.
 *
 * @param [in] mmap The map. It must not be started.
 * @param [in] free_cb The callback.
 * @param [in] opaque Argument for the callback. It may be NULL.
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
 * @param [out] user_data The user data, or 0 if none was set.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data);

/**
 * @brief Returns the maximum number of devices of a memory map.
 *
 * @param [in] mmap The map.
 * @param [out] max_num_devices Number of devices. The default is 1.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices);

/**
 * @brief Returns the number of buffers of a memory map that have not been released.
 *
 * @param [in] mmap The map. With thread safety enabled, DOCA does not count its buffers.
 * @param [out] num_bufs Number of buffers.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * @brief Reports whether a memory map is exported.
 *
 * @param [in] mmap The map.
 * @param [out] exported 1 if it is, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);

/**
 * @brief Reports whether a memory map was created from an export.
 *
 * @param [in] mmap The map.
 * @param [out] from_export 1 if it was, else 0.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export);

/**
 * @brief Sets the maximum number of devices of a memory map.
 *
 * @param [in] mmap The map. It must never have been started.
 * @param [in] max_num_devices Number of devices, at least 1. The default is 1.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL, or max_num_devices is 0.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started or was started before.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);

/**
 * @brief Sets the permissions of a memory map: who can access its memory, and how.
 *
 * @param [in] mmap The map. It must not be started.
 * @param [in] access_mask Bit mask of enum doca_access_flag. The default is
 * DOCA_ACCESS_FLAG_LOCAL_READ_WRITE.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL, a bit is unknown, both DOCA_ACCESS_FLAG_PCI_READ_ONLY
 *   and DOCA_ACCESS_FLAG_PCI_READ_WRITE are set, or DOCA_ACCESS_FLAG_RDMA_WRITE or
 *   DOCA_ACCESS_FLAG_RDMA_ATOMIC is set without DOCA_ACCESS_FLAG_LOCAL_READ_WRITE. DOCA 3.2 also
 *   rejects DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING with one of the other PCI flags.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/**
 * @brief Sets the user data of a memory map.
 *
 * @param [in] mmap The map. It must not be started.
 * @param [in] user_data The user data.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/**
 * @brief Reports whether a device can export memory maps across PCI.
 *
 * @param [in] devinfo The device.
 * @param [out] mmap_export 1 if it can. If 0, doca_mmap_export_pci() returns
 * DOCA_ERROR_NOT_SUPPORTED.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_export_pci_supported(
		const struct doca_devinfo *devinfo,
		uint8_t *mmap_export);

/**
 * @brief Reports whether a device can create memory maps from an export across PCI.
 *
 * @param [in] devinfo The device.
 * @param [out] from_export 1 if it can. If 0, doca_mmap_create_from_export() returns
 * DOCA_ERROR_NOT_SUPPORTED.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the driver query failed.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(
		const struct doca_devinfo *devinfo,
		uint8_t *from_export);

/**
 * @brief Allows several threads to take and release buffers of a memory map at the same time.
 *
 * DOCA then does not count the buffers of the map, so doca_mmap_destroy() does not detect buffers
 * that have not been released. This call and doca_mmap_destroy() themselves are not thread safe.
 *
 * @param [in] mmap The map. It must not be started or have buffers. A map that was just created
 * from an export is allowed.
 * @return DOCA_SUCCESS on success, else:
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, or a buffer of the map has not been released.
 * @since 3.0
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_H_ */
