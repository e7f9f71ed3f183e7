/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_uar.h
 * @brief The user access region (UAR): a page of a device through which a program, or code on a
 * DPA, tells the device that there is new work in a queue (it rings the doorbell).
 */
#ifndef DOCA_UAR_H_
#define DOCA_UAR_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief How a user access region is mapped. */
enum doca_uar_allocation_type {
	DOCA_UAR_ALLOCATION_TYPE_BLUEFLAME = 0,
	/**< For BlueFlame: work itself can be written to the page along with the doorbell. */
	DOCA_UAR_ALLOCATION_TYPE_NONCACHE = 1, /**< Uncached: for doorbells alone. */
	DOCA_UAR_ALLOCATION_TYPE_NONCACHE_DEDICATED = 2,
	/**< Uncached, a page of the caller's own. */
};

struct doca_dev;
struct doca_dpa;

/** @brief A user access region. */
struct doca_uar;

/**
 * @brief Creates a user access region of a device, for the program.
 *
 * @param [in] dev The device. It must stay open as long as the region exists.
 * @param [in] allocation_type How the region is mapped.
 * @param [out] uar The new region. Destroy it with doca_uar_destroy().
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_create(
		const struct doca_dev *dev,
		enum doca_uar_allocation_type allocation_type,
		struct doca_uar **uar);

/**
 * @brief Creates a user access region for code that runs on a DPA.
 *
 * @param [in] dpa The DPA. It must outlive the region.
 * @param [out] uar The new region. Destroy it with doca_uar_destroy().
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_dpa_create(struct doca_dpa *dpa, struct doca_uar **uar);

/**
 * @brief Destroys a user access region.
 *
 * @param [in] uar The region. No queue may use it any more.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_destroy(struct doca_uar *uar);

/**
 * @brief Returns the number by which a queue names its user access region.
 *
 * @param [in] uar The region.
 * @param [out] id The number.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_id_get(const struct doca_uar *uar, uint32_t *id);

/**
 * @brief Returns where the page of a user access region is mapped.
 *
 * @param [in] uar The region.
 * @param [out] page Address of the page. It belongs to the region.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_page_get(const struct doca_uar *uar, void **page);

/**
 * @brief Returns where the register of a user access region is mapped that doorbells are written
 * to.
 *
 * @param [in] uar The region.
 * @param [out] reg Address of the register. It belongs to the region.
 * @return DOCA_SUCCESS on success, else an error code.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_uar_reg_addr_get(const struct doca_uar *uar, void **reg);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UAR_H_ */
