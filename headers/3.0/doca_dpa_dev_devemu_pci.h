/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa_dev_devemu_pci.h
 * @brief Emulated PCI devices for code that runs on the DPA: it is told when the host rings a
 * doorbell (DB) of such a device, reads what was written to it, and interrupts the host by MSI-X.
 *
 * The program makes the doorbells, their completion queue and the interrupt vectors, and passes
 * their handles on.
 */
#ifndef DOCA_DPA_DEV_DEVEMU_PCI_H_
#define DOCA_DPA_DEV_DEVEMU_PCI_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Handle of a queue of completions of doorbells. */
__dpa_global__ typedef uint64_t doca_dpa_dev_devemu_pci_db_completion_t;

/** @brief A completion of a doorbell that was taken from a queue. */
__dpa_global__ typedef uint64_t doca_dpa_dev_devemu_pci_db_completion_element_t;

/** @brief Handle of a doorbell of an emulated device. */
__dpa_global__ typedef uint64_t doca_dpa_dev_devemu_pci_db_t;

/** @brief Handle of an MSI-X interrupt vector of an emulated device. */
__dpa_global__ typedef uint64_t doca_dpa_dev_devemu_pci_msix_t;

/**
 * @brief Takes the next completion from a queue of completions of doorbells, if there is one. It
 * does not wait.
 *
 * The completion keeps its place in the queue until doca_dpa_dev_devemu_pci_db_completion_ack().
 *
 * @param [in] comp Handle of the queue.
 * @param [out] comp_element The completion, if there is one.
 * @return Not 0 when there is one, else 0.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_devemu_pci_get_db_completion(
		doca_dpa_dev_devemu_pci_db_completion_t comp,
		doca_dpa_dev_devemu_pci_db_completion_element_t *comp_element);

/**
 * @brief Acknowledges completions of doorbells: gives their places in the queue back. Without it
 * the queue fills up.
 *
 * @param [in] comp Handle of the queue.
 * @param [in] num_comp Number of completions that were taken and are not needed any more.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_devemu_pci_db_completion_ack(
		doca_dpa_dev_devemu_pci_db_completion_t comp,
		uint64_t num_comp);

/**
 * @brief Asks a queue of completions of doorbells to wake its thread at the next completion. It is
 * needed again after each time that the thread was woken.
 *
 * @param [in] comp Handle of the queue.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_devemu_pci_db_completion_request_notification(
		doca_dpa_dev_devemu_pci_db_completion_t comp);

/**
 * @brief Binds a doorbell to a queue, which then gets the completions of the doorbell.
 *
 * @param [in] comp Handle of the queue.
 * @param [in] db Handle of the doorbell.
 * @return A number that tells how it went; the interface gives its values no names.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_devemu_pci_db_completion_bind_db(
		doca_dpa_dev_devemu_pci_db_completion_t comp,
		doca_dpa_dev_devemu_pci_db_t db);

/**
 * @brief Takes a doorbell from the queue that it is bound to.
 *
 * @param [in] comp Handle of the queue.
 * @param [in] db Handle of the doorbell.
 * @return A number that tells how it went; the interface gives its values no names.
 */
DOCA_EXPERIMENTAL
int doca_dpa_dev_devemu_pci_db_completion_unbind_db(
		doca_dpa_dev_devemu_pci_db_completion_t comp,
		doca_dpa_dev_devemu_pci_db_t db);

/**
 * @brief Returns which doorbell a completion is about, and the user data of that doorbell.
 *
 * @param [in] comp Handle of the queue that the completion was taken from.
 * @param [in] comp_element The completion, not yet acknowledged.
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
 * @brief Asks a doorbell for a completion when it is next rung.
 *
 * @param [in] db Handle of the doorbell, bound to a queue.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_devemu_pci_db_request_notification(doca_dpa_dev_devemu_pci_db_t db);

/**
 * @brief Returns what the host has written to a doorbell.
 *
 * @param [in] db Handle of the doorbell.
 * @return The value of the doorbell.
 */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_devemu_pci_db_get_value(doca_dpa_dev_devemu_pci_db_t db);

/**
 * @brief Raises an MSI-X interrupt: interrupts the host by a vector.
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
