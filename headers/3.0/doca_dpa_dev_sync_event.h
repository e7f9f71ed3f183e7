/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa_dev_sync_event.h
 * @brief The device API for synchronisation events, for code that runs on the DPA. The DPA must be
 * a publisher of an event to change its value, and a subscriber to read it.
 */
#ifndef DOCA_DPA_DEV_SYNC_EVENT_H_
#define DOCA_DPA_DEV_SYNC_EVENT_H_

#include <doca_dpa_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Handle of a synchronisation event. See doca_sync_event_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_sync_event_t;

/**
 * @brief Handle of a remote synchronisation event. See
 * doca_sync_event_remote_net_get_dpa_handle().
 */
__dpa_global__ typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;

/**
 * @brief Returns the value of a synchronisation event.
 *
 * @param [in] dpa_dev_se_handle Handle of the event.
 * @param [out] value The value.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_get(doca_dpa_dev_sync_event_t dpa_dev_se_handle, uint64_t *value);

/**
 * @brief Adds to the value of a synchronisation event.
 *
 * @param [in] dpa_dev_se_handle Handle of the event.
 * @param [in] value The number to add.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_update_add(
		doca_dpa_dev_sync_event_t dpa_dev_se_handle,
		uint64_t value);

/**
 * @brief Sets the value of a synchronisation event.
 *
 * @param [in] dpa_dev_se_handle Handle of the event.
 * @param [in] value The new value.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_update_set(
		doca_dpa_dev_sync_event_t dpa_dev_se_handle,
		uint64_t value);

/**
 * @brief Waits until the masked value of a synchronisation event is greater than a threshold. It
 * has no timeout, and occupies the execution unit for the whole wait.
 *
 * @param [in] dpa_dev_se_handle Handle of the event.
 * @param [in] value The threshold.
 * @param [in] mask Mask for the value of the event.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_wait_gt(
		doca_dpa_dev_sync_event_t dpa_dev_se_handle,
		uint64_t value,
		uint64_t mask);

/**
 * @brief Posts an asynchronous operation that ends when the value of a synchronisation event is
 * greater than a threshold.
 *
 * @param [in] async_ops_handle Handle of the queue of asynchronous operations for the wait. The
 * completion goes to its completion queue.
 * @param [in] wait_se_handle Handle of the event.
 * @param [in] value The threshold, 0 to 254.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_post_wait_gt(
		doca_dpa_dev_async_ops_t async_ops_handle,
		doca_dpa_dev_sync_event_t wait_se_handle,
		uint64_t value);

/**
 * @brief Posts an asynchronous operation that ends when the value of a synchronisation event
 * differs from a number.
 *
 * @param [in] async_ops_handle Handle of the queue of asynchronous operations for the wait. The
 * completion goes to its completion queue.
 * @param [in] wait_se_handle Handle of the event.
 * @param [in] value The number, 0 to 254.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_post_wait_ne(
		doca_dpa_dev_async_ops_t async_ops_handle,
		doca_dpa_dev_sync_event_t wait_se_handle,
		uint64_t value);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_DEV_SYNC_EVENT_H_ */
