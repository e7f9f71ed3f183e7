/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_umem.h
 * @brief User memory: memory of the program, of a DPA or of a GPU that a device is told of as a
 * whole, so that queues which the program builds itself can lie in it.
 *
 * The device knows such memory by a number, which doca_umem_get_id() returns.
 */
#ifndef DOCA_UMEM_H_
#define DOCA_UMEM_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dpa;

/** @brief A GPU. */
struct doca_gpu;

/** @brief Memory that is registered with a device. */
struct doca_umem;

/**
 * @brief Registers memory of the program with a device.
 *
 * @param [in] dev The device. It must stay open as long as the registration exists.
 * @param [in] address Start of the memory. It stays the caller's and must not be freed before the
 * registration is destroyed.
 * @param [in] size Size of the memory in bytes.
 * @param [in] access_flags What the device may do with the memory: bit mask of enum
 * doca_access_flag.
 * @param [out] umem_obj The new registration. Destroy it with doca_umem_destroy().
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_create(
		const struct doca_dev *dev,
		void *address,
		size_t size,
		uint32_t access_flags,
		struct doca_umem **umem_obj);

/**
 * @brief Registers memory of a DPA with the device of that DPA.
 *
 * @param [in] dpa The DPA. It must outlive the registration.
 * @param [in] address Start of the memory in the address space of the DPA. It stays the caller's
 * and must not be freed before the registration is destroyed.
 * @param [in] size Size of the memory in bytes.
 * @param [in] access_flags What the device may do with the memory: bit mask of enum
 * doca_access_flag.
 * @param [out] umem_obj The new registration. Destroy it with doca_umem_destroy().
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_dpa_create(
		struct doca_dpa *dpa,
		uint64_t address,
		size_t size,
		uint32_t access_flags,
		struct doca_umem **umem_obj);

/**
 * @brief Registers memory of a GPU with a device.
 *
 * @param [in] gpu The GPU. It must outlive the registration.
 * @param [in] dev The device. It must stay open as long as the registration exists.
 * @param [in] address Start of the memory. It stays the caller's and must not be freed before the
 * registration is destroyed.
 * @param [in] size Size of the memory in bytes.
 * @param [in] access_flags What the device may do with the memory: bit mask of enum
 * doca_access_flag.
 * @param [out] umem_obj The new registration. Destroy it with doca_umem_destroy().
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_gpu_create(
		struct doca_gpu *gpu,
		struct doca_dev *dev,
		void *address,
		size_t size,
		uint32_t access_flags,
		struct doca_umem **umem_obj);

/**
 * @brief Takes back the registration of memory. The memory itself stays the caller's.
 *
 * @param [in] umem_obj The registration. The device must not use the memory any more.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_destroy(struct doca_umem *umem_obj);

/**
 * @brief Returns the number under which the device knows registered memory.
 *
 * @param [in] umem_obj The registration.
 * @param [out] umem_id The number.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_id(const struct doca_umem *umem_obj, uint32_t *umem_id);

/**
 * @brief Returns the size of registered memory.
 *
 * @note The result has 32 bits, the size that was registered may have more.
 * @param [in] umem_obj The registration.
 * @param [out] umem_size The size in bytes.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_size(const struct doca_umem *umem_obj, uint32_t *umem_size);

/**
 * @brief Returns where registered memory starts.
 *
 * @param [in] umem_obj The registration.
 * @param [out] umem_addr The address that the memory was registered with; for memory of a DPA it
 * is one of the DPA's and must not be followed.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_address(const struct doca_umem *umem_obj, void **umem_addr);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UMEM_H_ */
