/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_dpa_dev_sync_event.h
 * @brief Synchronisation events for code that runs on the DPA: it must be among the publishers of
 * an event to change its value, and among the subscribers to read it.
 */
#ifndef DOCA_DPA_DEV_SYNC_EVENT_H_
#define DOCA_DPA_DEV_SYNC_EVENT_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Handle of a synchronisation event; see doca_sync_event_get_dpa_handle(). */
__dpa_global__ typedef uint64_t doca_dpa_dev_sync_event_t;

/**
 * @brief Handle of a synchronisation event of a peer across the network; see
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
 * @param [in] value What is added.
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
 * @brief Waits until the value of a synchronisation event, of which only the bits of a mask count,
 * is greater than a threshold. The execution unit is busy all the time, and there is no limit of
 * time.
 *
 * @param [in] dpa_dev_se_handle Handle of the event.
 * @param [in] value The threshold.
 * @param [in] mask The bits of the event's value that count.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_wait_gt(
		doca_dpa_dev_sync_event_t dpa_dev_se_handle,
		uint64_t value,
		uint64_t mask);

/**
 * @brief Posts an operation that ends when the value of a synchronisation event is greater than a
 * threshold. The caller goes on meanwhile.
 *
 * @param [in] async_ops_handle Handle of the queue of asynchronous operations that waits. Its
 * completion queue is told of the end.
 * @param [in] wait_se_handle Handle of the event.
 * @param [in] value The threshold, 0 to 254.
 */
DOCA_EXPERIMENTAL
void doca_dpa_dev_sync_event_post_wait_gt(
		doca_dpa_dev_async_ops_t async_ops_handle,
		doca_dpa_dev_sync_event_t wait_se_handle,
		uint64_t value);

/**
 * @brief Posts an operation that ends when the value of a synchronisation event differs from a
 * number. The caller goes on meanwhile.
 *
 * @param [in] async_ops_handle Handle of the queue of asynchronous operations that waits. Its
 * completion queue is told of the end.
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
