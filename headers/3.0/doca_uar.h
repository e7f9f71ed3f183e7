/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_uar.h
 * @brief The user access region (UAR): a page of a device where a program, or code on a DPA, rings
 * the doorbell for new work in a queue.
 */
#ifndef DOCA_UAR_H_
#define DOCA_UAR_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief How a user access region (UAR) is mapped. */
enum doca_uar_allocation_type {
	DOCA_UAR_ALLOCATION_TYPE_BLUEFLAME = 0,
	/**< For BlueFlame: the program can write work to the page together with the doorbell. */
	DOCA_UAR_ALLOCATION_TYPE_NONCACHE = 1, /**< Uncached: for doorbells only. */
	DOCA_UAR_ALLOCATION_TYPE_NONCACHE_DEDICATED = 2, /**< Uncached, on a dedicated page. */
};

struct doca_dev;
struct doca_dpa;

/** @brief A user access region (UAR). */
struct doca_uar;

/**
 * @brief Creates a UAR of a device for the program.
 *
 * @param [in] dev The device. It must stay open as long as the UAR exists.
 * @param [in] allocation_type How the UAR is mapped.
 * @param [out] uar The new UAR. Destroy it with doca_uar_destroy().
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_create(
		const struct doca_dev *dev,
		enum doca_uar_allocation_type allocation_type,
		struct doca_uar **uar);

/**
 * @brief Creates a UAR for code that runs on a DPA.
 *
 * @param [in] dpa The DPA. It must outlive the UAR.
 * @param [out] uar The new UAR. Destroy it with doca_uar_destroy().
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_dpa_create(struct doca_dpa *dpa, struct doca_uar **uar);

/**
 * @brief Destroys a UAR.
 *
 * @param [in] uar The UAR. Queues must no longer use it.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_destroy(struct doca_uar *uar);

/**
 * @brief Returns the ID of a UAR, with which a queue refers to it.
 *
 * @param [in] uar The UAR.
 * @param [out] id The ID.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_id_get(const struct doca_uar *uar, uint32_t *id);

/**
 * @brief Returns the address of the page of a UAR.
 *
 * @param [in] uar The UAR.
 * @param [out] page Address of the page. The UAR owns the page.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_page_get(const struct doca_uar *uar, void **page);

/**
 * @brief Returns the address of the doorbell register of a UAR.
 *
 * @param [in] uar The UAR.
 * @param [out] reg Address of the register. The UAR owns the register.
 * @return DOCA_SUCCESS on success, else an error.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_reg_addr_get(const struct doca_uar *uar, void **reg);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UAR_H_ */
