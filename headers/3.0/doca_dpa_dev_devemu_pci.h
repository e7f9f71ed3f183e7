/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa_dev_devemu_pci.h
 * @brief The device API for emulated PCI devices, for code that runs on the DPA. It gets a
 * completion when the host rings a doorbell (DB) of the device, reads the value of the doorbell,
 * and interrupts the host through MSI-X.
 *
 * The program creates the doorbells, their completion queue and the interrupt vectors, and passes
 * their handles to the DPA.
 */
#ifndef DOCA_DPA_DEV_DEVEMU_PCI_H_
#define DOCA_DPA_DEV_DEVEMU_PCI_H_

#include <doca_dpa_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Handle of a doorbell completion queue. */
__dpa_global__ typedef uint64_t doca_dpa_dev_devemu_pci_db_completion_t;

/** @brief A doorbell completion that was taken from a completion queue. */
__dpa_global__ typedef uint64_t doca_dpa_dev_devemu_pci_db_completion_element_t;

/** @brief Handle of a doorbell of an emulated device. */
__dpa_global__ typedef uint64_t doca_dpa_dev_devemu_pci_db_t;

/** @brief Handle of an MSI-X interrupt vector of an emulated device. */
__dpa_global__ typedef uint64_t doca_dpa_dev_devemu_pci_msix_t;

/**
 * @brief Takes the next completion from a doorbell completion queue, if there is one. It does not
 * wait.
 *
 * The completion occupies its place in the queue until
 * doca_dpa_dev_devemu_pci_db_completion_ack().
 *
 * @param [in] comp Handle of the queue.
 * @param [out] comp_element The completion. Valid only if there is one.
 * @return Not 0 if there is one, else 0.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_devemu_pci_get_db_completion(
		doca_dpa_dev_devemu_pci_db_completion_t comp,
		doca_dpa_dev_devemu_pci_db_completion_element_t *comp_element);

/**
 * @brief Acknowledges doorbell completions, which frees their places in the queue. Without it the
 * queue fills up.
 *
 * @param [in] comp Handle of the queue.
 * @param [in] num_comp Number of completions that the caller has taken and no longer needs.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_devemu_pci_db_completion_ack(
		doca_dpa_dev_devemu_pci_db_completion_t comp,
		uint64_t num_comp);

/**
 * @brief Arms a doorbell completion queue: its next completion wakes the thread. Arm the queue
 * again after each wake-up.
 *
 * @param [in] comp Handle of the queue.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_devemu_pci_db_completion_request_notification(
		doca_dpa_dev_devemu_pci_db_completion_t comp);

/**
 * @brief Binds a doorbell to a completion queue, which then receives the completions of the
 * doorbell.
 *
 * @param [in] comp Handle of the queue.
 * @param [in] db Handle of the doorbell.
 * @return The result, a number. The interface does not define its values.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_devemu_pci_db_completion_bind_db(
		doca_dpa_dev_devemu_pci_db_completion_t comp,
		doca_dpa_dev_devemu_pci_db_t db);

/**
 * @brief Unbinds a doorbell from its completion queue.
 *
 * @param [in] comp Handle of the queue.
 * @param [in] db Handle of the doorbell.
 * @return The result, a number. The interface does not define its values.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_devemu_pci_db_completion_unbind_db(
		doca_dpa_dev_devemu_pci_db_completion_t comp,
		doca_dpa_dev_devemu_pci_db_t db);

/**
 * @brief Returns the doorbell of a completion, and the user data of that doorbell.
 *
 * @param [in] comp Handle of the queue of the completion.
 * @param [in] comp_element The completion. It must not be acknowledged yet.
 * @param [out] db Handle of the doorbell.
 * @param [out] db_user_data User data of the doorbell.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_devemu_pci_db_completion_element_get_db_properties(
		doca_dpa_dev_devemu_pci_db_completion_t comp,
		doca_dpa_dev_devemu_pci_db_completion_element_t comp_element,
		doca_dpa_dev_devemu_pci_db_t *db,
		doca_dpa_dev_uintptr_t *db_user_data);

/**
 * @brief Arms a doorbell: the host's next write to it produces a completion.
 *
 * @param [in] db Handle of the doorbell. It must be bound to a queue.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_devemu_pci_db_request_notification(doca_dpa_dev_devemu_pci_db_t db);

/**
 * @brief Returns the value that the host has written to a doorbell.
 *
 * @param [in] db Handle of the doorbell.
 * @return The value of the doorbell.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_devemu_pci_db_get_value(doca_dpa_dev_devemu_pci_db_t db);

/**
 * @brief Raises an MSI-X interrupt on the host.
 *
 * @param [in] msix Handle of the interrupt vector.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_devemu_pci_msix_raise(doca_dpa_dev_devemu_pci_msix_t msix);

/**
 * @brief Returns the user data of an MSI-X interrupt vector.
 *
 * @param [in] msix Handle of the interrupt vector.
 * @return The user data.
 */
DOCA_EXPERIMENTAL
doca_dpa_dev_uintptr_t doca_dpa_dev_devemu_pci_msix_get_user_data(
		doca_dpa_dev_devemu_pci_msix_t msix);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_DEV_DEVEMU_PCI_H_ */
