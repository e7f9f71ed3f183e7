/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_umem.h
 * @brief User memory (umem): memory of the program, a DPA or a GPU that is registered with a
 * device. It can hold queues that the program builds itself.
 *
 * The device refers to it by the ID that doca_umem_get_id() returns.
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

/** @brief A registration of memory with a device. */
struct doca_umem;

/**
 * @brief Registers memory of the program with a device.
 *
 * @param [in] dev The device. It must stay open as long as the registration exists.
 * @param [in] address Start of the memory. The caller keeps ownership, and must not free the
 * memory before it destroys the registration.
 * @param [in] size Size of the memory in bytes.
 * @param [in] access_flags Permissions of the device: bit mask of enum doca_access_flag.
 * @param [out] umem_obj The new registration. Destroy it with doca_umem_destroy().
 * @return DOCA_SUCCESS on success, else an error.
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
 * @param [in] address Start of the memory in the address space of the DPA. The caller keeps
 * ownership, and must not free the memory before it destroys the registration.
 * @param [in] size Size of the memory in bytes.
 * @param [in] access_flags Permissions of the device: bit mask of enum doca_access_flag.
 * @param [out] umem_obj The new registration. Destroy it with doca_umem_destroy().
 * @return DOCA_SUCCESS on success, else an error.
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
 * @param [in] address Start of the memory. The caller keeps ownership, and must not free the
 * memory before it destroys the registration.
 * @param [in] size Size of the memory in bytes.
 * @param [in] access_flags Permissions of the device: bit mask of enum doca_access_flag.
 * @param [out] umem_obj The new registration. Destroy it with doca_umem_destroy().
 * @return DOCA_SUCCESS on success, else an error.
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
 * @brief Destroys a registration of memory. The caller keeps ownership of the memory.
 *
 * @param [in] umem_obj The registration. The device must no longer use the memory.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_destroy(struct doca_umem *umem_obj);

/**
 * @brief Returns the ID of registered memory.
 *
 * @param [in] umem_obj The registration.
 * @param [out] umem_id The ID.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_id(const struct doca_umem *umem_obj, uint32_t *umem_id);

/**
 * @brief Returns the size of registered memory.
 *
 * @note The result has 32 bits. The registered size can be larger.
 * @param [in] umem_obj The registration.
 * @param [out] umem_size The size in bytes.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_size(const struct doca_umem *umem_obj, uint32_t *umem_size);

/**
 * @brief Returns the start of registered memory.
 *
 * @param [in] umem_obj The registration.
 * @param [out] umem_addr The registered address. For DPA memory it is an address on the DPA, which
 * the host cannot dereference.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_umem_get_address(const struct doca_umem *umem_obj, void **umem_addr);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UMEM_H_ */
