/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_rdma_bridge.h
 * @brief The bridge between DOCA and rdma-core: protection domains and memory keys, for programs
 * that post RDMA work requests themselves.
 *
 * Memory keys and protection domains are those of the verbs API of rdma-core.
 */
#ifndef DOCA_RDMA_BRIDGE_H_
#define DOCA_RDMA_BRIDGE_H_

#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

/* With rdma-core installed its types come along; without it their names are enough. */
#if __has_include(<infiniband/verbs.h>)
#include <infiniband/verbs.h>
#else
struct ibv_pd;
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_buf;
struct doca_mmap;

/**
 * @brief Returns the protection domain of a device, for use with rdma-core.
 *
 * @param [in] dev The device.
 * @param [out] pd The protection domain. The device owns it, and the caller must not deallocate
 * it.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_STABLE
doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev, struct ibv_pd **pd);

/**
 * @brief Opens a device for a protection domain that the program allocated with rdma-core.
 *
 * A memory map does not accept such a device: doca_mmap_add_dev() returns
 * DOCA_ERROR_NOT_SUPPORTED.
 *
 * @param [in] pd The protection domain. The caller keeps ownership. It must outlive the device.
 * @param [out] dev The device. Close it with doca_dev_close().
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_STABLE
doca_error_t doca_rdma_bridge_open_dev_from_pd(struct ibv_pd *pd, struct doca_dev **dev);

/**
 * @brief Returns the memory key of a buffer for a device.
 *
 * @param [in] buf The buffer.
 * @param [in] dev The device. The memory map of the buffer must have it.
 * @param [out] mkey The key, for work requests of the program.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_STABLE
doca_error_t doca_rdma_bridge_get_buf_mkey(
		const struct doca_buf *buf,
		struct doca_dev *dev,
		uint32_t *mkey);

/**
 * @brief Returns the memory key of a memory map for a protection domain.
 *
 * @param [in] mmap The memory map.
 * @param [in] pd The protection domain.
 * @param [out] mkey The key, for work requests of the program.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_get_mmap_mkey_from_pd(
		const struct doca_mmap *mmap,
		struct ibv_pd *pd,
		uint32_t *mkey);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_RDMA_BRIDGE_H_ */
